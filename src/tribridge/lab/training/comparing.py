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

from tribridge.cards.cards import FULL_DECK
from tribridge.common.errors import SettingError
from tribridge.lab.training.bidders import best, sampling
from tribridge.lab.training.bidding_games import Dealing, Settle, gain, greedy, mean_and_error
from tribridge.lab.training.deals import Bidder, RuleContracts, forecast
from tribridge.lab.training.networks import BIDDERS, PLAYERS, SuitNetwork, load_network, shipped
from tribridge.lab.training.payoffs import Played, tricks_by_network
from tribridge.lab.training.play import leads
from tribridge.lab.training.pytorch import torch
from tribridge.lab.training.stakes import settings
from tribridge.strategies.learned import STAKES

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


@dataclass(frozen=True, slots=True)
class Settling:
    """How bidders are paid: for a scheme or the laws of a rubber, by whom, with doubles or not."""

    scheme: str = "auction"
    payoffs: Path | None = None
    """The network that says what contracts bring; unless given, the forecast does."""
    played: bool = False
    """Whether the player of the package plays them instead."""
    doubles: float = 0.0
    """The share of the games in which doubles are allowed."""


def compare(
    paths: Sequence[Path],
    deals: int,
    by: Settling | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
) -> list[Comparison]:
    """Every network against every other; bidders also meet the greedy bidder.

    Bidders without stakes should have been trained for the scheme.
    """
    by = by or Settling()
    scoring = settings(by.scheme)
    if len(paths) < 2:
        raise SettingError("one network has nothing to be compared with: give two or more")
    if len(set(paths)) < len(paths):
        raise SettingError("the same file is given twice")
    torch.manual_seed(seed)
    place = torch.device(device)
    loaded = {str(path): load_network(path, place, *BIDDERS, *PLAYERS) for path in paths}
    bidders = {name: each for name, each in loaded.items() if each.kind in BIDDERS}
    if 0 < len(bidders) < len(loaded):
        raise SettingError("a bidder and a player cannot be compared: give one kind of network")
    if bidders:
        tricks = None if by.payoffs is None else tricks_by_network(by.payoffs, place)
        dealing = Dealing(scoring, place, tricks, doubles=by.doubles)
        settle = Played(dealing).payoffs if by.played else dealing.payoffs
        return _bidders(bidders, deals, dealing, settle)
    return _players(loaded, deals, Dealing(scoring, place))


def _bidders(
    networks: Mapping[str, SuitNetwork], deals: int, dealing: Dealing, settle: Settle
) -> list[Comparison]:
    bidders: dict[str, Bidder] = {name: best(network) for name, network in networks.items()}
    bidders["greedy"] = greedy
    parts = [dealing.deal(count) for count in _parts(deals, dealing.place)]
    result = []
    for name, other in permutations(bidders, 2):
        for seats, where in ((1, "one seat"), (2, "two seats")):
            if name != "greedy":
                pair = bidders[name], bidders[other]
                leads = torch.cat([gain(*pair, part, dealing, seats, settle) for part in parts])
                result.append(Comparison(name, other, where, *mean_and_error(leads)))
    return result


def _players(players: Mapping[str, SuitNetwork], deals: int, dealing: Dealing) -> list[Comparison]:
    device: torch.device = dealing.place
    rule, bidder = RuleContracts(FULL_DECK, forecast(device)), sampling(shipped(STAKES, device))
    parts = _parts(deals, device)
    trials = {
        "rule": [dealing.draw(rule.deal(count, device)) for count in parts],
        "auction": [dealing.bid(bidder, count) for count in parts],
    }
    return [
        Comparison(name, other, f"{side}, by {kind}", *ahead)
        for kind, each in trials.items()
        for name, other in permutations(players, 2)
        for side, ahead in leads(players[name], players[other], each).items()
    ]


def _parts(deals: int, device: torch.device) -> list[int]:
    """The deals in pieces that fit the device's memory."""
    size = AT_ONCE[device.type]
    return [min(size, deals - at) for at in range(0, deals, size)]
