"""Statistics of a player's games, compared with a slow count by hand on the golden deals."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import stats as sps

import tribridge as tb
from tests.grids import thinned
from tests.library.cli.helpers import tribridge
from tests.library.game.playing import walk
from tests.library.game.traces import GOLDEN
from tribridge.arena.results import PlayResult, shipped
from tribridge.arena.work import names_of
from tribridge.cards.cards import FULL_DECK
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club.history import (
    Judged,
    Measured,
    PlayedDeal,
    measure,
    player_stats,
    read_games,
    summarise,
)
from tribridge.club.history import dumps as dumps_games
from tribridge.club.history import loads as loads_games
from tribridge.club.history.played import judged_of, played
from tribridge.club.history.rating import mean_of
from tribridge.club.history.summary import FEWEST, Finding, finding
from tribridge.common import codec
from tribridge.common.errors import RecordError, RecordWarning, SettingError
from tribridge.common.stats import mean_interval, proportion
from tribridge.game.record import Record, dumps, loads, record_of
from tribridge.game.record.pbn import dumps_pbn
from tribridge.game.table import new_table
from tribridge.reviews import Judgement


def golden_records() -> list[Record]:
    """The golden deals as records; the one with a tiny deck is among them."""
    records = []
    for golden in GOLDEN:
        table = new_table(
            deal(golden.seed, golden.number, golden.deck), golden.dealer, doubles=golden.doubles
        )
        *_, last = walk(table, Random(golden.actions))
        records.append(replace(record_of(last), scheme="auction"))
    return records


RECORDS = golden_records()


def _by_hand(record: Record, seat: Seat) -> dict[str, Any]:
    """What the events of a deal say about a seat, one number at a time."""
    *events, result = json.loads("[" + ",".join(dumps([record]).splitlines()) + "]")
    assert result["event"] == "result"
    if result["contract"] is None:
        return {"net": 0.0}
    declarer = "NES".index(result["declarer"])
    level, strain = int(result["contract"][0]), result["contract"][1:]
    hands = record.deal.hands
    size = record.deal.deck.hand_size
    most = tb.solve(record.deal, Seat(declarer), deck=record.deal.deck)[strain]
    tricks, best = result["tricks"], most
    found: dict[str, Any] = {}
    if record.deal.deck == FULL_DECK:
        forecast = tb.forecast_tricks(hands[declarer])[strain]
        mean = sum(n * chance for n, chance in enumerate(forecast.chances))
        found["expected"] = tricks - mean if declarer == seat.index else mean - tricks
    if declarer == seat.index:
        found["made"] = tricks >= level + size // 2
        found["possible"] = tricks - best
    else:
        found["possible"] = best - tricks
    points = record.replay().scores("auction")
    assert points is not None
    others = [points[one] for one in Seat if one is not seat]
    found["net"] = float(sum((points[seat] - one for one in others), Fraction(0)))
    assert sum(event["event"] == "card" for event in events) == 4 * size
    return found


@pytest.mark.parametrize("seat", thinned(reversed(Seat)))
def test_the_sums_are_those_of_a_count_by_hand(seat: Seat) -> None:
    stats = tb.player_stats(RECORDS, seat=seat)
    hand = [_by_hand(record, seat) for record in RECORDS]

    def values(key: str) -> list[float]:
        return [float(one[key]) for one in hand if key in one]

    assert stats.deals == len(RECORDS)
    for mean, key in (
        (stats.against_forecast, "expected"),
        (stats.against_possible, "possible"),
        (stats.settlement, "net"),
    ):
        assert mean.deals == len(values(key))
        assert mean.estimate == pytest.approx(np.mean(values(key)), abs=1e-6)
        assert mean.low == pytest.approx(mean_interval(values(key)).low, abs=1e-4)
    made = values("made")
    assert stats.made.deals == len(made)
    if made:
        assert stats.made == mean_of(proportion(int(sum(made)), len(made)), len(made))
    first = next(one for one in stats.situations if one.name == "First to call")
    firsts = [
        one["net"] for one, record in zip(hand, RECORDS, strict=True) if record.dealer is seat
    ]
    assert first.deals == len(firsts)
    if firsts:
        assert first.estimate == pytest.approx(np.mean(firsts))
    declared = next(one for one in stats.situations if one.name == "Declaring")
    assert declared.deals == len(made)


def _measured(number: int, *, over: int, declaring: bool) -> Measured:
    """A deal in which the player's side was `over` tricks above the possible."""
    one = PlayedDeal(
        record=RECORDS[1],
        outcome=RECORDS[1].replay().outcome,  # type: ignore[arg-type]
        seat=_declarer() if declaring else _declarer().left,
        deal=number,
    )
    return Measured(deal=one, tricks=7 + over, expected=7.0, possible=7, chance=None)


def _declarer() -> Seat:
    contract = RECORDS[1].replay().contract
    assert contract is not None
    return contract.declarer


def test_a_strength_is_found_only_with_enough_deals_that_differ() -> None:
    def declaring(count: int, gap: int) -> Finding:
        deals = [
            _measured(at, over=at % 2 + (gap if at % 4 < 2 else 0), declaring=at % 4 < 2)
            for at in range(count)
        ]
        found = summarise(deals).situations
        return next(one.finding for one in found if one.name == "Declaring")

    assert declaring(FEWEST, 3) is Finding.TOO_FEW
    assert declaring(2 * FEWEST, 3) is Finding.STRENGTH
    assert declaring(2 * FEWEST, -3) is Finding.WEAKNESS
    assert declaring(2 * FEWEST, 0) is Finding.SAME


def careful() -> Sequence[int]:
    """Tricks that declarer lost on real deals, among the deals of a player who seldom errs."""
    result = shipped()
    assert isinstance(result, PlayResult)
    tricks = result.payoffs("tricks")
    names = names_of(result.work.declarers)
    own, best = (names.index(name) for name in ("sampling:layouts=12", "oracle"))
    against = names_of(result.work.defences).index("oracle")
    lost = tricks[:, own, against] - tricks[:, best, against]
    return [int(value) for value in lost] + [0] * len(lost)


@pytest.mark.parametrize("declared", [10, 30, pytest.param(100, marks=pytest.mark.full)])
def test_a_careful_player_without_an_edge_is_not_praised(declared: int) -> None:
    """The tricks lost are drawn from the same deals, whoever declares."""
    rng, lost, runs, alpha = np.random.default_rng(5), careful(), 200, 0.005
    praised = 0
    for _ in range(runs):
        overs = rng.choice(lost, 3 * declared + 100).tolist()
        found = finding(overs[:declared], overs[declared:], alpha, bound=13)
        praised += found is Finding.STRENGTH
    assert praised <= sps.binom.ppf(0.999, runs, alpha)


def test_progress_needs_two_blocks_and_covers_all_deals() -> None:
    deals = [_measured(at, over=at % 2, declaring=True) for at in range(70)]
    assert summarise(deals[:39]).progress == ()
    blocks = summarise(deals).progress
    assert [(block.first, block.last) for block in blocks] == [(1, 23), (24, 47), (48, 70)]


def test_no_games_are_no_numbers() -> None:
    stats = player_stats([])
    assert stats.made.deals == 0
    assert codec.plain(stats)["made"]["estimate"] is None
    assert "none declared" in str(stats)
    assert "too few deals" in str(stats)
    assert "rated deals yet" in str(stats)


def _games() -> list[PlayedDeal]:
    names = ("Walter", "Maud", "Ann")
    games = []
    for at, record in enumerate(RECORDS, 1):
        one = played(record, Seat.SOUTH)
        assert one is not None
        games.append(
            PlayedDeal(
                record=one.record,
                outcome=one.outcome,
                seat=Seat.SOUTH,
                names=names,
                strategies=("points+maxims", "random", None),
                match="table",
                deal=at,
                date="2026-11-15 20:31:07",
                unaided=at != 2,
                judged=Judged(2, 1, 20, 3, 0.75) if at == 3 else None,
            )
        )
    return games


def test_a_file_of_games_comes_back_and_is_a_file_of_records() -> None:
    games = _games()
    text = dumps_games(games)
    assert loads_games(text) == games
    assert loads(text) == RECORDS
    assert [one.seat for one in loads_games(text, Seat.EAST)] == [Seat.EAST] * len(games)
    assert len(loads_games(dumps_pbn(RECORDS[:4]), Seat.NORTH)) == 4


def test_a_claim_keeps_its_result() -> None:
    record = next(one for one in RECORDS if one.replay().contract and not one.doubles)
    cut = Record(record.deal, record.dealer, actions=record.actions[:-8], scheme="auction")
    table = cut.replay()
    assert table.contract is not None
    assert table.position is not None
    won = table.position.won + 1
    from tribridge.game.auction import Outcome

    game = PlayedDeal(
        record=cut, outcome=Outcome(table.contract, won), seat=Seat.NORTH, claimed=won
    )
    text = dumps_games([game])
    assert loads_games(text) == [game]
    with pytest.warns(RecordWarning, match="claimed must be"):
        loads_games(text.replace(f'"claimed": {won}', '"claimed": 13'))
    # Without the claim the deal was not finished.
    assert loads_games(text.replace(f', "claimed": {won}', "")) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"seat": "S", "names"', '"seat": "X", "names"', "unknown seat"),
        ('["Walter", "Maud", "Ann"]', '["Walter"]', "names"),
        ('"Walter"', '"' + "W" * 65 + '"', "text of up to 64 characters"),
        ('"unaided": true', '"unaided": "perhaps"', "unaided"),
        ('"deal": 1, "date"', '"deal": 0, "date"', "deal must be a number from 1"),
        ("[2, 1, 20, 3, 0.75]", "[2, 3, 20, 3, 0.75]", "judged must be four counts"),
    ],
)
def test_a_bad_deal_is_left_out_with_one_line_and_the_others_are_read(
    old: str, new: str, message: str
) -> None:
    games = _games()
    text = dumps_games(games)
    assert old in text
    deals, left_out = read_games(text.replace(old, new, 1))
    assert len(deals) == len(games) - 1
    (line,) = left_out
    assert re.search(f"deal [0-9]+: .*{message}", line)
    assert "\n" not in line


def test_of_a_damaged_file_the_whole_deals_are_read() -> None:
    games = _games()
    lines = dumps_games(games).splitlines()
    starts = [at for at, line in enumerate(lines) if '"event": "deal"' in line]
    cut = [*lines[: starts[1] + 5], lines[starts[1] + 5][:20]]
    deals, (reason,) = read_games("\n".join(cut + lines[starts[2] :]))
    assert deals == [games[0], *games[2:]]
    assert f"line {len(cut)}: not a JSON object (is the line cut off?)" in reason
    # A first line that is lost takes its own deal along, and no other.
    lines[starts[1]] = lines[starts[1]][:30]
    deals, (reason,) = read_games("\n".join(lines))
    assert deals == [games[0], *games[2:]]
    assert f"line {starts[1] + 1}: " in reason


def test_records_need_a_seat() -> None:
    with pytest.raises(SettingError, match="name a seat"):
        tb.player_stats(RECORDS)
    with pytest.raises(RecordError, match=r"deal 1: .*name a seat"):
        loads_games(dumps(RECORDS))


def test_a_scheme_in_a_file_is_never_opened_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "scheme.toml"
    file.write_text("nonsense", "utf-8")
    record = Record(
        RECORDS[1].deal, RECORDS[1].dealer, actions=RECORDS[1].actions, scheme=str(file)
    )
    one = played(record, Seat.SOUTH)
    assert one is not None
    assert one.points is None
    assert measure([one])[0].net is None


def test_a_review_is_summed_for_its_player() -> None:
    def choice(seat: str, chair: str | None, verdict: str, loss: float) -> Judgement:
        option = {"action": "SK", "expected": 7, "loss": loss, "error": 0, "points": 0,
                  "points_loss": loss, "points_error": 0}  # fmt: skip
        fields = {"number": 1, "seat": seat, "chair": chair, "action": "SK", "options": [option],
                  "verdict": verdict, "luck": None, "cost": None, "double_dummy": None,
                  "expected": 7, "layouts": 8, "second_opinion": None, "reason": ""}  # fmt: skip
        return codec.read(fields, Judgement)

    review = [
        choice("S", None, "best", 0.0),
        choice("S", None, "mistake", 30.0),
        choice("N", None, "mistake", 30.0),
        choice("S", "left", "good", 0.1),
        choice("S", "left", "inaccuracy", 0.2),
        choice("S", "left", "forced", 0.0),
        choice("N", "right", "mistake", 1.0),
    ]
    assert judged_of(review, Seat.SOUTH) == Judged(2, 1, 2, 1, 0.2)


def test_the_command_reads_files_of_both_kinds(tmp_path: Path) -> None:
    games, records = tmp_path / "games.jsonl", tmp_path / "records.jsonl"
    games.write_text(dumps_games(_games()), "utf-8")
    records.write_text(dumps(RECORDS), "utf-8")
    whole = tribridge("stats", str(games))
    assert whole.returncode == 0, whole.stderr
    assert "10 deals, 1 match" in whole.stdout
    answer = json.loads(tribridge("stats", "--json", "--seat", "s", str(records)).stdout)
    same = json.loads(tribridge("stats", "--json", str(games)).stdout)
    assert answer["against_possible"] == same["against_possible"]
    assert same["reviews"]["wrong_cards"] == 3
    bad = tribridge("stats", str(records))
    assert bad.returncode == 1
    assert bad.stderr.count("\n") == 1
    assert "name a seat" in bad.stderr
