"""All studies of the paper, in the order of the report; each declares itself in its module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tribridge.errors import NotFoundError
from tribridge.studies import (
    beliefs,
    budget,
    conditions,
    cost,
    fairness,
    hands,
    headline,
    laws,
    learned,
    offence,
    real_play,
    risk,
    strains,
    truth,
)
from tribridge.studies.claims import SECTIONS, Claim
from tribridge.studies.declaration import Declaration
from tribridge.studies.tables import Study

STUDIES: Final[Mapping[str, Declaration[Any]]] = {
    study.name: study
    for study in (
        conditions.STUDY,
        hands.COMPARISON,
        hands.SECOND_HAND,
        headline.STUDY,
        fairness.STUDY,
        budget.STUDY,
        truth.STUDY,
        strains.STUDY,
        real_play.STUDY,
        offence.STUDY,
        beliefs.STUDY,
        learned.STUDY,
        risk.STUDY,
        cost.STUDY,
        laws.STUDY,
    )
}


def find_study(name: str) -> Declaration[Any]:
    """The study of a name."""
    if name not in STUDIES:
        raise NotFoundError(f"unknown study {name!r}: expected {', '.join(STUDIES)}")
    return STUDIES[name]


def claims(results: Mapping[str, Study]) -> list[Claim]:
    """Judge the paper's claims by the studies that were run, section by section."""
    judged: list[Claim] = []
    for name, study in STUDIES.items():
        found = study.claims(results[name].facts) if name in results else study.open_claims
        judged += [replace(claim, study=name) for claim in found]
    return sorted(judged, key=lambda claim: SECTIONS.index(claim.section))
