"""Strategies of other packages: found by their entry points, wherever strategies have names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "plugin"


def install(place: Path, name: str, version: str, points: dict[str, str], code: str) -> None:
    """Put a package where an installer would: a module and its metadata."""
    metadata = place / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "".join(f"{key} = {value}\n" for key, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[tribridge.strategies]\n{lines}")
    module = next(iter(points.values())).partition(":")[0]
    (place / f"{module}.py").write_text(code)


def install_example(place: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    code = (EXAMPLE / "tribridge_stingy.py").read_text()
    points = project["entry-points"]["tribridge.strategies"]
    install(place, project["name"], project["version"], points, code)


def python(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages of a folder installed."""
    path = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )


def command(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(place, "-c", "from tribridge.cli import main; main()", *arguments)


@pytest.mark.slow
def test_the_example_is_listed_and_plays_in_other_processes(tmp_path: Path) -> None:
    install_example(tmp_path)
    listed = command(tmp_path, "arena", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    assert listed.stderr == ""
    entry = next(one for one in json.loads(listed.stdout) if one["name"] == "stingy")
    assert (entry["kind"], entry["parameters"]) == ("cards", {"lavish": 0.0})
    played = command(
        tmp_path, "arena", "match", "pass+stingy:lavish=0.1", "points+random", "--deals", "4",
        "--processes", "2", "--json",
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    assert not any(name.endswith("faults") for name in json.loads(played.stdout)["tables"])


@pytest.mark.slow
def test_the_example_may_sit_at_a_table_of_people(tmp_path: Path) -> None:
    install_example(tmp_path)
    code = (
        "from tribridge.club.core.bots import check_strategy, choices\n"
        "print([one.name for one in choices() if one.name == 'stingy'])\n"
        "print(check_strategy('points+stingy'))\n"
    )
    done = python(tmp_path, "-c", code)
    assert done.stdout == "['stingy']\npoints+stingy\n", done.stderr


BROKEN = "raise RuntimeError('no such\\nlibrary')\n"
COLLIDING = """
class Impostor:
    name = "random"

    def card(self, view, rng):
        pass

    def call(self, view, rng):
        pass
"""
HALF = '''
class Half:
    """Is both, and one of the two names is taken."""

    name = "points"

    def card(self, view, rng):
        pass

    def call(self, view, rng):
        pass


class Nothing:
    name = "nothing"
'''


def test_packages_that_cannot_be_used_cost_a_line_each_and_nothing_else(tmp_path: Path) -> None:
    install_example(tmp_path)
    install(tmp_path, "broken-cards", "0.3", {"broken": "broken_cards:Player"}, BROKEN)
    install(tmp_path, "impostor", "2.0", {"random": "impostor:Impostor"}, COLLIDING)
    points = {"half": "half:Half", "nothing": "half:Nothing", "missing": "half:Missing"}
    install(tmp_path, "half", "1", points, HALF)
    code = (
        "import tribridge as tb\n"
        "names = [one.name for one in tb.list_strategies()]\n"
        "print('stingy' in names, 'nothing' in names, len(names) == len(set(names)))\n"
        "from tribridge.strategies import find_player\n"
        "print(type(find_player('random')).__name__)\n"
        "try:\n"
        "    find_player('points')\n"
        "except tb.NotFoundError as error:\n"
        "    print('no player points')\n"
    )
    done = python(tmp_path, "-W", "error", "-c", code)
    assert done.stdout == "True False True\nRandomPlayer\nno player points\n", done.stderr
    assert done.stderr.splitlines() == [
        "tribridge: the strategy 'broken' of the package broken-cards 0.3 was left out: "
        "RuntimeError: no such library",
        "tribridge: the strategy 'half' of the package half 1 was left out: "
        "the name 'points' is taken by PointsCaller",
        "tribridge: the strategy 'missing' of the package half 1 was left out: "
        "AttributeError: module 'half' has no attribute 'Missing'",
        "tribridge: the strategy 'nothing' of the package half 1 was left out: "
        "<class 'half.Nothing'> has no method call or card",
        "tribridge: the strategy 'random' of the package impostor 2.0 was left out: "
        "the name 'random' is taken by RandomCaller",
    ]


def test_nothing_is_looked_for_until_a_name_is_asked_for(tmp_path: Path) -> None:
    install(tmp_path, "broken-cards", "0.3", {"broken": "broken_cards:Player"}, BROKEN)
    code = "import tribridge as tb, tribridge.strategies; tb.new_table(seed=1)"
    assert python(tmp_path, "-c", code).stderr == ""
    many = (
        "import threading, tribridge as tb\n"
        "tb.list_strategies  # loaded before the threads start\n"
        "threads = [threading.Thread(target=tb.list_strategies) for _ in range(8)]\n"
        "[one.start() for one in threads]; [one.join() for one in threads]\n"
    )
    assert python(tmp_path, "-c", many).stderr.count("was left out") == 1


REGISTERS = """
from tribridge.strategies import Choice, register_player


@register_player
class Hasty:
    name = "hasty"

    def card(self, view, rng):
        return Choice(view.legal[0], "It is the first.")
"""


def test_an_entry_point_may_name_a_module_that_registers_its_strategies(tmp_path: Path) -> None:
    install(tmp_path, "hasty", "1", {"hasty": "hasty_cards"}, REGISTERS)
    install(tmp_path, "idle", "1", {"idle": "idle_cards"}, "name = 'idle'\n")
    code = "from tribridge.strategies import find_player; print(find_player('hasty').name)"
    done = python(tmp_path, "-c", code)
    assert done.stdout == "hasty\n", done.stderr
    assert done.stderr.splitlines() == [
        "tribridge: the strategy 'idle' of the package idle 1 was left out: "
        "the module idle_cards registers no strategy"
    ]
