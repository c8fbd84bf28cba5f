"""The worth of standings: by hand, by a recursion over score sheets, and by playing rubbers."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tribridge.cards.cards import Strain
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError
from tribridge.game.auction import Bid, Contract
from tribridge.game.laws import Laws, all_laws, find_laws, honour_cards, loads_laws
from tribridge.game.rubber import Rubber
from tribridge.game.rubber_worth import (
    GAMES,
    LOW,
    Counts,
    TypicalDeal,
    deal_worth,
    dumps_deals,
    loads_deals,
    rubber_worth,
    solve_worth,
    typical_deals,
)
from tribridge.game.standing import RubberState, Standing

ONE_NOTRUMP = TypicalDeal(Bid("1NT"), 1, 7)
PASSED_OUT = TypicalDeal(None)
DOWN = TypicalDeal(Bid("2S"), 1, 6)
OVER = TypicalDeal(Bid("1H"), 2, 8)
MIXED = {ONE_NOTRUMP: 3, PASSED_OUT: 2, DOWN: 2, OVER: 1}


def laws_with(game: int, base: str = "auction-rubber") -> Laws:
    return loads_laws(f'[tiny]\nbase = "{base}"\ngame = {game}\n', "tiny.toml")["tiny"]


def test_every_deal_a_game_by_hand() -> None:
    worth = solve_worth(laws_with(10), {ONE_NOTRUMP: 1})
    # One game ahead: the leader wins 17 rubbers of 27, each other player 5; 250 points settle as
    # 500 for the winner and -250 for the others.
    assert worth.settlement(Standing(games=(1, 0, 0))) == pytest.approx(
        [250 * (3 * share / 27 - 1) for share in (17, 5, 5)]
    )
    assert worth.settlement(Standing()) == pytest.approx((0, 0, 0))
    # Two, three or four deals with chances 1/3, 4/9 and 2/9.
    assert worth.deals(Standing()) == pytest.approx(2 / 3 + 3 * 4 / 9 + 4 * 2 / 9)
    assert worth.settlement(Standing(games=(2, 1, 0))) == (0, 0, 0)


@pytest.mark.parametrize("laws", all_laws())
def test_equal_players_expect_exactly_nothing(laws: str) -> None:
    assert str(rubber_worth(find_laws(laws)).settlement(Standing())) == "(0.0, 0.0, 0.0)"


def test_deals_passed_out_only_take_time() -> None:
    played = solve_worth(laws_with(10), {ONE_NOTRUMP: 1})
    half = solve_worth(laws_with(10), {ONE_NOTRUMP: 1, PASSED_OUT: 1})
    standing = Standing(games=(0, 1, 1))
    assert half.settlement(standing) == pytest.approx(played.settlement(standing))
    assert half.deals(standing) == pytest.approx(2 * played.deals(standing))


def by_score_sheets(laws: Laws, deals: Counts, start: Standing) -> list[Fraction]:
    """The worth by adding deals to score sheets, exactly."""
    total = sum(deals.values())

    @cache
    def worth(standing: Standing) -> tuple[Fraction, ...]:
        if 2 in standing.games:
            return (Fraction(0),) * 3
        sums, stay = [Fraction(0)] * 3, Fraction(0)
        for deal, count in deals.items():
            for declarer in Seat:
                share = Fraction(count, 3 * total)
                rubber = Rubber(laws, below=standing.below, games=standing.games)
                contract = None if deal.bid is None else Contract(deal.bid, declarer, deal.factor)
                rubber = rubber.add(contract, None if contract is None else deal.tricks)
                stays = rubber.standing == standing
                stay += share * stays
                later = (Fraction(0),) * 3 if stays else worth(rubber.standing)
                for seat in Seat:
                    sums[seat] += share * (rubber.settlement()[seat] + later[seat])
        return tuple(one / (1 - stay) for one in sums)

    return list(worth(start))


@pytest.mark.parametrize(
    ("laws", "start"),
    [
        (laws_with(20), Standing((10, 0, 0), (0, 1, 0))),
        (laws_with(45), Standing((32, 10, 0), (1, 0, 1))),
        (laws_with(45, "auction-rubber-games"), Standing((30, 20, 30), (1, 0, 0))),
        (find_laws("contract-rubber"), Standing((40, 25, 0), (1, 0, 0))),
    ],
)
def test_the_same_as_a_recursion_over_score_sheets(laws: Laws, start: Standing) -> None:
    expected = [float(one) for one in by_score_sheets(laws, MIXED, start)]
    assert solve_worth(laws, MIXED).settlement(start) == pytest.approx(expected)


def add(rubber: Rubber, deal: TypicalDeal, declarer: Seat) -> Rubber:
    """A rubber with a typical deal, its honours claimed card by card."""
    if deal.bid is None:
        return rubber.add(None)
    cards = iter(honour_cards(deal.bid.strain))
    holders = (declarer.letter, declarer.left.letter, declarer.right.letter, "dummy")
    honours = {
        holder: [next(cards) for _ in range(count)]
        for holder, count in zip(holders, deal.honours, strict=True)
    }
    return rubber.add(Contract(deal.bid, declarer, deal.factor), deal.tricks, honours=honours)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("auction-rubber", Standing((20, 0, 6), (0, 1, 0))),
        ("contract-rubber", Standing((0, 60, 0), (1, 0, 1))),
    ],
)
def test_the_same_as_rubbers_played_out_at_random(name: str, start: Standing) -> None:
    laws, rubbers = find_laws(name), 800
    counts = typical_deals()[LOW if laws.overtricks_below else GAMES]
    deals, weights = list(counts), np.array(list(counts.values()), float)
    rng = np.random.default_rng(5)
    drawn = iter(rng.choice(len(deals), size=200 * rubbers, p=weights / weights.sum()).tolist())
    settled, lengths = [], []
    for _ in range(rubbers):
        rubber = Rubber(laws, below=start.below, games=start.games)
        while not rubber.over:
            rubber = add(rubber, deals[next(drawn)], Seat(int(rng.integers(3))))
        settled.append(list(rubber.settlement().values()))
        lengths.append([len(rubber.results)])
    worth = rubber_worth(laws)
    expected = [*worth.settlement(start), worth.deals(start)]
    sample = np.hstack([settled, lengths])
    errors = sample.std(axis=0) / rubbers**0.5
    assert (abs(sample.mean(axis=0) - expected) < 4 * errors).all()


@pytest.mark.parametrize("name", all_laws())
def test_payments_cancel_and_seats_do_not_matter(name: str) -> None:
    worth = rubber_worth(find_laws(name))
    below, games = (20, 0, 6), (0, 1, 1)
    plain = worth.settlement(Standing(below, games))
    assert sum(plain) == pytest.approx(0, abs=1e-6)
    for order in permutations(Seat):
        turned = Standing(*(tuple(one[seat] for seat in order) for one in (below, games)))  # type: ignore[arg-type]
        assert worth.settlement(turned) == pytest.approx([plain[seat] for seat in order], abs=1e-6)


@pytest.mark.parametrize("name", all_laws())
def test_more_below_the_line_is_worth_more(name: str) -> None:
    laws = find_laws(name)
    worth = rubber_worth(laws)
    for games in ((0, 0, 0), (1, 0, 0), (0, 1, 1)):
        values = [worth.settlement(Standing((below, 0, 0), games))[0] for below in range(laws.game)]
        assert (np.diff(values) > -1e-9).all()
        assert values[-1] > values[0]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(["auction-rubber-games", "contract-rubber"]),
    st.tuples(*[st.integers(0, 29)] * 3),
    st.tuples(*[st.integers(0, 1)] * 3),
    st.integers(0, 34),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 13),
)
def test_a_deal_is_worth_its_settlement_and_the_change_of_the_standing(
    name: str, below: tuple[int, ...], games: tuple[int, ...], bid: int, factor: int, tricks: int
) -> None:
    rubber = Rubber(name, below=below, games=games)
    contract = Contract(Bid(1 + bid // 5, Strain(bid % 5)), "E", factor)
    after, worth = rubber.add(contract, tricks), rubber_worth(rubber.laws)
    expected = [
        points + later - before
        for points, later, before in zip(
            after.settlement().values(),
            worth.settlement(after.standing),
            worth.settlement(rubber.standing),
            strict=True,
        )
    ]
    assert deal_worth(rubber.state, contract, tricks) == pytest.approx(expected)
    assert rubber.state == RubberState(rubber.laws, rubber.standing)


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(SettingError, match="scores points below"):
        solve_worth(laws_with(30), {DOWN: 1})
    with pytest.raises(SettingError, match="500 steps"):
        solve_worth(laws_with(500), typical_deals()[LOW])


def test_typical_deals_survive_their_file() -> None:
    deals = [ONE_NOTRUMP, OVER, OVER, PASSED_OUT, TypicalDeal(Bid("6C"), 1, 12, (2, 1, 0, 2))]
    read = loads_deals(dumps_deals({LOW: deals}, "five deals"))
    assert read == {LOW: {ONE_NOTRUMP: 1, OVER: 2, PASSED_OUT: 1, deals[-1]: 1}}
