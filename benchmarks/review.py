"""How often a review catches a blunder, and how often it blames a fair card.

    python -m benchmarks.review [--positions 200] [--seed 7] [--layouts N] [--long 0]

Textbook positions: the card that the books play must not be blamed. Of the other cards, the one
that loses most tricks on the diagram must be.

Planted blunders: `learned` plays deals under `auction`, `contract` and in fresh rubbers under the
default laws. A position is used if there, on the actual deal and in at least 90% of layouts, one
card makes the contract (for a defender: sets it), and another does in at most 10%. That other card
is the blunder, which must be blamed, and the first must not be. The layouts are drawn uniformly
from all that fit what the player has seen, without beliefs, and solved double dummy. As a further
control, the card that `learned` prefers after a search, at another position of the deal, is
judged.

Blamed or caught is what a review calls an inaccuracy or a mistake.

With `--long 200` the verdicts on all cards of four positions of 200 deals, played by
`points+maxims`, are compared with those of 300 layouts, double dummy and played out: half an hour
of a core. Most cards are good, so the share within one grade stands beside what one answer for all
cards would reach, and beside the mistakes that are not blamed (`summary`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from tribridge.arena.playing import play
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.stats import proportion
from tribridge.game import Position, Rubber, Table, find_scheme, new_table, record_of, view
from tribridge.game.textbook import positions
from tribridge.reviews import Verdict
from tribridge.reviews.cards import judge_card, solve_cards, value_cards
from tribridge.reviews.judging import LAYOUTS
from tribridge.reviews.wording import SEATS
from tribridge.strategies import bidding_for, find_strategy
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.strategies.players.search.evaluation import Clock, solver_of
from tribridge.strategies.players.search.sampling import draw
from tribridge.strategies.protocol import position_of

CHECKED = 20
"""Layouts in which a blunder is checked, and of the search for the control."""
FEW = 2
"""In how many of them the blunder may be right, and the best card wrong."""
PER_DEAL = 4
"""Most blunders planted in one deal."""
SETTINGS = ("auction", "contract", "rubber")


@dataclass
class Rate:
    """The verdicts on cards of one kind."""

    name: str
    verdicts: Counter[Verdict] = field(default_factory=Counter)

    def __str__(self) -> str:
        total = self.verdicts.total()
        blamed = sum(self.verdicts[verdict] for verdict in Verdict if verdict.wrong)
        rate = proportion(blamed, total)
        return (
            f"{self.name:38} {blamed:3} of {total:3} ({rate.estimate:.1%}, 95% interval "
            f"{rate.low:.1%} to {rate.high:.1%}), {self.verdicts[Verdict.MISTAKE]} as mistakes"
        )


def verdicts(table: Table, layouts: int, rng: Generator) -> dict[Card, Verdict]:
    """What a review says of each legal card."""
    seen = view(table, table.turn)
    values = value_cards(seen, layouts, rng, solve_endings=True)
    return {
        card: judge_card(0, seen, card, values, None, SEATS).verdict
        for card in position_of(seen).legal
    }


def textbook(seed: int, layouts: int) -> tuple[Rate, Rate]:
    """The right cards of the textbook, and the worst of the others on the diagram."""
    right, wrong = Rate("textbook, fair cards blamed"), Rate("textbook, wrong cards caught")
    for one in positions():
        table = one.table()
        play = table.position
        assert play is not None
        losses = {
            card: -tricks if play.declaring else tricks
            for card, tricks in solver_of(table.deal.deck).cards(play).items()
        }
        judged = verdicts(table, layouts, np.random.default_rng(seed))
        for card in one.cards:
            right.verdicts[judged[card]] += 1
            if judged[card].wrong:
                print(f"  blamed: {one.id} {card}", flush=True)
        worst = max(losses, key=lambda card: losses[card])
        if losses[worst] > min(losses.values()):
            wrong.verdicts[judged[worst]] += 1
            if not judged[worst].wrong:
                print(f"  not caught: {one.id} {worst}", flush=True)
    return right, wrong


def game(seed: int, number: int, player: str = "learned") -> list[Table]:
    """The choices of cards in a deal as a strategy plays it."""
    setting = SETTINGS[number % len(SETTINGS)]
    scheme = None if setting == "rubber" else find_scheme(setting)
    strategy = bidding_for(find_strategy(player), scheme)
    rubber = Rubber().state if scheme is None else None
    table = new_table(deal(seed, number), Seat(number % 3), scheme=scheme, rubber=rubber)
    record = record_of(play(table, [strategy] * 3, seed=seed, number=number).table)
    return [one for one in record.states() if one.position and not one.over and len(one.legal) > 1]


def success(table: Table, position: Position) -> dict[Card, bool]:
    """Whether each card makes the contract, or for a defender sets it, double dummy."""
    tricks = solver_of(table.deal.deck).cards(position)
    return {card: (won >= position.needed) == position.declaring for card, won in tricks.items()}


def planted(table: Table, rng: Generator) -> tuple[Card, Card] | None:
    """A card that keeps the contract in nearly all layouts, and one that gives it away."""
    assert table.position is not None
    actual = success(table, table.position)
    if len(set(actual.values())) < 2:
        return None
    seen = view(table, table.turn)
    position, right, wrong = position_of(seen), Counter[Card](), Counter[Card]()
    for hands in draw(seen, CHECKED, 1.0, False, Clock(None), rng).hands:
        for card, good in success(table, position.with_hands(hands)).items():
            (right if good else wrong)[card] += 1
        keeps = [card for card, good in actual.items() if good and wrong[card] <= FEW]
        gives = [card for card, good in actual.items() if not good and right[card] <= FEW]
        if not keeps or not gives:
            return None
    return min(keeps, key=lambda card: wrong[card]), min(gives, key=lambda card: right[card])


def blunders(wanted: int, seed: int, layouts: int) -> tuple[Rate, Rate, Rate]:
    """Planted blunders, the cards that avoid them, and the cards of the search."""
    caught = Rate("planted blunders caught")
    avoided = Rate("cards that avoid the blunder, blamed")
    searched = Rate("cards of the search, blamed")
    for number in count():
        rng = np.random.default_rng((seed, number))
        choices = game(seed, number)
        found = ((at, planted(choices[at], rng)) for at in rng.permutation(len(choices)))
        pairs = ((choices[at], pair) for at, pair in found if pair is not None)
        for table, (best, blunder) in islice(pairs, PER_DEAL):
            judged = verdicts(table, layouts, rng)
            avoided.verdicts[judged[best]] += 1
            caught.verdicts[judged[blunder]] += 1
            other = choices[rng.integers(len(choices))]
            card = LearnedPlayer(layouts=CHECKED).card(view(other, other.turn), rng).action
            assert isinstance(card, Card)
            searched.verdicts[verdicts(other, layouts, rng)[card]] += 1
            if caught.verdicts.total() == wanted:
                return caught, avoided, searched
    raise AssertionError("there is always another deal")


GRADES = (Verdict.BEST, Verdict.GOOD, Verdict.INACCURACY, Verdict.MISTAKE)
LONG = 300
"""Layouts of the long computation."""


class Pair(NamedTuple):
    """The verdicts on a card: at once, and by the long computation."""

    quick: Verdict
    long: Verdict
    loss: float
    """Tricks that the card loses by the long computation."""


def agreement(
    deals: int, seed: int, layouts: int = LAYOUTS, long_layouts: int = LONG
) -> Iterator[list[Pair]]:
    """The verdicts on cards of each deal that has a choice."""
    for number in range(deals):
        choices = game(seed, number, "points+maxims")
        rng, pairs = np.random.default_rng((seed, number)), list[Pair]()
        for at in rng.permutation(len(choices))[:PER_DEAL]:
            seen = view(choices[at], choices[at].turn)
            values = value_cards(seen, layouts, rng, solve_endings=True)
            both = values, solve_cards(seen, long_layouts, rng)
            for card in position_of(seen).legal:
                quick, long = (judge_card(0, seen, card, each, None, SEATS) for each in both)
                pairs.append(Pair(quick.verdict, long.verdict, long.loss))
        if pairs:
            yield pairs


def near(quick: Verdict, long: Verdict) -> bool:
    """Whether two verdicts are within one grade of each other."""
    return abs(GRADES.index(quick) - GRADES.index(long)) <= 1


def summary(pairs: Collection[Pair]) -> Iterator[str]:
    """How far the verdicts agree, what one answer for all would reach, and what goes unblamed."""
    total = len(pairs)
    agreed = sum(near(pair.quick, pair.long) for pair in pairs)
    yield f"within one grade: {agreed} of {total} cards ({agreed / total:.0%})"
    always = {grade: sum(near(grade, pair.long) for pair in pairs) for grade in GRADES}
    best = max(GRADES, key=lambda grade: always[grade])
    yield f"always answering {best}: {always[best]} of {total} ({always[best] / total:.0%})"
    for name, bad in (
        ("mistakes", [pair for pair in pairs if pair.long is Verdict.MISTAKE]),
        ("cards that lose more than a trick", [pair for pair in pairs if pair.loss > 1]),
    ):
        yield f"{name}: {len(bad)}, not blamed: {sum(not pair.quick.wrong for pair in bad)}"


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--layouts", type=int, default=LAYOUTS)
    parser.add_argument("--long", type=int, default=0)
    options = parser.parse_args()
    if options.long:
        each = list(agreement(options.long, options.seed))
        pairs = [pair for deal_pairs in each for pair in deal_pairs]
        print(f"{len(pairs)} cards in {len(each)} deals", *summary(pairs), sep="\n")
        return
    print(*textbook(options.seed, options.layouts), sep="\n", flush=True)
    print(*blunders(options.positions, options.seed, options.layouts), sep="\n")


if __name__ == "__main__":
    main()
