"""Card play by self-play for points: PPO, with a critic that sees all hands.

All games of a batch are at the same card. A batch is played with the current policy, in a share of
the games against a fixed rival. The critic gives each position with a choice of cards the chances
of every number of tricks; what these are worth makes its value (generalised advantage estimation
over choices; forced cards do not count), and the policy and the critic learn from it once.
Declarer's side maximises the value, the defenders minimise it; one network plays all four chairs.
Some cards are drawn at random: the critic learns what they lead to, the policy nothing. On small
decks every trick is worth the same.

A training folder holds `log.jsonl` (a line every few seconds), and `play.npz` (the average of the
latest policies, which is what plays) and `critic.npz`, which are written every minute. Another
training run can start from these two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.lab.training import networks, ppo
from tribridge.lab.training.bidders import sampling
from tribridge.lab.training.bidding_games import Dealing, mean_and_error
from tribridge.lab.training.deals import Bidder, RareContracts, RuleContracts, forecast
from tribridge.lab.training.learner import (
    Graph,
    Learner,
    PlaySize,
    fast_products,
    open_training,
    optimise,
    run,
)
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.ppo import PlayPiece, half, legal_cards, pick, preferences
from tribridge.lab.training.pytorch import Tensor, torch
from tribridge.lab.training.stakes import Stakes, settings
from tribridge.networks.auction import Contracts, set_auction
from tribridge.networks.boards import Boards
from tribridge.networks.play import POINTS_KIND, SWING, PlayGames
from tribridge.networks.values import OUTCOMES
from tribridge.strategies.learned import STAKES, TRICKS

AT_ONCE: Final = 8
"""Batches that are dealt together: a long auction takes as long in one deal as in all."""


class PointsDeals:
    """Deals with stakes: bid by the caller of the package, by rule, rare ones, and people's."""

    deck = FULL_DECK

    def __init__(self, device: torch.device, boards: Boards | None = None) -> None:
        self.device = device
        expected = forecast(device)
        self.bidder = sampling(networks.shipped(STAKES, device))
        self.bid = Dealing(settings(), device, doubles=0.4)
        self.scoring = Dealing(settings("auction"), device)
        self.parts: tuple[tuple[float, Any], ...] = (
            (0.15, RuleContracts(FULL_DECK, expected)),
            (0.35, RareContracts(FULL_DECK, expected, 1.5)),
        )
        if boards is not None:
            (_, rule), (_, rare) = self.parts
            self.parts = (0.1, rule), (0.2, rare), (0.3, BoardContracts(boards, device))
        """Where the deals come from that are not bid, and their shares."""
        self.dealt: list[Stakes] = []

    def deal(self, count: int) -> Stakes:
        """`count` deals to learn from."""
        if not self.dealt:
            total = AT_ONCE * count
            parts = [self._doubled(rule, int(share * total) + 1) for share, rule in self.parts]
            parts += bid_deals(self.bid, self.bidder, total - sum(map(len, parts)))
            every = Stakes.joined(parts)
            order = torch.randperm(len(every), device=self.device)[:total]
            self.dealt = [every.take(batch) for batch in order.split(count)]
        return self.dealt.pop()

    def _doubled(self, rule: Any, count: int) -> Stakes:
        """Contracts, of which 12% are doubled and 3% redoubled, whoever holds what."""
        chance = torch.rand(count, device=self.device)
        doubled = (chance < 0.15).long() + (chance < 0.03)
        return self.bid.draw(replace(rule.deal(count, self.device), doubled=doubled))[0]

    def trial(self, count: int) -> tuple[Stakes, Tensor]:
        """Deals bid for `auction`, and the points of each number of tricks (n, 14)."""
        return self.scoring.bid(self.bidder, count)


def bid_deals(dealing: Dealing, bidder: Bidder, count: int) -> list[Stakes]:
    """At least `count` deals that were bid, in parts."""
    parts = []
    while count > 0:
        parts.append(dealing.bid(bidder, count)[0])
        count -= len(parts[-1])
    return parts


class BoardContracts:
    """Deals and contracts of boards that people played."""

    def __init__(self, boards: Boards, device: torch.device) -> None:
        columns = (torch.from_numpy(column.astype(np.int64)) for column in boards.columns())
        hands, _, contract = (column.to(device) for column in columns)
        self.hands, self.contract = hands, contract

    def deal(self, count: int, place: torch.device) -> Contracts:
        """`count` of them, drawn at random."""
        at = torch.randint(len(self.hands), (count,), device=place)
        level, strain, doubled = self.contract[at].T
        return Contracts(self.hands[at], level, strain, doubled, *set_auction(level, strain))


class TrickDeals:
    """Deals of a small deck by rule, where every trick is worth the same."""

    def __init__(self, deck: Deck, device: torch.device) -> None:
        self.deck, self.rule, self.device = deck, RuleContracts(deck), device

    def deal(self, count: int) -> Stakes:
        """`count` deals to learn from."""
        return self.trial(count)[0]

    def trial(self, count: int) -> tuple[Stakes, Tensor]:
        """Deals, and the tricks themselves."""
        worth = torch.arange(OUTCOMES, device=self.device).float().expand(count, -1)
        contracts = vars(self.rule.deal(count, self.device))
        return Stakes(**contracts, steps=SWING * worth.diff().long()), worth


@torch.no_grad()
def tricks_of(
    declaring: SuitNetwork | None,
    defending: SuitNetwork | None,
    contracts: Contracts,
    deck: Deck = FULL_DECK,
    choose: Any = preferences,
) -> Tensor:
    """Declarer's tricks in each game if each side plays its best card (None: a random one).

    For a network for points the contracts must have stakes.
    """
    games = PlayGames(contracts, deck.hand_size, getattr(contracts, "steps", None))

    def cards(policy: SuitNetwork | None) -> Tensor:
        legal = games.legal()
        if policy is None:
            return pick(torch.where(legal_cards(legal), 0.0, ppo.HIDDEN))
        masks, numbers = games.observe()
        with half(legal.device):
            card = choose(policy, masks, numbers, legal).argmax(1)
        return ppo.usual(masks, numbers, card) if policy.conventional else card

    while games.cards < 4 * (games.size - 1):
        own = cards(declaring)
        other = own if defending is declaring else cards(defending)
        games.step(torch.where(games.chair % 2 == 0, own, other))
    games.finish()
    return games.won


def leads(
    policy: SuitNetwork,
    rival: SuitNetwork | None,
    trials: Iterable[tuple[Stakes, Tensor]],
    deck: Deck = FULL_DECK,
) -> dict[str, tuple[float, float]]:
    """By how much a policy leads the rival on each side, the rival on the other, and the errors."""
    rows = []
    for contracts, worth in trials:
        base, declaring, defending = (
            worth.gather(1, tricks_of(*pair, contracts, deck)[:, None])[:, 0]
            for pair in ((rival, rival), (policy, rival), (rival, policy))
        )
        rows.append(torch.stack([declaring - base, base - defending]))
    ahead = map(mean_and_error, torch.cat(rows, 1))
    return dict(zip(("declaring", "defending"), ahead, strict=True))


@fast_products()
def train(
    folder: Path,
    size: PlaySize | None = None,
    piece: PlayPiece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    start: Path | None = None,
    rival: Path | None = None,
    people: Path | None = None,
    boards: Boards | None = None,
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time, into a new folder.

    `start` is a folder with a policy and a critic to start from, `rival` the weights of the player
    in part of the games and in all comparisons: unless given, the player of the package, and on
    small decks random cards, in comparisons only. `people` are the weights of a network that plays
    like people, who hold some chairs in part of the games and near whom the policy is held
    (`PlayPiece.people` and `hold`); `boards` are played by people, whose deals and contracts are
    among those played.
    """
    size, piece, place = size or PlaySize(), piece or PlayPiece(), torch.device(device)
    other = None if rival is None else networks.load_network(rival, place, *networks.PLAYERS)
    humans = None if people is None else networks.load_network(people, place, POINTS_KIND)
    learner = open_training(folder, size, device=device, seed=seed, start=start)
    dealing: PointsDeals | TrickDeals = TrickDeals(size.deck, place)
    if size.deck == FULL_DECK:
        dealing = PointsDeals(place, boards)
        other = other or networks.shipped(TRICKS, place)
    for network in (learner.policy, learner.average):
        network.conventional &= piece.conventional
    play, judging, step = programs(learner, other, dealing, piece, humans)

    def batch(share: float) -> dict[str, float]:
        contracts = dealing.deal(piece.games)
        started = time.monotonic()
        choices = ppo.self_play(learner, contracts, piece, play, judging)
        played = time.monotonic()
        first, last = piece.hold
        learner.hold.fill_(first + (last - first) * share)
        values = ppo.learn(learner, choices, piece, share, step)
        return {"playing": played - started, "learning": time.monotonic() - played, **values}

    def compared(count: int) -> dict[str, tuple[float, float]]:
        sizes = (min(piece.games, count - at) for at in range(0, count, piece.games))
        return leads(learner.average, other, map(dealing.trial, sizes), size.deck)

    def measure() -> dict[str, Any]:
        ahead = compared(piece.measured)
        return {f"{side} over the rival": round(lead, 3) for side, (lead, _) in ahead.items()}

    run(learner, folder, piece, batch, measure, say)
    unit = "points" if size.deck == FULL_DECK else "tricks"
    for side, (lead, error) in compared(piece.compared).items():
        say(f"{side}: {lead:+.3f} ± {1.96 * error:.3f} {unit} a deal over the rival")
    return learner


def programs(
    learner: Learner,
    rival: SuitNetwork | None,
    dealing: PointsDeals | TrickDeals,
    piece: PlayPiece,
    people: SuitNetwork | None = None,
) -> tuple[Any, Any, Any]:
    """Functions that play games, value positions, and learn from a minibatch.

    On a GPU the first and the last are captured as graphs.
    """
    compiled: Any = (
        partial(torch.compile, dynamic=False) if piece.compiled else lambda function: function
    )
    choose, judging, loss = compiled(preferences), compiled(ppo.judge), compiled(ppo.losses)
    players = learner.policy, rival, people
    play: Any = partial(ppo.play_out, *players, dealing.deck, piece, choose)
    step: Any = ppo.step_of(learner, piece, partial(loss, people=people))
    if learner.on_gpu:
        contracts = dealing.deal(piece.games)
        with torch.no_grad():
            play = Graph(play, contracts.columns())
            batch = ppo.self_play(learner, contracts, piece, play, judging)
        # At rate zero, warm-up and capture steps change only the optimiser's moments, no weights.
        learner.rate.zero_()
        step = Graph(step, next(ppo.pieces(batch, piece.minibatch)))
    return play, judging, step


WIDTH: Final = 128
LAYERS: Final = 3


def train_small(
    teacher: SuitNetwork,
    dealing: PointsDeals,
    *,
    batches: int = 24,
    games: int = 16_384,
    steps: int = 20_000,
    minibatch: int = 16_384,
    rate: float = 2e-3,
    device: str = "cpu",
    seed: int = 1,
) -> tuple[SuitNetwork, float]:
    """A small network trained to prefer the teacher's cards, and how often it does on new deals.

    It learns from batches of the teacher's games, which are played before.
    """
    torch.manual_seed(seed)
    student = SuitNetwork(teacher.kind, WIDTH, LAYERS).to(device)
    played = [_choices(teacher, dealing.deal(games)) for _ in range(batches + 1)]
    fresh = played.pop()
    rows = [torch.cat(part) for part in zip(*played, strict=True)]

    def loss() -> Tensor:
        """The student's cross-entropy on the teacher's preferences."""
        at = torch.randint(len(rows[0]), (minibatch,), device=device)
        masks, numbers, legal, wanted = (part[at] for part in rows)
        with half(at.device):
            chances = preferences(student, masks, numbers, legal)
        return -(wanted.exp() * chances.masked_fill(~legal_cards(legal), 0)).sum(1).mean()

    student = optimise(student, loss, steps, rate, 1e-3)
    return student, agreement(student, fresh)


@torch.no_grad()
def _choices(teacher: SuitNetwork, contracts: Contracts) -> tuple[Tensor, ...]:
    """Positions with a choice in games of the teacher, who draws cards by preference.

    The parts are masks, numbers, legal cards and log probabilities.
    """
    games = PlayGames(contracts)
    rows: list[tuple[Tensor, ...]] = []
    while games.cards < 4 * (games.size - 1):
        masks, numbers = games.observe()
        legal = games.legal()
        with half(masks.device):
            chances = preferences(teacher, masks, numbers, legal)
        free = (legal & legal - 1) != 0
        rows.append((masks[free], numbers[free], legal[free], chances[free].half()))
        games.step(pick(chances))
    return tuple(torch.cat(part) for part in zip(*rows, strict=True))


@torch.no_grad()
def agreement(student: SuitNetwork, rows: tuple[Tensor, ...]) -> float:
    """How often both prefer the same card."""
    masks, numbers, legal, wanted = rows
    with half(masks.device):
        chances = preferences(student, masks, numbers, legal)
    return (chances.argmax(1) == wanted.argmax(1)).float().mean().item()


class PlayedOut:
    """Games of a network; on a GPU a captured graph, which has the size of the first contracts."""

    def __init__(self, policy: SuitNetwork) -> None:
        on_gpu = next(policy.parameters()).is_cuda
        choose: Any = torch.compile(preferences, dynamic=False) if on_gpu else preferences
        self._kind = Stakes if ppo.for_points(policy) else Contracts

        def play(*columns: Tensor) -> Tensor:
            return tricks_of(policy, policy, self._kind(*columns), choose=choose)

        self._play: Any = play
        self._graph: Graph | None = None

    @torch.no_grad()
    def __call__(self, contracts: Contracts) -> Tensor:
        columns = contracts.columns()
        if columns[0].is_cuda and self._graph is None:
            self._graph = Graph(self._play, columns)
        tricks: Tensor = (self._graph or self._play)(*columns)
        return tricks.clone()
