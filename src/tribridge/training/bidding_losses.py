"""The losses for training bidding: those of the policy and of the critic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.arrays import bits
from tribridge.strategies.learned.auction import (
    CALLS,
    LEVELS,
    RANKS,
    SEATS,
    STRAINS,
    by_suit,
    expand,
)
from tribridge.training.bidders import answers_of
from tribridge.training.bidding_games import contract_points, greedy_values
from tribridge.training.learner import Learner
from tribridge.training.networks import VALUES
from tribridge.training.ppo import HIDDEN, half, policy_losses, precision

CONTRACT_UNIT: Final = 100.0
"""Contract values are divided by this before they are learned; they vary more than payoffs."""
TEMPERATURE: Final = 2.0
"""Imitation targets are a softmax of the greedy bidder's values, in points, over this."""
LOSSES: Final = ("policy", "entropy", "critic", "contracts", "worth", "imitation")


def judge(critic: nn.Module, numbers: Tensor, values: Tensor) -> Tensor:
    """The critic's estimate of each seat's payoff, seats counted from the caller: (n, 3)."""
    kind = precision(numbers)
    suits, table = expand(numbers, kind)
    contracts = values.to(kind)
    notrump = contracts.reshape(len(contracts), -1, STRAINS)[..., STRAINS - 1]
    own = torch.cat([suits[..., RANKS:], by_suit(contracts)], 2)
    answers = critic(own, torch.cat([table, notrump], 1)).float().mean(1)
    return answers - answers.mean(1, keepdim=True)


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
    allowed = bits(legal, CALLS)
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


def weighed(imitate: Tensor, learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """The objective to minimise, from the values of `losses`."""
    policy, entropy, error, contracts, worth, imitation = losses
    reward = policy - learner.entropy * entropy
    objective = imitate * imitation + (1 - imitate) * reward
    return objective + 0.5 * error + 0.2 * contracts + 0.1 * worth


assert VALUES == 2 * SEATS * LEVELS
