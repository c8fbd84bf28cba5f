"""Proximal policy optimisation: self-play games and the training step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.arrays import bits
from tribridge.strategies.learned.auction import Contracts
from tribridge.strategies.learned.play import MASKS, PlayGames, by_card, expand
from tribridge.training.advantages import estimate
from tribridge.training.learner import Learner, Piece

HIDDEN: Final = -1e9
"""The preference given to an illegal card."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The choices of many games, one row each; forced cards are left out."""

    masks: Tensor
    """(n, MASKS + 3): the observation's, then the hands of the three other chairs."""
    numbers: Tensor
    legal: Tensor
    card: Tensor
    log_chance: Tensor
    tricks: Tensor
    """Estimated tricks that declarer will still take."""
    advantage: Tensor
    """For the side that chose, in units of its standard deviation."""


def columns(batch: Any) -> list[Tensor]:
    """The fields of a batch, with one row per choice."""
    return [getattr(batch, name) for name in batch.__dataclass_fields__]


def pieces(batch: Any, size: int) -> Iterator[list[Tensor]]:
    """The columns of random minibatches of one size; leftover rows are dropped."""
    whole = columns(batch)
    order = torch.randperm(len(whole[0]), device=whole[0].device)
    for at in range(0, len(order) - size + 1, size):
        yield [column[order[at : at + size]] for column in whole]


def preferences(policy: nn.Module, masks: Tensor, numbers: Tensor, legal: Tensor) -> Tensor:
    """Log probabilities of all 52 cards; illegal ones have probability 0."""
    answers = by_card(policy(*expand(masks[:, :MASKS], numbers, precision(masks))).float())
    return torch.log_softmax(answers[0].masked_fill(~legal_cards(legal), HIDDEN), 1)


def legal_cards(legal: Tensor) -> Tensor:
    """Masks as booleans (n, 52)."""
    return bits(legal, 52)


def pick(chances: Tensor) -> Tensor:
    """A card drawn for each row, from log probabilities."""
    noise = -torch.log(-torch.log(torch.rand_like(chances).clamp(1e-12, 1 - 1e-7)))
    return (chances + noise).argmax(1)


def precision(x: Tensor) -> torch.dtype:
    """The type in which a network reads features: bfloat16 on a GPU."""
    return torch.bfloat16 if x.device.type == "cuda" else torch.float32


def half(device: torch.device) -> torch.autocast:
    """Autocast to bfloat16 on a GPU."""
    on_gpu = device.type == "cuda"
    return torch.autocast(device.type, torch.bfloat16, enabled=on_gpu, cache_enabled=False)


def play_out(policy: nn.Module, tricks: int, choose: Any, *contracts: Tensor) -> tuple[Tensor, ...]:
    """Games of the policy against itself up to the last trick, whose cards are forced.

    Returns for each card but the last four: masks, numbers, legal cards, the card, its log
    probability, whether declarer's side chose it, tricks won with it; and who won the last trick.
    """
    games = PlayGames(Contracts(*contracts), tricks)
    rows: list[tuple[Tensor, ...]] = []
    while games.cards < 4 * (tricks - 1):
        masks, numbers = games.observe()
        legal = games.legal()
        with half(masks.device):
            chances = choose(policy, masks, numbers, legal)
        card = pick(chances)
        log_chance = chances.gather(1, card[:, None])[:, 0]
        masks = torch.cat([masks, games.others()], 1)
        side = games.chair % 2 == 0
        rows.append((masks, numbers, legal, card, log_chance, side, games.step(card).float()))
    last = games.finish().float()
    return (*(torch.stack(part) for part in zip(*rows, strict=True)), last)


@torch.no_grad()
def self_play(learner: Learner, contracts: Contracts, horizon: float, play: Any) -> Batch:
    """Play games of the policy against itself and return its choices in them."""
    masks, numbers, legal, card, log_chance, side, won, last = play(
        *(getattr(contracts, name) for name in contracts.__dataclass_fields__)
    )
    free = (legal & legal - 1) != 0
    value = torch.zeros_like(log_chance)
    with half(learner.device):
        value[free] = judge(learner.critic, masks[free], numbers[free])
    back, advantage = estimate(value, won, last, free, horizon)
    advantage = torch.where(side, advantage, -advantage)[free]
    advantage = advantage / (advantage.std() + 1e-6)
    return Batch(
        masks[free], numbers[free], legal[free], card[free], log_chance[free], back[free], advantage
    )


def judge(critic: nn.Module, masks: Tensor, numbers: Tensor, size: int = 1 << 17) -> Tensor:
    """The critic's estimate of declarer's remaining tricks in each row."""
    parts = zip(masks.split(size), numbers.split(size), strict=True)
    return torch.cat([_judged(critic, *part) for part in parts])


def _judged(critic: nn.Module, masks: Tensor, numbers: Tensor) -> Tensor:
    return critic(*expand(masks, numbers, precision(masks))).float().mean((1, 2))


def policy_losses(
    preferred: Tensor,
    allowed: Tensor,
    chosen: Tensor,
    log_chance: Tensor,
    advantage: Tensor,
    clip: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The clipped loss, the entropy, and the log probabilities (0 where not allowed)."""
    chances = torch.log_softmax(preferred.masked_fill(~allowed, HIDDEN), 1)
    ratio = (chances.gather(1, chosen[:, None])[:, 0] - log_chance).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
    possible = chances.masked_fill(~allowed, 0)
    entropy = -(chances.exp() * possible).sum(1).mean()
    return -gain, entropy, possible


def losses(
    policy: nn.Module,
    critic: nn.Module,
    masks: Tensor,
    numbers: Tensor,
    legal: Tensor,
    card: Tensor,
    log_chance: Tensor,
    tricks: Tensor,
    advantage: Tensor,
    clip: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Policy loss, entropy, and the losses of critic, belief and value of the card played."""
    answers = by_card(policy(*expand(masks[:, :MASKS], numbers, precision(masks))).float())
    loss, entropy, _ = policy_losses(
        answers[0], legal_cards(legal), card, log_chance, advantage, clip
    )
    error = (_judged(critic, masks, numbers) - tricks).square().mean()
    chair = numbers[:, 0]
    target = legal_cards(torch.where(chair == 1, masks[:, MASKS + 2], masks[:, MASKS]))
    seen = masks[:, 0] | masks[:, 1]
    held = masks[:, MASKS] | masks[:, MASKS + 1] | masks[:, MASKS + 2]
    hidden = legal_cards(held & ~seen).float()
    doubt = nn.functional.binary_cross_entropy_with_logits(
        answers[1], target.float(), reduction="none"
    )
    belief = (doubt * hidden).sum() / hidden.sum().clamp(min=1)
    card_values = answers[2].gather(1, card[:, None])[:, 0]
    return loss, entropy, error, belief, (card_values - tricks).square().mean()


def weighed(learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """The objective to minimise, from the values of `losses`."""
    policy, entropy, error, belief, worth = losses
    return policy - learner.entropy * entropy + 0.5 * error + 0.1 * belief + 0.1 * worth


def step_of(
    learner: Learner,
    piece: Piece,
    loss: Any,
    objective: Callable[[Learner, Sequence[Tensor]], Tensor] = weighed,
) -> Callable[..., Tensor]:
    """A function that makes one optimiser step on a minibatch, given as the fields of a `Batch`.

    `loss` returns the values to report, `objective` combines them into the one to minimise.
    """
    parameters = [*learner.policy.parameters()], [*learner.critic.parameters()]

    def step(*columns: Tensor) -> Tensor:
        with half(learner.device):
            values = loss(learner.policy, learner.critic, *columns, piece.clip)
        objective(learner, values).backward()
        for part in parameters:
            nn.utils.clip_grad_norm_(part, 1.0)
        learner.optimizer.step()
        learner.optimizer.zero_grad(set_to_none=False)
        return torch.stack([value.detach() for value in values])

    return step


def learn(
    learner: Learner,
    batch: Any,
    piece: Piece,
    share: float,
    step: Any,
    names: Sequence[str] = ("policy", "entropy", "critic", "belief", "worth"),
) -> dict[str, float]:
    """Make one pass over a batch; return the mean losses, which `step` gives in this order."""
    rate, weight = piece.at(share)
    learner.rate.fill_(rate)
    learner.entropy.fill_(weight)
    size = min(piece.minibatch, len(columns(batch)[0]))
    total = torch.zeros(len(names), device=learner.device)
    steps = 0
    for part in pieces(batch, size):
        total += step(*part)
        steps += 1
    with torch.no_grad():
        share = 1 / min(100, learner.batches + 2)
        for mean, now in zip(
            learner.average.parameters(), learner.policy.parameters(), strict=True
        ):
            mean.lerp_(now, share)
    return dict(zip(names, (total / max(steps, 1)).tolist(), strict=True))
