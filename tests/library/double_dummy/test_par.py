"""The table of four declarers, par, and many tasks at once, against DDS's own and the slow way."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

import tribridge as tb
from tribridge.cards.cards import Strain
from tribridge.cards.deals import COMPASS, ByStrain
from tribridge.double_dummy import dds
from tribridge.double_dummy.many import DealTask, FourTask, PlayTask, solve_all
from tribridge.double_dummy.par import DoubleDummyTable, par_of, parse_sides
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import Bid, Contract
from tribridge.game.scoring import find_scheme

needs_dds = pytest.mark.skipif(not dds.available(), reason="endplay is not installed")
SIDES = ("None", "NS", "EW", "All")


def random_table(random: Random) -> DoubleDummyTable:
    """Tricks that partners may have: about the same for both, and 13 between the sides."""
    rows: list[dict[Strain, int]] = [{}, {}, {}, {}]
    for strain in Strain:
        north = random.randint(0, 13)
        for at, usual in enumerate((north, 13 - north) * 2):
            rows[at][strain] = max(0, min(13, usual + random.choice((0, 0, 0, -1))))
    return DoubleDummyTable(tuple(map(ByStrain, rows)))


def par_by_dds(table: DoubleDummyTable, vulnerable: str, dealer: int) -> int:
    library = dds.bindings()
    results, answer = library.ddTableResults(), library.parResultsMaster()
    for strain, seat in product(Strain, range(4)):
        results.resTable[dds._strain_index(strain)][seat] = table.tricks[seat][strain]
    code = {"None": 0, "All": 1, "NS": 2, "EW": 3}[vulnerable]
    library.DealerParBin(results, answer, dealer, code)
    return int(answer.score)


def par_by_search(table: DoubleDummyTable, vulnerable: str, dealer: int) -> int:
    """The auction played out call by call: the plain way, for strains few enough."""
    bids = [
        Bid(level, strain) for level in range(1, 8) for strain in (Strain.HEARTS, Strain.SPADES)
    ]
    risk = parse_sides(vulnerable)
    known: dict[tuple[int, int, int, int], int] = {}

    def score(at: int, side: int) -> int:
        made = max(table[seat][bids[at].strain] for seat in ("NS", "EW")[side])
        factor = 1 if made >= 6 + bids[at].level else 2
        scheme = find_scheme("contract").at_risk("NE"[side] in risk)
        points = int(scheme.net(Contract(bids[at], "N", factor), made))
        return points if side == 0 else -points

    def value(last: int, holder: int, turn: int, passes: int) -> int:
        if passes == (4 if last < 0 else 3):
            return 0 if last < 0 else score(last, holder)
        key = last, holder, turn, passes
        if key not in known:
            best = max if turn % 2 == 0 else min
            after = (turn + 1) % 4
            calls = [value(last, holder, after, passes + 1)]
            calls += [value(at, turn % 2, after, 0) for at in range(last + 1, len(bids))]
            known[key] = best(calls)
        return known[key]

    return value(-1, 0, dealer, 0)


@needs_dds
@pytest.mark.parametrize("seed", range(60))
def test_par_is_that_of_dds(seed: int) -> None:
    random = Random(seed)
    table = random_table(random)
    for vulnerable, dealer in product(SIDES, range(4)):
        expected = par_by_dds(table, vulnerable, dealer)
        assert par_of(table, vulnerable, COMPASS[dealer]).score == expected


@pytest.mark.parametrize("seed", range(12))
def test_par_is_the_value_of_the_auction_played_out(seed: int) -> None:
    random = Random(seed)
    row = random_table(random)
    few = (Strain.HEARTS, Strain.SPADES)
    tricks = tuple(
        ByStrain({strain: row.tricks[at][strain] if strain in few else 0 for strain in Strain})
        for at in range(4)
    )
    table = DoubleDummyTable(tricks)
    for vulnerable, dealer in product(("None", "NS", "All"), (0, 1)):
        expected = par_by_search(table, vulnerable, dealer)
        assert par_of(table, vulnerable, COMPASS[dealer]).score == expected


@pytest.mark.parametrize("seed", range(20))
def test_each_contract_of_par_scores_par(seed: int) -> None:
    table = random_table(Random(seed))
    for vulnerable in SIDES:
        par = par_of(table, vulnerable)
        assert par.contracts or par.score == 0
        for one in par.contracts:
            side = 0 if one.declarers[0] in "NS" else 1
            scheme = find_scheme("contract").at_risk("NE"[side] in parse_sides(vulnerable))
            factor = 2 if one.down else 1
            points = int(scheme.net(Contract(one.bid, "N", factor), one.tricks))
            assert par.score == (points if side == 0 else -points)
            assert {table[seat][one.bid.strain] for seat in one.declarers} == {one.tricks}


@pytest.mark.parametrize("text", ["", "none", "-", "Love"])
def test_nobody_is_vulnerable_under_several_names(text: str) -> None:
    assert parse_sides(text) == ""


def test_bad_words_are_refused() -> None:
    with pytest.raises(tb.FormatError, match="expected NS, EW, All or None"):
        tb.par(tb.deal(1), vulnerable="Q")
    with pytest.raises(tb.FormatError, match="unknown dealer 'Q'"):
        tb.par(tb.deal(1), dealer="Q")
    with pytest.raises(tb.FormatError, match="unknown seat 'Q'"):
        random_table(Random(1))["Q"]


@pytest.mark.parametrize("deck", ["2x4", "4x4"])
def test_the_table_of_four_is_that_of_each_declarer(deck: str) -> None:
    for number in range(3):
        dealt = tb.deal(3, number, deck=deck)
        masks = tuple(hand.mask for hand in dealt.hands)
        solver = DoubleDummy(dealt.deck)
        for at, row in enumerate(FourTask(dealt).solve()):
            assert row == solver.strains(masks[at:] + masks[:at])


@needs_dds
def test_the_table_of_four_of_a_whole_deck_is_that_of_each_declarer() -> None:
    dealt = tb.deal(3, 1)
    masks = tuple(hand.mask for hand in dealt.hands)
    table = tb.solve_four(dealt)
    assert table["W"] == DoubleDummy().strains(masks[3:] + masks[:3])
    assert table["S"] == DoubleDummy().strains(masks[2:] + masks[:2])


def test_a_position_is_solved_card_by_card() -> None:
    table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8", contract="1NT by N")
    while not table.over:
        values = tb.solve(table)
        assert set(values) == set(table.legal)
        assert table.position is not None
        declaring = table.position.declaring
        best = (max if declaring else min)(values.values())
        chosen = next(card for card, value in values.items() if value == best)
        after = table.play(chosen)
        if after.over:
            assert after.outcome is not None
            assert after.outcome.tricks == best
        elif not after.over:
            following = tb.solve(after).values()
            later = max if after.position and after.position.declaring else min
            assert later(following) == best
        table = after
    with pytest.raises(tb.IllegalActionError, match="the deal is over"):
        tb.solve(table)
    with pytest.raises(tb.IllegalActionError, match="the deal is over"):
        tb.solve(tb.new_table(seed=1, contract="1NT by N").claim(7))


def test_a_deal_without_a_declarer_is_solved_for_each_player() -> None:
    dealt = tb.deal(1, deck="4x3")
    every = tb.solve(dealt)
    assert dict(every) == {seat: tb.solve(dealt, seat) for seat in tb.Seat}
    assert tb.solve(tb.new_table(dealt, deck="4x3")) == every  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("processes", [1, 2])
def test_many_are_solved_in_order_and_tell_how_far_they_are(processes: int) -> None:
    deals = [tb.deal(1, number, deck="4x3") for number in range(30)]
    told: list[tuple[int, int]] = []
    answers = tb.solve(
        deals, "S", processes=processes, progress=lambda done, total: told.append((done, total))
    )
    assert answers == [tb.solve(dealt, "S") for dealt in deals]
    assert told[-1] == (30, 30)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_deals_and_positions_are_solved_together() -> None:
    table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8", contract="1NT by N")
    assert tb.solve([table, table.deal]) == [tb.solve(table), tb.solve(table.deal)]
    assert tb.solve([table.deal, table], declarer="E") == [tb.solve(table.deal, "E")] * 2
    with pytest.raises(tb.SettingError, match="processes must be 0"):
        list(solve_all([], -1))
    with pytest.raises(tb.SettingError, match="neither a deal nor a table"):
        tb.solve(7)  # type: ignore[call-overload]


def test_tasks_solve_themselves() -> None:
    table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8", contract="1NT by N")
    assert table.position is not None
    tasks: list[Any] = [
        PlayTask(table.deal.deck, table.position),
        DealTask(table.deal, tb.Seat.NORTH),
    ]
    assert list(solve_all(tasks)) == [task.solve() for task in tasks]


@needs_dds
def test_a_file_of_four_players_is_solved_in_its_own_seats() -> None:
    dealt = tb.deal(4)
    text = f'[Deal "{dealt}"]\n[Dealer "E"]\n[Vulnerable "NS"]\n[Declarer "W"]\n[Contract "1NT"]\n'
    (table,) = tb.load_pbn(text)
    assert table.deal != dealt
    assert tb.solve_four(table) == tb.solve_four(dealt)
    assert tb.par(table) == tb.par(dealt, vulnerable="NS", dealer="E")
    assert tb.par(table, vulnerable="None") == tb.par(dealt, dealer="E")
