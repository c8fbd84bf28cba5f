"""Contracts with dummy open and closed: what the search sees, how it chooses, and the result."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import closed as program
from tests.lab.studies.helpers import alike, kept_study
from tribridge.cards.cards import FULL_DECK, Deck, Strain, cards_of
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, SettingError
from tribridge.double_dummy import dds
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position
from tribridge.game.tricks import Chair, Hands
from tribridge.lab.studies import closed, closed_play
from tribridge.lab.studies.closed_play import DUMMIES, Dummy, choose, drawn, play, values
from tribridge.lab.studies.plans import NOT_MEASURED, judge
from tribridge.lab.studies.study import stored
from tribridge.strategies.learned.releases import CALLER

ROOT = Path(__file__).parents[3]
TINY = Deck("2x6")
needs_dds = pytest.mark.skipif(not dds.available(), reason="needs endplay")


def dealt(rng: np.random.Generator, deck: Deck = TINY, strain: Strain = Strain.NOTRUMP) -> Position:
    bits = rng.permutation([card.bit for card in cards_of(deck.mask)]).reshape(4, -1)
    a, b, c, d = (sum(hand) for hand in bits.tolist())
    return Position(Contract(Bid(1, strain), Seat.NORTH), (a, b, c, d))


def after(position: Position, cards: int, rng: np.random.Generator) -> Position:
    for _ in range(cards):
        legal = position.legal
        position = position.apply_unchecked(legal[rng.integers(len(legal))])
    return position


def splits(cards: list[int], sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for hand in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in hand]
        for others in splits(rest, sizes[1:]):
            yield (sum(hand), *others)


def fitting(position: Position, shown: bool) -> set[Hands]:
    """Remaining hands that fit, the slow way: every split of the unseen cards, replayed."""
    seen = {Chair.DECLARER, Chair.DUMMY} if position.declaring else {position.chair}
    seen |= {Chair.DUMMY} if shown else set()
    unseen = [chair for chair in Chair if chair not in seen]
    cards = [card.bit for chair in unseen for card in cards_of(position.hands[chair])]
    sizes = tuple(position.hands[chair].bit_count() for chair in unseen)
    found = set()
    for split in splits(cards, sizes):
        hands = list(position.hands)
        for chair, mask in zip(unseen, split, strict=True):
            hands[chair] = mask
        given = position.with_hands((hands[0], hands[1], hands[2], hands[3]))
        replay = Position(position.contract, given.dealt())
        for _, card in position.plays():
            if not replay.legal_mask() & card.bit:
                break
            replay = replay.apply_unchecked(card)
        else:
            found.add(given.hands)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_layouts_are_all_that_fit_and_no_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    position = after(dealt(rng), 1 + seed % 8, rng)
    for shown in (True, False):
        layouts = [each.hands for each in drawn(position, shown, 20_000, rng, TINY)]
        assert len(layouts) == len(set(layouts))
        assert set(layouts) == fitting(position, shown)


def test_few_layouts_are_drawn_evenly() -> None:
    rng = np.random.default_rng(5)
    position = after(dealt(rng), 5, rng)
    every = fitting(position, False)
    assert 4 < len(every) < 500
    counts = dict.fromkeys(every, 0)
    for _ in range(300):
        for layout in drawn(position, False, len(every) - 1, rng, TINY):
            counts[layout.hands] += 1
    expected = 300 * (len(every) - 1) / len(every)
    off = [(count - expected) / expected**0.5 for count in counts.values()]
    assert max(map(abs, off)) < 5


@pytest.mark.parametrize("seed", range(8))
def test_a_card_is_the_best_on_average_over_all_that_fits(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    position = after(
        dealt(rng, strain=Strain.DIAMONDS if seed % 2 else Strain.NOTRUMP), 3 + seed, rng
    )
    solver = DoubleDummy(TINY)
    for shown in (True, False):
        cards, tricks = values(position, shown, 20_000, rng, TINY)
        solved = [solver.cards(position.with_hands(hands)) for hands in fitting(position, shown)]
        means = {card: np.mean([each[card] for each in solved]) for card in cards}
        assert list(means.values()) == pytest.approx(tricks.mean(0))
        worth = means[choose(position, shown, 20_000, rng, TINY)]
        assert worth == pytest.approx((max if position.declaring else min)(means.values()))


def test_defenders_do_not_see_a_closed_dummy() -> None:
    """Nothing changes for them if dummy's cards and others that they do not see change places."""
    rng = np.random.default_rng(7)
    differ = 0
    for _ in range(30):
        position = after(dealt(rng), int(rng.integers(5)), rng)
        if position.declaring:
            continue
        fits = sorted(fitting(position, False))
        other = position.with_hands(fits[int(rng.integers(len(fits)))])
        for shown in (False, True):
            seeds = (np.random.default_rng(1) for _ in range(2))
            one, two = (values(each, shown, 6, draw, TINY)[1].tolist() for each, draw in
                        zip((position, other), seeds, strict=True))  # fmt: skip
            if not shown:
                assert one == two
            elif one != two:
                differ += 1
    assert differ > 3


def test_declarer_sees_dummy_in_every_way() -> None:
    rng = np.random.default_rng(3)
    position = after(dealt(rng), 1, rng)
    assert position.chair is Chair.DUMMY
    for layout in drawn(position, True, 50, rng, TINY):
        assert layout.hands[0::2] == position.hands[0::2]


def test_when_dummy_is_shown() -> None:
    before = dealt(np.random.default_rng(2))
    later = after(before, 1, np.random.default_rng(2))
    assert [way.shown(before) for way in DUMMIES] == [True, False, False]
    assert [way.shown(later) for way in DUMMIES] == [True, True, False]


@pytest.mark.parametrize("seed", range(6))
def test_three_ways_together_are_each_by_itself(seed: int) -> None:
    start = dealt(np.random.default_rng(seed))
    together = play(start, 4, 9, seed, deck=TINY)
    for way in DUMMIES:
        (alone,) = play(start, 4, 9, seed, [way], TINY).values()
        assert together[way].tricks == alone.tricks


def test_the_same_knowledge_gives_the_same_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody ever looks at dummy, the three ways are one game."""
    monkeypatch.setattr(Dummy, "shown", lambda way, position: False)
    ended = play(dealt(np.random.default_rng(4)), 4, 9, 0, deck=TINY)
    assert len({each.tricks for each in ended.values()}) == 1


def test_a_contract_is_set_up_from_the_dealer_on() -> None:
    first = closed_play.start([1, 2, 4, 8], 1, 4)
    assert first.hands == (2, 4, 8, 1)
    assert (str(first.contract.bid), first.contract.declarer) == ("1NT", Seat.EAST)


def rows_of(count: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(8)
    return [
        {"number": number, "bidder": number % 3, "bid": int(rng.integers(35)),
         "tricks": rng.integers(5, 9, 3).tolist(), "leads": rng.integers(0, 3, 3).tolist(),
         "after": rng.integers(6, 9, 3).tolist(), "best": 6}
        for number in range(count)
    ]  # fmt: skip


def test_parts_add_up_to_the_whole() -> None:
    found = program.result_of(rows_of(150), rows_of(120))
    whole, lead, later = (found.gap(part) for part in (closed.WHOLE, closed.LEAD, closed.LATER))
    assert lead.tricks.estimate + later.tricks.estimate == pytest.approx(whole.tricks.estimate)
    assert lead.points.estimate + later.points.estimate == pytest.approx(whole.points.estimate)
    opened, _, shut = (way.tricks for way in found.ways)
    assert whole.tricks.estimate == pytest.approx(shut - opened)
    assert {row.id for row in found.tested} == {each.id for each in closed.PLAN.hypotheses}
    assert "150 of 400 contracts" in found.deviations


def test_points_are_what_the_rules_pay() -> None:
    from tribridge.game.scoring import find_scheme

    rows = rows_of(40)
    worth = program.points_of(rows)
    for row, points in zip(rows, worth, strict=True):
        contract = closed_play.start([1, 2, 4, 8], row["bidder"], row["bid"]).contract
        nets = find_scheme(closed.SCHEME).nets(contract, FULL_DECK)
        assert points.tolist() == pytest.approx([2 * nets[won] for won in row["tricks"]])


def test_a_file_of_another_plan_and_a_wrong_part_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({"plan": "another"}) + "\n")
    with pytest.raises(FormatError, match="another plan"):
        program.read([path])
    path.write_text(json.dumps(program.head()) + '\n{"number": 1, "tri')
    with pytest.raises(FormatError, match="cut off"):
        program.read([path])
    with pytest.raises(SettingError, match="as in 0/2"):
        program.grow(tmp_path / "new.jsonl", "2/2", 1, None)


@pytest.mark.parametrize("name", ["closed", "obstacles"])
def test_a_program_refuses_a_file_of_another_version_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({"plan": "another"}) + "\n")
    command = [sys.executable, "-m", f"benchmarks.{name}", "play", "--out", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{name}: {path}: ")
    assert ended.stderr.count("\n") == 1


def test_a_run_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    some = [(number, 0, 4, dealt(np.random.default_rng(number))) for number in (0, 2, 3, 7, 8)]
    monkeypatch.setattr(program, "contracts", lambda: iter(some))

    def row(number: int, position: Position) -> dict[str, Any]:
        asked.append(number)
        return {"tricks": [1, 2, 3]}

    path = tmp_path / "games.jsonl"
    program.grow(path, "0/2", 2, row)
    program.grow(path, "0/2", 5, row)
    assert asked == [0, 3, 8]
    program.grow(other := tmp_path / "other.jsonl", "1/2", 3, row)
    both = program.read([other, path])
    assert [each["number"] for each in both] == [0, 2, 3, 8]
    kept = program.unbroken(both, [number for number, *_ in some])
    assert [each["number"] for each in kept] == [0, 2, 3]


def test_the_result_in_the_package_is_of_the_games_beside_the_programs() -> None:
    found = stored("closed", closed.Result)
    assert alike(found, program.result_of(program.read([GAMES]), program.read([LEADS])))
    assert found.plan == closed.PLAN.digest
    assert f"learned@{CALLER.version} ({CALLER.files[0][2]})" in found.source
    assert NOT_MEASURED not in judge(closed.PLAN, closed.answers(found)).values()


@needs_dds
@pytest.mark.slow
def test_a_report_plays_the_first_contract_again() -> None:
    (again,) = kept_study("closed").result.again
    assert (again.contracts, again.same) == (1, 1)


RESULTS = Path(program.__file__).parent / "results"
GAMES, LEADS = RESULTS / "closed.jsonl", RESULTS / "closed-leads.jsonl"
