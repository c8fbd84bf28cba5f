"""Regenerate the golden data: node counts, traces and the command reference. Run by `make golden`.

Each file is written from the current program; look at the difference before keeping it.
"""

from __future__ import annotations

from tests.cli import command_page
from tests.game.counting import nodes_text
from tests.game.playing import DATA
from tests.game.traces import GOLDEN, golden_text
from tribridge.files import write_atomic


def main() -> None:
    """Write every golden file and remove the traces that no longer have a source."""
    files = {"nodes.json": nodes_text()}
    files |= {f"{golden.name}.trace": golden_text(golden) for golden in GOLDEN}
    for old in DATA.glob("*.trace"):
        if old.name not in files:
            old.unlink()
            print(f"{old.name}: removed")
    for name, text in files.items():
        path = DATA / name
        same = path.is_file() and path.read_text("utf-8") == text
        write_atomic(path, text)
        print(f"{name}: {'unchanged' if same else 'renewed'}")
    command_page.main()


if __name__ == "__main__":
    main()
