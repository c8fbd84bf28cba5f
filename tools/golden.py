"""Regenerate the golden data: node counts, traces, playthroughs, the command reference, notebooks.

Run by `make golden`. Each file is written from the current program; look at the difference before
keeping it. Playthroughs stay as they are where OpenSpiel is not installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from tests.library.envs import playthroughs
from tests.library.game.counting import nodes_text
from tests.library.game.playing import DATA
from tests.library.game.traces import GOLDEN, golden_text
from tools import command_page, notebooks
from tribridge.common.files import write_atomic


def main() -> None:
    """Write every golden file and remove the traces that no longer have a source."""
    files = {"nodes.json": nodes_text()}
    files |= {f"{golden.name}.trace": golden_text(golden) for golden in GOLDEN}
    for old in DATA.glob("*.trace"):
        if old.name not in files:
            old.unlink()
            print(f"{old.name}: removed")
    for name, text in files.items():
        write(DATA / name, text)
    if find_spec("pyspiel"):
        for name in playthroughs.PLAYTHROUGHS:
            write(playthroughs.DATA / name, playthroughs.playthrough_text(name))
    command_page.main()
    notebooks.main()


def write(path: Path, text: str) -> None:
    """Write a file and say whether it has changed."""
    same = path.is_file() and path.read_text("utf-8") == text
    write_atomic(path, text)
    print(f"{path.name}: {'unchanged' if same else 'renewed'}")


if __name__ == "__main__":
    main()
