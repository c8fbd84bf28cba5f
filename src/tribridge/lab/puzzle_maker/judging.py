"""Which positions make a puzzle: one answer clearly best, found by two computations.

A choice passes through finer and finer sieves, the cheap ones first: the network's values over a
few layouts, over 1,000, then the long computation over a few and over 1,000 layouts. After each,
the answers must fall into two groups with nothing between them: those as good as the best, and
those that lose a clear share of the stake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.random import Generator

from tribridge.cards.cards import Card
from tribridge.cards.masks import F64
from tribridge.common.errors import FormatError
from tribridge.game.auction import call_name
from tribridge.game.position import Position
from tribridge.game.scoring import find_scheme, package_scheme
from tribridge.game.standing import Standing
from tribridge.game.table import Action, Table
from tribridge.game.textbook import Diagram
from tribridge.game.views import View, view
from tribridge.reviews.cards import CardValues, solve_layouts, value_cards
from tribridge.reviews.lines import chairs_by_seat
from tribridge.reviews.puzzle_files import ERRORS, MARGIN
from tribridge.reviews.puzzles import MOST_LAYOUTS, Answer, Example, Puzzle, Source
from tribridge.reviews.themes import Theme
from tribridge.strategies import find_caller, find_player
from tribridge.strategies.human import shares
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import position_of

LAYOUTS: Final = MOST_LAYOUTS
EQUAL: Final = 0.05
NETWORK_EQUAL: Final = 0.1
"""The most that a right answer loses to the best one, by the two computations."""
_FEW: Final = 40
SOME: Final = 30
LOOSE: Final = 0.8
"""The share of the margins that is asked for with few layouts."""
_DRAWS: Final = 200
_CARDS_LEFT: Final = 4
FEWEST: Final = 20
"""Where fewer layouts are possible there is hardly anything to find."""
PLAYERS: Final = ("capture", "maxims", "learned@1", "learned")
CALLERS: Final = ("capture", "points", "forecast", "learned")
SAMPLES: Final = (1, 4, 16)
"""Bots that imagine so many layouts and take the best card over them."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What each action loses to the best, in points with the standard error, and the stake."""

    points: Mapping[Action, tuple[float, float]]
    stake: float

    def groups(self, margin: float, equal: float, errors: float = ERRORS) -> frozenset[Action]:
        """The actions that are as good as the best; none if some are neither so nor wrong."""
        least, most = margin * self.stake, equal * self.stake
        right = frozenset(action for action, (loss, _) in self.points.items() if loss <= most)
        clear = ((loss >= least and loss > errors * error) for loss, error in self.points.values())
        wrong = sum(clear)
        return right if len(right) + wrong == len(self.points) and wrong else frozenset()

    def agree(self, right: frozenset[Action], margin: float, equal: float) -> bool:
        """Whether these actions lose no more than `equal`, and all others the margin."""
        return all(
            loss <= equal * self.stake if action in right else loss >= margin * self.stake
            for action, (loss, _) in self.points.items()
        )


def _card_losses(values: CardValues) -> Losses:
    each = {option.action: (option.points_loss, option.points_error) for option in values.options}
    return Losses(each, abs(values.stake) or 1.0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that the network finds clearly best, before the long computation."""

    table: Table
    network: CardValues
    right: frozenset[Action]


def candidate(table: Table, rng: Generator, easy: float = 1.0) -> Candidate | None:
    """The choice of the card that is due, if the network's values make it a puzzle.

    A choice on which the bots that think agree is valued with the chance `easy`.
    """
    seen = view(table, table.turn)
    if not worth_asking(seen):
        return None
    position = position_of(seen)
    _, *chosen = bot_choices(seen, rng).values()
    agreed = len(apart(position, {card for card in chosen if isinstance(card, Card)})) == 1
    if agreed and rng.random() >= easy:
        return None
    return valued(table, seen, rng)


def worth_asking(seen: View) -> bool:
    """Whether there is a choice of a card, with cards left, that may still decide the contract."""
    position = position_of(seen)
    decided = position.won >= position.needed or position.to_defeat <= 0  # but for overtricks
    enough = position.mine.bit_count() >= _CARDS_LEFT
    return enough and not decided and len(apart(position, position.legal)) > 1


def valued(table: Table, seen: View, rng: Generator) -> Candidate | None:
    """The choice of the card that is due, if the network's values over layouts make it a puzzle."""
    position = position_of(seen)
    for count in (_FEW, 4 * _FEW):
        losses = _card_losses(value_cards(seen, count, rng))
        right = losses.groups(LOOSE * MARGIN, 1.2 * NETWORK_EQUAL, 0.0)
        if not one_card(position, right):
            return None
    network = value_cards(seen, LAYOUTS, rng)
    right = _card_losses(network).groups(MARGIN, NETWORK_EQUAL)
    if not one_card(position, right) or len(network.layouts) < FEWEST:
        return None
    return Candidate(table, network, right)


def one_card(position: Position, right: Iterable[Action]) -> bool:
    """Whether the right answers are one card, or cards that are equal to it."""
    cards = [card for card in right if isinstance(card, Card)]
    return len(apart(position, cards)) == 1


def card_puzzle(promising: Candidate, rng: Generator, source: Source) -> Puzzle | None:
    """The puzzle of a candidate, if the long computation agrees."""
    seen, right = promising.network.view, promising.right
    solved = None
    for solved in _solving(promising.network, rng):
        loose = 0.5 if len(solved.layouts) <= SOME else 0.8
        if not _card_losses(solved).agree(right, loose * MARGIN, EQUAL / loose):
            return None
    if solved is None or right != _card_losses(solved).groups(MARGIN, EQUAL):
        return None
    return _card_puzzle(promising.table, seen, promising.network, solved, right, rng, source)


def _solving(network: CardValues, rng: Generator) -> Iterator[CardValues]:
    """The long computation on the layouts that the network valued, on more and more of them.

    Double dummy solves all of them, and the first are also played out by the maxims.
    """
    order = rng.permutation(len(network.layouts))
    hands, weights = [network.layouts[at] for at in order], network.share[order]
    ends = [end for end in (SOME, 4 * SOME) if 2 * end < len(hands)]
    solved: CardValues | None = None
    for start, end in pairwise((0, *ends, len(hands))):
        whole = network.whole and end == len(hands)
        part = solve_layouts(
            network.view,
            hands[start:end],
            weights[start:end],
            whole=whole,
            played_out=end <= SOME,
        )
        solved = part if solved is None else _joined(solved, part, weights[:end], whole)
        yield solved


def _joined(first: CardValues, second: CardValues, weights: F64, whole: bool) -> CardValues:
    """The values on the layouts of both."""
    return replace(
        first,
        layouts=first.layouts + second.layouts,
        share=weights / weights.sum(),
        whole=whole,
        made=np.concatenate((first.made, second.made)),
        tricks=np.concatenate((first.tricks, second.tricks)),
        points=np.concatenate((first.points, second.points)),
    )


def book_puzzle(diagram: Diagram, rng: Generator) -> Puzzle | None:
    """The puzzle of a textbook position, if the computations agree with the book.

    Of a signal they can say nothing, as they do not see what partner learns from it: there it is
    enough that they find nothing against it.
    """
    table = diagram.table()
    table = replace(table, scheme=find_scheme("auction"))
    seen = view(table, table.turn)
    network = value_cards(seen, LAYOUTS, rng)
    *_, solved = _solving(network, rng)
    by_network, by_solving = _card_losses(network), _card_losses(solved)
    expected: frozenset[Action] = frozenset(diagram.cards)
    right = by_solving.groups(MARGIN, EQUAL)
    if diagram.signal:
        right = expected
        equal = (by_network, NETWORK_EQUAL), (by_solving, EQUAL)
        if any(by.points[c][0] > most * by.stake for c in expected for by, most in equal):
            return None
    elif right != by_network.groups(MARGIN, NETWORK_EQUAL) or not expected & right:
        return None
    source = Source(book=diagram.source)
    puzzle = _card_puzzle(table, seen, network, solved, right, rng, source, diagram.principle)
    return replace(puzzle, theme=Theme.SIGNAL) if diagram.signal else puzzle


def _card_puzzle(
    table: Table,
    seen: View,
    network: CardValues,
    solved: CardValues,
    right: frozenset[Action],
    rng: Generator,
    source: Source,
    principle: str = "",
) -> Puzzle:
    bots = {"random": round(len(right) / len(seen.legal), 3)}
    bots |= {name: float(card in right) for name, card in bot_choices(seen, rng).items()}
    bots |= {f"sampling:layouts={count}": _sampled(solved, right, count, rng) for count in SAMPLES}
    points = {option.action: solved.sign * option.points for option in solved.options}
    made: dict[Action, float] = dict(
        zip(network.cards, (network.share @ network.made).tolist(), strict=True)
    )
    answers = answers_of(right, points, _card_losses(solved), _card_losses(network), made)
    best, tempting = answers[0].action, tempting_answer(answers, seen, rng)
    assert isinstance(best, Card)
    assert isinstance(tempting, Card)
    columns = [solved.cards.index(card) for card in (best, tempting)]
    gains = solved.sign * (solved.points[:, columns[0]] - solved.points[:, columns[1]])
    key, held = solved.key(best, tempting), np.ones(len(gains))
    if key is not None:
        held = np.array([bool(hands[key.chair] & key.card.bit) for hands in solved.layouts])
        key = replace(key, chance=round(key.chance, 3))
    declarer = position_of(seen).contract.declarer
    examples = tuple(
        Example(
            chairs_by_seat(solved.layouts[at], declarer),
            *(round(float(tricks), 1) for tricks in solved.tricks[at, columns]),
        )
        for at in telling_layouts(gains * held, -gains)
    )
    return replace(
        puzzle_of(table, answers, tempting, gains, solved.share, bots),
        stake=round(abs(solved.stake), 2),
        layouts=len(solved.layouts) if solved.whole else LAYOUTS,
        key=key,
        examples=examples,
        principle=principle,
        source=source,
    )


def answers_of(
    right: frozenset[Action],
    points: Mapping[Action, float],
    solved: Losses,
    network: Losses,
    made: Mapping[Action, float],
) -> tuple[Answer, ...]:
    """The answers with what both computations say: the right ones first, the lowest of them."""

    def worth(losses: Losses, action: Action) -> tuple[float, float]:
        loss, error = losses.points[action]
        return round(loss, 2), round(error, 3)

    return lowest_first(
        Answer(
            action,
            action in right,
            round(points[action], 2),
            *worth(solved, action),
            *worth(network, action),
            round(made[action], 3),
        )
        for action in solved.points
    )


def lowest_first(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The answers with the right ones first, of cards the lowest; the others as they come."""
    return tuple(sorted(answers, key=_order))


def _order(answer: Answer) -> tuple[bool, int]:
    lowest = answer.right and isinstance(answer.action, Card)
    return not answer.right, -answer.action.index if lowest else 0  # type: ignore[union-attr]


def puzzle_of(
    table: Table,
    answers: tuple[Answer, ...],
    tempting: Action,
    gains: F64,
    share: F64,
    bots: dict[str, float],
) -> Puzzle:
    """A puzzle, with what its best answer gains over the tempting one in each layout."""
    return Puzzle(
        id=sha256(repr(table).encode()).hexdigest()[:8],  # follows from the position
        **of_table(table),  # type: ignore[arg-type]
        answers=answers,
        tempting=tempting,
        stake=0.0,
        layouts=len(gains),
        gains=round(float(share @ (gains > 1e-9)), 3),
        costs=round(float(share @ (gains < -1e-9)), 3),
        bots=bots,
    )


def telling_layouts(*wins: F64) -> list[int]:
    """The layouts with the largest wins, of each kind that there is."""
    return [int(np.argmax(each)) for each in wins if each.max() > 1e-9]


def tempting_answer(answers: Sequence[Answer], seen: View, rng: Generator) -> Action:
    """The wrong card that most experts would play; of a call, what `learned` chose.

    Of equal cards it is the lowest. Where no bot is wrong it is the least bad call.
    """
    wrong = sorted(
        (answer for answer in answers if not answer.right), key=lambda answer: answer.loss
    )
    losing = [answer.action for answer in wrong]
    if seen.contract is not None:
        popular, cards = shares(seen), [card for card in losing if isinstance(card, Card)]
        position = position_of(seen)
        return max(
            apart(position, cards),
            key=lambda card: sum(popular[other] for other in equal_cards(position, card)),
        )
    chosen = reversed(bot_choices(seen, rng).values())
    return next((action for action in chosen if action in losing), losing[0])


def equal_cards(position: Position, card: Card) -> list[Card]:
    """The legal cards that are as good as one, itself among them."""
    return [other for other in position.legal if len(apart(position, {card, other})) == 1]


def bot_choices(seen: View, rng: Generator) -> dict[str, Action]:
    """What each bot calls, or plays; the strongest last."""
    if seen.contract is None:
        return {name: find_caller(name).call(seen, rng).action for name in CALLERS}
    players = {name: find_player(name) for name in PLAYERS}
    return {name: player.card(seen, rng).action for name, player in players.items()}  # type: ignore[union-attr]


def _sampled(values: CardValues, right: frozenset[Action], count: int, rng: Generator) -> float:
    """How likely the best card over a few of the layouts is to be right."""
    drawn = rng.choice(len(values.layouts), size=(_DRAWS, count), p=values.share)
    means = values.sign * values.points[drawn].mean(axis=1)
    good = np.array([card in right for card in values.cards])
    best = means >= means.max(axis=1, keepdims=True) - 1e-9
    return round(float(((best & good).sum(1) / best.sum(1)).mean()), 3)


def of_table(table: Table) -> dict[str, object]:
    """The fields of a puzzle that say where its question is asked."""
    cards = [action.name for action in table.history if isinstance(action, Card)]
    scheme = None if table.scheme is None else table.scheme.name
    if scheme is not None and package_scheme(scheme) != table.scheme:
        raise FormatError(f"the scheme {scheme} is not one of the package")
    rubber = table.rubber
    return {
        "deal": table.deal,
        "dealer": table.dealer,
        "doubles": table.auction.doubles,
        "scheme": scheme,
        "laws": None if rubber is None else rubber.laws.name,
        "standing": Standing() if rubber is None else rubber.standing,
        "auction": " ".join(map(call_name, table.auction.calls)),
        "play": " ".join(cards),
    }
