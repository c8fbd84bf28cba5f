"""Which positions make a puzzle: one answer clearly best, found by two computations.

A choice passes through finer and finer sieves, the cheap ones first: the network's values over a
few layouts, over 1,000, then the long computation over a few and over 1,000 layouts. After each,
the answers must fall into two groups with nothing between them: those as good as the best, and
those that lose a clear share of the stake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from math import sqrt
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tribridge.advice.calls import Advice, advise
from tribridge.advice.layouts import OWN, layouts_of
from tribridge.cards import Card, Hand
from tribridge.deals import HIDDEN, Deal, Seat
from tribridge.errors import FormatError
from tribridge.forecast.kinds import DEFAULT
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Call, Contract, call_name
from tribridge.game.position import start_play
from tribridge.game.scoring import find_scheme, package_scheme
from tribridge.game.standing import Standing
from tribridge.game.table import Action, Table
from tribridge.game.textbook import Diagram
from tribridge.game.tricks import CHAIRS, chair_of
from tribridge.game.views import View, view
from tribridge.puzzles.collection import CALL_MARGIN, ERRORS, MARGIN
from tribridge.puzzles.values import Answer, Example, Puzzle, Source
from tribridge.puzzles.wording import Theme
from tribridge.reviews.calls import points_of
from tribridge.reviews.cards import CardValues, solve_layouts, value_cards
from tribridge.reviews.values import Key
from tribridge.strategies import StrategyError, find_caller, find_player
from tribridge.strategies.players.search.evaluation import finish
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import position_of

F64 = NDArray[np.float64]

LAYOUTS: Final = 1000
EQUAL: Final = 0.05
NETWORK_EQUAL: Final = 0.1
"""The most that a right answer loses to the best one, by the two computations."""
_FEW: Final = 40
_SOME: Final = 30
_LOOSE: Final = 0.8
"""The share of the margins that is asked for with few layouts."""
_DRAWS: Final = 200
_CARDS_LEFT: Final = 4
FEWEST: Final = 20
"""Where fewer layouts are possible there is hardly anything to find."""
PLAYERS: Final = ("capture", "maxims", "learned@1", "learned@2")
CALLERS: Final = ("capture", "points", "forecast", "learned")
SAMPLES: Final = (1, 4, 16)
"""Bots that imagine so many layouts and take the best card over them."""
_CALLS_OFFERED: Final = 4
_CALLS_SEARCHED: Final = {True: 0.1, False: 0.03}
"""The chance that a double, or another call, is searched: whole deals take long to solve."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What each action loses to the best, in shares of the stake, with the standard errors."""

    loss: Mapping[Action, float]
    error: Mapping[Action, float]
    stake: float

    def groups(self, margin: float, equal: float, errors: float = ERRORS) -> frozenset[Action]:
        """The actions that are as good as the best; none if some are neither so nor wrong."""
        right = frozenset(one for one, loss in self.loss.items() if loss <= equal)
        wrong = [
            one
            for one, loss in self.loss.items()
            if loss >= margin and loss > errors * self.error[one]
        ]
        return right if len(right) + len(wrong) == len(self.loss) and wrong else frozenset()

    def agree(self, right: frozenset[Action], margin: float, equal: float) -> bool:
        """Whether these actions lose no more than `equal`, and all others the margin."""
        return all(
            loss <= equal if one in right else loss >= margin for one, loss in self.loss.items()
        )


def _card_losses(values: CardValues) -> Losses:
    unit = abs(values.stake) or 1.0
    loss: dict[Action, float] = {}
    error: dict[Action, float] = {}
    for option in values.options:
        loss[option.action] = option.points_loss / unit
        error[option.action] = option.points_error / unit
    return Losses(loss, error, unit)


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
    position = position_of(seen)
    different = apart(position, position.legal)
    if len(different) < 2 or _decided(seen) or position.mine.bit_count() < _CARDS_LEFT:
        return None
    chosen = [card for card in _card_choices(seen, rng)[1:] if isinstance(card, Card)]
    agreed = len(apart(position, set(chosen))) == 1
    if agreed and rng.random() >= easy:
        return None
    for count in (_FEW, 4 * _FEW):
        losses = _card_losses(value_cards(seen, count, rng))
        right = losses.groups(_LOOSE * MARGIN, 1.2 * NETWORK_EQUAL, 0.0)
        if not right or not _few(right, different):
            return None
    network = value_cards(seen, LAYOUTS, rng)
    right = _card_losses(network).groups(MARGIN, NETWORK_EQUAL)
    if not right or not _few(right, different) or len(network.layouts) < FEWEST:
        return None
    return Candidate(table, network, right)


def card_puzzle(found: Candidate, rng: Generator, source: Source) -> Puzzle | None:
    """The puzzle of a candidate, if the long computation agrees."""
    seen, right = found.network.view, found.right
    solved = None
    for solved in _solving(found.network, rng):
        loose = 0.5 if len(solved.layouts) <= _SOME else 0.8
        if not _card_losses(solved).agree(right, loose * MARGIN, EQUAL / loose):
            return None
    if solved is None or right != _card_losses(solved).groups(MARGIN, EQUAL):
        return None
    return _card_puzzle(found.table, seen, found.network, solved, right, rng, source)


def _solving(network: CardValues, rng: Generator) -> Iterator[CardValues]:
    """The long computation on the layouts that the network valued, on more and more of them.

    Double dummy solves all of them, and the first are also played out by the maxims.
    """
    order = rng.permutation(len(network.layouts))
    hands, weights = [network.layouts[at] for at in order], network.share[order]
    ends = [end for end in (_SOME, 4 * _SOME) if 2 * end < len(hands)]
    solved: CardValues | None = None
    for start, end in pairwise((0, *ends, len(hands))):
        part = solve_layouts(
            network.view,
            hands[start:end],
            weights[start:end],
            whole=network.whole and start == 0 and end == len(hands),
            played_out=end <= _SOME,
        )
        whole = network.whole and end == len(hands)
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
        if any(by_network.loss[c] > NETWORK_EQUAL or by_solving.loss[c] > EQUAL for c in expected):
            return None
    elif right != by_network.groups(MARGIN, NETWORK_EQUAL) or not expected & right:
        return None
    source = Source(book=diagram.source)
    puzzle = _card_puzzle(table, seen, network, solved, right, rng, source, diagram.principle)
    return replace(puzzle, theme=Theme.SIGNAL) if diagram.signal else puzzle


def _few(right: frozenset[Action], different: Sequence[Card]) -> bool:
    """Whether fewer of the different cards are right than wrong, or as many."""
    return 2 * len([card for card in different if card in right]) <= len(different)


def _decided(seen: View) -> bool:
    """Whether the contract is made or defeated already: what is left are overtricks."""
    position = position_of(seen)
    return position.won >= position.needed or position.to_defeat <= 0


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
    bots = _card_bots(seen, right, rng)
    bots |= {f"sampling:layouts={count}": _sampled(solved, right, count, rng) for count in SAMPLES}
    by_network = {option.action: option for option in network.options}
    answers = tuple(
        Answer(
            option.action,
            option.action in right,
            round(solved.sign * option.points, 2),
            round(option.points_loss, 2),
            round(option.points_error, 3),
            round(by_network[option.action].points_loss, 2),
            round(by_network[option.action].points_error, 3),
            round(float(network.share @ network.made[:, network.cards.index(option.action)]), 3),
        )
        for option in sorted(solved.options, key=lambda one: one.action not in right)
    )
    tempting = _tempting(answers, _card_choices(seen, rng))
    best = answers[0].action
    assert isinstance(best, Card)
    assert isinstance(tempting, Card)
    gains = _gains(solved, best, tempting)
    key = solved.key(best, tempting)
    key = key and replace(key, chance=round(key.chance, 3))
    return Puzzle(
        id=_name(table),
        **of_table(table),  # type: ignore[arg-type]
        answers=answers,
        tempting=tempting,
        stake=round(abs(solved.stake), 2),
        layouts=len(solved.layouts),
        gains=round(float(solved.share @ (gains > 1e-9)), 3),
        costs=round(float(solved.share @ (gains < -1e-9)), 3),
        key=key,
        examples=_card_examples(seen, solved, best, tempting, key, gains),
        principle=principle,
        bots=bots,
        source=source,
    )


def _name(table: Table) -> str:
    """A short name that follows from the position."""
    return sha256(repr(table).encode()).hexdigest()[:8]


def _gains(values: CardValues, best: Card, other: Card) -> F64:
    first, second = (values.points[:, values.cards.index(card)] for card in (best, other))
    gains: F64 = values.sign * (first - second)
    return gains


def _tempting(answers: Sequence[Answer], chosen: Sequence[Action]) -> Action:
    """The wrong answer that the strongest bot chose, or else the least bad one."""
    wrong = sorted((one for one in answers if not one.right), key=lambda one: one.loss)
    losing = {one.action for one in wrong}
    return next((action for action in reversed(chosen) if action in losing), wrong[0].action)


def _card_choices(seen: View, rng: Generator) -> list[Action]:
    return [find_player(name).card(seen, rng).action for name in PLAYERS]  # type: ignore[union-attr]


def _card_bots(seen: View, right: frozenset[Action], rng: Generator) -> dict[str, float]:
    """How likely each bot is to choose a right card."""
    chances = {"random": round(len(right) / len(seen.legal), 3)}
    for name, action in zip(PLAYERS, _card_choices(seen, rng), strict=True):
        chances[name] = float(action in right)
    return chances


def _sampled(values: CardValues, right: frozenset[Action], count: int, rng: Generator) -> float:
    """How likely the best card over a few of the layouts is to be right."""
    drawn = rng.choice(len(values.layouts), size=(_DRAWS, count), p=values.share)
    means = values.sign * values.points[drawn].mean(axis=1)
    good = np.array([card in right for card in values.cards])
    best = means >= means.max(axis=1, keepdims=True) - 1e-9
    return round(float(((best & good).sum(1) / best.sum(1)).mean()), 3)


def _card_examples(
    seen: View, values: CardValues, best: Card, other: Card, key: Key | None, gains: F64
) -> tuple[Example, ...]:
    """A layout in which the best card gains, and one in which it costs, if there are any."""
    columns = [values.cards.index(card) for card in (best, other)]
    tricks = values.tricks[:, columns]
    held = np.ones(len(gains), dtype=bool)
    if key is not None:
        held = np.array([bool(hands[key.chair] & key.card.bit) for hands in values.layouts])
    chosen = []
    for wins in (gains * held, -gains):
        if (at := int(np.argmax(wins))) is not None and wins[at] > 1e-9:
            chosen.append(at)
    declarer = position_of(seen).contract.declarer
    return tuple(
        Example(
            _by_seat([int(mask) for mask in values.layouts[at]], declarer),
            round(float(tricks[at, 0]), 1),
            round(float(tricks[at, 1]), 1),
        )
        for at in chosen
    )


def _by_seat(chairs: Sequence[int], declarer: Seat) -> tuple[Hand, Hand, Hand, Hand]:
    """Hands by chair as North, East, South and the hidden hand."""
    north, east, south = (Hand(chairs[chair_of(seat, declarer)]) for seat in Seat)
    return north, east, south, Hand(chairs[CHAIRS[2]])


def call_puzzle(table: Table, rng: Generator, source: Source, easy: float = 1.0) -> Puzzle | None:
    """The puzzle of a call that is due, if it makes one.

    Further calls are not predicted, so only some calls are offered: the best, passing, doubling,
    and the cheapest bid of each strain, all of them clearly right or wrong.
    """
    seen = view(table, table.turn)
    drawn = rng.random()
    if drawn >= max(_CALLS_SEARCHED.values()) or len(seen.legal) == 1 or table.rubber is not None:
        return None
    advice = _advise(table, seen, 200, rng)
    offered = _offered(advice)
    bots = _call_bots(seen, advice.call, rng)
    agreed = all(chance > 0.5 for name, chance in bots.items() if name != "random")
    chance = _CALLS_SEARCHED[advice.call is DOUBLE] * (easy if agreed else 1.0)
    if len(offered) < 2 or drawn >= chance:
        return None
    advice = _advise(table, seen, LAYOUTS, rng)
    if _offered(advice) != offered:
        return None
    network = _call_losses(table, advice, offered)
    if network.groups(CALL_MARGIN, 0.0) != {offered[0]}:
        return None
    deals = _layouts(seen, advice, rng)
    few = _losses(_call_values(table, deals[:_SOME], offered), offered, network.stake)
    if not few.agree(frozenset(offered[:1]), _LOOSE * CALL_MARGIN, 0.0):
        return None
    values = _call_values(table, deals, offered, _played_out)
    solved = _losses(values, offered, network.stake)
    if solved.groups(CALL_MARGIN, 0.0) != {offered[0]}:
        return None
    means = values.mean(axis=0)
    answers = tuple(
        Answer(
            call,
            call == offered[0],
            round(float(means[at]), 2),
            round(solved.loss[call] * solved.stake, 2),
            round(solved.error[call] * solved.stake, 3),
            round(network.loss[call] * network.stake, 2),
            round(network.error[call] * network.stake, 3),
            round(advice.prospect(call).chance or 0.0, 3),
        )
        for at, call in enumerate(offered)
    )
    tempting = _tempting(answers, _call_choices(seen, rng))
    first, other = 0, [*offered].index(tempting)  # type: ignore[arg-type]
    gains = values[:, first] - values[:, other]
    chosen = [int(np.argmax(wins)) for wins in (gains, -gains) if wins.max() > 1e-9]
    return Puzzle(
        id=_name(table),
        **of_table(table),  # type: ignore[arg-type]
        answers=answers,
        tempting=tempting,
        stake=network.stake,
        layouts=len(deals),
        gains=round(float((gains > 1e-9).mean()), 3),
        costs=round(float((gains < -1e-9).mean()), 3),
        examples=tuple(
            Example(
                deals[at].hands, round(float(values[at, first])), round(float(values[at, other]))
            )
            for at in chosen
        ),
        bots=bots,
        source=source,
    )


def _advise(table: Table, seen: View, defence: int, rng: Generator) -> Advice:
    scheme = table.scheme or find_scheme("auction")
    return advise(
        seen.dealt,
        None,
        seen.auction,
        scheme=scheme,
        samples=4 * LAYOUTS,
        defence=defence,
        seed=int(rng.integers(1 << 31)),
        rubber=table.rubber,
    )


def _offered(advice: Advice) -> list[Call]:
    """The call advised, then passing, doubling and the cheapest bid of each strain, best first."""
    stake = _stake(advice)
    cheapest: dict[object, Call] = {}
    for bid in advice.sufficient:
        cheapest.setdefault(bid.strain, bid)
    others: list[Call] = [PASS, *advice.doubling, *cheapest.values()]
    best = advice.prospect(advice.call).expected
    # A bid of the same strain as the best one, at another level, is much the same answer.
    if isinstance(advice.call, Bid):
        others = [c for c in others if not isinstance(c, Bid) or c.strain != advice.call.strain]
    ranked = sorted(
        (call for call in others if call != advice.call),
        key=lambda call: -advice.prospect(call).expected,
    )
    clear = [c for c in ranked if best - advice.prospect(c).expected >= CALL_MARGIN * stake]
    must = [call for call in (PASS, DOUBLE, REDOUBLE) if call in ranked]
    if any(call not in clear for call in must) or len(clear) < 2:
        return []
    kept: list[Call] = [call for call in clear if call in must]
    kept += [call for call in clear if call not in kept][: _CALLS_OFFERED - 1 - len(kept)]
    return [advice.call, *sorted(kept, key=clear.index)]


def _stake(advice: Advice) -> float:
    """Making the contract of the best call, or the standing one, against one down, in points."""
    from tribridge.advice.prospects import contract_values, defence_values

    call, auction = advice.call, advice.auction
    bid = call if isinstance(call, Bid) else auction.last_bid
    if bid is None:  # passing before anyone has bid: the cheapest bid
        bid = advice.sufficient[0]
    own = isinstance(call, Bid) or auction.bidder in (None, auction.turn)
    factor = 1 if isinstance(call, Bid) else auction.apply_unchecked(call).factor
    values = (contract_values if own else defence_values)(advice.scheme, bid, factor)
    needed = 6 + bid.level
    return abs(float(values[needed] - values[needed - 1]))


def _call_losses(table: Table, advice: Advice, offered: Sequence[Call]) -> Losses:
    """The losses by the network's values."""
    stake = _stake(advice)
    best = advice.prospect(offered[0])
    loss: dict[Action, float] = {}
    error: dict[Action, float] = {}
    for call in offered:
        own = advice.prospect(call)
        loss[call] = max(0.0, best.expected - own.expected) / stake
        count = min(LAYOUTS, advice.effective or LAYOUTS)
        error[call] = (
            0.0 if call == offered[0] else sqrt((best.spread**2 + own.spread**2) / count) / stake
        )
    return Losses(loss, error, stake)


def _layouts(seen: View, advice: Advice, rng: Generator) -> list[Deal]:
    """Deals that fit what the caller knows, drawn by their weights."""
    sampled = layouts_of(seen.dealt, None, seen.auction, DEFAULT, rng, 4 * LAYOUTS)
    turn = seen.auction.turn
    assert turn is not None
    places = [turn.after(at - OWN.index).index for at in range(len(Seat))]  # of the rotated seats
    drawn = rng.choice(len(sampled.deals), size=LAYOUTS, p=sampled.weights)
    deals = []
    for row in sampled.deals[drawn].tolist():
        hands = [Hand(0)] * 4
        for at, place in enumerate(places):
            hands[place] = Hand(row[at])
        hands[HIDDEN] = Hand(row[HIDDEN])
        deals.append(Deal((hands[0], hands[1], hands[2], hands[3])))
    return deals


@lru_cache(maxsize=64)
def _played_out(deal: Deal, declarer: Seat, bid: Bid) -> int:
    """Declarer's tricks in a bid if everybody plays by the maxims."""
    return finish(start_play(deal, Contract(bid, declarer))).won


def _call_values(
    table: Table,
    deals: Sequence[Deal],
    offered: Sequence[Call],
    tricks: Callable[[Deal, Seat, Bid], int] | None = None,
) -> F64:
    """Points of each call on each deal, double dummy or with the tricks that are said."""
    seat, scheme = table.turn, table.scheme or find_scheme("auction")
    assert seat is not None
    return np.array(
        [
            [points_of(call, seat, replace(table, deal=deal), scheme, tricks) for call in offered]
            for deal in deals
        ]
    )


def _losses(values: F64, offered: Sequence[Call], stake: float) -> Losses:
    gains = values[:, :1] - values
    loss, count = gains.mean(axis=0) / stake, len(values)
    error = np.sqrt((((gains / stake - loss) ** 2).sum(0) + 1) / (count * (count - 1)))
    error[0] = 0.0
    return Losses(
        dict(zip(offered, loss.tolist(), strict=True)),
        dict(zip(offered, error.tolist(), strict=True)),
        stake,
    )


def _call_choices(seen: View, rng: Generator) -> list[Action]:
    chosen: list[Action] = []
    for name in CALLERS:
        try:
            chosen.append(find_caller(name).call(seen, rng).action)
        except StrategyError:
            chosen.append(PASS)
    return chosen


def _call_bots(seen: View, best: Call, rng: Generator) -> dict[str, float]:
    """How likely each bot is to make the best call; another level of its strain counts half."""

    def chance(call: Action) -> float:
        same = isinstance(call, Bid) and isinstance(best, Bid) and call.strain is best.strain
        return 1.0 if call == best else 0.5 * same

    chosen = _call_choices(seen, rng)
    return {"random": 0.2} | {
        name: chance(call) for name, call in zip(CALLERS, chosen, strict=True)
    }


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
