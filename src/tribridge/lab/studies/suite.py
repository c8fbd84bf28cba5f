"""All studies of the paper, in the order of the report: those that modules here declare.

To add a study, add a module with a `Study` in it; nothing else has to name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from tribridge.common.errors import NotFoundError, SettingError
from tribridge.lab import studies
from tribridge.lab.studies.claims import SECTIONS, Claim, open_claims
from tribridge.lab.studies.study import Outcomes, Study


def find_studies() -> list[Study[Any, Any]]:
    """The studies of the report in the modules of this package, in its order."""
    modules = (
        import_module(f"{studies.__name__}.{module.name}")
        for module in iter_modules(studies.__path__)
        if module.name != "suite"
    )
    return in_order(value for module in modules for value in vars(module).values())


def in_order(values: Iterable[object]) -> list[Study[Any, Any]]:
    """The studies among some values that the report has; no two may claim one place or name."""
    found: dict[int, Study[Any, Any]] = {}
    names: dict[str, Study[Any, Any]] = {}
    for value in values:
        if isinstance(value, Study) and value.order is not None:
            other = found.setdefault(value.order, value)
            if other is not value:
                raise SettingError(
                    f"the studies {other.name} and {value.name} have the same order, {value.order}"
                )
            if names.setdefault(value.name, value) is not value:
                raise SettingError(f"two studies have the name {value.name}")
    return [found[order] for order in sorted(found)]


STUDIES: Final[Mapping[str, Study[Any, Any]]] = {study.name: study for study in find_studies()}


def find_study(name: str) -> Study[Any, Any]:
    """The study of a name."""
    if name not in STUDIES:
        raise NotFoundError(f"unknown study {name!r}: expected {', '.join(STUDIES)}")
    return STUDIES[name]


def claims(outcomes: Outcomes) -> list[Claim]:
    """Judge the paper's claims by the studies that were run, section by section."""
    judged: list[Claim] = []
    for name, study in STUDIES.items():
        ran = name in outcomes
        judged += study.claims(outcomes[name].result) if ran else open_claims(name)
    return sorted(judged, key=lambda claim: SECTIONS.index(claim.section))
