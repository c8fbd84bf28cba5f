"""All studies of the paper, in the order of the report: those that modules here declare.

To add a study, add a module with a `Study` in it; nothing else has to name it. A study of another
package is named by the entry point group `tribridge.studies`. It is run when it is asked for by its
name; the report of the paper does not have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Final

from tribridge.common.errors import NotFoundError, RunError, SettingError, first_line
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
    by_order: dict[int, Study[Any, Any]] = {}
    names: dict[str, Study[Any, Any]] = {}
    for value in values:
        if isinstance(value, Study) and value.order is not None:
            other = by_order.setdefault(value.order, value)
            if other is not value:
                raise SettingError(
                    f"the studies {other.name} and {value.name} have the same order, {value.order}"
                )
            if names.setdefault(value.name, value) is not value:
                raise SettingError(f"two studies have the name {value.name}")
    return [by_order[order] for order in sorted(by_order)]


STUDIES: Final[Mapping[str, Study[Any, Any]]] = {study.name: study for study in find_studies()}


def find_study(name: str, *others: str) -> Study[Any, Any]:
    """The study of a name: one of the paper, or one of another package.

    An error names the studies, and `others` that would do in their place.
    """
    if name in STUDIES:
        return STUDIES[name]
    registered = entry_points(group="tribridge.studies")
    points = {point.name: point for point in sorted(registered, key=lambda point: point.name)}
    if name not in points:
        known = ", ".join((*others, *STUDIES, *points))
        raise NotFoundError(f"unknown study {name!r}: expected {known}")
    try:
        study = points[name].load()
    except Exception as error:  # importing a third-party module may raise anything
        why = first_line(error)
        raise RunError(
            f"the study {name!r} ({points[name].value}) cannot be loaded: {why}"
        ) from error
    if not isinstance(study, Study) or study.name != name:
        raise SettingError(
            f"{points[name].value} is not the study {name!r}: expected a Study of this name"
        )
    return study


def claims(outcomes: Outcomes) -> list[Claim]:
    """Judge the paper's claims by the studies that were run, section by section."""
    judged: list[Claim] = []
    for name, study in STUDIES.items():
        ran = name in outcomes
        judged += study.claims(outcomes[name].result) if ran else open_claims(name)
    return sorted(judged, key=lambda claim: SECTIONS.index(claim.section))
