"""Whether beliefs at a table are calibrated, by how the table scores and how high the bidding went.

    python -m benchmarks.calibration fit [--deals 300] [--seed 910]
    python -m benchmarks.calibration score [--deals 150] [--seed 911] [--result FILE.json]

Three players of a caller bid; in a rubber, its standing is drawn at random, elsewhere who is
vulnerable. When the auction is over, each player has a chance for every unseen card to be in either
hidden hand, by the model of calls of the table (`beliefs.call_model`): as it is, and with the trust
of `beliefs.trust`.

- `fit` finds this trust: for each scheme and each set of laws the line by level with the best mean
  logarithm of the chances given to the hands that hold the cards.
- `score` says how often a hand held a card that was given it with some chance. The deals that fit
  and the deals that score have different seeds. The result in the package
  (`studies/calibration.json`) is that of the default.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.belief_scores import BINS
from benchmarks.refusals import in_one_line
from tribridge.beliefs import Beliefs, call_model
from tribridge.beliefs.trust import LEAST, OTHERS, TRUST, trust_at
from tribridge.cards.cards import cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import SEATS, Seat
from tribridge.cli.options import Progress
from tribridge.common import stats
from tribridge.common.files import check_place, write_atomic
from tribridge.common.tables import in_percent
from tribridge.game import Table, new_table, parse_call, view
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme, schemes
from tribridge.game.standing import RubberState, Standing
from tribridge.lab.studies.calibration import AS_IS, CALIBRATED, Held, Level, Result, Scoring
from tribridge.lab.studies.study import dumps_result
from tribridge.strategies import bidding_for, decision_rng, find_strategy
from tribridge.strategies.versions import caller_version, commit

SETTINGS: Final = (*schemes(), *all_laws())
FIT, SCORE = 910, 911
LAYOUTS: Final = 1000
POWERS: Final = np.round(np.arange(LEAST, 1.61, 0.1), 2)
_NEAR: Final = 8
"""The tenth that the brief table is about: chances from 80 to 90%."""
_LEAST: Final = 20
"""Fewer deals are not shown."""

F64 = NDArray[np.float64]

app = typer.Typer()


class Seen(NamedTuple):
    """What a player may think when the auction is over."""

    deal: int
    level: int
    logs: F64
    """(layouts,): of the chances of all calls."""
    held: NDArray[np.bool_]
    """(layouts, unseen cards): which of them the first hidden hand has."""
    true: NDArray[np.bool_]
    """(unseen cards,)"""

    def chances(self, power: float | F64) -> F64:
        """The chance that the first hidden hand has each card, by power."""
        logs = np.multiply.outer(power, self.logs)
        weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(weights @ self.held / weights.sum(axis=-1, keepdims=True))

    def bits(self, power: float | F64) -> F64:
        """The sum over the unseen cards of -log2 of the chance given to the hand that has it.

        The sample counts as its effective size and one layout more, in which all is even.
        """
        logs = np.multiply.outer(power, self.logs)
        weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
        size = weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1)
        size = np.expand_dims(size, -1)
        chances = (size * self.chances(power) + 0.5) / (size + 1)
        return np.asarray(-np.log2(np.where(self.true, chances, 1 - chances)).sum(axis=-1))


def bid_out(setting: str, caller: str, seed: int, number: int) -> Table:
    """A deal bid by three players of a caller, at a standing or vulnerability drawn at random."""
    rng = np.random.default_rng((seed, number))
    dealt, dealer = deal(seed, number), Seat(number % 3)
    if setting in all_laws():
        below = np.where(rng.random(3) < 0.4, rng.integers(6, 30, 3), 0).tolist()
        games = (rng.random(3) < 0.35).astype(int).tolist()
        standing = Standing((below[0], below[1], below[2]), (games[0], games[1], games[2]))
        table = new_table(dealt, dealer, rubber=RubberState(all_laws()[setting], standing))
    else:
        at_risk = tuple(seat for seat in Seat if rng.random() < 0.5)
        table = new_table(dealt, dealer, scheme=find_scheme(setting), vulnerable=at_risk)
    chosen = bidding_for(find_strategy(f"{caller}+random"), table.scheme).caller
    while (turn := table.turn) is not None and not table.auction.over:
        random_of = decision_rng(seed, number, turn, len(table.auction.calls))
        table = table.call(parse_call(chosen.call(view(table, turn), random_of).action))
    return table


def seen_by(table: Table, number: int, seed: int, layouts: int) -> Iterator[Seen]:
    """What each player may think when the auction is over."""
    contract = table.contract
    if contract is None:
        return
    for seat in SEATS:
        seen = view(table, seat)
        belief = Beliefs(seen, call_model(seen))
        drawn = belief.layouts.sample(layouts, decision_rng(seed, number, seat, 0))
        evidence = belief.layouts.evidence
        cards = np.array([card.index for card in cards_of(evidence.loose)], np.uint64)
        hand = evidence.hidden[0]
        true = np.uint64(table.deal.hands[hand].mask) >> cards & np.uint64(1)
        held = drawn[:, hand, None] >> cards & np.uint64(1)
        logs = np.log(belief.weights(drawn))
        yield Seen(number, contract.bid.level, logs, held.astype(bool), true.astype(bool))


def all_seen(setting: str, caller: str, seed: int, deals: int, layouts: int) -> Iterator[Seen]:
    """What the players may think on many deals."""
    for number in range(deals):
        yield from seen_by(bid_out(setting, caller, seed, number), number, seed, layouts)


def best_line(bits: F64, levels: NDArray[np.int64]) -> tuple[float, float]:
    """The line by level with the fewest bits, given those of each view by power."""
    slopes = np.round(np.arange(-0.4, 0.41, 0.02), 2).tolist()
    lines = [(first, slope) for first in POWERS.tolist() for slope in slopes]

    def cost(line: tuple[float, float]) -> float:
        powers = [min(trust_at(line, int(level)), POWERS[-1]) for level in levels]
        places = np.interp(powers, POWERS, np.arange(len(POWERS)))
        low = places.astype(int)
        high = np.minimum(low + 1, len(POWERS) - 1)
        rows = np.arange(len(bits))
        return float(
            ((1 - places + low) * bits[rows, low] + (places - low) * bits[rows, high]).sum()
        )

    return min(lines, key=cost)


@app.command()
def fit(
    deals: Annotated[int, typer.Option(help="Deals for each setting.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = FIT,
    caller: Annotated[str, typer.Option(help="Who bids.")] = "learned",
    settings: Annotated[str, typer.Option(help="Schemes and laws.")] = ",".join(SETTINGS),
    layouts: Annotated[int, typer.Option(help="Layouts for each view.")] = LAYOUTS,
) -> None:
    """Print the lines of `beliefs.trust.TRUST`, and one for all settings together."""
    costs, heights = [], []
    for setting in settings.split(","):
        found = [(seen.bits(POWERS), seen.level)
                 for seen in all_seen(setting, caller, seed, deals, layouts)]  # fmt: skip
        bits, levels = np.array([one for one, _ in found]), np.array([level for _, level in found])
        line = best_line(bits, levels)
        as_is = bits[:, int(np.searchsorted(POWERS, 1))].mean() / 26
        print(
            f'    "{setting}": {line},  # {len(bits)} views, {as_is:.4f} bits a card as is',
            flush=True,
        )
        costs.append(bits)
        heights.append(levels)
    print(f"OTHERS: Final = {best_line(np.concatenate(costs), np.concatenate(heights))}")


class Bins(NamedTuple):
    """For each tenth of the chance: answers, their sum, hits; by deal."""

    counts: dict[int, F64]

    def add(self, number: int, chances: F64, true: NDArray[np.bool_]) -> None:
        """Count the answers about both hidden hands."""
        both, hits = np.concatenate([chances, 1 - chances]), np.concatenate([true, ~true])
        at = np.minimum((both * BINS).astype(int), BINS - 1)
        counts = self.counts.setdefault(number, np.zeros((BINS, 3)))
        np.add.at(counts, at, np.column_stack([np.ones(len(both)), both, hits]))

    def stacked(self) -> F64:
        return np.array(list(self.counts.values())).reshape(-1, BINS, 3)


@app.command()
def score(
    deals: Annotated[int, typer.Option(help="Deals for each setting.")] = 150,
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = SCORE,
    callers: Annotated[str, typer.Option(help="Who bids.")] = "learned",
    settings: Annotated[str, typer.Option(help="Schemes and laws.")] = ",".join(SETTINGS),
    layouts: Annotated[int, typer.Option(help="Layouts for each view.")] = LAYOUTS,
    result: Annotated[Path | None, typer.Option(help="File for the result of the study.")] = None,
) -> None:
    """Print how often cards are held that were given 80 to 90%, as the model is and calibrated."""
    if seed == FIT:
        raise typer.BadParameter(f"the trust was fitted on seed {FIT}: it is scored on another")
    if result is not None:
        check_place(result)
    commit()  # as it is at the beginning
    brief: list[Scoring] = []
    held: list[Held] = []
    by_level: list[Level] = []
    names = [(setting, caller) for caller in callers.split(",") for setting in settings.split(",")]
    with Progress("scoring auctions", len(names)) as bar:
        for done, (setting, caller) in enumerate(names, 1):
            seen = list(all_seen(setting, caller, seed, deals, layouts))
            more = scored(setting, caller, seen)
            brief += more[0]
            held += more[1]
            by_level += more[2]
            bar.update(0, done)
    for row in brief:
        print(
            f"{row.scoring:<22} {row.caller:<8} {row.model:<11} {row.games:>4} games, bits a card "
            f"saved {row.saved:+.4f}; {row.mean:.1f}% given, held {row.holds:.1f}"
        )
    if result is not None:
        bidders = " or ".join(str(caller_version(name)) for name in callers.split(","))
        at = f", commit {commit()}" if commit() else ""
        source = (
            f"{deals:,} deals of seed {seed} for each scheme or laws, bid by three players of "
            f"{bidders}, scored beforehand by `python -m benchmarks.calibration score`{at}"
        )
        found = Result(source, tuple(brief), tuple(held), tuple(by_level))
        write_atomic(result, dumps_result(found))


def scored(
    setting: str, caller: str, seen: Iterable[Seen]
) -> tuple[list[Scoring], list[Held], list[Level]]:
    """The rows of a scheme or of laws, with the model as it is and calibrated."""
    views = list(seen)
    line = TRUST.get(setting, OTHERS)
    brief, held, by_level = [], [], []
    for model in (AS_IS, CALIBRATED):
        every, levels = Bins({}), defaultdict[int, Bins](lambda: Bins({}))
        saved = defaultdict[int, F64](lambda: np.zeros(2))
        for one in views:
            power = 1.0 if model == AS_IS else trust_at(line, one.level)
            chances = one.chances(power)
            every.add(one.deal, chances, one.true)
            levels[one.level].add(one.deal, chances, one.true)
            saved[one.deal] += len(one.true) - float(one.bits(power)), len(one.true)
        gain = stats.bootstrap(np.array(list(saved.values())), stats.ratio, 1)
        mean, holds = near(every)
        games = len(saved)
        brief.append(Scoring(setting, caller, model, games, gain, off(every), mean, holds))
        held += [
            Held(setting, caller, model, tenth / BINS, int(n), 100 * said / n,
                 in_percent(stats.clustered_proportion(column[:, 2], column[:, 0])))
            for tenth in range(BINS)
            for column in [every.stacked()[:, tenth]]
            for n, said, _ in [column.sum(axis=0)]
            if (column[:, 0] > 0).sum() >= _LEAST
        ]  # fmt: skip
        for level, bins in sorted(levels.items()):
            if len(bins.counts) >= _LEAST:
                power = 1.0 if model == AS_IS else trust_at(line, level)
                row = (
                    setting,
                    caller,
                    model,
                    level,
                    len(bins.counts),
                    power,
                    off(bins),
                    *near(bins),
                )
                by_level.append(Level(*row))
    return brief, held, by_level


def near(bins: Bins) -> tuple[float, stats.Interval]:
    """The mean of the chances from 80 to 90%, and how often such a card is held, in percent."""
    column = bins.stacked()[:, _NEAR]
    n, said, _ = column.sum(axis=0)
    if not n:
        return float("nan"), stats.Interval(float("nan"), float("nan"), float("nan"))
    return 100 * said / n, in_percent(stats.clustered_proportion(column[:, 2], column[:, 0]))


def off(bins: Bins) -> float:
    """The mean distance of chance and share held, over the tenths, by answers, in points."""
    counts = bins.stacked().sum(axis=0)
    return float(100 * np.abs(counts[:, 1] - counts[:, 2]).sum() / counts[:, 0].sum())


if __name__ == "__main__":
    in_one_line(app)
