"""The houses are as their pictures and pages say, and the library stands without the other two."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import rooms

SOURCE = rooms.ROOT / "src" / "tribridge"
WIDEST = 140
"""Characters on a line of a template."""


@pytest.mark.parametrize("house", ["club", "lab"])
def test_no_line_of_a_template_is_too_long(house: str) -> None:
    files = sorted((SOURCE / house).rglob("*.html"))
    assert files
    long = [
        f"{file.relative_to(SOURCE)}:{number} has {len(line)} characters"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if len(line) > WIDEST
    ]
    assert not long


@pytest.mark.parametrize("house", rooms.HOUSES)
def test_the_picture_of_a_house_is_current(house: str) -> None:
    """Renew them with `python -m tools.rooms`."""
    picture = rooms.PICTURES / f"house-{house}.svg"
    assert picture.read_text("utf-8") == rooms.drawing(house)


@pytest.mark.parametrize("house", rooms.HOUSES)
def test_every_room_is_on_a_floor(house: str) -> None:
    folder = SOURCE.parent / Path(*rooms.HOUSES[house].split("."))
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    others = {"club", "lab"} if house == "library" else set()
    on_floors = [room for row in rooms.layers(house) for room in row]
    assert sorted(on_floors) == sorted((packages | modules) - others)


WITHOUT = """
import sys
for house in {houses!r}:
    sys.modules["tribridge." + house] = None
from tribridge.cli import main
sys.argv = {argv!r}
main()
"""


def run_without(houses: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in an installation without some houses."""
    code = WITHOUT.format(houses=houses, argv=["tribridge", *words])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_the_library_works_without_the_other_houses() -> None:
    done = run_without(["club", "lab"], "capture", "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93")
    assert (done.returncode, done.stderr) == (0, "")
    assert "12" in done.stdout


@pytest.mark.parametrize(
    ("house", "words"),
    [("club", ["play"]), ("lab", ["paper"]), ("lab", ["study", "truth"])],
)
def test_a_house_that_is_not_installed_answers_with_one_line(house: str, words: list[str]) -> None:
    done = run_without([house], *words)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert "is not installed" in done.stderr
    assert done.stderr.count("\n") == 1
