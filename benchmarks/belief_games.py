"""New games, and how well each model of calls and plays locates the hidden cards in them.

    python -m benchmarks.belief_games --games 120 --deep 25 --out FILE.npz --result FILE.json

Of `data/belief_games.npz` the result is that in the package (`studies/beliefs.json`).

The first `--deep` games take several seconds each, since the network weighs their plays and leads
are solved double dummy; the others take about one. The file grows as the games are scored; with an
existing file, only the games that it does not have are played and scored; a file of games by other
versions of the strategies is replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.belief_scores import (
    BINS,
    CALLS_ONLY,
    LEARNED_STAGES,
    STRATEGIES,
    VIEWERS,
    Game,
    Scores,
    load_scores,
    result_of,
)
from tribridge.arena.playing import play
from tribridge.beliefs import (
    FLOOR,
    Beliefs,
    CallModel,
    CaptureCalls,
    ForecastCalls,
    PointCalls,
    chairs,
)
from tribridge.beliefs.models import PlayModel, RandomPlays
from tribridge.beliefs.posterior import RESPONSES, trick_chances
from tribridge.capture.simulation.arrays import pair
from tribridge.cards.cards import Card, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import U64
from tribridge.cli.options import AsJson, Progress, print_tables
from tribridge.common import codec
from tribridge.common.files import check_place, dumps_arrays, write_atomic
from tribridge.common.tables import tables_of
from tribridge.forecast.distribution import means
from tribridge.forecast.kinds import find_forecaster
from tribridge.game import Chair, Table, View, new_table, parse_call, view
from tribridge.game.tricks import winning_place
from tribridge.lab.studies.beliefs import CALL_STAGES, STAGES
from tribridge.lab.studies.study import dumps_result
from tribridge.networks.play import observe
from tribridge.strategies import decision_rng, find_strategy
from tribridge.strategies.learned import network
from tribridge.strategies.learned.search import PlayedBy, by_network, replay
from tribridge.strategies.players.search.evaluation import Clock, value_layouts
from tribridge.strategies.protocol import position_of
from tribridge.strategies.versions import Version, strategy_version

SEED: Final = 41
LAYOUTS: Final = 300
LAST_SOLVED: Final = 6
"""After so many tricks, leads are solved double dummy for the last time."""
SOLVED: Final = 30
"""Layouts solved double dummy to choose a lead."""
_STEP: Final = 5
"""Games that are scored before the file is written again."""


class Model(NamedTuple):
    """A model of how the hidden hands were called and played."""

    calls: CallModel | None
    plays: PlayModel | str | None
    """`learned`: the likelihood of the playing network."""
    floor: float


MODELS: Final = (
    Model(None, None, 0.0),
    Model(CaptureCalls(), None, FLOOR),
    Model(PointCalls(), None, FLOOR),
    Model(ForecastCalls(), None, 0.0),
    Model(ForecastCalls(), RandomPlays(), 0.0),
    Model(ForecastCalls(), "learned", 0.0),
)
"""In the order of their `NAMES`; the first has every layout equally likely."""


def beliefs(
    games: Annotated[int, typer.Option(min=8, help="Games to play and score.")] = 8,
    deep: Annotated[
        int,
        typer.Option(
            help="How many of them also have leads solved and plays weighed by the network.",
            show_default="all",
        ),
    ] = -1,
    out: Annotated[
        Path | None, typer.Option(help="File for the scores; a file of fewer games grows.")
    ] = None,
    result: Annotated[Path | None, typer.Option(help="File for the result of the study.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play new games, and score how well models of calls and plays locate the hidden cards."""
    scores = None
    if out is not None:
        check_place(out)
        scores = _begun(out)
    with Progress("scoring games", games) as bar:
        while scores is None or len(scores) < games:
            done = 0 if scores is None else len(scores)
            start = 0 if scores is None else int(scores.numbers[-1]) + 1
            solving = deep < 0 or done < deep
            count = min(_STEP, (deep if solving and 0 <= deep < games else games) - done)
            more = score_games(play_games(count, start), deep=solving)
            scores = more if scores is None else join_scores(scores, more)
            if out is not None:
                write_atomic(out, dumps_scores(scores))
            bar.update(0, len(scores))
    found = result_of(scores)
    if result is not None:
        write_atomic(result, dumps_result(found))
    print_tables(tables_of(found), as_json=as_json)


def _begun(path: Path) -> Scores | None:
    """The scores in a file, if the strategies are still those that played its games."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        scores = load_scores(file, str(path))
    return scores if scores.versions == tuple(map(strategy_version, STRATEGIES)) else None


def play_games(count: int, start: int = 0, strategies: Sequence[str] = STRATEGIES) -> list[Game]:
    """Play deals of `SEED` until `count` of them had a contract."""
    players = [find_strategy(name) for name in strategies]
    games: list[Game] = []
    number = start
    while len(games) < count:
        table = new_table(deal(SEED, number), Seat(number % 3))
        turn = number // 3
        seats = [players[(seat + turn) % 3] for seat in range(3)]
        played = play(table, seats, seed=SEED, number=number, stop=True).table
        if played.auction.contract is not None:
            calls = " ".join(str(call) for call in played.auction.calls)
            assert played.position is not None
            cards = [card for trick in played.position.tricks for card in trick.cards]
            games.append(Game(number, calls, " ".join(str(card) for card in cards)))
        number += 1
    return games


def stages(game: Game) -> Iterator[tuple[int, Table, Card | None]]:
    """The tables to look at, with the card led next, if the play has begun."""
    table = new_table(deal(SEED, game.number), Seat(game.number % 3))
    for at, call in enumerate(game.calls.split()):
        table = table.apply(parse_call(call))
        if at < CALL_STAGES and table.auction.contract is None:
            yield at, table, None
    cards = [Card(card) for card in game.cards.split()]
    for at, card in enumerate(cards):
        if at % 4 == 0 and at // 4 < 13:
            yield CALL_STAGES + at // 4, table, card
        table = table.apply(card)


def score_games(
    games: Sequence[Game],
    layouts: int = LAYOUTS,
    *,
    tricks: range | None = None,
    deep: bool = True,
) -> Scores:
    """Score every model on every game; with `tricks`, only after so many tricks.

    Without `deep`, what takes long is left out: the network's likelihood, and solving leads.
    """
    chosen = range(STAGES) if tricks is None else [CALL_STAGES + played for played in tricks]
    parts = [_score(game, layouts, chosen, deep) for game in games]
    arrays = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    made_by = [strategy_version(name) for name in STRATEGIES]
    return Scores(
        numbers=np.array([game.number for game in games]),
        calls=np.array([game.calls for game in games]),
        plays=np.array([game.cards for game in games]),
        played_by=np.full(len(games), codec.dumps(made_by, list[Version])),
        **{name: array.astype(np.float32) for name, array in arrays.items()},
    )


def _score(game: Game, count: int, chosen: Collection[int], deep: bool) -> dict[str, NDArray[Any]]:
    dealt = deal(SEED, game.number)
    masks = np.array([hand.mask for hand in dealt.hands], np.uint64)
    final = _last(game)
    contract = final.auction.contract
    assert contract is not None
    declarer = contract.declarer
    seats = (declarer, declarer.left)
    shape = (len(VIEWERS), STAGES)
    plain = {name: np.full(shape, np.nan) for name in ("cards", "layouts", "shown", "won")}
    by_model = {
        "bits": np.full((*shape, len(MODELS)), np.nan),
        "effective": np.full((*shape, len(MODELS)), np.nan),
        "wins": np.full((*shape, len(MODELS), len(RESPONSES)), np.nan),
        "captures": np.full((*shape, len(MODELS), 2), np.nan),
        "tricks": np.full((*shape, len(MODELS)), np.nan),
        "lost": np.full((*shape, len(MODELS)), np.nan),
    }
    bins = np.zeros((2, len(MODELS), BINS, 3))
    forecaster = find_forecaster("net")
    for stage, table, led in stages(game):
        if stage not in chosen:
            continue
        tricks_done = stage - CALL_STAGES
        for who, seat in enumerate(seats):
            seen = view(table, seat)
            belief = Beliefs(seen)
            drawn = _drawn(belief, count, decision_rng(SEED, game.number, seat, stage))
            evidence = belief.layouts.evidence
            plain["cards"][who, stage] = bin(evidence.loose).count("1")
            plain["layouts"][who, stage] = np.log10(float(belief.layouts.count))
            plain["shown"][who, stage] = len(_shown_out(seen))
            uniform = _uniform(belief)
            pairs = drawn[:, declarer], drawn[:, HIDDEN]
            taken = pair(*pairs).captures
            chances = forecaster.from_pair(*pairs)[:, contract.bid.strain]
            expected = means(chances[:, None])[:, 0]
            leads = led is not None and table.position is not None and _leads(seen, seat, declarer)
            if leads and led is not None:
                plain["won"][who, stage] = _winner_is_leader(
                    game, tricks_done, contract.bid.strain.index
                )
            solving = deep and leads and tricks_done <= LAST_SOLVED
            choice = Leads.solve(seen, drawn[:SOLVED], masks) if solving else None
            for at, model in enumerate(MODELS):
                if at >= CALLS_ONLY and tricks_done < 0:
                    continue
                if model.plays == "learned" and not (deep and stage in LEARNED_STAGES):
                    continue
                weights = _weights(model, seen, drawn)
                exact = len(drawn) == belief.layouts.count
                effective = 1 / float((weights**2).sum())
                places = _places(drawn, weights, uniform, None if exact else effective)
                if at == 0:
                    places = uniform
                by_model["bits"][who, stage, at] = _bits(places, masks, evidence.loose)
                by_model["effective"][who, stage, at] = effective / len(drawn)
                mean = float(weights @ taken)
                spread = float(np.sqrt(weights @ (taken - mean) ** 2))
                by_model["captures"][who, stage, at] = mean, spread
                by_model["tricks"][who, stage, at] = float(weights @ expected)
                _count(bins[int(tricks_done >= 0), at], places, masks, evidence.loose)
                if leads and led is not None:
                    for way, response in enumerate(RESPONSES):
                        each = trick_chances(seen, drawn, led, response)
                        wins = float((weights * each).sum())
                        by_model["wins"][who, stage, at, way] = wins
                if choice is not None:
                    by_model["lost"][who, stage, at] = choice.lost(weights[: len(choice.values)])
    first = pair(masks[None, declarer], masks[None, HIDDEN]).captures[0]
    assert final.position is not None
    return {
        **plain,
        **by_model,
        "bins": bins,
        "true_captures": np.array(first),
        "true_tricks": np.array(final.position.won),
    }


class Leads(NamedTuple):
    """The viewer's leads, solved double dummy: in tricks of the viewer's side."""

    values: NDArray[np.int64]
    """(layouts, leads)."""
    truth: NDArray[np.int64]
    """(leads,): on the true deal."""

    @classmethod
    def solve(cls, seen: View, drawn: U64, masks: U64) -> Leads:
        position = position_of(seen)
        hands = chairs(seen, np.concatenate([masks[None], drawn])).tolist()
        layouts = [(a, b, c, d) for a, b, c, d in hands]
        solved = value_layouts(position, seen.deck, layouts, Clock(None))
        cards = sorted(solved[0].values, key=lambda card: card.index)
        tricks = np.array([[one.values[card] for card in cards] for one in solved])
        tricks = tricks if position.declaring else -tricks
        return cls(tricks[1:], tricks[0])

    def lost(self, weights: NDArray[np.float64]) -> int:
        """Tricks lost on the true deal by the lead that is best on average."""
        means = weights @ self.values / weights.sum()
        return int(self.truth.max() - self.truth[int(np.argmax(np.round(means, 9)))])


def _last(game: Game) -> Table:
    table = new_table(deal(SEED, game.number), Seat(game.number % 3))
    for call in game.calls.split():
        table = table.apply(parse_call(call))
    for card in game.cards.split():
        table = table.apply(Card(card))
    return table


def _drawn(belief: Beliefs, count: int, rng: np.random.Generator) -> U64:
    if belief.layouts.count > count:
        return belief.layouts.sample(count, rng)
    every: U64 = rng.permutation(belief.layouts.every(count))
    return every


def _weights(model: Model, seen: View, drawn: U64) -> NDArray[np.float64]:
    plays = None if isinstance(model.plays, str) else model.plays
    weights = Beliefs(seen, model.calls, plays, model.floor).weights(drawn)
    if model.plays == "learned":
        left = chairs(seen, drawn).astype(np.int64)
        logs = replay(PlayedBy("", network, by_network), seen, observe(seen).numbers, left)[1]
        weights = weights * np.exp(logs - logs.max())
        weights /= weights.sum()
    return weights


def _uniform(belief: Beliefs) -> NDArray[np.float64]:
    """The exact chance that each hand holds each unseen card if all layouts are equally likely."""
    layouts = belief.layouts
    result = np.zeros((4, 52))
    for card in cards_of(layouts.evidence.loose):
        for hand in range(4):
            result[hand, card.index] = layouts.holding(hand, card) / layouts.count
    return result


def _places(
    drawn: U64, weights: NDArray[np.float64], uniform: NDArray[np.float64], size: float | None
) -> NDArray[np.float64]:
    """The chance that each hand holds each card: (4, 52); shrunk unless all layouts are there."""
    held = (drawn[:, :, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(float)
    chances = np.tensordot(weights, held, 1)
    if size is None:
        return np.asarray(chances)
    return np.asarray((size * chances + uniform) / (size + 1))


def _bits(places: NDArray[np.float64], masks: U64, loose: int) -> float:
    cards = list(cards_of(loose))
    holders = [next(h for h in range(4) if int(masks[h]) & card.bit) for card in cards]
    return float(-np.log2(places[holders, [card.index for card in cards]]).sum())


def _count(bins: NDArray[np.float64], places: NDArray[np.float64], masks: U64, loose: int) -> None:
    """Add the answers about every hand that may hold an unseen card."""
    for card in cards_of(loose):
        for hand in range(4):
            chance = places[hand, card.index]
            if 0 < chance < 1:
                hit = int(masks[hand]) >> card.index & 1
                bins[min(int(BINS * chance), BINS - 1)] += 1, chance, hit


def _leads(seen: View, seat: Seat, declarer: Seat) -> bool:
    chair = seen.chair
    return chair in (Chair.DECLARER, Chair.DUMMY) if seat is declarer else chair is Chair.LEFT


def _winner_is_leader(game: Game, trick: int, strain: int) -> bool:
    cards = [Card(card) for card in game.cards.split()[4 * trick : 4 * trick + 4]]
    return winning_place(tuple(cards), strain) == 0


def _shown_out(seen: View) -> set[tuple[Chair, int]]:
    """The hidden hands that have shown out, with the suit."""
    own = {seen.own_chair, Chair.DUMMY}
    return {
        (chair, int(trick.cards[0].suit))
        for trick in seen.tricks
        for at, card in enumerate(trick.cards)
        if card.suit != trick.cards[0].suit and (chair := Chair((trick.leader + at) % 4)) not in own
    }


def dumps_scores(scores: Scores) -> bytes:
    """The scores as a NumPy file; half precision is enough for means over games."""
    arrays = {field.name: getattr(scores, field.name) for field in fields(Scores)}
    halves = {
        name: array.astype(np.float16)
        for name, array in arrays.items()
        if array.dtype == np.float32 and name not in ("bins", "layouts")
    }
    return dumps_arrays(arrays | halves)


def join_scores(first: Scores, second: Scores) -> Scores:
    """The scores of more games."""
    return Scores(
        **{
            field.name: np.concatenate([getattr(first, field.name), getattr(second, field.name)])
            for field in fields(Scores)
        }
    )


if __name__ == "__main__":
    typer.run(beliefs)
