"""How many games per second can be played: in lockstep, and one at a time by the rules in `game`.

Three kinds of work, each from the deal to the result: auctions of random calls, card play of random
cards, and card play by the network of the strategy `learned`. In lockstep they run on one core
(NumPy) and on a GPU if there is one (PyTorch); one at a time they run in plain Python on one core.
Every choice is uniform among the legal ones, so all ways play the same kind of games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from random import Random
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from tribridge.arrays import Array, Place, bits, fetch, namespace, uniform
from tribridge.cards import FULL_DECK, Strain
from tribridge.dealer import deal
from tribridge.deals import Seat
from tribridge.game.auction import PASS, Bid
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.strategies import decision_rng
from tribridge.strategies.learned.auction import AuctionGames
from tribridge.strategies.learned.play import PlayGames, only_card
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.studies.speed import Speed, measure
from tribridge.training.deals import RuleContracts, deal_hands
from tribridge.training.real_play import PLAYER, RealPlay

AT_ONCE: Final = {"cpu": 2048, "cuda": 1 << 17}
"""Random games in lockstep, by device."""
PLAYED_AT_ONCE: Final = {"cpu": 64, "cuda": 1 << 15}
"""Games of the network in lockstep."""
ONE_AT_A_TIME: Final = "one at a time, one core"
_CALLS: Final = 38

Way = Callable[[int], object]
"""Plays a number of games, or of batches of them."""


def random_choice(legal: Array, actions: int, place: Place) -> Array:
    """One of the legal actions in each row of masks, all with the same chance."""
    chances = uniform(place, len(legal), actions)
    return namespace(legal).where(bits(legal, actions), chances, -1.0).argmax(1)


def random_auctions(count: int, place: Place) -> AuctionGames:
    """Auctions of random calls, to the end."""
    hands = deal_hands(count, FULL_DECK, place)
    games = AuctionGames(count, hands.device)
    while not games.over.all():
        games.observe(hands)
        games.step(random_choice(games.legal(), _CALLS, place))
    return games


def random_plays(count: int, place: Place) -> PlayGames:
    """Card play of random cards, to the end."""
    games = PlayGames(RuleContracts(FULL_DECK).deal(count, place))
    while not games.over:
        games.observe()
        legal = games.legal()
        last = games.cards >= 4 * (games.size - 1)
        games.step(only_card(legal) if last else random_choice(legal, 52, place))
    return games


def random_auction(table: Table, random: Random) -> Table:
    """The same auction at a table."""
    while table.auction.turn is not None:
        view(table, table.turn)
        table = table.apply(random.choice(table.legal))
    return table


def random_play(table: Table, random: Random) -> Table:
    """The same card play at a table."""
    while not table.over:
        view(table, table.turn)
        table = table.apply(random.choice(table.legal))
    return table


def _set(seed: int, number: int, random: Random) -> Table:
    """A table at the opening lead, in a random contract."""
    declarer = Seat(number % 3)
    table = new_table(deal(seed, number), declarer)
    bid = Bid(random.randint(1, FULL_DECK.levels), random.choice(FULL_DECK.strains))
    for call in (bid, PASS, PASS):
        table = table.apply(call)
    return table


def _one_at_a_time(seed: int) -> Iterator[tuple[str, Way]]:
    random = Random(seed)
    player, rng = LearnedPlayer(), decision_rng(seed, 0, Seat.NORTH, 0)

    def auctions(count: int) -> None:
        for number in range(count):
            random_auction(new_table(deal(seed, number), Seat(number % 3)), random)

    def plays(count: int) -> None:
        for number in range(count):
            random_play(_set(seed, number, random), random)

    def by_network(count: int) -> None:
        for number in range(count):
            table = _set(seed, number, random)
            while not table.over:
                table = table.apply(player.card(view(table, table.turn), rng).action)

    yield "random auctions", auctions
    yield "random card play", plays
    yield f"card play by {PLAYER}", by_network


def _in_lockstep(seed: int, device: str, size: int) -> Iterator[tuple[str, int, Way]]:
    """The work, the games in a batch, and a function that plays a number of batches."""
    play = RealPlay(device, (Strain.NOTRUMP,), at_once=min(size, PLAYED_AT_ONCE[device]))
    place: Any = np.random.default_rng(seed)
    if device == "cuda":
        import torch

        torch.manual_seed(seed)
        place = torch.device(device)

    def batches(one: Callable[[], Array]) -> Way:
        # The results are read, so that a GPU has finished when this returns.
        return lambda count: [one().sum() for _ in range(count)][-1].item()

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


def speeds(
    seed: int = 1,
    seconds: float = 2.0,
    at_once: Mapping[str, int] = AT_ONCE,
    devices: Sequence[str] = ("cpu", "cuda"),
) -> Iterator[Speed]:
    """Measure every way available on this machine; the seconds of each are per game."""
    for work, way in _one_at_a_time(seed):
        yield Speed(work, ONE_AT_A_TIME, measure(way, seconds))
    names = {"cpu": "one core", "cuda": gpu_name()}
    for device in devices:
        name = names[device]
        if name is None:
            yield Speed("all", "in lockstep, GPU", None, "no GPU that PyTorch can use")
            continue
        with threadpool_limits(1):
            for work, size, way in _in_lockstep(seed, device, at_once[device]):
                yield Speed(work, f"in lockstep, {name}", measure(way, seconds) / size)
