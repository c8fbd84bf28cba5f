"""Trained networks against each other, on fresh deals that no training used.

Bidders: one seat against two of the other's, and two seats against one, in all three seatings of
each deal, settled by the forecast. Players: each side of contracts set by rule and of contracts bid
by the caller `learned`, with the other network on the other side, in points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Final

import numpy as np
import torch

from tribridge.cards import FULL_DECK
from tribridge.errors import SettingError
from tribridge.networks.auction import KIND, STAKES_KIND
from tribridge.networks.play import SUIT_FEATURES as PLAYER_FEATURES
from tribridge.networks.stakes import Game
from tribridge.training.bidders import best, sampling
from tribridge.training.bidding_games import Dealing, gain, greedy
from tribridge.training.deals import Bidder, RuleContracts, forecast
from tribridge.training.networks import (
    load_bidder,
    load_policy,
    read_arrays,
    shipped_bidder,
)
from tribridge.training.payoffs import Played, tricks_by_network
from tribridge.training.play import leads
from tribridge.training.stakes import settings

AT_ONCE: Final = {"cuda": 65_536, "cpu": 4096}
"""Deals compared at a time, by device."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """By how much one network leads another, with its standard error."""

    one: str
    other: str
    where: str
    """The seats or the side that `one` holds."""
    lead: float
    error: float


def kind_of(path: Path) -> str:
    """`bidding` or `play`, by the size of a network's input."""
    inputs = read_arrays(path).get("suit_in.weight", np.empty((0, 0))).shape[1]
    kinds = {KIND.suit: "bidding", STAKES_KIND.suit: "bidding", PLAYER_FEATURES: "play"}
    if inputs not in kinds:
        raise SettingError(f"{path}: neither the weights of a bidder nor those of a player")
    return kinds[inputs]


def compare(
    paths: Sequence[Path],
    deals: int,
    *,
    scheme: str = "auction",
    payoffs: Path | None = None,
    played: bool = False,
    doubles: float = 0.0,
    device: str = "cpu",
    seed: int = 1,
) -> list[Comparison]:
    """Every network against every other; bidders also meet the greedy bidder.

    Contracts are scored by a scheme or by the laws of a rubber; bidders without stakes should have
    been trained for it. They are settled by `payoffs`, by what the player of the package makes
    (`played`), or by forecast.
    """
    scoring = settings(scheme)
    kinds = {kind_of(path) for path in paths}
    if len(kinds) > 1:
        raise SettingError("a bidder and a player cannot be compared: give one kind of network")
    names = [str(path) for path in paths]
    if len(names) < 2:
        raise SettingError("one network has nothing to be compared with: give two or more")
    if len(set(names)) < len(names):
        raise SettingError("the same file is given twice")
    torch.manual_seed(seed)
    place = torch.device(device)
    named = dict(zip(names, paths, strict=True))
    if kinds == {"bidding"}:
        tricks = None if payoffs is None else tricks_by_network(payoffs, place)
        return _bidders(named, deals, Dealing(scoring, place, tricks, doubles=doubles), played)
    return _players(named, deals, scoring, place)


def _bidders(
    paths: Mapping[str, Path], deals: int, dealing: Dealing, played: bool
) -> list[Comparison]:
    device: torch.device = dealing.place
    settle = Played(dealing).payoffs if played else dealing.payoffs
    bidders: dict[str, Bidder] = {
        name: best(load_bidder(path, device)) for name, path in paths.items()
    } | {"greedy": greedy}
    parts = [dealing.deal(count) for count in _parts(deals, device)]
    result = []
    for one, mine in bidders.items():
        for other, theirs in bidders.items():
            if one == other or one == "greedy":
                continue
            for seats, where in ((1, "one seat"), (2, "two seats")):
                measured = [gain(mine, theirs, part, dealing, seats, settle) for part in parts]
                result.append(_pooled(one, other, where, measured, [len(part) for part in parts]))
    return result


def _players(
    paths: Mapping[str, Path], deals: int, scoring: Mapping[Game, float], device: torch.device
) -> list[Comparison]:
    players = {name: load_policy(path, device) for name, path in paths.items()}
    dealing = Dealing(scoring, device)
    rule, bidder = RuleContracts(FULL_DECK, forecast(device)), sampling(shipped_bidder(device))
    parts = _parts(deals, device)
    trials = {
        "rule": [dealing.draw(rule.deal(count, device)) for count in parts],
        "auction": [dealing.bid(bidder, count) for count in parts],
    }
    result = []
    for kind, each in trials.items():
        for one, other in permutations(players, 2):
            for side, ahead in leads(players[one], players[other], each).items():
                result.append(Comparison(one, other, f"{side}, by {kind}", *ahead))
    return result


def _parts(deals: int, device: torch.device) -> list[int]:
    """The deals in pieces that fit the device's memory."""
    size = AT_ONCE[device.type]
    return [min(size, deals - at) for at in range(0, deals, size)]


def _pooled(
    one: str, other: str, where: str, measured: list[tuple[float, float]], counts: list[int]
) -> Comparison:
    """The mean over pieces of different sizes, with its standard error."""
    shares = np.array(counts) / sum(counts)
    leads, errors = np.array(measured).T
    lead, error = float(shares @ leads), float(np.sqrt(shares**2 @ errors**2))
    return Comparison(one, other, where, lead, error)
