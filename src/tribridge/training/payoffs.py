"""What contracts bring when the player of the package plays them: a network learned from play-outs.

It reads the four hands by chair and the strain, and gives the chances of declarer's tricks at each
level, since the player plays for the contract. So a bidder can be paid by what is made in play, on
any number of deals, including the effect of the defenders' cards, which decide whether to double.

Most games have the strains and levels that bidders consider, by the forecast with some noise; the
others are bid. Games are played for every scheme and in rubbers (`training.stakes`). Each game is
learned from a few times, and the error that is logged is that on games before they were learned.
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
    Contracts,
    seat_hands,
    set_auction,
)
from tribridge.networks.play import PlayGames
from tribridge.training import networks, ppo
from tribridge.training.bidders import sampling
from tribridge.training.deals import (
    BidContracts,
    RuleContracts,
    Tricks,
    chances,
    contract_levels,
    deal_hands,
    forecast,
)
from tribridge.training.learner import Graph, fast_products
from tribridge.training.networks import SuitNetwork
from tribridge.training.stakes import Payoffs, Stakes, settings

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


def play_best(policy: SuitNetwork, choose: Any, *fields: Tensor) -> Tensor:
    """Tricks of declarer's side if every chair plays the policy's card, by the convention."""
    stakes = Stakes(*fields)
    games = PlayGames(stakes, steps=stakes.steps)
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        with ppo.half(masks.device):
            card = choose(policy, masks, numbers, games.legal()).argmax(1)
        games.step(ppo.usual(masks, numbers, card))
    games.finish()
    return games.won


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
    """Play games and learn their tricks; write `payoffs.npz` and `log.jsonl` into a folder."""
    torch.manual_seed(seed)
    place = torch.device(device)
    on_gpu = place.type == "cuda"
    out.mkdir(parents=True, exist_ok=True)
    compiled: Any = partial(torch.compile, dynamic=False) if on_gpu else lambda function: function
    policy = networks.load_policy(networks.SHIPPED / "points.npz", place)
    expected, pair = forecast(place), chances("pair", place)
    rule = RuleContracts(FULL_DECK, expected)
    sources: list[tuple[float, Any, bool | None]] = [
        (0.55, AnyContracts(FULL_DECK, expected), None)
    ]
    for share, name, modern in ((0.3, "bidding.npz", False), (0.15, "bidding-contract.npz", True)):
        bidder = sampling(networks.shipped_bidder(place, name))
        sources.append((share, BidContracts(bidder, rule, 1.0), modern))
    payoffs = Payoffs(settings(), place)

    def deal() -> list[Tensor]:
        parts = [
            ppo.columns(payoffs.draw(source.deal(int(share * games) + 1, place), modern)[0])
            for share, source, modern in sources
        ]
        return [torch.cat(part)[:games] for part in zip(*parts, strict=True)]

    network = networks.make_payoffs(width, layers).to(place)
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

    play: Any = partial(play_best, policy, compiled(ppo.preferences))
    step: Any = learn
    kept: list[Tensor] = []
    if on_gpu:
        first = deal()
        with torch.no_grad():
            play = Graph(play, first)
        row = [first[0], first[2], first[1], first[1]]
        step = Graph(learn, [part[:minibatch] for part in row])
    began, logged, batches, share = time.monotonic(), time.monotonic(), 0, 0.0
    while share < 1:
        fields = deal()
        with torch.no_grad():
            won = play(*fields).clone()
        fresh = [fields[0], fields[2], fields[1], won]
        share = (time.monotonic() - began) / (60 * minutes)
        if share >= 1 or time.monotonic() - logged > log_every or not batches:
            logged = time.monotonic()
            line = {"seconds": round(logged - began, 1), "games": batches * games}
            line |= _errors(network, pair, fresh)
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
