"""What each extra promises, tried without anything that it does not install.

`WORKS` has a script for each extra. The tests run those of every combination that the documents
tell people to install, with all other optional packages blocked; `make test-all` also in fresh
virtual environments, after the very command of the documents. `python -m tools.extras` does that
for all of them, `python -m tools.extras club envs,speed` for some.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Any, Final

from tribridge.common.errors import EXTRAS

ROOT: Final = Path(__file__).parents[1]
DOCUMENTS: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED: Final = re.compile(r"(?:\.|/tribridge)\[([a-z,]+)\]")
"""An installation in a document: `.[club]`, `/tribridge[all,postgres]`."""
LARGE: Final = {"gpu", "learn"}
"""Gigabytes: not installed by a test."""
FORMER: Final = {"paper", "web"}
"""Earlier names of `lab` and `club`."""
_PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OPTIONAL: Final[dict[str, list[str]]] = _PROJECT["project"]["optional-dependencies"]
_MODULES: Final = {"cupy-cuda12x": "cupy", "open-spiel": "pyspiel", "python-multipart": "multipart"}
"""Packages whose modules have other names."""

LIBRARY: Final = """
import tempfile
import tribridge as tb
assert tb.estimate("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93").captures == 12
table = tb.play_game("points+maxims", "points+random", "capture", seed=1, number=2)
"""
WORKS: Final = {
    "speed": """
assert tb.exact("capture", deck="2x10", cache=False).both_hold
from tribridge.capture.simulation import kernel
assert kernel.capture_counts(1, 0, 1000).sum()
""",
    "dd": """
assert tb.solve(tb.deal(seed=1), declarer="S")["NT"] in range(14)
assert len(tb.review(table, layouts=8).judgements) == len(table.history)
""",
    "stats": """
from tribridge.arena.zero_sum import equilibrium
assert equilibrium([[0.0, 1.0], [1.0, 0.0]])
""",
    "lab": """
from typer.testing import CliRunner
from tribridge.cli import app
with tempfile.TemporaryDirectory() as folder:
    done = CliRunner().invoke(app, f"paper --quick --only hands --out {folder} --no-pdf".split())
    assert done.exit_code == 0, (done.output, done.exception)
""",
    "club": """
import asyncio
from pathlib import Path
from tribridge.club import run
from tribridge.club.app import Settings, create_app
from tribridge.club.core import reviews, workers
from tribridge.club.core.open_store import open_store

class Here(workers.Workers):
    async def run(self, limit, function, *args):
        return function(*args)

async def review_at_a_table(folder):
    app = create_app(Settings(data=folder / "served.sqlite"))
    async with app.router.lifespan_context(app):
        reviews.LAYOUTS = 8
        found = reviews.Reviews(open_store(folder / "play.sqlite"), Here(1))
        small = tb.play_game("maxims", "random", "random", deck="4x5")  # calls take no network
        ahead = reviews.Ahead(small, ["A", "B", "C"])
        analysis = await found.find("me", "t", 1, ahead)
        await analysis.task
        assert analysis.complete and not analysis.failed

with tempfile.TemporaryDirectory() as folder:
    asyncio.run(review_at_a_table(Path(folder)))
""",
    "postgres": "import psycopg\n",
    "cluster": "import distributed\n",
    "envs": """
from tribridge.envs import gymnasium_env, pettingzoo_env
gymnasium_env.SeatEnv(deck="2x4").reset(seed=1)
""",
    "openspiel": """
import pyspiel
import tribridge.envs.openspiel_game
assert pyspiel.load_game("tribridge(deck=2x4)").num_players() == 3
""",
    "learn": "from tribridge.lab.training import ppo\n",
    "gpu": "import cupy\n",
}
WORKS["all"] = "".join(WORKS[extra] for extra in ("speed", "dd", "stats", "lab", "club"))


def named() -> set[str]:
    """The combinations of extras that the documents tell people to install."""
    texts = (document.read_text("utf-8") for document in DOCUMENTS)
    return {extras for text in texts for extras in NAMED.findall(text)}


def script(extras: str) -> str:
    """What an installation must be able to do; it says so at the end."""
    return LIBRARY + "".join(WORKS[extra] for extra in extras.split(",")) + "print('works')\n"


def modules(extras: str) -> set[str]:
    """The optional modules that an installation has."""
    needed: set[str] = set()
    for extra in extras.split(","):
        for text in OPTIONAL[extra]:
            name, _, inner = re.split(r"[<>=]", text)[0].partition("[")
            own = modules(inner.rstrip("]")) if name == "tribridge" else {_MODULES.get(name, name)}
            needed |= own
    return needed


def blocked(extras: str) -> str:
    """The script, where no optional package can be imported that is not of these extras."""
    own = modules(extras)
    others = {name for name in EXTRAS if name not in own} - (
        {"llvmlite"} if "numba" in own else set()
    )
    block = f"import sys\nsys.modules.update(dict.fromkeys({sorted(others)}))\n"
    return block + script(extras)


def installed(extras: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script in a new environment, after `pip install` of a checkout."""
    venv.create(folder, with_pip=True)
    pip: list[Path | str] = [
        folder / "bin" / "python",
        "-m",
        "pip",
        "install",
        "-q",
        f"{ROOT}[{extras}]",
    ]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        return done
    return run([folder / "bin" / "python", "-I", "-c", script(extras)])


def run(command: list[Path | str]) -> subprocess.CompletedProcess[str]:
    """Run a command where there is nothing to import."""
    with tempfile.TemporaryDirectory() as empty:
        return subprocess.run(command, capture_output=True, text=True, cwd=empty)


def main(wanted: list[str]) -> int:
    """Try some installations, or all that are not too large; 1 if one of them fails."""
    failures = 0
    for extras in wanted or sorted(named()):
        if not wanted and LARGE & set(extras.split(",")):
            print(f"{extras:16} left out: it takes gigabytes")
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = installed(extras, Path(folder))
        failures += done.returncode != 0
        print(f"{extras:16} {done.stdout.strip() or done.stderr.strip()}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
