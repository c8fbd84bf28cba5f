"""All studies of the paper, in the order of the report: those that modules here declare.

To add a study, add a module with a `Study` in it; nothing else has to name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from tribridge import studies
from tribridge.errors import NotFoundError
from tribridge.studies.claims import SECTIONS, Claim
from tribridge.studies.study import Outcomes, Study


def _declared() -> Iterator[tuple[int, Study[Any, Any]]]:
    """The studies of the report in the modules of this package, with their places."""
    for module in iter_modules(studies.__path__):
        if module.name != "suite":
            for value in vars(import_module(f"{studies.__name__}.{module.name}")).values():
                if isinstance(value, Study) and value.order is not None:
                    yield value.order, value


STUDIES: Final[Mapping[str, Study[Any, Any]]] = {
    study.name: study for _, study in sorted(_declared(), key=lambda found: found[0])
}


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
        found = study.claims(outcomes[name].result) if ran else study.open_claims
        judged += [replace(claim, study=name) for claim in found]
    return sorted(judged, key=lambda claim: SECTIONS.index(claim.section))
