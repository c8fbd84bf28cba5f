"""Games played beforehand, and how well each model of calls and plays locates the hidden cards.

`play_games` lets three different strategies play whole games; `score_games` goes through each game
from the seat of the declarer and from that of the opening leader, at every stage, and compares the
posterior of each model with the cards as they were dealt. Scoring a game takes seconds, so the
package has the games and their scores (`belief_games.npz`, written by
`benchmarks/belief_games.py`).

Stages: 1, 2 and 3 calls made (three hidden hands), then 0 to 12 tricks played (two hidden hands).
All models weight the same layouts: a uniform sample of those that fit the view, or all of them if
they are few. From a sample, a chance is shrunk towards the uniform one, which counts as one more
layout, so that none is ever 0.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from io import BytesIO
from typing import IO, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tribridge import beliefs
from tribridge.beliefs import Beliefs, CallModel, CaptureCalls, ForecastCalls, PointCalls
from tribridge.beliefs.models import PlayModel, RandomPlays
from tribridge.beliefs.posterior import RESPONSES, trick_chances
from tribridge.capture.simulation.arrays import pair
from tribridge.cards import Card, cards_of, parse_card
from tribridge.dealer import deal
from tribridge.deals import HIDDEN, Seat
from tribridge.errors import FormatError, first_line
from tribridge.forecast.distribution import means
from tribridge.forecast.kinds import find_forecaster
from tribridge.game import Chair, Table, View, new_table, parse_call, view
from tribridge.masks import U64
from tribridge.networks.play import observe
from tribridge.strategies import decision_rng, find_strategy
from tribridge.strategies.learned.player import network
from tribridge.strategies.learned.search import replay
from tribridge.strategies.players.search.evaluation import Clock, Valuation
from tribridge.strategies.protocol import position_of
from tribridge.strategies.versions import (
    Version,
    dumps_versions,
    loads_versions,
    strategy_version,
)

STRATEGIES: Final = ("forecast+learned", "points+maxims", "learned+learned")
"""Who plays the games; they change seats from deal to deal."""
SEED: Final = 41
LAYOUTS: Final = 300
CALL_STAGES: Final = 3
STAGES: Final = CALL_STAGES + 13
VIEWERS: Final = ("declarer", "leader")
BINS: Final = 10


class Model(NamedTuple):
    """A model of how the hidden hands were called and played."""

    name: str
    calls: CallModel | None
    plays: PlayModel | str | None
    """`learned`: the likelihood of the playing network."""
    floor: float


UNIFORM: Final = "uniform"
MODELS: Final = (
    Model(UNIFORM, None, None, 0.0),
    Model("capture", CaptureCalls(), None, beliefs.FLOOR),
    Model("points", PointCalls(), None, beliefs.FLOOR),
    Model("forecast", ForecastCalls(), None, 0.0),
    Model("forecast + random plays", ForecastCalls(), RandomPlays(), 0.0),
    Model("forecast + learned plays", ForecastCalls(), "learned", 0.0),
)
NAMES: Final = tuple(model.name for model in MODELS)
CALLS_ONLY: Final = 4
"""The models before this one look at calls alone; the others have nothing to add before play."""
LEARNED_STAGES: Final = tuple(CALL_STAGES + tricks for tricks in (1, 2, 4))
"""Where the likelihood of the playing network is computed, which takes long."""
LAST_SOLVED: Final = 6
"""After so many tricks, leads are solved double dummy for the last time."""
SOLVED: Final = 30
"""Layouts solved double dummy to choose a lead."""

F32 = NDArray[np.float32]


class Game(NamedTuple):
    """A game: the deal's number, calls and cards in words."""

    number: int
    calls: str
    cards: str


@dataclass(frozen=True, eq=False)
class Scores:
    """What the models said about the games; NaN where a stage or an answer does not exist.

    Shapes: (games, viewers, stages) for `cards`, `layouts`, `leads` and `shown`, with models as a
    fourth axis for the answers; `bins` are (games, 2 phases, models, bins, 3).
    """

    numbers: NDArray[np.int64]
    calls: NDArray[np.str_]
    plays: NDArray[np.str_]
    played_by: NDArray[np.str_]
    """The versions of the strategies, as JSON."""
    cards: F32
    """Unseen cards."""
    layouts: F32
    """The logarithm to base 10 of how many layouts fit the view."""
    shown: F32
    """Suits in which a hidden hand has shown out."""
    won: F32
    """Whether the card that the viewer's side led next won its trick."""
    bits: F32
    """The sum over unseen cards of -log2 of the chance given to the hand that holds it."""
    effective: F32
    """The effective sample size as a share of the layouts drawn."""
    wins: F32
    """The chance given to the card led next, by response (a fifth axis, `RESPONSES`)."""
    captures: F32
    """Mean and standard deviation of Algorithm 2's T (a fifth axis), for declarer and dummy."""
    tricks: F32
    """The forecast's expected tricks in the contract."""
    lost: F32
    """Tricks that the lead chosen by the model loses on the true deal, double dummy."""
    true_captures: F32
    """(games,)"""
    true_tricks: F32
    """(games,): as played."""
    bins: F32
    """For each tenth of the chance that a given hand holds a card: answers, their sum, hits."""

    def __len__(self) -> int:
        return len(self.numbers)

    def games(self) -> list[Game]:
        """The games that were scored."""
        rows = zip(self.numbers.tolist(), self.calls.tolist(), self.plays.tolist(), strict=True)
        return [Game(*row) for row in rows]

    @property
    def versions(self) -> tuple[Version, ...]:
        """The strategies that played the games, in all their versions."""
        texts = dict.fromkeys(self.played_by.tolist())
        return tuple(dict.fromkeys(one for text in texts for one in loads_versions(text)))


def play_games(count: int, start: int = 0, strategies: Sequence[str] = STRATEGIES) -> list[Game]:
    """Play deals of `SEED` until `count` of them had a contract."""
    from tribridge.arena.playing import play

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
    cards = [parse_card(card) for card in game.cards.split()]
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
    return Scores(
        numbers=np.array([game.number for game in games]),
        calls=np.array([game.calls for game in games]),
        plays=np.array([game.cards for game in games]),
        played_by=np.full(len(games), dumps_versions(map(strategy_version, STRATEGIES))),
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
                plain["won"][who, stage] = _winner_is_leader(game, tricks_done, contract.bid.strain)
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
                if model.name == UNIFORM:
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
        hands = beliefs.chairs(seen, np.concatenate([masks[None], drawn])).tolist()
        solver = Valuation(position, seen.deck, double_dummy=True, played_out=False)
        solved = solver.solve_here([(a, b, c, d) for a, b, c, d in hands], Clock(None))
        cards = sorted(solved[0].values)
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
        table = table.apply(parse_card(card))
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
        left = beliefs.chairs(seen, drawn).astype(np.int64)
        logs = replay(network(), seen, observe(seen).numbers, left)[1]
        weights = weights * np.exp(logs - logs.max())
        weights /= weights.sum()
    return weights


def _uniform(belief: Beliefs) -> NDArray[np.float64]:
    """The exact chance that each hand holds each unseen card if all layouts are equally likely."""
    layouts = belief.layouts
    result = np.zeros((4, 52))
    for card in cards_of(layouts.evidence.loose):
        for hand in range(4):
            result[hand, card] = layouts.holding(hand, card) / layouts.count
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
    holders = [next(h for h in range(4) if int(masks[h]) >> card & 1) for card in cards]
    return float(-np.log2(places[holders, cards]).sum())


def _count(bins: NDArray[np.float64], places: NDArray[np.float64], masks: U64, loose: int) -> None:
    """Add the answers about every hand that may hold an unseen card."""
    for card in cards_of(loose):
        for hand in range(4):
            chance = places[hand, card]
            if 0 < chance < 1:
                hit = int(masks[hand]) >> card & 1
                bins[min(int(BINS * chance), BINS - 1)] += 1, chance, hit


def _leads(seen: View, seat: Seat, declarer: Seat) -> bool:
    chair = seen.chair
    return chair in (Chair.DECLARER, Chair.DUMMY) if seat is declarer else chair is Chair.LEFT


def _winner_is_leader(game: Game, trick: int, strain: Any) -> bool:
    from tribridge.game.tricks import winning_place

    cards = [parse_card(card) for card in game.cards.split()[4 * trick : 4 * trick + 4]]
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
    buffer = BytesIO()
    arrays = {field.name: getattr(scores, field.name) for field in fields(Scores)}
    halves = {
        name: array.astype(np.float16)
        for name, array in arrays.items()
        if array.dtype == np.float32 and name not in ("bins", "layouts")
    }
    np.savez_compressed(buffer, **(arrays | halves))
    return buffer.getvalue()


def load_scores(file: IO[bytes], name: str) -> Scores:
    """Read such a file; anything else is refused."""
    try:
        with np.load(file, allow_pickle=False) as file_arrays:
            arrays = dict(file_arrays)
        arrays.setdefault("played_by", np.full(len(arrays["numbers"]), "[]"))
        values = {
            field.name: arrays[field.name].astype(np.float32)
            if arrays[field.name].dtype == np.float16
            else arrays[field.name]
            for field in fields(Scores)
        }
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(f"{name}: not scores of beliefs: {first_line(error)}") from None
    return Scores(**values)


def shipped_scores() -> Scores:
    """The scores that come with the package."""
    with resources.files("tribridge.studies").joinpath("belief_games.npz").open("rb") as file:
        return load_scores(file, "belief_games.npz")


def join_scores(first: Scores, second: Scores) -> Scores:
    """The scores of more games."""
    return Scores(
        **{
            field.name: np.concatenate([getattr(first, field.name), getattr(second, field.name)])
            for field in fields(Scores)
        }
    )
