"""Beliefs on games: scores against a slow computation, and verdicts that can fall either way."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from io import BytesIO
from math import comb, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.belief_games import SEED, dumps_scores, score_games, stages
from benchmarks.belief_games import beliefs as command
from benchmarks.belief_scores import Scores, kept_scores, load_scores, result_of, saved_bits
from tests.lab.studies.helpers import alike, kept_study, without_commit
from tribridge.beliefs import Beliefs, PointCalls
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.common.codec import plain
from tribridge.common.errors import FormatError
from tribridge.common.stats import Interval
from tribridge.game import view
from tribridge.lab.studies import beliefs, claims
from tribridge.lab.studies.beliefs import CALL_STAGES, NAMES
from tribridge.lab.studies.study import stored


@pytest.fixture(scope="module")
def scores() -> Scores:
    return kept_scores()


@pytest.fixture(scope="module")
def late(scores: Scores) -> dict[int, Any]:
    """The tables of the first game at the end, where all layouts can be listed."""
    game = scores.games()[0]
    return {stage: table for stage, table, _ in stages(game)}


def test_the_shipped_games_follow_the_rules_and_have_a_declarer(scores: Scores) -> None:
    for game, tricks in zip(scores.games()[:5], scores.true_tricks[:5], strict=True):
        *_, (stage, table, led) = stages(game)
        assert stage == beliefs.STAGES - 1
        assert led == Card(game.cards.split()[48])
        for card in game.cards.split()[48:]:
            table = table.apply(Card(card))
        assert table.outcome is not None
        assert table.outcome.tricks == tricks


def test_without_a_model_three_hands_are_equally_likely_and_layouts_are_counted(
    scores: Scores,
) -> None:
    uniform = NAMES.index(beliefs.UNIFORM)
    calls = scores.bits[:, :, 0, uniform] / scores.cards[:, :, 0]
    assert calls == pytest.approx(log2(3), abs=1e-3)
    assert scores.cards[:, :, CALL_STAGES] == pytest.approx(26)
    assert scores.layouts[:, :, CALL_STAGES] == pytest.approx(np.log10(comb(26, 13)), abs=1e-3)


@pytest.mark.parametrize("model", ["uniform", "points"])
def test_late_scores_are_those_of_listing_every_layout(
    scores: Scores, late: dict[int, Any], model: str
) -> None:
    """With few layouts left, the bits by hand: weights of all layouts, card by card."""
    stage = CALL_STAGES + 10
    game = scores.games()[0]
    dealt = deal(SEED, game.number)
    table = late[stage]
    declarer = table.contract.declarer
    for who, seat in enumerate((declarer, declarer.left)):
        seen = view(table, seat)
        chosen = Beliefs(seen, PointCalls()) if model == "points" else Beliefs(seen)
        layouts = chosen.layouts.every(10_000)
        weights = chosen.weights(layouts)
        bits = 0.0
        for card in range(52):
            holder = next(h for h in range(4) if dealt.hands[h].mask >> card & 1)
            held = [int(layout[holder]) >> card & 1 for layout in layouts]
            if chosen.layouts.evidence.loose >> card & 1:
                bits -= log2(sum(w for w, h in zip(weights.tolist(), held, strict=True) if h))
        assert scores.bits[0, who, stage, NAMES.index(model)] == pytest.approx(bits, abs=0.02)


def test_scoring_a_game_again_gives_the_shipped_scores(scores: Scores) -> None:
    again = score_games(scores.games()[:1], tricks=range(8, 13))
    stages = slice(CALL_STAGES + 8, None)
    for name in ("cards", "layouts", "bits", "wins", "tricks", "captures"):
        old, new = (getattr(one, name)[0, :, stages] for one in (scores, again))
        assert new == pytest.approx(old, abs=0.02, rel=2e-3, nan_ok=True), name


def test_a_file_of_scores_is_read_back_and_others_are_refused(scores: Scores) -> None:
    again = load_scores(BytesIO(dumps_scores(scores)), "file")
    assert again.games() == scores.games()
    assert again.bits == pytest.approx(scores.bits, nan_ok=True)
    with pytest.raises(FormatError, match="scores of beliefs"):
        load_scores(BytesIO(b"no"), "file")


@pytest.mark.slow
def test_the_result_in_the_package_is_that_of_the_scores(
    tmp_path: Path, scores: Scores, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command takes up a file of scores; that of the repository has the shipped result."""
    file, result = tmp_path / "scores.npz", tmp_path / "result.json"
    file.write_bytes(dumps_scores(scores))
    command(games=len(scores), deep=-1, out=file, result=result, as_json=True)
    assert alike(stored("beliefs", beliefs.Result), result_of(scores))
    study = kept_study("beliefs")
    tables = json.loads(capsys.readouterr().out)
    assert tables.keys() == {table.name for table in study.tables}
    assert alike(tables["beliefs-gains"], plain(study.table("beliefs-gains").records()))
    shipped = resources.files("tribridge.lab.studies").joinpath("beliefs.json").read_text("utf-8")
    assert alike(without_commit(result.read_text("utf-8")), without_commit(shipped))


@pytest.mark.parametrize("lucky", [2, 6, 60])
def test_interval_and_p_value_of_leads_agree(scores: Scores, lucky: int) -> None:
    """A lead in each game; a model saves a trick in a few of them."""
    lost = np.full_like(scores.lost, np.nan)
    lost[:, :, CALL_STAGES] = 1
    lost[:lucky, :, CALL_STAGES, NAMES.index("points")] = 0
    rows = [row for row in result_of(replace(scores, lost=lost)).leads if row.model == "points"]
    assert len(rows) == 3
    for row in rows:
        assert row.saved is not None
        assert row.p is not None
        assert row.saved.estimate == pytest.approx(lucky / len(scores))
        assert (row.p < 0.05) == (0 not in row.saved)


def test_saved_bits_are_zero_for_equal_models_and_one_for_a_bit_per_card(scores: Scores) -> None:
    at = NAMES.index("points")
    bits = scores.bits.copy()
    bits[..., at] = bits[..., NAMES.index("uniform")]
    same = replace(scores, bits=bits)
    assert saved_bits(same, "points", range(3, 16)) == pytest.approx(0)
    bits[..., at] -= scores.cards
    assert saved_bits(replace(scores, bits=bits), "points", range(3, 16)) == pytest.approx(
        1, abs=1e-4
    )


@pytest.mark.slow
def test_verdicts_fall_with_the_result() -> None:
    result: beliefs.Result = kept_study("beliefs").result
    for span, p, verdict in (
        (Interval(1.0, 0.5, 1.5), 0.01, claims.HOLDS),
        (Interval(-1.0, -1.5, -0.5), 0.01, claims.FAILS),
        (Interval(0.0, -1.0, 1.0), 0.9, claims.UNDECIDED),
    ):
        turned = beliefs.claims(
            replace(
                result,
                gains=tuple(replace(gain, saved=span, holm=p) for gain in result.gains),
                shown_out=span,
                sharpness=replace(result.sharpness, gain=span, sharper=span),
            )
        )
        assert sum(claim.verdict == verdict for claim in turned) >= 4
    text = "The sum over all hands is far too large to compute exactly"
    assert {c.text: c.verdict for c in beliefs.claims(result)}[text] == claims.DEPENDS
    for layouts, verdict in ((1e12, claims.HOLDS), (10.0, claims.FAILS)):
        alike = replace(result, bits=tuple(replace(row, layouts=layouts) for row in result.bits))
        assert {c.text: c.verdict for c in beliefs.claims(alike)}[text] == verdict
    unclear = Interval(4.0, 1.0, 7.0)
    vague = replace(result, wins=tuple(replace(wins, off=unclear) for wins in result.wins))
    found = {c.text: c.verdict for c in beliefs.claims(vague)}
    assert found["The posterior gives the chance that a card wins its trick"] == claims.UNDECIDED
    off = Interval(20.0, 18.0, 22.0)
    biased = replace(result, wins=tuple(replace(wins, off=off) for wins in result.wins))
    found = {c.text: c.verdict for c in beliefs.claims(biased)}
    assert found["The posterior gives the chance that a card wins its trick"] == claims.FAILS
