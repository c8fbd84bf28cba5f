"""What contracts bring when the player of the package plays them: a network learned from play-outs.

It reads the four hands by chair and the strain, and gives the chances of declarer's tricks at each
level, since the player plays for the contract. So a bidder can be paid by what is made in play, on
any number of deals, including the effect of the defenders' cards, which decide whether to double.

Most games have contracts that a bidder reached, so that the network learns what they bring where
bidders contest them; the others have the strains and levels that bidders consider, by the forecast
with some noise. Games are played for every scheme and in rubbers (`training.stakes`). Each game is
learned from a few times, and the errors that are logged are those on games that are still to be
learned.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.arrays import bits, gather
from tribridge.cards import FULL_DECK
from tribridge.networks.auction import (
    LEVELS,
    RANKS,
    SEATS,
    STRAINS,
    SUITS,
    AuctionGames,
    Contracts,
    seat_hands,
    set_auction,
)
from tribridge.training import networks, ppo
from tribridge.training.bidders import sampling
from tribridge.training.bidding_games import Dealing, Deals
from tribridge.training.deals import (
    RuleContracts,
    Tricks,
    chances,
    contract_levels,
    deal_hands,
    forecast,
)
from tribridge.training.learner import Graph, fast_products
from tribridge.training.play import PlayedOut, bid_deals
from tribridge.training.stakes import Stakes, settings

OTHERS: Final = 0.3
"""Share of the contracts that were not bid."""
TRICKS: Final = 14


def answers_of(network: nn.Module, chairs: Tensor, strain: Tensor) -> Tensor:
    """Logits of declarer's tricks at each level: (n, 7, 14), from hands by chair (n, 4)."""
    kind = ppo.precision(chairs)
    suits = torch.arange(SUITS, device=chairs.device)
    cards = bits(chairs, SUITS * RANKS).reshape(len(chairs), 4, SUITS, RANKS)
    own = cards.transpose(1, 2).reshape(len(chairs), SUITS, -1)
    trumps = (strain[:, None] == suits)[..., None]
    table = (strain == SUITS)[:, None]
    answers = network(torch.cat([own, trumps], 2).to(kind), table.to(kind)).float()
    return answers.mean(1).reshape(len(chairs), LEVELS, TRICKS)


def tricks_by_network(path: Path, device: torch.device) -> Tricks:
    """Tricks by a network that this module trained."""
    network = networks.load_network(networks.make_payoffs, path, device)
    answers: Any = torch.compile(answers_of) if device.type == "cuda" else answers_of

    @torch.no_grad()
    def tricks(hands: Tensor) -> Tensor:
        declarers = torch.arange(SEATS, device=device).repeat(len(hands))
        chairs = seat_hands(hands.repeat_interleave(SEATS, 0), declarers)
        strains = torch.arange(STRAINS, device=device).repeat(len(chairs))
        with ppo.half(device):
            logits = answers(network, chairs.repeat_interleave(STRAINS, 0), strains)
        found = torch.softmax(logits, -1)
        return found.reshape(len(hands), SEATS, STRAINS, LEVELS, TRICKS)

    return tricks


class AnyContracts(RuleContracts):
    """Any declarer in any strain, better ones more often, at levels near the forecast."""

    def deal(self, count: int, place: Any) -> Contracts:
        hands = deal_hands(count, self.deck, place)
        declarer = torch.randint(SEATS, (count,), device=place)
        chairs = seat_hands(hands, declarer)
        assert self.expected is not None
        tricks = self.expected(chairs[:, 0], chairs[:, 2])
        strain = (tricks + 1.5 * torch.randn_like(tricks)).argmax(1)
        made = gather(tricks, strain[:, None])[:, 0]
        level = contract_levels(made + self.spread * torch.randn_like(made), self.deck)
        return Contracts(chairs, level, strain, 0 * level, *set_auction(level, strain))


class Played:
    """Pays the contracts of auctions by playing them out, with the player of the package."""

    def __init__(self, dealing: Dealing) -> None:
        self.dealing = dealing
        self._play = PlayedOut(networks.shipped_policy(dealing.place, "points.npz"))

    def payoffs(self, games: AuctionGames, deals: Deals) -> Tensor:
        """Points of the three players (n, 3) after the auctions."""
        contracts = games.contracts(deals.hands)
        stakes, _ = self.dealing.staked(contracts, deals.setting, games.bidder % SEATS)
        result: Tensor = self.dealing.settled(games, deals, self._play(stakes))
        return result


def loss_of(
    network: nn.Module, chairs: Tensor, strain: Tensor, level: Tensor, won: Tensor
) -> Tensor:
    """The cross-entropy of the tricks that were won."""
    logits = answers_of(network, chairs, strain)
    at = (level - 1)[:, None, None].expand(-1, 1, TRICKS)
    return nn.functional.cross_entropy(logits.gather(1, at)[:, 0], won)


@fast_products()
def train(
    out: Path,
    *,
    bidder: Path | None = None,
    start: Path | None = None,
    minutes: float = 4.0,
    games: int = 65_536,
    width: int = 256,
    layers: int = 4,
    times: int = 4,
    minibatch: int = 32_768,
    rate: float = 1.5e-3,
    log_every: float = 20.0,
    device: str = "cpu",
    seed: int = 1,
    say: Callable[[str], None] = print,
) -> None:
    """Play games and learn their tricks; write `payoffs.npz` and `log.jsonl` into a folder.

    `bidder` has the weights of the bidder whose contracts are played, the package's unless given;
    `start` is a file of weights to start from.
    """
    torch.manual_seed(seed)
    place = torch.device(device)
    on_gpu = place.type == "cuda"
    out.mkdir(parents=True, exist_ok=True)
    compiled: Any = partial(torch.compile, dynamic=False) if on_gpu else lambda function: function
    expected, pair = forecast(place), chances("pair", place)
    rule = AnyContracts(FULL_DECK, expected)
    bids = sampling(networks.load_bidder(bidder or networks.SHIPPED / "stakes.npz", place))
    dealing = Dealing(settings(), place, doubles=0.5)

    def deal() -> Stakes:
        """Contracts that were bid, and behind them a share of others."""
        parts = bid_deals(dealing, bids, games - int(OTHERS * games))
        parts.append(dealing.draw(rule.deal(games, place))[0])
        every = zip(*map(Stakes.columns, parts), strict=True)
        return Stakes(*(torch.cat(part)[:games] for part in every))

    network = networks.make_payoffs(width, layers).to(place)
    if start is not None:
        networks.load_weights(network, start)
    speed = torch.zeros((), device=place)
    optimizer = torch.optim.AdamW(
        network.parameters(), lr=speed, weight_decay=1e-2, fused=True, capturable=on_gpu
    )
    loss: Any = compiled(loss_of)

    def learn(*columns: Tensor) -> Tensor:
        with ppo.half(place):
            value: Tensor = loss(network, *columns)
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        return value.detach()

    play = PlayedOut(networks.shipped_policy(place, "points.npz"))
    step: Any = learn
    kept: list[Tensor] = []
    if on_gpu:
        first = deal()
        row = [first.hands, first.strain, first.level, first.level]
        step = Graph(learn, [part[:minibatch] for part in row])
    began, logged, batches, share = time.monotonic(), time.monotonic(), 0, 0.0
    while share < 1:
        stakes = deal()
        fresh = [stakes.hands, stakes.strain, stakes.level, play(stakes)]
        share = (time.monotonic() - began) / (60 * minutes)
        if share >= 1 or time.monotonic() - logged > log_every or not batches:
            logged = time.monotonic()
            line: dict[str, Any] = {"seconds": round(logged - began, 1), "games": batches * games}
            bid = torch.arange(games, device=place) < games - int(OTHERS * games)
            contested = bid & ((stakes.bids != 0).sum(1) > 1)
            for name, rows in {"others": ~bid, "bid": bid, "contested": contested}.items():
                line[name] = _errors(network, pair, [part[rows] for part in fresh])
            with (out / "log.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
            say(json.dumps(line))
        kept = (
            [torch.cat([old, new]) for old, new in zip(kept, fresh, strict=True)] if kept else fresh
        )
        batches += 1
        speed.fill_(rate * min(1.0, batches / 20) * max(0.02, 1 - share))
        for _ in range(times * games // minibatch):
            at = torch.randint(len(kept[0]), (min(minibatch, len(kept[0])),), device=place)
            step(*(part[at] for part in kept))
    networks.save_network(network, out / "payoffs.npz")


@torch.no_grad()
def _errors(network: nn.Module, pair: Any, fresh: list[Tensor]) -> dict[str, float]:
    """Errors on games that were not learned, beside those of the forecast from two hands."""
    chairs, strain, level, won = fresh
    at = torch.arange(len(won), device=won.device)
    with ppo.half(won.device):
        logits = answers_of(network, chairs, strain)[at, level - 1]
    by = {
        "network": torch.softmax(logits, -1),
        "forecast": pair(chairs[:, 0], chairs[:, 2])[at, strain],
    }
    tricks = torch.arange(TRICKS, device=won.device)
    made = won >= level + FULL_DECK.book
    result = {"made": made.float().mean().item()}
    for name, found in by.items():
        mean = (found * tricks).sum(1)
        chance = (found * (tricks >= (level + FULL_DECK.book)[:, None])).sum(1)
        result[f"{name}, loss"] = -found[at, won].clamp(min=1e-6).log().mean().item()
        result[f"{name}, error"] = (mean - won).square().mean().sqrt().item()
        result[f"{name}, bias"] = (mean - won).mean().item()
        result[f"{name}, Brier"] = (chance - made.float()).square().mean().item()
        result[f"{name}, made"] = chance.mean().item()
    return {name: round(value, 4) for name, value in result.items()}
