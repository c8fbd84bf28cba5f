"""A small run of all studies, made once for all tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from math import isclose, isnan
from typing import Any

from tests.shared import made_once
from tribridge.cards.cards import Deck
from tribridge.lab.studies import budget, fairness, hands
from tribridge.lab.studies.study import Outcome, Runner
from tribridge.lab.studies.suite import STUDIES

SMALL: dict[str, Any] = {
    "conditions": 20_000,
    "hands": hands.Size(20_000, joint_captures=False),
    "second-hand": 20_000,
    "headline": 60_000,
    "fairness": fairness.Size(20_000, 400),
    "budget": budget.Size((5, 6), (Deck(4, 6), Deck(4, 8))),
    "truth": 400,
    "strains": 400,
    "place": 2,
    "people": 1,
}


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal but for the last digits of numbers.

    These depend on the processor and on the version of a library.

    >>> alike((0.1 + 0.2, {"n": 1}), (0.3, {"n": 1})), alike(0.3, 0.3001), alike([1.0], [1.0, 1.0])
    (True, False, False)
    """
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-6, abs_tol=1e-12) or (isnan(one) and isnan(other))
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(alike(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def without_commit(text: str) -> dict[str, Any]:
    """What the file of a stored result has, whoever wrote it."""
    values: dict[str, Any] = json.loads(text)
    values.pop("commit", None)
    return values


def small_result(name: str) -> Any:
    """The result of a study at a size for tests."""
    return STUDIES[name].run(SMALL.get(name, STUDIES[name].quick), 1, Runner())


def small_study(name: str) -> Outcome[Any]:
    """A study at a size for tests."""
    return STUDIES[name].outcome(small_result(name))


@cache
def kept_study(name: str) -> Outcome[Any]:
    """The same, made once for all tests, in whichever process they run."""
    return STUDIES[name].outcome(made_once(f"study-{name}", lambda: small_result(name)))


def small_suite() -> dict[str, Outcome[Any]]:
    """Every study at a size for tests."""
    return {name: kept_study(name) for name in STUDIES}
