"""Rubbers for tests: golden ones worked by hand, and deals at random."""

from __future__ import annotations

from functools import cache
from random import Random

from tests.library.game.slow_rubber import Played
from tribridge.cards.cards import Hand, Strain
from tribridge.cards.deals import Seat
from tribridge.game.auction import Bid, Contract, Outcome
from tribridge.game.laws import all_laws, honour_cards
from tribridge.game.rubber import Result, Rubber
from tribridge.game.standing import Honours

N, E, S = Seat
LAWS = tuple(all_laws())

CONTRACTS = {
    (declarer, level, strain, factor): Contract(Bid(level, Strain(strain)), Seat(declarer), factor)
    for declarer in range(3)
    for level in range(1, 8)
    for strain in range(5)
    for factor in (1, 2, 4)
}


def random_deal(random: Random) -> Played | None:
    """A deal in which anything may happen, made contracts and doubles often enough."""
    if random.random() < 0.05:
        return None
    declarer, strain = int(random.random() * 3), int(random.random() * 5)
    level = 1 + int(random.random() * 7)
    factor = (1, 1, 1, 2, 4)[int(random.random() * 5)]
    tricks = int(random.random() * 14)
    if random.random() < 0.8:
        tricks = max(tricks, 6 + level)
    counts = [0, 0, 0, 0]
    for _ in range(4 if strain == 4 else 5):
        counts[int(random.random() * 4)] += 1
    return declarer, level, strain, factor, tricks, (counts[0], counts[1], counts[2], counts[3])


def result_of(deal: Played | None) -> Result:
    if deal is None:
        return Result(Outcome(None))
    declarer, level, strain, factor, tricks, counts = deal
    outcome = Outcome(CONTRACTS[declarer, level, strain, factor], tricks)
    return Result(outcome, hands_of(strain, counts))


@cache
def hands_of(strain: int, counts: tuple[int, int, int, int]) -> Honours:
    """Hands with so many honours."""
    cards, hands = honour_cards(Strain(strain)), []
    for count in counts:
        hands.append(Hand(cards[:count]))
        cards = cards[count:]
    return hands[0], hands[1], hands[2], hands[3]


def random_rubber(laws: str, seed: int, most: int = 12) -> Rubber:
    """A rubber of random deals, over or cut off."""
    random, rubber = Random(seed), Rubber(laws)
    while not rubber.over and len(rubber.results) < most:
        rubber = rubber.add_result(result_of(random_deal(random)))
    return rubber


# Golden rubbers, worked by hand

GoldenDeal = tuple[str, Seat, int, int, dict[str, str]] | None
"""Bid, declarer, factor, tricks and honours."""


def play(laws: str, deals: list[GoldenDeal]) -> Rubber:
    rubber = Rubber(laws)
    for one in deals:
        if one is None:
            rubber = rubber.add(None)
        else:
            bid, declarer, factor, tricks, honours = one
            rubber = rubber.add(Contract(bid, declarer, factor), tricks, honours=honours)
    return rubber


GOLDEN: dict[str, tuple[str, list[GoldenDeal], list[list[int]]]] = {
    "part scores and honours": (
        "auction-rubber",
        [
            # North below 3 x 10 = 30: a game. Three aces with dummy: 30 above.
            ("3NT", N, 1, 9, {"N": "CA DA", "dummy": "HA", "E": "SA"}),
            # South below 3 x 8 = 24. Four honours divided: 4 x 8 = 32 above.
            ("2H", S, 1, 9, {"S": "HA HK HQ", "dummy": "HJ", "E": "HT"}),
            # Two down doubled: 2 x 100 = 200 each to North and South. North has four honours in
            # one hand: 8 x 9 = 72; dummy's single honour is nothing to East.
            ("4S", E, 2, 8, {"N": "SA SK SQ SJ", "dummy": "ST"}),
            # South below 6: with 24 a game. East has three honours: 2 x 6 = 12.
            ("1C", S, 1, 7, {"E": "CA CK CQ", "S": "CJ", "dummy": "CT"}),
            None,
            # North below 6 x 7 = 42: the second game. Small slam 50, four honours in hand and the
            # fifth in dummy 9 x 7 = 63, rubber 250.
            ("5D", N, 1, 12, {"N": "DA DK DQ DJ", "dummy": "DT"}),
        ],
        [
            [30 + 200 + 72 + 50 + 63 + 250, 12, 32 + 200],  # above: 665, 12, 232
            [30 + 42, 0, 24 + 6],  # below: 72, 0, 30
            [737, 12, 262],  # 1011 in all
            [3 * 737 - 1011, 3 * 12 - 1011, 3 * 262 - 1011],  # 1200, -975, -225
        ],
    ),
    "doubles and slams": (
        "auction-rubber-games",
        [
            # East below 3 x 9 x 2 = 54: a game, 125. Doubled contract 50, one overtrick 50, five
            # honours divided 5 x 9 = 45.
            ("2S", E, 2, 9, {"E": "SA SK", "dummy": "SQ SJ ST"}),
            # One down redoubled: 200 each to North and East; South has won twelve tricks all the
            # same: 50. Five honours in one hand: 10 x 6 = 60.
            ("7C", S, 4, 12, {"S": "CA CK CQ CJ CT"}),
            # Six down: 300 each to East and South, and their twelve tricks are a small slam for
            # each, 50. East has four aces: 100.
            ("1NT", N, 1, 1, {"E": "CA DA HA SA"}),
            # North below 3 x 7 x 4 = 84: a game, 125. Redoubled contract 100. No honours.
            ("3D", N, 4, 9, {"E": "DA DT", "S": "DK", "N": "DQ", "dummy": "DJ"}),
            # East below 4 x 8 = 32: the second game, 125, and the rubber, 250. 4 x 8 = 32 honours.
            ("4H", E, 1, 10, {"E": "HA HK HQ", "dummy": "HJ"}),
        ],
        [
            [
                200 + 125 + 100,  # 425
                125 + 50 + 50 + 45 + 200 + 300 + 50 + 100 + 125 + 250 + 32,  # 1327
                50 + 60 + 300 + 50,  # 460
            ],
            [84, 54 + 32, 0],
            [509, 1413, 460],  # 2382 in all
            [3 * 509 - 2382, 3 * 1413 - 2382, 3 * 460 - 2382],  # -855, 1857, -1002
        ],
    ),
    "contract bridge": (
        "contract-rubber",
        [
            ("1NT", N, 1, 8, {}),  # 40 below, overtrick 30 above
            # East below 120: a game; North's 40 are crossed off. Four honours in hand: 100.
            ("4S", E, 1, 10, {"E": "SA SK SQ SJ", "dummy": "ST"}),
            ("3NT", E, 2, 7, {}),  # vulnerable, two down doubled: 200 + 300 to North and South
            ("2H", S, 2, 9, {}),  # 2 x 60 = 120 below, a game; 50, and 100 for the overtrick
            ("2C", N, 1, 8, {}),  # 40 below
            # South below 190: the second game. Slam, vulnerable, 750; four aces 150; 500 for the
            # rubber, since East has a game.
            ("6NT", S, 1, 12, {"S": "CA DA HA SA"}),
        ],
        [
            [30 + 500, 100, 500 + 50 + 100 + 750 + 150 + 500],  # 530, 100, 2050
            [40 + 40, 120, 120 + 190],
            [610, 220, 2360],  # 3190 in all
            [3 * 610 - 3190, 3 * 220 - 3190, 3 * 2360 - 3190],  # -1360, -2530, 3890
        ],
    ),
    "each hand for itself": (
        "whist-club",
        [
            # North below 32: a game, 125. Two honours and dummy's one: 16 + 8; one each: 8, 8.
            ("4H", N, 1, 10, {"N": "HA HK", "dummy": "HQ", "E": "HJ", "S": "HT"}),
            # North below 30: 125 and 250. Three aces and dummy's one: 30 + 10.
            ("3NT", N, 1, 9, {"N": "CA DA HA", "dummy": "SA"}),
        ],
        [
            [125 + 24 + 125 + 250 + 40, 8, 8],
            [62, 0, 0],
            [626, 8, 8],  # 642 in all
            [3 * 626 - 642, 3 * 8 - 642, 3 * 8 - 642],  # 1236, -618, -618
        ],
    ),
}
