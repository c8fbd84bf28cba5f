"""`tribridge speed learning`: whole games per second, in lockstep and one at a time.

Every choice is uniform among the legal ones, so all ways play the same kind of games; every
player's view is made before each choice, as it is for training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tribridge.cli.options import AsJson, find_device, print_json
from tribridge.lab.speed.measuring import (
    Seconds,
    Speed,
    Way,
    check_seconds,
    grid,
    measure,
    measured,
    ratio,
)

if TYPE_CHECKING:
    from tribridge.common.arrays import Array, Place
    from tribridge.game.table import Table
    from tribridge.networks.auction import AuctionGames
    from tribridge.networks.play import PlayGames

AT_ONCE: Final = {"cpu": 2048, "cuda": 1 << 17}
"""Random games in lockstep, by device."""
PLAYED_AT_ONCE: Final = {"cpu": 64, "cuda": 1 << 15}
"""Games of the network in lockstep."""
ONE_AT_A_TIME: Final = "one at a time, one core"
_CALLS: Final = 38


def random_choice(legal: Array, actions: int, place: Place) -> Array:
    """One of the legal actions in each row of masks, all with the same chance."""
    from tribridge.common.arrays import bits, namespace, uniform

    chances = uniform(place, len(legal), actions)
    return namespace(legal).where(bits(legal, actions), chances, -1.0).argmax(1)


def random_auctions(count: int, place: Place) -> AuctionGames:
    """Auctions of random calls, to the end."""
    from tribridge.cards.cards import FULL_DECK
    from tribridge.lab.training.deals import deal_hands
    from tribridge.networks.auction import AuctionGames

    hands = deal_hands(count, FULL_DECK, place)
    games = AuctionGames(count, hands.device)
    while not games.over.all():
        games.observe(hands)
        games.step(random_choice(games.legal(), _CALLS, place))
    return games


def random_plays(count: int, place: Place) -> PlayGames:
    """Card play of random cards, to the end."""
    from tribridge.cards.cards import FULL_DECK
    from tribridge.lab.training.deals import RuleContracts
    from tribridge.networks.play import PlayGames, only_card

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
    from tribridge.cards.cards import FULL_DECK
    from tribridge.cards.dealer import deal
    from tribridge.cards.deals import Seat
    from tribridge.game.auction import PASS, Bid
    from tribridge.game.table import new_table
    from tribridge.game.views import view
    from tribridge.lab.training.real_play import PLAYER
    from tribridge.strategies import decision_rng
    from tribridge.strategies.learned.player import LearnedPlayer

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
    import numpy as np

    from tribridge.cards.cards import FULL_DECK, Strain
    from tribridge.common.arrays import fetch
    from tribridge.lab.training.deals import deal_hands
    from tribridge.lab.training.real_play import PLAYER, RealPlay

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


def learning(
    seconds: Seconds = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the deals and choices.")] = 1,
    device: Annotated[
        str, typer.Option(help="Where games run in lockstep: cpu, cuda, or auto: both.")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Games per second in lockstep, on a GPU (with PyTorch) and on one core, and one at a time.

    Random auctions, random card play, and card play by the network of the player learned. Every
    player's view is made before each choice, as it is for training.
    """
    check_seconds(seconds, 0.01)
    available = find_device(device, numpy=True)
    from tribridge.cards.dealer import check_seed

    check_seed(seed)
    devices = ("cpu", "cuda") if device == "auto" else (available,)
    results = measured(learning_speeds(seed, seconds, devices=devices))
    if as_json:
        rows = [
            {
                "work": each.work,
                "way": each.way,
                "games a second": 1 / each.seconds,
                "times one at a time": ratio(results, each),
            }
            if each.seconds is not None
            else {"work": each.work, "way": each.way, "note": each.note}
            for each in results
        ]
        print_json(rows)
        return
    grid(
        ("games/s", "x one at a time"),
        (
            (each.work, each.way, f"{1 / each.seconds:,.0f}", f"{ratio(results, each):,.1f}")
            for each in results
            if each.seconds is not None
        ),
        words=("work", "way"),
    )
    for each in results:
        if each.seconds is None:
            print(f"{each.way}: {each.note}")
