"""Bidding by self-play: imitation of a greedy bidder, then PPO with fictitious self-play.

One network bids for all schemes and in rubbers at all standings (`training.stakes`): it reads what
contracts are worth. In half of the games doubles are played.

Trained from scratch, bidding only learns to pass, because nearly every early bid loses, unless what
failing costs grows slowly (`optimism`). So the policy first imitates a greedy bidder, which makes
the bid with the most expected points from its own hand, in auctions that the policy itself reaches.
Then it plays: many of the games against itself, the others with one or two seats held by a snapshot
of its past, by a bidder that makes the call with the most expected points given the calls so far
(the network's third head, which ignores what the others will call), by the greedy bidder, by a
random one or by copies of other callers. It learns from the calls in its own seats. The critic sees
the value of every contract to every player and estimates all three payoffs at every call
(generalised advantage estimation); the weight of the entropy falls over the training.

Auctions are cut short in training: after `CALLS_MADE - 2` calls only passes are allowed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from tribridge.cards.cards import FULL_DECK
from tribridge.common.arrays import Rows, bits
from tribridge.common.errors import SettingError
from tribridge.game.scoring import find_scheme
from tribridge.lab.training.advantages import estimate
from tribridge.lab.training.bidders import (
    ALONE,
    COPIED,
    MIXED,
    RESPONSE,
    Pool,
    Rivals,
    answers_of,
    best,
    log_chances,
    make_rivals,
)
from tribridge.lab.training.bidding_games import (
    CALLS_MADE,
    Dealing,
    Deals,
    Settle,
    contract_points,
    gain,
    greedy,
    greedy_values,
    learner_seats,
    play,
    relative_values,
)
from tribridge.lab.training.deals import Bidder, tricks_by_forecast
from tribridge.lab.training.learner import (
    Graph,
    Learner,
    Piece,
    Size,
    fast_products,
    open_training,
    run,
    save,
)
from tribridge.lab.training.networks import (
    BIDDERS,
    BIDDING_CRITIC,
    VALUES,
    SuitNetwork,
    load_network,
)
from tribridge.lab.training.payoffs import Played, tricks_by_network
from tribridge.lab.training.ppo import (
    HIDDEN,
    half,
    learn,
    pick,
    pieces,
    policy_losses,
    precision,
    step_of,
)
from tribridge.lab.training.pytorch import Tensor, nn, torch
from tribridge.lab.training.stakes import settings
from tribridge.networks.auction import (
    BIDS,
    LEVELS,
    PASS,
    RANKS,
    SEATS,
    STAKES_KIND,
    STRAINS,
    AuctionGames,
    by_suit,
    expand,
)
from tribridge.networks.stakes import Game

CONTRACT_UNIT: Final = 5.0
"""Contract values, in units, are divided by this before they are learned: they vary more than
payoffs."""
CRITIC_UNIT: Final = 2.5
"""The same for the critic's inputs."""
TEMPERATURE: Final = 2.0
"""Imitation targets are a softmax of the greedy bidder's values, in points, over this."""
LOSSES: Final = ("policy", "entropy", "critic", "contracts", "worth", "imitation")


def judge(critic: nn.Module, numbers: Tensor, values: Tensor) -> Tensor:
    """The critic's estimate of each seat's payoff, seats counted from the caller: (n, 3)."""
    kind = precision(numbers)
    suits, table = expand(numbers, kind)
    contracts = (values / CRITIC_UNIT).to(kind)
    notrump = contracts.reshape(len(contracts), -1, STRAINS)[..., STRAINS - 1]
    doubled = numbers[:, 10:11] == torch.arange(SEATS, device=numbers.device)
    marks = torch.cat([doubled, numbers[:, 14:] > 0], 1).to(kind)
    own = torch.cat([suits[..., RANKS:], by_suit(contracts)], 2)
    answers = critic(own, torch.cat([table, marks, notrump], 1)).float().mean(1)
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


Target = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Whom a policy imitates: the chances of all calls, from observations, legal calls and `own`."""


def greedy_target(numbers: Tensor, allowed: Tensor, own: Tensor) -> Tensor:
    """The greedy bidder, its values softened."""
    hopes = greedy_values(numbers, own)[:, : allowed.shape[1]] / TEMPERATURE
    return torch.softmax(hopes.masked_fill(~allowed, HIDDEN), 1)


def target_of(network: nn.Module) -> Target:
    """A network that bids, by the chances of its calls; one without doubles never doubles."""

    def target(numbers: Tensor, allowed: Tensor, own: Tensor) -> Tensor:
        with torch.no_grad():
            wish = answers_of(network, numbers, own)[0]
        missing = allowed.shape[1] - wish.shape[1]
        wish = nn.functional.pad(wish, (0, missing), value=HIDDEN)
        return torch.softmax(wish.masked_fill(~allowed, HIDDEN), 1)

    return target


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
    alone: Tensor,
    clip: float,
    target: Target = greedy_target,
) -> tuple[Tensor, ...]:
    """The losses, in the order of `LOSSES`; the last is how far the policy is from `target`."""
    answers = answers_of(policy, numbers, alone)
    calls = answers.shape[2]
    allowed = bits(legal, calls)
    loss, entropy, possible = policy_losses(answers[0], allowed, call, log_chance, advantage, clip)
    error = (judge(critic, numbers, values) - payoffs).square().mean()
    contracts = contract_points(numbers, values.float())[:, :calls] / CONTRACT_UNIT
    wrong = (answers[2] - contracts).square()
    doubt = (wrong * allowed).sum() / allowed.sum()
    call_values = answers[1].gather(1, call[:, None])[:, 0]
    imitation = -(target(numbers, allowed, alone) * possible).sum(1).mean()
    return loss, entropy, error, doubt, (call_values - payoffs[:, 0]).square().mean(), imitation


def weighed(imitate: Tensor, learner: Learner, losses: Sequence[Tensor]) -> Tensor:
    """The objective to minimise, from the values of `losses`."""
    policy, entropy, error, contracts, worth, imitation = losses
    reward = policy - learner.entropy * entropy
    objective = imitate * imitation + (1 - imitate) * reward
    return objective + 0.5 * error + 0.2 * contracts + 0.1 * worth


assert VALUES == 2 * SEATS**2 * LEVELS


@dataclass(frozen=True, slots=True)
class BiddingSize(Size):
    """The networks of a bidding training run, and what is bid for."""

    name: ClassVar[str] = "bidding"

    width: int = 256
    layers: int = 4
    critic_width: int = 192
    critic_layers: int = 3
    scheme: str = ""
    """A scheme, or the laws of a rubber; unless given all of them."""

    def networks(self) -> tuple[SuitNetwork, SuitNetwork]:
        return (
            SuitNetwork(STAKES_KIND, self.width, self.layers),
            SuitNetwork(BIDDING_CRITIC, self.critic_width, self.critic_layers),
        )


@dataclass(frozen=True, slots=True)
class BiddingPiece(Piece):
    """One stretch of bidding training."""

    minibatch: int = 16_384
    rate: tuple[float, float] = (1e-3, 5e-5)
    entropy: tuple[float, float] = (0.02, 0.001)
    log_every: float = 30.0
    measured: int = 32_768
    doubles: float = 0.5
    """Share of the games in which doubles are played."""
    imitation: int = 120
    """Number of batches at the start that imitate the greedy bidder."""
    snapshot_every: int = 40
    """Batches between snapshots."""
    snapshots: int = 12
    """How many are kept: the first, and a random selection of the others."""
    played: bool = False
    """Whether contracts are played out to pay them, instead of paid what is expected."""
    optimism: float = 0.0
    """Share of the stretch in which what failing costs grows from nothing to all of it."""
    response: int = 0
    """Seats held by a best response to the copy of a caller, 1 or 2; 0: fictitious self-play."""


@dataclass(frozen=True, eq=False)
class BiddingBatch(Rows):
    """The learner's choices in many auctions, one row each."""

    numbers: Tensor
    legal: Tensor
    call: Tensor
    log_chance: Tensor
    payoffs: Tensor
    """(n, 3): the estimated payoff of each seat, counted from the caller."""
    advantage: Tensor
    """For the caller, in units of its standard deviation."""
    values: Tensor
    """(n, 18, 35): those of `relative_values`."""
    alone: Tensor
    """What the caller knows beside the calls, as in `Deals.own`."""


def play_out(
    policy: nn.Module,
    rivals: Rivals,
    answers: Any,
    mine: Tensor,
    hands: Tensor,
    own: Tensor,
    doubles: Tensor,
    auctions: type[AuctionGames] = AuctionGames,
) -> tuple[Tensor, ...]:
    """Auctions of the learner, which holds the seats `mine` (n, 3), against itself and others.

    Returns for each call (calls, n): observation, legal calls, the call, its log probability,
    whether the auction was still open, whether it was the learner's choice; and in the end bids,
    passes, the last bid, its bidder and whether it is doubled.
    """
    count, device = len(hands), hands.device
    games = auctions(count, device, doubles=doubles)
    first = count - count // 16 * sum(part for part, *_ in rivals)
    rows: list[tuple[Tensor, ...]] = []
    for at in range(CALLS_MADE):
        if device.type == "cpu" and bool(games.over.all()):
            break
        numbers, legal, going = games.observe(hands), games.legal(), ~games.over
        if at >= CALLS_MADE - 2:
            legal = legal & 1 << PASS
        with half(device):
            wish = answers(policy, numbers, own[:, games.caller])[0]
        chances = log_chances(wish, legal)
        call = pick(chances)
        theirs, start = [call[:first]], first
        for part, bidder, _ in rivals:
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
    last = games.bids, games.passes, games.standing, games.bidder, games.doubled
    return (*(torch.stack(part) for part in zip(*rows, strict=True)), *last)


def hopeful(settle: Settle, cost: Tensor, games: AuctionGames, deals: Deals) -> Tensor:
    """Payoffs by which a contract that loses points costs, and brings others, less."""
    payoffs = settle(games, deals)
    failed = payoffs.gather(1, (games.bidder % SEATS)[:, None]) < 0
    return torch.where(failed, cost * payoffs, payoffs)


@torch.no_grad()
def self_play(
    learner: Learner, deals: Deals, settle: Settle, piece: BiddingPiece, programs: Any
) -> BiddingBatch:
    """Play a batch of auctions and return the learner's choices in them."""
    play_games, value_of = programs
    games = AuctionGames(len(deals), learner.device)
    numbers, legal, call, log_chance, going, free, *last = play_games(
        deals.hands, deals.own, deals.doubles
    )
    games.bids, games.passes, games.standing, games.bidder, games.doubled = last
    payoffs = settle(games, deals) / deals.units[:, None]
    values = relative_values(deals).to(precision(deals.hands))
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
    return BiddingBatch(
        rows[chosen],
        legal[going][chosen],
        call[going][chosen],
        log_chance[going][chosen],
        back[going].gather(1, order)[chosen],
        (ahead / (ahead.std() + 1e-6)).clamp(-8, 8),
        seen[chosen],
        deals.own[game[chosen], caller[chosen]],
    )


@fast_products()
def train(
    folder: Path,
    size: BiddingSize | None = None,
    piece: BiddingPiece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    start: Path | None = None,
    copies: Mapping[str, Path] = MappingProxyType({}),
    payoffs: Path | None = None,
    teacher: Path | None = None,
    kept: Container[int] = (),
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time, into a new folder.

    `start` is a folder with a policy and a critic to start from, instead of imitation; `copies` are
    the files of copies of other callers by scheme, which then hold seats in many games. `payoffs`
    is the network that pays contracts; unless given, the forecast does. `teacher` is the file of a
    network to imitate in place of the greedy bidder. After as many batches as `kept` names, the
    networks are also written to a folder in it, from which a run can start.
    """
    size, piece = size or BiddingSize(), piece or BiddingPiece()
    place = torch.device(device)
    dealing, trials, others = stage(size, piece, place, copies, payoffs)
    target: Target = greedy_target
    if teacher is not None:
        target = target_of(load_network(teacher, place, *BIDDERS))
    learner = open_training(folder, size, device=device, seed=seed, start=start)
    settle: Settle = Played(dealing).payoffs if piece.played else dealing.payoffs
    cost = torch.ones((), device=learner.device)
    if piece.optimism:
        settle = partial(hopeful, settle, cost)
    pool = Pool(copy.deepcopy(learner.average), piece.snapshots)
    imitate = torch.zeros((), device=learner.device)
    imitated = 0 if start is not None else piece.imitation
    games, step, fixed = programs(
        learner, pool.opponent, others, dealing, settle, piece, imitate, target
    )

    def batch(share: float) -> dict[str, float]:
        if learner.batches in kept:
            keep(learner, folder)
        cost.fill_(min(1.0, share / piece.optimism) if piece.optimism else 1.0)
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
        choices = self_play(learner, dealing.deal(piece.games, fixed), settle, piece, games)
        played = time.monotonic()
        values = learn(learner, choices, piece, share, step, LOSSES)
        return {"playing": played - started, "learning": time.monotonic() - played, **values}

    def measure() -> dict[str, Any]:
        return measures(learner, pool, trials, piece.measured)

    run(learner, folder, piece, batch, measure, say)
    if learner.batches in kept:
        keep(learner, folder)
    return learner


def keep(learner: Learner, folder: Path) -> None:
    """Write the networks as they are now to a folder of their own, named by the batches played."""
    here = folder / str(learner.batches)
    here.mkdir(exist_ok=True)
    save(learner, here)


Trial = tuple[Dealing, nn.Module | None]
"""Deals to measure a policy on, and a copy of a caller to compare it with."""


def stage(
    size: BiddingSize,
    piece: BiddingPiece,
    place: torch.device,
    copies: Mapping[str, Path],
    payoffs: Path | None,
) -> tuple[Dealing, dict[str, Trial], dict[int, nn.Module]]:
    """The deals to train on, those to measure by name, and copies by the number of a setting."""
    tricks = tricks_by_forecast(place) if payoffs is None else tricks_by_network(payoffs, place)
    shares = settings(size.scheme)
    games = list(shares)
    loaded = {name: load_network(path, place, *BIDDERS) for name, path in copies.items()}
    others: dict[int, nn.Module] = {}
    for name, network in loaded.items():
        game = Game(find_scheme(name))
        if game not in games:
            raise SettingError(f"a copy that bids for {name} has no part in this training")
        others[games.index(game)] = network
    dealing = Dealing(shares, place, tricks, doubles=piece.doubles)
    measured = [size.scheme] if size.scheme else MEASURED
    trials: dict[str, Trial] = {
        name: (Dealing(settings(name), place, tricks), loaded.get(name)) for name in measured
    }
    return dealing, trials, others


def programs(
    learner: Learner,
    opponent: nn.Module,
    others: Mapping[int, nn.Module],
    dealing: Dealing,
    settle: Settle,
    piece: BiddingPiece,
    imitate: Tensor,
    target: Target = greedy_target,
) -> tuple[Any, Any, Tensor]:
    """Functions that play auctions and value them, one that learns, and the settings of games.

    On a GPU auctions and learning are captured as graphs.
    """
    compiled: Any = (
        partial(torch.compile, dynamic=False) if piece.compiled else lambda function: function
    )

    def loss_of(policy: nn.Module, critic: nn.Module, *columns: Any, clip: float) -> Any:
        numbers, legal, call, log_chance, paid, advantage, values, alone = columns
        return losses(
            policy, critic, numbers, legal, call, log_chance, paid, advantage, values, alone,
            clip, target,
        )  # fmt: skip

    answers, judging, loss = compiled(answers_of), compiled(judge), compiled(loss_of)
    mixed = MIXED if piece.imitation else ALONE
    mixed = mixed if not others else RESPONSE if piece.response else COPIED
    rivals = make_rivals(opponent, others, mixed)
    seats = (piece.response,) if piece.response else (1, 2)
    theirs = sum(part for part, *_ in rivals)
    mine = learner_seats(piece.games, theirs, seats, learner.device)
    parts = [(piece.games - piece.games // 16 * theirs, -1)]
    parts += [(piece.games // 16 * part, setting) for part, _, setting in rivals]
    fixed = torch.cat([torch.full((part,), at, device=learner.device) for part, at in parts])
    holding: Any = partial(play_out, learner.policy, rivals, answers, mine)
    value_of = partial(judge_all, judging, learner.critic, piece.minibatch)
    step: Any = step_of(learner, piece, loss, partial(weighed, imitate))
    if learner.on_gpu:
        deals = dealing.deal(piece.games, fixed)
        with torch.no_grad():
            holding = Graph(holding, [deals.hands, deals.own, deals.doubles])
            batch = self_play(learner, deals, settle, piece, (holding, value_of))
        # At rate zero, warm-up and capture steps change only the optimiser's moments, no weights.
        learner.rate.zero_()
        step = Graph(step, next(pieces(batch, piece.minibatch)))
    return (holding, value_of), step, fixed


MEASURED: Final = ("auction", "contract", "auction-rubber")
"""Where one network for all settings is measured."""


@torch.no_grad()
def measures(
    learner: Learner, pool: Pool, trials: Mapping[str, Trial], count: int
) -> dict[str, Any]:
    """How the average policy performs on fresh deals, in points, and how it bids against itself."""
    bidder = best(learner.average)
    first = copy.deepcopy(learner.average)
    if pool.weights:
        first.load_state_dict(pool.weights[0])
    result: dict[str, Any] = {}
    for where, (dealing, other) in trials.items():
        deals = dealing.deal(count)
        rivals = {"greedy": greedy, "expecting": best(first, 2), "of the start": best(first)}
        if other is not None:
            rivals["copies"] = best(other)
        scope = f", {where}" if len(trials) > 1 else ""
        for name, rival in rivals.items():
            lead = gain(bidder, rival, deals, dealing).mean().item()
            result[f"over two {name}{scope}"] = round(lead, 2)
        result |= {
            f"{name}{scope}": value for name, value in habits(bidder, deals, dealing).items()
        }
    return result


def habits(bidder: Bidder, deals: Deals, dealing: Dealing) -> dict[str, Any]:
    """How a bidder bids against itself, with doubles."""
    count, result = len(deals), dict[str, Any]()
    deals = replace(deals, doubles=torch.ones_like(deals.doubles))
    everywhere = torch.ones(count, SEATS, dtype=torch.bool, device=dealing.device)
    games = play(bidder, bidder, everywhere, deals, dealing)
    played = games.standing > 0
    bid, declarer = games.standing[played] - 1, games.bidder[played]
    level, strain = bid // STRAINS, bid % STRAINS
    at = torch.arange(len(bid), device=bid.device), declarer, strain
    tricks = deals.chances[played].expand(-1, -1, -1, LEVELS, -1)[(*at, level)]
    enough = torch.arange(tricks.shape[1], device=bid.device) > level[:, None] + FULL_DECK.book
    result["passed out"] = round(1 - played.float().mean().item(), 4)
    if not len(bid):
        return result
    result["made"] = round((tricks * enough).sum(1).mean().item(), 4)
    result["levels"] = [
        round(part, 4) for part in (torch.bincount(level, minlength=LEVELS) / len(bid)).tolist()
    ]
    result["at 7NT"] = round((bid == BIDS - 1).float().mean().item(), 4)
    result["doubled"] = round((games.doubled[played] > 0).float().mean().item(), 4)
    result["calls"] = games.calls
    return result
