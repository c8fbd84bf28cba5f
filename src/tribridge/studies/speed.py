"""The speed of each way of doing the same work, measured on this machine.

A way is a function that processes a number of deals. It is run on more and more deals until it
takes a fair share of a second, then timed several times; the best time counts, since other work on
the machine can only slow it down. `learning_speeds` times whole games in lockstep beside the same
games one at a time; every player's view is made before each choice, as it is for training.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from tribridge.errors import TribridgeError

if TYPE_CHECKING:
    from tribridge.arrays import Array, Place
    from tribridge.game.table import Table
    from tribridge.strategies.players.learned.games import PlayGames
    from tribridge.training.auction_games import AuctionGames

TURNS: Final = 3
AT_ONCE: Final = {"cpu": 2048, "cuda": 1 << 17}
"""Random games in lockstep, by device."""
PLAYED_AT_ONCE: Final = {"cpu": 64, "cuda": 1 << 15}
"""Games of the network in lockstep."""
ONE_AT_A_TIME: Final = "one at a time, one core"
MILLION: Final = 1_000_000
_CALLS: Final = 38
_SINGLES: Final = 300
_LOADING: Final = """
import time
import numpy
begin = time.perf_counter()
from tribridge.forecast import find_forecaster
find_forecaster({kind!r})
print(time.perf_counter() - begin)
"""

Way = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Speed:
    """One way and its seconds per deal, or why it was not measured."""

    work: str
    way: str
    seconds: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ForecastSpeed:
    """How long a kind of forecast takes to load, for one pair of hands and for a million."""

    kind: str
    loading: Annotated[float, "loading, ms"]
    single: Annotated[float, "one forecast, ms"]
    million: Annotated[float, "a million pairs, s"]


def measure(way: Way, seconds: float) -> float:
    """Seconds per deal, spending about `seconds` on the measurement."""
    deals = 1
    way(1)  # tables and compiled code are loaded before the clock starts
    while (took := _seconds(way, deals)) < seconds / (4 * TURNS):
        deals *= 2 if took > seconds / 400 else 16
    deals = max(1, int(deals * seconds / TURNS / took))
    return min(_seconds(way, deals) for _ in range(TURNS)) / deals


def _seconds(way: Way, deals: int) -> float:
    begin = time.perf_counter()
    way(deals)
    return time.perf_counter() - begin


def speeds(seed: int = 1, seconds: float = 2.0) -> Iterator[Speed]:
    """Measure every way of simulating and dealing, one after the other."""
    from tribridge import dealer, dealer_arrays, parallel
    from tribridge.capture.simulation import arrays, counting, counts, gpu, kernel, reference

    modules = {"reference Python": reference, "NumPy": arrays, "kernel, one core": kernel}
    for study in ("capture", "game"):
        for name, module in modules.items():
            count: Any = getattr(module, f"{study}_counts")
            took = measure(lambda n, count=count: count(seed, 0, n), seconds)  # type: ignore[misc]
            yield Speed(study, name, took)
        if (cores := parallel.cores()) > 1:
            empty = counts.Tally.empty(counts.Work(study, seed))

            def all_cores(deals: int, empty: counts.Tally = empty) -> object:
                # Pieces small enough that the cores finish together.
                piece = max(1 << 14, min(1 << 20, deals // 16))
                return counting.run(empty, (0, deals), parallel.Cores(piece=piece))

            yield Speed(study, f"kernel, {cores} cores", measure(all_cores, seconds))
    dealing = "dealing"
    one_by_one = measure(lambda n: [dealer.deal(seed, number) for number in range(n)], seconds)
    yield Speed(dealing, "reference Python", one_by_one)
    at_once = measure(lambda n: dealer_arrays.deal_masks(seed, 0, n), seconds)
    yield Speed(dealing, "NumPy", at_once)
    for study in ("capture", "game"):
        try:
            on_gpu = gpu.counter(study)
        except TribridgeError as error:
            yield Speed(study, "GPU", None, str(error))
        else:
            took = measure(lambda n, on_gpu=on_gpu: on_gpu(seed, 0, n), seconds)  # type: ignore[misc]
            yield Speed(study, "GPU", took)
    if find_spec("endplay") is None:
        yield Speed(dealing, "endplay", None, "not installed: pip install endplay")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls its parser by deprecated names
        generate: Any = importlib.import_module("endplay.dealer").generate_deals
        took = measure(lambda n: list(generate(produce=n, seed=seed % 2**32)), seconds)
    yield Speed(dealing, "endplay", took)


def forecast_speeds(kinds: Sequence[str], batch: int = MILLION) -> Iterator[ForecastSpeed]:
    """One row per kind; loading is the import and the kind's data, with NumPy loaded before."""
    from tribridge.cards import Hand
    from tribridge.dealer_arrays import deal_masks
    from tribridge.forecast.kinds import find_forecaster, forecast

    hands = deal_masks(1, 0, batch)
    own, dummy = Hand(int(hands[0, 0])), Hand(int(hands[0, 1]))
    first, second = (np.ascontiguousarray(hands[:, column]) for column in (0, 1))
    for kind in kinds:
        command = [sys.executable, "-c", _LOADING.format(kind=kind)]
        loading = min(
            float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3)
        )
        forecaster = find_forecaster(kind)
        forecast(own, dummy, kind)
        begin = time.perf_counter()
        for _ in range(_SINGLES):
            forecast(own, dummy, kind)
        one_by_one = time.perf_counter() - begin
        begin = time.perf_counter()
        forecaster.from_pair(first, second)
        many = time.perf_counter() - begin
        single = 1000 * one_by_one / _SINGLES
        yield ForecastSpeed(kind, 1000 * loading, single, many * MILLION / batch)


def random_choice(legal: Array, actions: int, place: Place) -> Array:
    """One of the legal actions in each row of masks, all with the same chance."""
    from tribridge.arrays import bits, namespace, uniform

    chances = uniform(place, len(legal), actions)
    return namespace(legal).where(bits(legal, actions), chances, -1.0).argmax(1)


def random_auctions(count: int, place: Place) -> AuctionGames:
    """Auctions of random calls, to the end."""
    from tribridge.cards import FULL_DECK
    from tribridge.training.auction_games import AuctionGames
    from tribridge.training.deals import deal_hands

    hands = deal_hands(count, FULL_DECK, place)
    games = AuctionGames(count, hands.device)
    while not games.over.all():
        games.observe(hands)
        games.step(random_choice(games.legal(), _CALLS, place))
    return games


def random_plays(count: int, place: Place) -> PlayGames:
    """Card play of random cards, to the end."""
    from tribridge.cards import FULL_DECK
    from tribridge.strategies.players.learned.games import PlayGames, only_card
    from tribridge.training.deals import RuleContracts

    games = PlayGames(RuleContracts(FULL_DECK).deal(count, place))
    while not games.over:
        games.observe()
        legal = games.legal()
        last = games.cards >= 4 * (games.size - 1)
        games.step(only_card(legal) if last else random_choice(legal, 52, place))
    return games


def play_randomly(table: Table, random: Random, *, auction: bool = False) -> Table:
    """Random choices at a table to the end of the game, or of the auction."""
    from tribridge.game.views import view

    while not (table.auction.turn is None if auction else table.over):
        view(table, table.turn)
        table = table.apply(random.choice(table.legal))
    return table


def _one_at_a_time(seed: int) -> Iterator[tuple[str, Way]]:
    from tribridge.cards import FULL_DECK
    from tribridge.dealer import deal
    from tribridge.deals import Seat
    from tribridge.game.auction import PASS, Bid
    from tribridge.game.table import new_table
    from tribridge.game.views import view
    from tribridge.strategies import decision_rng
    from tribridge.strategies.players.learned.player import LearnedPlayer
    from tribridge.training.real_play import PLAYER

    random = Random(seed)
    player, rng = LearnedPlayer(), decision_rng(seed, 0, Seat.NORTH, 0)

    def set_table(number: int) -> Table:
        """A table at the opening lead, in a random contract."""
        table = new_table(deal(seed, number), Seat(number % 3))
        bid = Bid(random.randint(1, FULL_DECK.levels), random.choice(FULL_DECK.strains))
        for call in (bid, PASS, PASS):
            table = table.apply(call)
        return table

    def auctions(count: int) -> None:
        for number in range(count):
            table = new_table(deal(seed, number), Seat(number % 3))
            play_randomly(table, random, auction=True)

    def plays(count: int) -> None:
        for number in range(count):
            play_randomly(set_table(number), random)

    def by_network(count: int) -> None:
        for number in range(count):
            table = set_table(number)
            while not table.over:
                table = table.apply(player.card(view(table, table.turn), rng).action)

    yield "random auctions", auctions
    yield "random card play", plays
    yield f"card play by {PLAYER}", by_network


def _in_lockstep(seed: int, device: str, size: int) -> Iterator[tuple[str, int, Way]]:
    """The work, the games in a batch, and a function that plays a number of batches."""
    from tribridge.arrays import fetch
    from tribridge.cards import FULL_DECK, Strain
    from tribridge.training.deals import deal_hands
    from tribridge.training.real_play import PLAYER, RealPlay

    play = RealPlay(device, (Strain.NOTRUMP,), at_once=min(size, PLAYED_AT_ONCE[device]))
    place: Any = np.random.default_rng(seed)
    if device == "cuda":
        import torch

        torch.manual_seed(seed)
        place = torch.device(device)

    def batches(batch: Callable[[], Array]) -> Way:
        # The results are read, so that a GPU has finished when this returns.
        return lambda count: [batch().sum() for _ in range(count)][-1].item()

    def by_network() -> Array:
        hands = deal_hands(play.at_once, FULL_DECK, place)
        return play.start(fetch(hands[:, [0, 1, 3, 2]]).astype(np.uint64))

    yield "random auctions", size, batches(lambda: random_auctions(size, place).standing)
    yield "random card play", size, batches(lambda: random_plays(size, place).won)
    yield f"card play by {PLAYER}", play.at_once, batches(by_network)


def gpu_name() -> str | None:
    """The GPU that PyTorch can use, if there is one."""
    if find_spec("torch") is None:
        return None
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None


def learning_speeds(
    seed: int = 1,
    seconds: float = 2.0,
    at_once: Mapping[str, int] = AT_ONCE,
    devices: Sequence[str] = ("cpu", "cuda"),
) -> Iterator[Speed]:
    """Measure every way available on this machine; the seconds of each are per game."""
    from threadpoolctl import threadpool_limits

    for work, way in _one_at_a_time(seed):
        yield Speed(work, ONE_AT_A_TIME, measure(way, seconds))
    for device, name in {"cpu": "one core", "cuda": gpu_name()}.items():
        if device in devices and name is None:
            yield Speed("all", "in lockstep, GPU", None, "no GPU that PyTorch can use")
        elif device in devices:
            with threadpool_limits(1):
                for work, size, way in _in_lockstep(seed, device, at_once[device]):
                    yield Speed(work, f"in lockstep, {name}", measure(way, seconds) / size)
