"""The losses for training bidding: those of the policy and of the critic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.learning.auction_games import by_suit, expand
from tribridge.learning.bidding_games import Deals, answers_of, greedy_values, legal_calls
from tribridge.learning.learner import Learner
from tribridge.learning.networks import VALUES
from tribridge.learning.ppo import HIDDEN, half, policy_losses
from tribridge.strategies.callers.observation import BIDS, LEVELS, NOBODY, RANKS, SEATS, STRAINS

CONTRACT_UNIT: Final = 100.0
"""Contract values are divided by this before they are learned; they vary more than payoffs."""
TEMPERATURE: Final = 2.0
"""Imitation targets are a softmax of the greedy bidder's values, in points, over this."""
LOSSES: Final = ("policy", "entropy", "critic", "contracts", "worth", "imitation")


def judge(critic: nn.Module, numbers: Tensor, values: Tensor) -> Tensor:
    """The critic's estimate of each seat's payoff, seats counted from the caller: (n, 3)."""
    kind = torch.bfloat16 if numbers.device.type == "cuda" else torch.float32
    suits, table = expand(numbers, kind)
    contracts = values.to(kind)
    notrump = contracts.reshape(len(contracts), -1, STRAINS)[..., STRAINS - 1]
    own = torch.cat([suits[..., RANKS:], by_suit(contracts)], 2)
    answers = critic(own, torch.cat([table, notrump], 1)).float().mean(1)
    return answers - answers.mean(1, keepdim=True)


def relative_values(deals: Deals) -> Tensor:
    """Values of all contracts, with seats counted from each caller: (3 callers, n, 6, 35)."""
    both = torch.stack([deals.values, deals.own], 1).div(50).clamp(-3, 3)
    kind = torch.bfloat16 if both.device.type == "cuda" else torch.float32
    return torch.stack([both.roll(-caller, 2) for caller in range(SEATS)]).flatten(2, 3).to(kind)


def judge_all(
    judging: Any, critic: nn.Module, size: int, numbers: Tensor, values: Tensor
) -> Tensor:
    """`judge` in chunks of one size, so that a compiled or captured program can be reused."""
    results = []
    for at in range(0, len(numbers), size):
        part, part_values = numbers[at : at + size], values[at : at + size]
        missing = size - len(part)
        if missing:
            part = torch.cat([part, part.new_zeros(missing, part.shape[1])])
            part_values = torch.cat(
                [part_values, part_values.new_zeros(missing, *part_values.shape[1:])]
            )
        with half(numbers.device):
            results.append(judging(critic, part, part_values))
    return torch.cat(results)[: len(numbers)]


def losses(
    policy: nn.Module,
    critic: nn.Module,
    numbers: Tensor,
    legal: Tensor,
    call: Tensor,
    log_chance: Tensor,
    payoffs: Tensor,
    advantage: Tensor,
    values: Tensor,
    clip: float,
) -> tuple[Tensor, ...]:
    """The losses, in the order of `LOSSES`."""
    answers = answers_of(policy, numbers)
    allowed = legal_calls(legal)
    loss, entropy, possible = policy_losses(answers[0], allowed, call, log_chance, advantage, clip)
    error = (judge(critic, numbers, values) - payoffs).square().mean()
    points = 50 * values.float()
    contracts = contract_points(numbers, points[:, :SEATS]) / CONTRACT_UNIT
    wrong = (answers[2] - contracts).square()
    doubt = (wrong * allowed).sum() / allowed.sum()
    call_values = answers[1].gather(1, call[:, None])[:, 0]
    hopes = greedy_values(numbers, points[:, SEATS]) / TEMPERATURE
    target = torch.softmax(hopes.masked_fill(~allowed, HIDDEN), 1)
    imitation = -(target * possible).sum(1).mean()
    return loss, entropy, error, doubt, (call_values - payoffs[:, 0]).square().mean(), imitation


def contract_points(numbers: Tensor, values: Tensor) -> Tensor:
    """The caller's points for each call if everyone then passes: (n, 36).

    `values` are the points of every contract for each seat, counted from the caller, (n, 3, 35).
    """
    standing, bidder = numbers[:, 2], numbers[:, 3]
    at = (bidder % SEATS) * BIDS + (standing - 1).clamp(min=0)
    theirs = values.flatten(1).gather(1, at[:, None])
    passing = torch.where(bidder[:, None] == NOBODY, 0.0, -theirs / 2)
    return torch.cat([values[:, 0], passing], 1)


def weighed(imitate: Tensor, learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """The objective to minimise, from the values of `losses`."""
    policy, entropy, error, contracts, worth, imitation = losses
    reward = policy - learner.entropy * entropy
    objective = imitate * imitation + (1 - imitate) * reward
    return objective + 0.5 * error + 0.2 * contracts + 0.1 * worth


assert VALUES == 2 * SEATS * LEVELS
