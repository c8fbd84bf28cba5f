"""The club and the laboratory, as far as the library knows them: by name.

The library imports neither. What its front door offers of them (names of `tb`, commands, studies,
a GPU) is loaded by name when somebody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tribridge.common.errors import MissingPackageError

HOUSES: Final = {"club": "the club (tables, puzzles, history)", "lab": "the laboratory"}
"""What each house is, for a message."""


def from_house(module: str) -> Any:
    """A module of the club or the laboratory, as in `lab.studies.suite`.

    Raises:
        MissingPackageError: the house is not installed.
    """
    house = module.partition(".")[0]
    if house in HOUSES:
        try:
            import_module(f"tribridge.{house}")
        except ModuleNotFoundError as error:
            if error.name != f"tribridge.{house}":
                raise
            raise MissingPackageError(
                f"{HOUSES[house]} is not installed: this installation has no tribridge.{house}"
            ) from None
    return import_module(f"tribridge.{module}")
