"""Requirements: each has a lower bound to test with, and a tested version that make installs."""

from __future__ import annotations

import re
import tomllib
from itertools import chain

from tools.matrix import ROOT, lowest, supported

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_INSTALLED = {"cupy-cuda12x", "torch"}
"""What make never installs: a GPU and training are up to the user."""


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def test_every_requirement_has_a_lower_bound_and_a_tested_version() -> None:
    every = chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    bounds = dict(line.split("==") for line in lowest(PROJECT))
    assert len(bounds) == len({text for text in every if not text.startswith("tribridge[")})
    lines = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert bounds.keys() - tested.keys() == NOT_INSTALLED
    for name in bounds.keys() - NOT_INSTALLED:
        assert _numbers(tested[name]) >= _numbers(bounds[name]), name


def test_the_oldest_supported_python_is_the_one_that_is_required() -> None:
    assert PROJECT["requires-python"] == f">={supported(PROJECT)[0]}"
