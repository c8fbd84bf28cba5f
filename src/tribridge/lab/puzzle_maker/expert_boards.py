"""Puzzles from boards that experts played: positions in which they disagree, or most go wrong.

A board is at our table what it is after the auction of four: North declares, the contract is set,
and it is scored as `contract`. Only boards whose deal is not for validation are searched, in an
order that follows from a seed, one of each deal.

The network that learned from experts asks first, as it is cheap: would many of them play another
card than the favourite? What the expert at the table played has no say in the choice, so that it
can be compared with the network's share afterwards. Then the sieves of `judging` follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import default_rng

from tribridge.cards.cards import Card
from tribridge.common.parallel import Range
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Action, Table
from tribridge.game.views import view
from tribridge.lab.puzzle_maker.judging import (
    Candidate,
    card_puzzle,
    equal_cards,
    valued,
    worth_asking,
)
from tribridge.networks.boards import Boards, for_validation, table_of
from tribridge.reviews.puzzles import Experts, Puzzle, Source
from tribridge.strategies.human import shares
from tribridge.strategies.protocol import position_of

SCHEME: Final = "contract"
_AGREED: Final = 0.85
"""The share of a favourite, with its equals, from which experts agree."""
_MOST_FOUND: Final = 0.65
"""The largest share of experts that find the answer."""
_FIRST: Final = (0.02, 0.03, 0.05, 0.2)
"""The chances that a card of the first tricks is searched: these take longest by far."""


@dataclass(frozen=True, slots=True)
class ExpertDeal:
    """A deal as experts played it: hands by chair, contract, and the cards at each table.

    The first table is searched; those that follow had the same hands and the same contract.
    """

    hands: tuple[int, ...]
    contract: tuple[int, ...]
    plays: tuple[tuple[int, ...], ...]

    def tables(self) -> Iterator[Table]:
        """The table before each card that the first table played."""
        table = replace(table_of(self.hands, self.contract), scheme=find_scheme(SCHEME))
        for card in self.plays[0]:
            yield table
            table = table.apply_unchecked(Card(card))

    def next_cards(self, played: Sequence[Card]) -> list[Card]:
        """What came next at the tables at which these cards were played."""
        before = tuple(card.index for card in played)
        count = len(before)
        longer = (cards for cards in self.plays if len(cards) > count)
        return [Card(cards[count]) for cards in longer if cards[:count] == before]


def deals_of(boards: Boards, count: int, seed: int) -> list[ExpertDeal]:
    """So many deals of those that are not for validation, in the order of a seed."""
    own = boards.take(~for_validation(boards))
    hands = np.asarray(own.hands, np.uint64)
    _, deal = np.unique(np.sort(hands, 1), axis=0, return_inverse=True)
    order = default_rng(seed).permutation(len(own))
    _, first = np.unique(deal.ravel()[order], return_index=True)
    drawn = order[np.sort(first)[:count]]
    tables = _tables(own, deal.ravel(), set(deal.ravel()[drawn].tolist()))
    deals = []
    for at in drawn.tolist():
        key, cards = _key(own, at), _cards(own, at)
        others = [play for row, play in tables[key] if row != at]
        deals.append(ExpertDeal(*key, (cards, *others)))
    return deals


_Key = tuple[tuple[int, ...], tuple[int, ...]]


def _key(boards: Boards, at: int) -> _Key:
    return tuple(boards.hands[at].tolist()), tuple(boards.contract[at].tolist())


def _cards(boards: Boards, at: int) -> tuple[int, ...]:
    return tuple(card for card in boards.cards[at].tolist() if card >= 0)


def _tables(
    boards: Boards, deal: np.ndarray, wanted: set[int]
) -> dict[_Key, list[tuple[int, tuple[int, ...]]]]:
    """The rows and cards of the boards of some deals, by hands and contract."""
    tables: dict[_Key, list[tuple[int, tuple[int, ...]]]] = {}
    for at in np.flatnonzero(np.isin(deal, list(wanted))).tolist():
        tables.setdefault(_key(boards, at), []).append((at, _cards(boards, at)))
    return tables


@dataclass(frozen=True, slots=True)
class SearchingExperts:
    """The search of experts' deals for puzzles, as a job."""

    deals: tuple[ExpertDeal, ...]
    seed: int

    def name(self, number: int) -> str:
        """The name of a deal in the folder."""
        return f"experts-{self.seed}-{number}"

    def run(self, piece: Range) -> list[tuple[int, list[Puzzle]]]:
        return [
            (number, puzzles_of_deal(self.deals[number], self.seed, number))
            for number in range(*piece)
        ]


def puzzles_of_deal(deal: ExpertDeal, seed: int, number: int) -> list[Puzzle]:
    """The puzzle of a deal, if it has one: of several, that which the fewest experts find."""
    candidates = []
    for at, table in enumerate(deal.tables()):
        rng, seen = default_rng([seed, number, at]), view(table, table.turn)
        early = len(table.tricks) < len(_FIRST)
        if early and rng.random() >= _FIRST[len(table.tricks)]:
            continue
        if not worth_asking(seen):
            continue
        popular = shares(seen)
        if share_of(equal_cards(position_of(seen), next(iter(popular))), popular) >= _AGREED:
            continue
        promising = valued(table, seen, rng)
        if promising is not None and share_of(promising.right, popular) <= _MOST_FOUND:
            candidates.append((share_of(promising.right, popular), at, promising, rng))
    source = Source(seed, number)
    for _, _, promising, rng in sorted(candidates, key=lambda candidate: candidate[:2]):
        puzzle = card_puzzle(promising, rng, source)
        if puzzle is not None:
            return [replace(puzzle, experts=experts_of(deal, promising))]
    return []


def experts_of(deal: ExpertDeal, promising: Candidate) -> Experts:
    """Who found the right card."""
    table = promising.table
    played = [action for action in table.history if isinstance(action, Card)]
    following = deal.next_cards(played)
    share = share_of(promising.right, shares(promising.network.view))
    finders = sum(card in promising.right for card in following)
    return Experts(round(share, 3), len(following), finders)


def share_of(cards: Iterable[Action], popular: dict[Card, float]) -> float:
    """The share of experts that play one of these cards."""
    return sum(popular[card] for card in cards if isinstance(card, Card))
