"""What contracts bring when the player of the package plays them: a network learned from play-outs.

It reads the four hands by chair and the strain, and gives the chances of declarer's tricks at each
level, since the player plays for the contract. So a bidder can be paid by what is made in play, on
any number of deals, including the effect of the defenders' cards, which decide whether to double.

Most games have contracts that a bidder reached, so that the network learns what they bring where
bidders contest them; the others have the strains and levels that bidders consider, by the forecast
with some noise. Games are played for every scheme and in rubbers (`training.stakes`). Each game is
learned from a few times, and the errors that are logged are those on new games.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tribridge.cards.cards import FULL_DECK
from tribridge.common.arrays import bits, gather
from tribridge.lab.training import networks, ppo
from tribridge.lab.training.bidders import sampling
from tribridge.lab.training.bidding_games import Dealing, Deals
from tribridge.lab.training.deals import (
    RuleContracts,
    Tricks,
    chances,
    contract_levels,
    deal_hands,
    forecast,
)
from tribridge.lab.training.learner import fast_products, optimise
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.play import PlayedOut, bid_deals
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.lab.training.stakes import Stakes, settings
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
from tribridge.strategies.learned import POINTS, STAKES

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
    network = networks.load_network(path, device, networks.PAYOFFS)
    answers: Any = torch.compile(answers_of) if device.type == "cuda" else answers_of

    @torch.no_grad()
    def tricks(hands: Tensor) -> Tensor:
        declarers = torch.arange(SEATS, device=device).repeat(len(hands))
        chairs = seat_hands(hands.repeat_interleave(SEATS, 0), declarers)
        strains = torch.arange(STRAINS, device=device).repeat(len(chairs))
        with ppo.half(device):
            logits = answers(network, chairs.repeat_interleave(STRAINS, 0), strains)
        predicted = torch.softmax(logits, -1)
        return predicted.reshape(len(hands), SEATS, STRAINS, LEVELS, TRICKS)

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
        self._play = PlayedOut(networks.shipped(POINTS, dealing.place))

    def payoffs(self, games: AuctionGames, deals: Deals) -> Tensor:
        """Points of the three players (n, 3) after the auctions."""
        contracts = games.contracts(deals.hands)
        stakes, _ = self.dealing.staked(contracts, deals.setting, games.bidder % SEATS)
        result: Tensor = self.dealing.settled(games, deals, self._play(stakes))
        return result


@fast_products()
def train(
    out: Path,
    *,
    bidder: Path | None = None,
    start: Path | None = None,
    batches: int = 200,
    games: int = 65_536,
    steps: int = 6_000,
    width: int = 256,
    layers: int = 4,
    minibatch: int = 32_768,
    rate: float = 1.5e-3,
    device: str = "cpu",
    seed: int = 1,
    say: Callable[[str], None] = print,
) -> None:
    """Play batches of games and learn their tricks; write `payoffs.npz` and `log.jsonl`.

    `bidder` has the weights of the bidder whose contracts are played, the package's unless given;
    `start` is a file of weights to start from.
    """
    torch.manual_seed(seed)
    place = torch.device(device)
    out.mkdir(parents=True, exist_ok=True)
    rule = AnyContracts(FULL_DECK, forecast(place))
    policy = networks.load_network(bidder or networks.SHIPPED / STAKES, place, *networks.BIDDERS)
    bids, dealing = sampling(policy), Dealing(settings(), place, doubles=0.5)
    network = SuitNetwork(networks.PAYOFFS, width, layers).to(place)
    if start is not None:
        networks.load_weights(network, start)
    play = PlayedOut(networks.shipped(POINTS, place))
    bid = games - int(OTHERS * games)

    def played() -> tuple[Stakes, list[Tensor]]:
        """Games with contracts that were bid, and behind them a share of others."""
        parts = bid_deals(dealing, bids, bid)
        parts.append(dealing.draw(rule.deal(games, place))[0])
        stakes = Stakes.joined(parts).take(slice(games))
        return stakes, [stakes.hands, stakes.strain, stakes.level, play(stakes)]

    rows = [torch.cat(part) for part in zip(*(played()[1] for _ in range(batches)), strict=True)]

    def loss() -> Tensor:
        """The cross-entropy of the tricks that were won."""
        at = torch.randint(len(rows[0]), (minibatch,), device=place)
        chairs, strain, level, won = (part[at] for part in rows)
        with ppo.half(place):
            logits = answers_of(network, chairs, strain)
        each = torch.arange(minibatch, device=place)
        return nn.functional.cross_entropy(logits[each, level - 1], won)

    network = optimise(network, loss, steps, rate, 1e-2)
    stakes, fresh = played()
    was_bid = torch.arange(games, device=place) < bid
    contested = was_bid & ((stakes.bids != 0).sum(1) > 1)
    pair, line = chances("pair", place), dict[str, Any](games=batches * games, steps=steps)
    for name, some in {"others": ~was_bid, "bid": was_bid, "contested": contested}.items():
        line[name] = _errors(network, pair, [part[some] for part in fresh])
    with (out / "log.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    say(json.dumps(line))
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
    for name, predicted in by.items():
        mean = (predicted * tricks).sum(1)
        chance = (predicted * (tricks >= (level + FULL_DECK.book)[:, None])).sum(1)
        result[f"{name}, loss"] = -predicted[at, won].clamp(min=1e-6).log().mean().item()
        result[f"{name}, error"] = (mean - won).square().mean().sqrt().item()
        result[f"{name}, bias"] = (mean - won).mean().item()
        result[f"{name}, Brier"] = (chance - made.float()).square().mean().item()
        result[f"{name}, made"] = chance.mean().item()
    return {name: round(value, 4) for name, value in result.items()}
