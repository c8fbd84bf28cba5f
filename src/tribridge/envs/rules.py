"""What a game is played with: a deck, a scoring scheme, doubles or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.random import Generator

from tribridge.cards import Deck, parse_deck
from tribridge.dealer import deal
from tribridge.deals import Deal, Seat, as_seat, parse_deal
from tribridge.envs.encoding import Encoding
from tribridge.errors import SettingError, shown
from tribridge.game import Scheme, Table, find_scheme, new_table, scores, settle


@dataclass(frozen=True)
class Rules:
    """The rules of one environment."""

    deck: Deck
    scheme: Scheme
    doubles: bool

    @classmethod
    def of(cls, deck: Deck | str, scheme: Scheme | str, doubles: bool) -> Rules:
        """Rules from values or text; a deck that cannot be dealt is refused here."""
        deck = parse_deck(deck) if isinstance(deck, str) else deck
        scheme = find_scheme(scheme) if isinstance(scheme, str) else scheme
        if not isinstance(deck, Deck):
            raise SettingError(f"{shown(deck)} is not a deck: expected suits x ranks, as in '4x13'")
        if not isinstance(scheme, Scheme):
            raise SettingError(f"{shown(scheme)} is not a scoring scheme: expected a name")
        if not isinstance(doubles, bool):
            raise SettingError(f"doubles={shown(doubles)}: expected True or False")
        assert deck.hand_size  # raises if four hands cannot be dealt
        return cls(deck, scheme, doubles)

    @cached_property
    def encoding(self) -> Encoding:
        return Encoding(self.deck)

    def new_table(
        self, rng: Generator, options: Mapping[str, Any] | None = None
    ) -> tuple[Table, int]:
        """A table before the first call, and the seed that was drawn for the deal.

        Cards and dealer are random. The options `deal` (a `Deal`, or text) and `dealer` fix them;
        the seed is drawn all the same, for the strategies at the table.
        """
        options = options or {}
        seed, turn = int(rng.integers(1 << 63)), int(rng.integers(3))
        dealt, dealer = options.get("deal"), options.get("dealer")
        if dealt is None:
            dealt = deal(seed, 0, self.deck)
        elif isinstance(dealt, str):
            dealt = parse_deal(dealt, self.deck)
        if not isinstance(dealt, Deal) or dealt.deck != self.deck:
            raise SettingError(f"{shown(dealt)} is not a deal of a {self.deck} deck")
        seat = Seat(turn) if dealer is None else as_seat(dealer)
        return new_table(dealt, seat, doubles=self.doubles, scheme=self.scheme), seed

    def payoffs(self, table: Table) -> tuple[float, float, float]:
        """The settlement of a deal, North first: 0 for everybody until it is over."""
        if table.outcome is None:
            return 0.0, 0.0, 0.0
        north, east, south = settle(scores(table.outcome, self.scheme, self.deck))
        return float(north), float(east), float(south)
