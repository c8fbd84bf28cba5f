"""Textbook positions: diagrams with the card that the books play (`textbook.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources

from tribridge.cards.cards import Card
from tribridge.cards.deals import Deal, Seat
from tribridge.game.table import Table, new_table
from tribridge.game.views import View, view


@dataclass(frozen=True)
class Diagram:
    """A diagram with the card that the books play."""

    id: str
    title: str
    principle: str
    source: str
    auction: str
    declarer: str
    left: str
    dummy: str
    right: str
    played: str
    expected: tuple[str, ...]
    signal: bool = False
    fails: str = ""

    @property
    def cards(self) -> set[Card]:
        """The cards that are right."""
        return {Card(name) for name in self.expected}

    def table(self) -> Table:
        """The table at which the card is due; North declares."""
        hands = f"N:{self.declarer} {self.left} {self.right} {self.dummy}"
        dealer = Seat((3 - len(self.auction.split())) % 3)  # two passes follow declarer's bid
        return new_table(Deal(hands), dealer).call(self.auction).play(self.played.split())

    def view(self) -> View:
        """What the player to act sees."""
        table = self.table()
        return view(table, table.turn)


def positions() -> list[Diagram]:
    """All positions of the collection."""
    text = resources.files("tribridge.game").joinpath("textbook.toml").read_text("utf-8")
    entries = tomllib.loads(text)["position"]
    return [Diagram(**entry | {"expected": tuple(entry["expected"])}) for entry in entries]
