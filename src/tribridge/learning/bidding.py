"""Bidding by self-play: imitation of a greedy bidder, then PPO with fictitious self-play.

From scratch, bidding learns to pass: nearly every early bid loses. So the policy first imitates a
bidder that bids what its own hand promises most for, on the auctions that the policy itself gets
into. Then it plays: half of the games against itself, the others with one or two seats held by a
snapshot of its past, by a bidder that makes the call with the most expected points given the calls
so far (the network's third head; nothing is foreseen of what the others will call), by the greedy
bidder or by a random one. It learns from the calls in its own seats. Its critic sees what every
contract is worth to every player and judges the auction for all three at every call (generalised
advantage estimation); the weight of the entropy falls over the training.

Auctions are cut short in training: the last two of `calls` calls must be passes.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import torch
from torch import Tensor, nn

from tribridge.game.scoring import find_scheme
from tribridge.learning.auction_games import PASS, AuctionGames, by_suit, expand
from tribridge.learning.bidding_games import (
    Dealing,
    Deals,
    answers_of,
    best,
    gain,
    greedy,
    greedy_values,
    legal_calls,
    log_chances,
    play,
)
from tribridge.learning.copies import load_copy
from tribridge.learning.learner import Learner, Piece, Size
from tribridge.learning.networks import (
    VALUES,
    SuitNetwork,
    make_bidder,
    make_bidding_critic,
)
from tribridge.learning.ppo import (
    HIDDEN,
    estimate,
    half,
    learn,
    pick,
    pieces,
    policy_losses,
    step_of,
)
from tribridge.learning.rivals import Pool, Rivals, learner_seats, make_rivals
from tribridge.learning.running import Graph, open_training, run
from tribridge.strategies.callers.observation import BIDS, LEVELS, NOBODY, RANKS, SEATS, STRAINS

UNIT: Final = 20.0
"""Points of payoffs and of what a call is worth are divided by this before they are learned."""
CONTRACT_UNIT: Final = 100.0
"""The same for the values of contracts, which lie further apart."""
TEMPERATURE: Final = 2.0
"""The greedy bidder is imitated as often as its values, in points, over this say."""
LOSSES: Final = ("policy", "entropy", "critic", "contracts", "worth", "imitation")


@dataclass(frozen=True, slots=True)
class BiddingSize(Size):
    """The networks of a training of bidding, and the scoring scheme that it bids for."""

    name: ClassVar[str] = "bidding"

    width: int = 192
    layers: int = 3
    critic_width: int = 192
    critic_layers: int = 3
    scheme: str = "auction"

    def networks(self) -> tuple[SuitNetwork, SuitNetwork]:
        return (
            make_bidder(self.width, self.layers),
            make_bidding_critic(self.critic_width, self.critic_layers),
        )


@dataclass(frozen=True, slots=True)
class BiddingPiece(Piece):
    """One stretch of training of bidding."""

    minibatch: int = 16_384
    rate: tuple[float, float] = (1e-3, 5e-5)
    entropy: tuple[float, float] = (0.02, 0.001)
    measured: int = 32_768
    calls: int = 18
    """Calls of an auction at most."""
    imitation: int = 120
    """The first batches of a training imitate the greedy bidder."""
    snapshot_every: int = 40
    """Batches between snapshots."""
    snapshots: int = 12
    """How many are kept: the first, and others of any age."""
    response: int = 0
    """Seats of a best response to the copy of another caller, 1 or 2; 0: fictitious self-play."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The learner's choices in many auctions, one row each."""

    numbers: Tensor
    legal: Tensor
    call: Tensor
    log_chance: Tensor
    payoffs: Tensor
    """(n, 3): what the game brings each seat from the caller on, as estimated."""
    advantage: Tensor
    """For the caller, in units of its standard deviation."""
    values: Tensor
    """(n, 6, 35): the points of every contract for each seat from the caller on, from two hands,
    then from one."""


def play_out(
    policy: nn.Module,
    rivals: Rivals,
    answers: Any,
    calls: int,
    mine: Tensor,
    hands: Tensor,
    own: Tensor,
) -> tuple[Tensor, ...]:
    """Auctions of the learner, whose seats are `mine` (n, 3), with itself and with others.

    Returns for each call (calls, n): observation, legal calls, the call, the logarithm of its
    chance, whether the auction was going on, whether it was the learner's choice; and the last
    bids (n,) with their bidders.
    """
    count, device = len(hands), hands.device
    games = AuctionGames(count, device)
    first = count - count // 16 * sum(part for part, _ in rivals)
    rows: list[tuple[Tensor, ...]] = []
    for at in range(calls):
        if device.type == "cpu" and bool(games.over.all()):
            break
        numbers, legal, going = games.observe(hands), games.legal(), ~games.over
        if at >= calls - 2:
            legal = legal & 1 << PASS
        with half(device):
            wish = answers(policy, numbers)[0]
        chances = log_chances(wish, legal)
        call = pick(chances)
        theirs, start = [call[:first]], first
        for part, bidder in rivals:
            end = start + count // 16 * part
            theirs.append(
                bidder(numbers[start:end], legal[start:end], own[start:end, games.caller])
            )
            start = end
        seat = mine[:, games.caller]
        call = torch.where(seat, call, torch.cat(theirs))
        log_chance = chances.gather(1, call[:, None])[:, 0]
        free = seat & ((legal & legal - 1) != 0)
        rows.append((numbers, legal, call, log_chance, going, free))
        games.step(call)
    return (*(torch.stack(part) for part in zip(*rows, strict=True)), games.standing, games.bidder)


def judge(critic: nn.Module, numbers: Tensor, values: Tensor) -> Tensor:
    """What the game brings each seat from the caller on, as the critic sees it: (n, 3)."""
    kind = torch.bfloat16 if numbers.device.type == "cuda" else torch.float32
    suits, table = expand(numbers, kind)
    worth = values.to(kind)
    notrump = worth.reshape(len(worth), -1, STRAINS)[..., STRAINS - 1]
    own = torch.cat([suits[..., RANKS:], by_suit(worth)], 2)
    answers = critic(own, torch.cat([table, notrump], 1)).float().mean(1)
    return answers - answers.mean(1, keepdim=True)


def relative_values(deals: Deals) -> Tensor:
    """Values of all contracts as each caller counts the seats: (3 callers, n, 6, 35)."""
    both = torch.stack([deals.values, deals.own], 1).div(50).clamp(-3, 3)
    kind = torch.bfloat16 if both.device.type == "cuda" else torch.float32
    return torch.stack([both.roll(-caller, 2) for caller in range(SEATS)]).flatten(2, 3).to(kind)


@torch.no_grad()
def self_play(
    learner: Learner, deals: Deals, dealing: Dealing, piece: BiddingPiece, programs: Any
) -> Batch:
    """A batch of auctions, and what can be learned from them."""
    play_games, value_of = programs
    numbers, legal, call, log_chance, going, free, standing, bidder = play_games(
        deals.hands, deals.own
    )
    games = AuctionGames(len(deals), learner.device)
    games.standing, games.bidder = standing, bidder
    payoffs = dealing.payoffs(games, deals) / UNIT
    values = relative_values(deals)
    time_at, game = going.nonzero(as_tuple=True)
    caller = time_at % SEATS
    rows, seen = numbers[going], values[caller, game]
    judged = value_of(rows, seen)
    seats = torch.arange(SEATS, device=learner.device)
    estimates = torch.zeros(*going.shape, SEATS, device=learner.device)
    estimates[going] = judged.gather(1, (seats - caller[:, None]) % SEATS)
    nothing = torch.zeros_like(estimates)
    back, lead = estimate(estimates, nothing, payoffs, going[..., None], piece.horizon)
    chosen = free[going]
    order = (caller[:, None] + seats) % SEATS
    ahead = lead[going].gather(1, order)[chosen, 0]
    return Batch(
        rows[chosen],
        legal[going][chosen],
        call[going][chosen],
        log_chance[going][chosen],
        back[going].gather(1, order)[chosen],
        ahead / (ahead.std() + 1e-6),
        seen[chosen],
    )


def judge_all(
    judging: Any, critic: nn.Module, size: int, numbers: Tensor, values: Tensor
) -> Tensor:
    """As `judge`, in pieces of one size, so that a compiled or captured program serves."""
    results = []
    for at in range(0, len(numbers), size):
        part, worth = numbers[at : at + size], values[at : at + size]
        missing = size - len(part)
        if missing:
            part = torch.cat([part, part.new_zeros(missing, part.shape[1])])
            worth = torch.cat([worth, worth.new_zeros(missing, *worth.shape[1:])])
        with half(numbers.device):
            results.append(judging(critic, part, worth))
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
    """In the order of `LOSSES`."""
    answers = answers_of(policy, numbers)
    allowed = legal_calls(legal)
    loss, entropy, possible = policy_losses(answers[0], allowed, call, log_chance, advantage, clip)
    error = (judge(critic, numbers, values) - payoffs).square().mean()
    points = 50 * values.float()
    contracts = contract_points(numbers, points[:, :SEATS]) / CONTRACT_UNIT
    wrong = (answers[2] - contracts).square()
    doubt = (wrong * allowed).sum() / allowed.sum()
    worth = answers[1].gather(1, call[:, None])[:, 0]
    hopes = greedy_values(numbers, points[:, SEATS]) / TEMPERATURE
    target = torch.softmax(hopes.masked_fill(~allowed, HIDDEN), 1)
    imitation = -(target * possible).sum(1).mean()
    return loss, entropy, error, doubt, (worth - payoffs[:, 0]).square().mean(), imitation


def contract_points(numbers: Tensor, values: Tensor) -> Tensor:
    """What each call brings its caller if it leads to the contract at once: (n, 36).

    `values` are the points of every contract for each seat from the caller on, (n, 3, 35).
    """
    standing, bidder = numbers[:, 2], numbers[:, 3]
    at = (bidder % SEATS) * BIDS + (standing - 1).clamp(min=0)
    theirs = values.flatten(1).gather(1, at[:, None])
    passing = torch.where(bidder[:, None] == NOBODY, 0.0, -theirs / 2)
    return torch.cat([values[:, 0], passing], 1)


def weighed(imitate: Tensor, learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """What is minimised, from the values of `losses`."""
    policy, entropy, error, contracts, worth, imitation = losses
    reward = policy - learner.entropy * entropy
    objective = imitate * imitation + (1 - imitate) * reward
    return objective + 0.5 * error + 0.2 * contracts + 0.1 * worth


def train(
    folder: Path,
    size: BiddingSize | None = None,
    piece: BiddingPiece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    resume: bool = False,
    start: Path | None = None,
    copy_of: Path | None = None,
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time; with `resume`, go on from the folder's checkpoint.

    `start` is a folder with the policy and the critic to begin with, in place of imitation;
    `copy_of` a copy of another caller (`copies`), which then holds seats in many games.
    """
    size, piece = size or BiddingSize(), piece or BiddingPiece()
    scheme = find_scheme(size.scheme)
    learner = open_training(folder, size, device=device, seed=seed, resume=resume, start=start)
    dealing = Dealing(scheme, learner.device)
    pool = Pool(copy.deepcopy(learner.average), piece.snapshots)
    kept = folder / "snapshots.pt"
    if resume and kept.exists():
        pool.load(kept, device)
    imitate = torch.zeros((), device=learner.device)
    imitated = 0 if start is not None else piece.imitation
    other = None if copy_of is None else load_copy(copy_of, learner.device)
    games, step = programs(learner, pool.opponent, other, dealing, piece, imitate)

    def batch(share: float) -> dict[str, float]:
        imitate.fill_(float(learner.batches < imitated))
        if learner.batches >= imitated and (
            not pool.weights or learner.batches % piece.snapshot_every == 0
        ):
            pool.add(learner.average)
        if pool.weights:
            pool.draw()
        else:
            pool.opponent.load_state_dict(learner.average.state_dict())
        started = time.monotonic()
        choices = self_play(learner, dealing.deal(piece.games), dealing, piece, games)
        played = time.monotonic()
        values = learn(learner, choices, piece, share, step, LOSSES)
        return {"playing": played - started, "learning": time.monotonic() - played, **values}

    def measure() -> dict[str, Any]:
        return measures(learner, pool, other, dealing, piece.measured)

    run(learner, folder, piece, batch, measure, say, partial(pool.save, kept))
    return learner


def programs(
    learner: Learner,
    opponent: nn.Module,
    other: nn.Module | None,
    dealing: Dealing,
    piece: BiddingPiece,
    imitate: Tensor,
) -> tuple[Any, Any]:
    """How auctions are held and judged, and how a minibatch is learned from.

    On a GPU the first and the last are captured.
    """
    compiled: Any = (
        partial(torch.compile, dynamic=False) if piece.compiled else lambda function: function
    )
    answers, judging, loss = compiled(answers_of), compiled(judge), compiled(losses)
    rivals = make_rivals(opponent, other, compiled, response=piece.response > 0)
    seats = (piece.response,) if piece.response else (1, 2)
    mine = learner_seats(piece.games, sum(part for part, _ in rivals), seats, learner.device)
    holding: Any = partial(play_out, learner.policy, rivals, answers, piece.calls, mine)
    value_of = partial(judge_all, judging, learner.critic, piece.minibatch)
    step: Any = step_of(learner, piece, loss, partial(weighed, imitate))
    if learner.on_gpu and piece.captured:
        deals = dealing.deal(piece.games)
        with torch.no_grad():
            holding = Graph(holding, [deals.hands, deals.own])
            batch = self_play(learner, deals, dealing, piece, (holding, value_of))
        # At rate zero the steps that warm up and capture change no weight but for the moments.
        learner.rate.zero_()
        step = Graph(step, next(pieces(batch, piece.minibatch)))
    return (holding, value_of), step


@torch.no_grad()
def measures(
    learner: Learner, pool: Pool, other: nn.Module | None, dealing: Dealing, count: int
) -> dict[str, Any]:
    """How the average policy does on fresh deals, and how it bids against itself."""
    deals = dealing.deal(count)
    bidder = best(learner.average)
    first = copy.deepcopy(learner.average)
    if pool.weights:
        first.load_state_dict(pool.weights[0])
    result: dict[str, Any] = {}
    rivals = {
        "greedy": greedy,
        "expecting": best(first, 2),
        "of the start": best(first),
    } | ({} if other is None else {"copies": best(other)})
    for name, rival in rivals.items():
        result[f"over two {name}"] = round(gain(bidder, rival, deals, dealing)[0], 2)
    result["two over one greedy"] = round(gain(bidder, greedy, deals, dealing, 2)[0], 2)
    everywhere = torch.ones(count, SEATS, dtype=torch.bool, device=dealing.device)
    _, games = play(bidder, bidder, everywhere, deals, dealing)
    played = games.standing > 0
    bid, declarer = games.standing[played] - 1, games.bidder[played]
    level, strain = bid // STRAINS, bid % STRAINS
    tricks = deals.chances[played][torch.arange(len(bid), device=bid.device), declarer, strain]
    enough = torch.arange(tricks.shape[1], device=bid.device) >= level[:, None] + 7
    result["passed out"] = round(1 - played.float().mean().item(), 4)
    if not len(bid):
        return result
    result["made"] = round((tricks * enough).sum(1).mean().item(), 4)
    result["levels"] = [
        round(part, 4) for part in (torch.bincount(level, minlength=LEVELS) / len(bid)).tolist()
    ]
    result["at 7NT"] = round((bid == BIDS - 1).float().mean().item(), 4)
    result["calls"] = games.calls
    return result


assert VALUES == 2 * SEATS * LEVELS
