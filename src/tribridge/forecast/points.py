"""Kind `points`: values that a player can add up at the table, ten points per trick.

There are four sheets: notrump and a trump suit, each for 13 cards (dummy unknown) and for 26. A
sheet has a starting value and several parts; a part gives a value to each honour, or to the length
of a suit, in the suits it covers. With 26 cards, honours count in either hand, the length is that
of both hands together (the fit), and `shorter` is the length in the hand with fewer cards of the
suit.

The total is about ten times the expected tricks. The chance of at least k tricks is a normal or
logistic function of `(total - threshold k) / width`, and the width changes by `slope` for every
trick that the total is above six and a half. Values, thresholds and widths are fitted to labelled
deals by `training.estimators` and rounded; they are stored in `data/points.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib import resources
from math import erf, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Hand, Strain, Suit
from tribridge.cards.masks import F32, I64, LENGTH, ROWS, U64, rows_of
from tribridge.forecast.distribution import TRICKS

UNIT: Final = 10
"""Points per trick."""

_FILE: Final = "data/points.json"
_CHUNK: Final = 1 << 16
_SUITS: Final = len(Suit)
_MOST: Final = 400
"""Totals are clipped to this range, beyond which nothing changes."""


_MIDDLE: Final = 6.5 * UNIT
_NARROW, _BROAD = 2.0, 40.0


@cache
def _normal_table() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The normal curve in steps of 0.001; linear interpolation between them is exact to 1e-7."""
    at = np.linspace(-8, 8, 16_001)
    return at, np.array([(1 + erf(x / sqrt(2))) / 2 for x in at.tolist()])


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(np.clip(-x, -60, 60))))


def _normal(x: NDArray[np.float64]) -> NDArray[np.float64]:
    # Not SciPy's function: importing it would take longer than everything else.
    return np.interp(x, *_normal_table())


CURVES: Final = {"logistic": _logistic, "normal": _normal}


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a sheet: what is counted, in which suits, and the names of its steps."""

    name: str
    suits: str
    """`all`, `trump` or `side`."""
    counts: str
    """`honours`, `length` or `shorter`."""
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    """Each step's name and the ranks or lengths it covers."""
    worth_nothing: tuple[str, ...] = ()
    """Steps with value 0, from which the others are measured."""


def _steps(*names: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Steps of a length from their names: `3`, `3-4`, `7+`, `0-3`."""
    steps = []
    for name in names:
        first, _, last = name.rstrip("+").partition("-")
        end = TRICKS if name.endswith("+") else int(last or first)
        steps.append((name, tuple(range(int(first), end + 1))))
    return tuple(steps)


_HONOURS: Final = tuple((letter, (rank,)) for rank, letter in enumerate("AKQJT"))
_SHORT: Final = _steps("0", "1", "2", "3+")

SHEETS: Final[Mapping[str, tuple[Part, ...]]] = {
    "notrump, 13 cards": (
        Part("honours", "all", "honours", _HONOURS),
        Part("length of a suit", "all", "length", _steps("0-1", "2", "3-4", "5", "6+"), ("3-4",)),
    ),
    "a suit, 13 cards": (
        Part("trump honours", "trump", "honours", _HONOURS),
        Part("side honours", "side", "honours", _HONOURS),
        Part(
            "trumps",
            "trump",
            "length",
            _steps("0", "1", "2", "3", "4", "5", "6", "7", "8+"),
            ("4",),
        ),
        Part("length of a side suit", "side", "length", _SHORT, ("3+",)),
    ),
    "notrump, 26 cards": (
        Part("honours", "all", "honours", _HONOURS),
        Part("fit in a suit", "all", "length", _steps("0-6", "7", "8", "9", "10", "11+"), ("0-6",)),
    ),
    "a suit, 26 cards": (
        Part("trump honours", "trump", "honours", _HONOURS),
        Part("side honours", "side", "honours", _HONOURS),
        Part(
            "trump fit",
            "trump",
            "length",
            _steps("0-3", "4", "5", "6", "7", "8", "9", "10", "11+"),
            ("8",),
        ),
        Part("trumps, shorter hand", "trump", "shorter", _steps("0", "1", "2", "3+"), ("3+",)),
        Part("side suit, shorter hand", "side", "shorter", _SHORT, ("3+",)),
    ),
}


def sheet_name(trump: bool, cards: int) -> str:
    """The name of a sheet."""
    return f"{'a suit' if trump else 'notrump'}, {cards} cards"


@dataclass(frozen=True, eq=False)
class Sheet:
    """A sheet with its values in points."""

    name: str
    start: int
    values: tuple[tuple[int, ...], ...]
    """For each part, the value of each step."""
    thresholds: tuple[float, ...]
    """Totals at which 1, 2, ... 13 tricks are as likely as not."""
    width: float
    slope: float = 0.0
    curve: str = "logistic"

    @property
    def parts(self) -> tuple[Part, ...]:
        return SHEETS[self.name]

    def worth(self, counts: str, trump: bool) -> I64:
        """The points of a suit: by holding for honours, otherwise by length."""
        result = np.zeros(ROWS if counts == "honours" else TRICKS + 1, np.int64)
        for part, values in zip(self.parts, self.values, strict=True):
            if part.counts != counts or part.suits not in ("all", "trump" if trump else "side"):
                continue
            for (_, numbers), value in zip(part.steps, values, strict=True):
                if counts == "honours":
                    result += value * (np.arange(ROWS) >> numbers[0] & 1)
                else:
                    result[list(numbers)] += value
        return result

    @cached_property
    def trump_worth(self) -> tuple[I64, I64]:
        """Points of a trump suit by both hands' holding, and by the shorter hand's length."""
        return self._worths(trump=True)

    @cached_property
    def side_worth(self) -> tuple[I64, I64]:
        """The same for any other suit."""
        return self._worths(trump=False)

    def _worths(self, trump: bool) -> tuple[I64, I64]:
        by_holding = self.worth("honours", trump) + self.worth("length", trump)[LENGTH]
        return by_holding, self.worth("shorter", trump)

    @cached_property
    def chances(self) -> F32:
        """The distribution for every total from `-_MOST` to `_MOST`: (801, 14)."""
        return self.chances_of(np.arange(-_MOST, _MOST + 1)).astype(np.float32)

    def chances_of(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """The distributions for totals: (n, 14)."""
        x = np.asarray(totals, np.float64)
        width = np.clip(self.width + self.slope * (x - _MIDDLE) / UNIT, _NARROW, _BROAD)
        above = (x[:, None] - np.asarray(self.thresholds)) / width[:, None]
        reached = CURVES[self.curve](above)
        ends = np.ones((len(reached), 1)), np.zeros((len(reached), 1))
        return np.asarray(-np.diff(np.hstack([ends[0], reached, ends[1]]), axis=1))

    def lines(self, hand: Hand, dummy: Hand | None, trump: Suit | None) -> list[tuple[str, int]]:
        """The addition as done by hand: each part with its value, the start first.

        Examples:
            >>> from tribridge.cards.cards import parse_hand
            >>> hand = parse_hand("AKQ2.K93.A92.KQ5")
            >>> sheet = Points.load().sheets["notrump, 13 cards"]
            >>> [name for name, value in sheet.lines(hand, None, None)]
            ['start', 'honours', 'length of a suit']
        """
        result = [("start", self.start)]
        for part, values in zip(self.parts, self.values, strict=True):
            total = 0
            for suit in Suit:
                if part.suits != "all" and (part.suits == "trump") != (suit is trump):
                    continue
                own = hand.suit(suit)
                other = Hand() if dummy is None else dummy.suit(suit)
                for (_, numbers), value in zip(part.steps, values, strict=True):
                    if part.counts == "honours":
                        total += value * any(card.column in numbers for card in own | other)
                    else:
                        fewer = min(len(own), len(other))
                        size = fewer if part.counts == "shorter" else len(own | other)
                        total += value * (size in numbers)
            result.append((part.name, total))
        return result


@dataclass(frozen=True, eq=False)
class Points:
    """The four sheets."""

    sheets: Mapping[str, Sheet]
    made: str
    """What the values were fitted to."""

    @classmethod
    def load(cls) -> Points:
        """The sheets in the package."""
        text = resources.files("tribridge.forecast").joinpath(_FILE).read_text("utf-8")
        return loads_points(text)

    def sheet(self, strain: Strain, cards: int) -> Sheet:
        """The sheet for a strain and 13 or 26 cards."""
        return self.sheets[sheet_name(strain is not Strain.NOTRUMP, cards)]

    def from_hand(self, hands: U64) -> F32:
        return self._chances(hands, None)

    def from_pair(self, hands: U64, dummies: U64) -> F32:
        return self._chances(hands, dummies)

    def totals(self, hands: U64, dummies: U64 | None = None) -> I64:
        """The points of hands in each strain: (n, 5)."""
        own = rows_of(hands)
        cards, both, shorter = 13, own, np.zeros_like(own)
        if dummies is not None:
            other = rows_of(dummies)
            cards, both = 26, own | other
            shorter = np.minimum(LENGTH[own], LENGTH[other])
        result = np.empty((len(own), _SUITS + 1), np.int64)
        suit, plain = (self.sheets[sheet_name(trump, cards)] for trump in (True, False))
        as_trump = suit.trump_worth[0][both] + suit.trump_worth[1][shorter]
        as_side = suit.side_worth[0][both] + suit.side_worth[1][shorter]
        result[:, :_SUITS] = as_trump - as_side + (as_side.sum(axis=1) + suit.start)[:, None]
        in_plain = plain.side_worth[0][both] + plain.side_worth[1][shorter]
        result[:, _SUITS] = in_plain.sum(axis=1) + plain.start
        return result

    def _chances(self, hands: U64, dummies: U64 | None) -> F32:
        hands = np.asarray(hands, np.uint64)
        cards = 13 if dummies is None else 26
        suit, plain = (self.sheets[sheet_name(trump, cards)] for trump in (True, False))
        result = np.empty((len(hands), _SUITS + 1, TRICKS + 1), np.float32)
        for start in range(0, len(hands), _CHUNK):
            part = slice(start, start + _CHUNK)
            other = None if dummies is None else np.asarray(dummies, np.uint64)[part]
            totals = np.clip(self.totals(hands[part], other), -_MOST, _MOST) + _MOST
            result[part, :_SUITS] = suit.chances[totals[:, :_SUITS]]
            result[part, _SUITS] = plain.chances[totals[:, _SUITS]]
        return result


def loads_points(text: str) -> Points:
    """Read the data file of this kind."""
    data: dict[str, Any] = json.loads(text)
    sheets = {}
    for name, parts in SHEETS.items():
        sheet = data["sheets"][name]
        entries = zip(parts, sheet["values"].values(), strict=True)
        values = (tuple(int(entry[step]) for step, _ in part.steps) for part, entry in entries)
        others = {"values": tuple(values), "thresholds": tuple(sheet["thresholds"])}
        sheets[name] = Sheet(name, **sheet | others)
    return Points(sheets, data["made"])


def dumps_points(points: Points) -> str:
    """Write the data file of this kind."""
    sheets = {}
    for name, sheet in points.sheets.items():
        values = {
            part.name: {step: value for (step, _), value in zip(part.steps, row, strict=True)}
            for part, row in zip(sheet.parts, sheet.values, strict=True)
        }
        sheets[name] = asdict(sheet) | {"values": values}
        del sheets[name]["name"]
    return json.dumps({"made": points.made, "sheets": sheets}, indent=1) + "\n"
