"""Results stored on disk, so that nothing is counted twice.

One file per result, in the folder `exact` of the cache: `TRIBRIDGE_CACHE` if it is set, otherwise
`tribridge` in `XDG_CACHE_HOME` or `~/.cache`. A file is JSON:

    {"key": {...}, "digest": "...", "body": {...}}

`key` says what was counted and by which version; `digest` is the SHA-256 of the body as written. A
file that cannot be read, has a different key, does not match its digest or does not add up to the
number of deals is ignored, and the result is counted again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any, Final

from tribridge import __version__
from tribridge.capture.algorithm import Conditions
from tribridge.capture.exact.distribution import ExactDistribution, Joint, Verdict
from tribridge.cards import Deck
from tribridge.files import write_atomic

COUNTING: Final = 1
"""Increased when the method of counting or the file format changes within a version."""


@dataclass(frozen=True, slots=True)
class Key:
    """What was counted."""

    result: str
    deck: Deck
    budget: int
    reading: str

    def parts(self) -> dict[str, str | int]:
        """The key as written to the file."""
        return asdict(self) | {
            "deck": str(self.deck),
            "version": __version__,
            "counting": COUNTING,
        }

    def path(self) -> Path:
        """Where the result is stored."""
        name = "-".join(str(part) for part in self.parts().values()).replace(" ", "-")
        return cache_folder() / "exact" / f"{name}.json"


def cache_folder() -> Path:
    """The folder for results that can be recomputed."""
    own = os.environ.get("TRIBRIDGE_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "tribridge"


def load_distribution(key: Key) -> ExactDistribution | None:
    """The distribution of a key, if an intact one is on disk."""
    body = _load(key)
    if body is None:
        return None
    result = ExactDistribution(
        key.deck,
        key.budget,
        {int(gap): count for gap, count in body["total gap"].items()},
        {(gap, taken, check): count for gap, taken, check, count in body["cells"]},
    )
    return result if result.total == _total(key) else None


def save_distribution(key: Key, result: ExactDistribution) -> None:
    """Store a distribution."""
    cells = [[*cell, count] for cell, count in result.cells.items()]
    gaps = {str(gap): count for gap, count in result.total_gap.items()}
    _save(key, {"total gap": gaps, "cells": cells})


def load_joint(key: Key) -> Joint | None:
    """The joint distribution of a key, if an intact one is on disk."""
    body = _load(key)
    if body is None:
        return None
    counts = {(_verdict(first), _verdict(second)): n for first, second, n in body["counts"]}
    result = Joint(key.deck, key.budget, key.reading, counts)
    return result if result.total == _total(key) else None


def save_joint(key: Key, result: Joint) -> None:
    """Store a joint distribution."""
    counts = [[_text(first), _text(second), n] for (first, second), n in result.counts.items()]
    _save(key, {"counts": counts})


def _verdict(value: str | int) -> Verdict:
    return Conditions(value) if isinstance(value, str) else value


def _text(verdict: Verdict) -> str | int:
    return verdict.value if isinstance(verdict, Conditions) else verdict


def _total(key: Key) -> int:
    size, hand = key.deck.size, key.deck.hand_size
    return comb(size, hand) * (comb(size - hand, hand) if key.result != "algorithm1" else 1)


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _load(key: Key) -> dict[str, Any] | None:
    try:
        held = json.loads(key.path().read_bytes())
        if held["key"] == key.parts() and held["digest"] == _digest(held["body"]):
            body: dict[str, Any] = held["body"]
            return body
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        pass
    return None


def _save(key: Key, body: Mapping[str, Any]) -> None:
    held = {"key": key.parts(), "digest": _digest(body), "body": body}
    # A result that cannot be stored (a full disk, a read-only folder) is still correct.
    with suppress(OSError):
        path = key.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(held))
