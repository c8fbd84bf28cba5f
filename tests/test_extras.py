"""Installed as a document says, with those extras and no other, what it promises works."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools.extras import FORMER, LARGE, OPTIONAL, WORKS, blocked, installed, modules, named, run


def test_the_documents_name_extras_that_exist_and_each_has_its_script() -> None:
    assert {"club", "all", "envs"} <= named()
    assert {extra for extras in named() for extra in extras.split(",")} <= OPTIONAL.keys()
    assert WORKS.keys() == OPTIONAL.keys() - {"dev", "docs"} - FORMER


SINGLE = sorted(WORKS.keys() - {"all"})
"""Each extra by itself; `make test-all` tries them together, too, as the documents name them."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "extras",
    [
        *SINGLE,
        *(pytest.param(each, marks=pytest.mark.full) for each in sorted(named() - {*SINGLE})),
    ],
)
def test_an_extra_needs_no_package_of_another(extras: str) -> None:
    for module in modules(extras):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed here")
    done = run([sys.executable, "-c", blocked(extras)])
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["works"]), done.stderr


@pytest.mark.full
@pytest.mark.parametrize("extras", sorted(e for e in named() if not LARGE & set(e.split(","))))
def test_in_a_clean_environment_an_installation_does_what_it_promises(
    extras: str, tmp_path: Path
) -> None:
    done = installed(extras, tmp_path / "environment")
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["works"]), done.stderr
