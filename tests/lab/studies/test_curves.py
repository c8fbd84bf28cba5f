"""Learning as a curve: the result in the package, and what is made of runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.curves_result import full_runs, result_of, tiny_runs
from benchmarks.curves_tiny import MARKS, folder_of
from tests.lab.studies.helpers import kept_study
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.game.auction import Bid
from tribridge.lab.studies import curves, plans
from tribridge.lab.studies.curves import FULL, PLAN, TINY, Judged, Result, over_seeds
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.layouts import net_points
from tribridge.lab.tiny.measuring import beside_greedy
from tribridge.lab.tiny.policies import call_strategies, greedy_calls
from tribridge.lab.tiny.treeplex import Floats
from tribridge.lab.training.bidding_games import BEGINS
from tribridge.networks.auction import (
    BIDS,
    STAKES,
    STAKES_KIND,
    STRAINS,
    AuctionGames,
    by_call,
    call_number,
    expand,
)
from tribridge.networks.network import load_network

NETWORKS = Path(__file__).parents[3] / "data/learning/curves"
SEEDS = range(PLAN.sizes["seeds"])


def made_up(deck: str = TINY, width: int = PLAN.sizes["tiny_width"]) -> list[Judged]:
    """Runs in which the mark and the seed are seen in every number."""
    games = PLAN.sizes["tiny_games" if deck == TINY else "games"]
    return [
        Judged(deck, begins, width, seed, mark * games, mark + at + seed / 10, 9 - at - seed / 10,
               None if deck == TINY else at + seed / 10)
        for at, begins in enumerate(BEGINS)
        for seed in SEEDS
        for mark in MARKS
    ]  # fmt: skip


def write_tiny(folder: Path) -> None:
    folder_of(folder).begin()
    for row in made_up():
        with (folder / f"{row.begins}-{row.seed}.jsonl").open("a") as file:
            line = {"games": row.games, "points": row.points, "gained": row.gained}
            file.write(json.dumps(line) + "\n")


def test_the_result_has_all_runs_on_the_small_deck() -> None:
    result: Result = kept_study("curves").result
    assert result.plan == PLAN.digest
    games = [mark * PLAN.sizes["tiny_games"] for mark in MARKS]
    for begins in BEGINS:
        rows = result.of(TINY, begins)
        assert [row.games for row in rows] == games * len(SEEDS)
        assert all(row.gained is not None and row.gained >= 0 for row in rows)


def test_what_was_not_run_is_shown_as_not_measured() -> None:
    result = Result(PLAN.digest, "", 1.0, 0.0, tuple(made_up()))
    outcomes = plans.judge(PLAN, curves.answers(result))
    for name, outcome in outcomes.items():
        assert (outcome == plans.NOT_MEASURED) == name.startswith("full-"), name
    curves.draw_widths(result)


def test_every_hypothesis_is_answered_by_a_whole_run() -> None:
    whole = [*made_up(), *made_up(FULL, PLAN.sizes["width"])]
    whole += [row for row in made_up(FULL, 576) if row.begins == "greedy"]
    whole += [row for row in made_up(FULL, 64) if row.begins == "greedy"]
    result = Result(PLAN.digest, "", 1.0, 0.0, tuple(whole))
    assert plans.NOT_MEASURED not in plans.judge(PLAN, curves.answers(result)).values()
    names = [each.name for each in curves.tables(result)]
    assert names[:2] == ["curves-small", "curves-large"]
    curves.draw(result)
    _, gained = curves.draw_widths(result).axes
    assert np.size(gained.lines[1].get_xdata()) == len(
        {row.width for row in whole[len(made_up()) :]}
    )


def test_the_greedy_bidder_is_judged_again_as_it_was() -> None:
    (again,) = kept_study("curves").result.again
    assert again.now == pytest.approx(again.then)


def test_greedy_bidders_win_nothing_from_each_other() -> None:
    game = curves.tiny_game()
    points, gained = beside_greedy(game, call_strategies(game, greedy_calls, best=True))
    assert points == pytest.approx(0, abs=1e-9)
    assert gained > 0


def test_the_mean_over_seeds_is_that_of_students_t() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [1.0, 2.5, 2.0]
    answer, (low, high) = (
        over_seeds(values, 0.5),
        stats.t.interval(0.95, 2, sum(values) / 3, stats.sem(values)),
    )
    assert (answer.span.low, answer.span.high) == pytest.approx((low, high))
    assert answer.p == pytest.approx(stats.ttest_1samp(values, 0.5).pvalue)


def test_runs_are_read_and_summed_up(tmp_path: Path) -> None:
    write_tiny(tmp_path)
    result = result_of(tmp_path, None)
    assert list(result.runs) == made_up()
    assert 0 <= result.solved < result.greedy


def test_a_missing_or_shorter_run_is_refused(tmp_path: Path) -> None:
    write_tiny(tmp_path)
    path = tmp_path / "greedy-1.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    with pytest.raises(FormatError, match=r"greedy-1.jsonl: not judged after the games"):
        list(tiny_runs(tmp_path))
    path.write_text("{")
    with pytest.raises(FormatError, match="not the lines of a run"):
        list(tiny_runs(tmp_path))
    path.unlink()
    with pytest.raises(NotFoundError, match=r"greedy-1.jsonl: no such file"):
        list(tiny_runs(tmp_path))


def test_runs_of_the_full_deck_are_read(tmp_path: Path) -> None:
    row = {"begins": "greedy", "width": 64, "at": 2, "games": 5, "forecast": [0.5, 0.1],
           "greedy": [1.5, 0.1]}  # fmt: skip
    lines = [json.dumps(row), json.dumps({**row, "gained": [2.5, 0.1]})]
    (tmp_path / "judged.jsonl").write_text("\n".join(lines))
    without, answered = full_runs(tmp_path)
    assert without == Judged(FULL, "greedy", 64, 2, 5, 1.5, None, 0.5)
    assert answered.gained == 2.5


def test_a_folder_of_another_plan_is_refused(tmp_path: Path) -> None:
    (tmp_path / "head.json").write_text(json.dumps({"plan": "another"}))
    with pytest.raises(FormatError, match="begun with the plan another"):
        result_of(tmp_path, None)


def test_the_networks_that_were_kept_are_judged_alike_in_numpy() -> None:
    """The last network of a run, run by NumPy and judged again, is what the result says of it."""
    result: Result = kept_study("curves").result
    game = curves.tiny_game()
    layouts, deck = game.layouts, game.layouts.deck
    own = np.full((len(layouts.hands), BIDS + STRAINS * STAKES), -100.0, np.float32)
    own[:, BIDS:] = 0
    for at, strain in enumerate(deck.strains):
        bid = Bid(1, strain)
        own[:, call_number(bid)] = layouts.mean_chances[:, at] @ net_points(game.scheme, bid, deck)
    stakes = own[:, BIDS:].reshape(-1, STRAINS, STAKES)

    def calls(game: AuctionGame, turn: int) -> Floats:
        place = game.tree.turns[turn]
        auctions = AuctionGames(len(layouts.hands))
        for call in place.auction.calls:
            auctions.step(np.full(len(layouts.hands), call_number(call)))
        seen = auctions.observe(np.broadcast_to(layouts.hands[:, None], (len(layouts.hands), 4)))
        wish = by_call(network(*expand(seen, np.float32, stakes)))[0]
        return np.asarray(wish[:, [call_number(call) for call in place.calls]], float)

    for begins in BEGINS:
        path = NETWORKS / f"{begins}-0.npz"
        with path.open("rb") as file:
            network = load_network(file, path.name, STAKES_KIND)
        points, gained = beside_greedy(game, call_strategies(game, calls, best=False))
        last = max(
            (row for row in result.of(TINY, begins) if row.seed == 0), key=lambda row: row.games
        )
        # The file has the weights in 16 bits.
        assert points == pytest.approx(last.points, abs=0.15)
        assert gained == pytest.approx(last.gained, abs=0.15)
