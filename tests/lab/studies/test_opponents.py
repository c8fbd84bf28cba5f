"""Opponent modelling: leads and games with and without the calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.opponents import LEADS, STRATEGIES, Lead, app, lead, load_leads, summary
from tests.lab.studies.helpers import kept_study
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.common.stats import Interval
from tribridge.game import new_table
from tribridge.lab.studies import claims, opponents
from tribridge.strategies import find_strategy
from tribridge.strategies.players.search.sampling import SamplingPlayer


def test_a_run_continues_its_file(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    ask = ["--seed", "3", "--layouts", "1", "--out"]
    for file, count in ((once, 3), (twice, 2), (twice, 3)):
        asked = [*ask, str(file), "--leads", str(count)]
        assert CliRunner().invoke(app, ["leads", *asked]).exit_code == 0
    assert load_leads(twice) == load_leads(once)
    assert len(load_leads(once)[1]) == 3


def test_leads_of_another_commit_are_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "leads.jsonl"
    file.write_text('{"commit": "another"}\n')
    asked = ["leads", "--layouts", "1", "--leads", "2", "--out", str(file)]
    refused = CliRunner().invoke(app, asked)
    assert isinstance(refused.exception, FormatError)
    assert "begun at commit another" in str(refused.exception)


def test_a_deal_passed_out_has_no_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = new_table(deal(1, 0), Seat.NORTH).call("pass pass pass")
    monkeypatch.setattr("benchmarks.opponents.bid_out", lambda *asked: passed)
    assert lead(0) is None


def test_leads_are_compared_lead_by_lead() -> None:
    some = [Lead(n, ("CA", "C2", "CA"), (1, n % 2, 1)) for n in range(300)]
    plain, calls, network = summary(some)
    assert (plain.lost, plain.saved, plain.differ) == (1.0, None, 0)
    assert (calls.lost, calls.differ, calls.leads) == (0.5, 300, 300)
    assert calls.saved is not None
    assert calls.saved.estimate == pytest.approx(0.5)
    assert calls.p is not None
    assert calls.p < 0.001
    assert network.saved is not None
    assert network.saved.estimate == 0


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text("no leads\n")
    with pytest.raises(FormatError, match="not leads"):
        load_leads(file)


def test_the_strategies_of_the_match_differ_by_the_calls_alone() -> None:
    without, with_calls = (find_strategy(name) for name in STRATEGIES)
    assert without.caller == with_calls.caller
    assert isinstance(without.player, SamplingPlayer)
    assert not without.player.calls
    assert with_calls.player == replace(without.player, calls=True, calibrated=True)


def test_the_result_has_the_numbers_that_were_fixed_before() -> None:
    result: opponents.Result = kept_study("opponents").result
    assert {row.leads for row in result.leads} == {LEADS}
    assert [(row.deals, row.games) for row in result.games] == [(167, 1002)]
    assert "dirty" not in result.led + result.played


@pytest.mark.parametrize(
    ("tricks", "points", "verdict"),
    [
        (1, 1, claims.HOLDS),
        (-1, -1, claims.FAILS),
        (1, 0, claims.DEPENDS),
        (1, -1, claims.DEPENDS),
        (0, 0, claims.UNDECIDED),
    ],
)
def test_the_verdict_follows_from_leads_and_games(tricks: int, points: int, verdict: str) -> None:
    def turned(sign: int) -> tuple[Interval, float]:
        return Interval(sign, sign - 0.5, sign + 0.5), 0.01 if sign else 0.8

    result: opponents.Result = kept_study("opponents").result
    (saved, holm), (gained, p) = turned(tricks), turned(points)
    (judged,) = opponents.claims(
        replace(
            result,
            leads=tuple(replace(row, saved=saved, holm=holm) for row in result.leads),
            games=tuple(replace(row, gained=gained, p=p) for row in result.games),
        )
    )
    assert judged.verdict == verdict
