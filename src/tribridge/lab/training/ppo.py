"""Proximal policy optimisation: self-play games and the training step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tribridge.cards.cards import Deck
from tribridge.common.arrays import Rows, bits
from tribridge.lab.training.advantages import estimate
from tribridge.lab.training.convention import conventional
from tribridge.lab.training.learner import Learner, Piece
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.lab.training.stakes import Stakes
from tribridge.networks import play as cards
from tribridge.networks.people import shown
from tribridge.networks.play import MASKS, PlayGames, by_card, expand, numbers_of
from tribridge.networks.values import OUTCOMES

HIDDEN: Final = -1e9
"""The preference given to an illegal card."""


@dataclass(frozen=True, eq=False)
class Batch(Rows):
    """The choices of many games, one row each; forced cards are left out."""

    masks: Tensor
    """(n, MASKS + 3): the observation's, then the hands of the three other chairs."""
    numbers: Tensor
    legal: Tensor
    card: Tensor
    log_chance: Tensor
    target: Tensor
    """(n, 14): the estimated chances of each number of tricks that declarer can end with."""
    advantage: Tensor
    """For the side that chose, in units of its standard deviation."""
    weight: Tensor
    """How many choices the row stands for: nearly certain ones are mostly left out."""
    chosen: Tensor
    """Whether the policy chose the card; the others were drawn at random, for the critic alone."""


LOSSES: Final = ("policy", "entropy", "position", "card", "belief", "worth", "people")


@dataclass(frozen=True, slots=True)
class PlayPiece(Piece):
    """One stretch of training card play."""

    games: int = 65_536
    rate: tuple[float, float] = (2e-4, 5e-5)
    entropy: tuple[float, float] = (0.004, 0.001)
    log_every: float = 60.0
    measured: int = 32_768
    rivals: float = 0.3
    """Share of the games in which a fixed rival holds one side, declarer's in half of them."""
    explored: float = 0.05
    """Share of the policy's cards that are drawn at random."""
    certain: float = 0.2
    """Share of the certain choices to learn from; less certain ones are kept more often."""
    compared: int = 262_144
    """Deals on which the policy is compared with the rival in the end."""
    conventional: bool = True
    """Whether a policy for points is to play the conventional card for the one it chose."""
    people: float = 0.0
    """Share of the games with people: they hold one side, or one defender's cards."""
    hold: tuple[float, float] = (0.0, 0.0)
    """Weight of the divergence from what people would play, at the start and at the end."""


def pieces(batch: Rows, size: int) -> Iterator[list[Tensor]]:
    """The columns of random minibatches of one size; leftover rows are dropped."""
    order = torch.randperm(len(batch), device=batch.columns()[0].device)
    for at in range(0, len(order) - size + 1, size):
        yield batch.take(order[at : at + size]).columns()


def answers_of(network: SuitNetwork, masks: Tensor, numbers: Tensor) -> Tensor:
    """A network's outputs; what tricks are worth is only shown to one for points."""
    if not for_points(network):
        numbers = numbers[:, : len(cards.Numbers._fields)]
    answers: Tensor = network(*expand(masks, numbers, precision(masks))).float()
    return answers


def for_points(network: SuitNetwork) -> bool:
    """Whether a network sees what tricks are worth."""
    return network.kind.table > cards.TABLE_FEATURES


def preferences(policy: SuitNetwork, masks: Tensor, numbers: Tensor, legal: Tensor) -> Tensor:
    """Log probabilities of all 52 cards; illegal ones have probability 0."""
    answers = by_card(answers_of(policy, masks[:, :MASKS], numbers))
    return torch.log_softmax(answers[0].masked_fill(~legal_cards(legal), HIDDEN), 1)


def usual(masks: Tensor, numbers: Tensor, card: Tensor) -> Tensor:
    """The conventional cards for those chosen."""
    return cards.only_card(conventional(masks.T, numbers_of(numbers), card))


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


def held_by_policy(count: int, rivals: int, people: int, device: torch.device) -> Tensor:
    """The chairs whose cards the policy plays in each game, as bits.

    All in the first games; one side in those with the rival; with people one side, or all but one
    defender.
    """
    parts = [(count - rivals - people, 0b1111)]
    parts += [(rivals // 2, 0b0101), (rivals - rivals // 2, 0b1010)]
    quarter = people // 4
    parts += [(quarter, chairs) for chairs in (0b0101, 0b1010, 0b0111)]
    parts.append((people - 3 * quarter, 0b1101))
    return torch.cat([torch.full((size,), chairs, device=device) for size, chairs in parts])


def play_out(
    policy: SuitNetwork,
    rival: SuitNetwork | None,
    people: SuitNetwork | None,
    deck: Deck,
    piece: PlayPiece,
    choose: Any,
    *fields: Tensor,
) -> tuple[Tensor, ...]:
    """Games of the policy up to the last trick, whose cards are forced.

    In the last games the rival and people, if they are given, hold some chairs; people draw their
    cards. Returns for each card but the last four: masks, numbers, legal cards, the card, its log
    probability, whether declarer's side chose it, whether the policy did, whether it was drawn at
    random; and declarer's tricks.
    """
    stakes = Stakes(*fields)
    games = PlayGames(stakes, deck.hand_size, stakes.steps)
    count, device = len(stakes), stakes.hands.device
    mixed = 0 if rival is None else int(piece.rivals * count)
    guests = 0 if people is None else int(piece.people * count)
    alone, ours = count - mixed - guests, count - guests
    chairs = held_by_policy(count, mixed, guests, device)
    rows: list[tuple[Tensor, ...]] = []
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        legal = games.legal()
        with half(device):
            chances = choose(policy, masks, numbers, legal)
        side, own = games.chair % 2 == 0, chairs >> games.chair & 1 != 0
        drawn = own & (torch.rand(count, device=device) < piece.explored)
        anything = torch.where(legal_cards(legal), 0.0, HIDDEN)
        card = pick(torch.where(drawn[:, None], anything, chances))
        log_chance = chances.gather(1, card[:, None])[:, 0]
        plain = drawn if policy.conventional else torch.ones_like(drawn)
        parts, usually = [card[:alone]], [plain[:alone]]
        if rival is not None:
            at = slice(alone, ours)
            with half(device):
                theirs = choose(rival, masks[at], numbers[at], legal[at]).argmax(1)
            parts.append(torch.where(own[at], card[at], theirs))
            usually.append(torch.where(own[at], plain[at], not rival.conventional))
        if people is not None:
            at = slice(ours, count)
            with half(device):
                wishes = choose(people, masks[at], shown(numbers[at]), legal[at])
            parts.append(torch.where(own[at], card[at], pick(wishes)))
            usually.append(torch.where(own[at], plain[at], True))
        card, plain = torch.cat(parts), torch.cat(usually)
        seen = torch.cat([masks, games.others()], 1), numbers, legal
        rows.append((*seen, card, log_chance, side, own, drawn))
        games.step(torch.where(plain, card, usual(masks, numbers, card)))
    games.finish()
    return (*(torch.stack(part) for part in zip(*rows, strict=True)), games.won)


@torch.no_grad()
def self_play(
    learner: Learner, contracts: Stakes, piece: PlayPiece, play: Any, judging: Any
) -> Batch:
    """Play games and return the policy's choices in them.

    Cards drawn at random say nothing about the choices before them: those are valued by the
    critic's estimate of the position.
    """
    masks, numbers, legal, card, log_chance, side, own, drawn, won = play(*contracts.columns())
    free = (legal & legal - 1) != 0
    with half(learner.device):
        positions = zip(masks, numbers, strict=True)
        logits = [judging(learner.critic, *position)[0] for position in positions]
    value = torch.softmax(torch.stack(logits), -1)
    outcome = nn.functional.one_hot(won, OUTCOMES).float()
    horizon = torch.where(drawn, 0.0, piece.horizon)[..., None]
    target, lead = estimate(value, torch.zeros_like(value), outcome, free[..., None], horizon)
    advantage = (lead * contracts.utility()).sum(-1)
    advantage = torch.where(side, advantage, -advantage)
    mine = free & own
    advantage = (advantage / (advantage[mine & ~drawn].std() + 1e-6)).clamp(-8, 8)
    rate = (3 * (1 - log_chance.exp()) + piece.certain).clamp(max=1)
    rows = mine & (torch.rand_like(rate) < rate)
    weight = 1 / rate[rows]
    every = (masks, numbers, legal, card, log_chance, target, advantage)
    parts: Any = (*(part[rows] for part in every), weight / weight.mean(), ~drawn[rows])
    return Batch(*parts)


def judge(critic: SuitNetwork, masks: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
    """Logits of declarer's tricks: in the position (n, 14), and after each card (n, 52, 14)."""
    answers = answers_of(critic, masks, numbers)
    after = answers[..., :-OUTCOMES].reshape(len(answers), -1, OUTCOMES)
    return answers[..., -OUTCOMES:].mean(1), after


def policy_losses(
    preferred: Tensor,
    allowed: Tensor,
    chosen: Tensor,
    log_chance: Tensor,
    advantage: Tensor,
    clip: float,
    weight: Tensor | float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """The clipped loss, the entropy, and the log probabilities (0 where not allowed)."""
    chances = torch.log_softmax(preferred.masked_fill(~allowed, HIDDEN), 1)
    ratio = (chances.gather(1, chosen[:, None])[:, 0] - log_chance).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
    possible = chances.masked_fill(~allowed, 0)
    entropy = -(chances.exp() * possible).sum(1)
    return -(gain * weight).mean(), (entropy * weight).mean(), possible


def belief_loss(logits: Tensor, masks: Tensor, chair: Tensor, weight: Tensor) -> Tensor:
    """The cross-entropy of who holds each hidden card; masks end with the three other hands."""
    holds = legal_cards(torch.where(chair == 1, masks[:, MASKS + 2], masks[:, MASKS]))
    held = masks[:, MASKS] | masks[:, MASKS + 1] | masks[:, MASKS + 2]
    hidden = legal_cards(held & ~(masks[:, 0] | masks[:, 1])) * weight[:, None]
    doubt = nn.functional.binary_cross_entropy_with_logits(logits, holds.float(), reduction="none")
    return (doubt * hidden).sum() / hidden.sum().clamp(min=1)


def worth_loss(values: Tensor, card: Tensor, tricks: Tensor, weight: Tensor) -> Tensor:
    """The squared error of the tricks that declarer still takes after the card."""
    error = values.gather(1, card[:, None])[:, 0] - tricks
    return (error.square() * weight).mean()


def losses(
    policy: SuitNetwork,
    critic: SuitNetwork,
    *columns: Tensor,
    clip: float,
    people: SuitNetwork | None = None,
) -> tuple[Tensor, ...]:
    """The losses, in the order of `LOSSES`; policy and position learn only from chosen cards.

    The last one is the divergence of the policy from what people would play.
    """
    masks, numbers, legal, card, log_chance, target, advantage, weight, chosen = columns
    answers = by_card(answers_of(policy, masks[:, :MASKS], numbers))
    own = weight * chosen
    loss, entropy, chances = policy_losses(
        answers[0], legal_cards(legal), card, log_chance, advantage, clip, own
    )
    divergence = torch.zeros_like(loss)
    if people is not None:
        with torch.no_grad():
            theirs = preferences(people, masks, shown(numbers), legal)
        possible = chances.exp() * (chances - theirs) * legal_cards(legal)
        divergence = (possible.sum(1) * weight).mean()
    position, by_choice = judge(critic, masks, numbers)
    after = by_choice.gather(1, card[:, None, None].expand(-1, 1, OUTCOMES))[:, 0]
    seen = numbers_of(numbers)
    belief = belief_loss(answers[1], masks, seen.chair, weight)
    tricks = (target * torch.arange(OUTCOMES, device=target.device)).sum(1) - seen.won
    worth = worth_loss(answers[2], card, tricks, weight)
    position_loss, card_loss = (
        -((target * torch.log_softmax(logits, 1)).sum(1) * part).mean()
        for logits, part in ((position, own), (after, weight))
    )
    return loss, entropy, position_loss, card_loss, belief, worth, divergence


def weighed(learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """The objective to minimise, from the values of `losses`."""
    policy, entropy, position, card, belief, worth, people = losses
    critic = 0.5 * (position + card)
    heads = 0.1 * belief + 0.1 * worth
    return policy - learner.entropy * entropy + learner.hold * people + critic + heads


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
            values = loss(learner.policy, learner.critic, *columns, clip=piece.clip)
        objective(learner, values).backward()
        for part in parameters:
            nn.utils.clip_grad_norm_(part, 1.0)
        learner.optimizer.step()
        learner.optimizer.zero_grad(set_to_none=False)
        return torch.stack([value.detach() for value in values])

    return step


def learn(
    learner: Learner,
    batch: Rows,
    piece: Piece,
    share: float,
    step: Any,
    names: Sequence[str] = LOSSES,
) -> dict[str, float]:
    """Make one pass over a batch; return the mean losses, which `step` gives in this order."""
    rate, weight = piece.at(share)
    learner.rate.fill_(rate)
    learner.entropy.fill_(weight)
    size = min(piece.minibatch, len(batch))
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
