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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from tribridge import __version__
from tribridge.capture.algorithm import Conditions
from tribridge.capture.exact.distribution import ExactDistribution, Joint
from tribridge.cards.cards import Deck
from tribridge.common.files import write_atomic

COUNTING: Final = 2
"""Increased when the method of counting or the file format changes within a version."""


R = TypeVar("R", ExactDistribution, Joint)


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


def stored(key: Key, count: Callable[[], R]) -> R:
    """The result of a key from disk, if an intact one is there; otherwise counted, and stored."""
    result = load(key)
    if result is None:
        save(key, result := count())
    return cast(R, result)


def load(key: Key) -> ExactDistribution | Joint | None:
    """The result of a key, if an intact one is on disk."""
    body = _load(key)
    if body is None:
        return None
    counts = [_counts(rows) for rows in body.values()]
    result: ExactDistribution | Joint = (
        Joint(key.deck, key.budget, key.reading, *counts)
        if "counts" in body
        else ExactDistribution(key.deck, key.budget, *counts)
    )
    return result if result.total == _total(key) else None


def save(key: Key, result: ExactDistribution | Joint) -> None:
    """Store a result."""
    if isinstance(result, Joint):
        _save(key, {"counts": _rows(result.counts)})
    else:
        _save(key, {"total gap": _rows(result.total_gap), "cells": _rows(result.cells)})


def _rows(counts: Mapping[Any, int]) -> list[list[Any]]:
    """Counts as rows of the parts of their keys, and the count."""
    keys = {key: key if isinstance(key, tuple) else (key,) for key in counts}
    return [
        [*(part.value if isinstance(part, Conditions) else part for part in keys[key]), count]
        for key, count in counts.items()
    ]


def _counts(rows: list[list[Any]]) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for *parts, count in rows:
        key = tuple(Conditions(part) if isinstance(part, str) else part for part in parts)
        counts[key if len(key) > 1 else key[0]] = count
    return counts


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
