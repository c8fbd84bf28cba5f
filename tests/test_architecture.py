"""The layer table of `docs/explanation/architecture.md` agrees with the code and the contract."""

from __future__ import annotations

import re
import tomllib
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "tribridge"
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
ROW = re.compile(r"^\| (\d+) \| `(\w+)(?:/|\.py)` \|", re.M)


def rows() -> list[tuple[int, str]]:
    """The rows of the table, from the top: the number of the layer and the name in it."""
    return [(int(number), name) for number, name in ROW.findall(PAGE.read_text("utf-8"))]


def contract() -> list[set[str]]:
    """The layers that import-linter enforces, from the top."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers, _ = settings["tool"]["importlinter"]["contracts"]
    return [set(re.findall(r"\w+", layer)) for layer in layers["layers"]]


def test_every_package_and_module_is_in_the_table_once() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert sorted(name for _, name in rows()) == sorted(packages | modules)


def test_the_layers_of_the_table_are_those_of_the_import_contract() -> None:
    layers = [
        (number, {name for _, name in group}) for number, group in groupby(rows(), lambda r: r[0])
    ]
    assert [names for _, names in layers] == contract()
    assert [number for number, _ in layers] == list(range(len(layers), 0, -1))
