"""Card play learned from people: imitation of the cards that experts played.

A board is a four-handed deal with a contract and the cards played, in order; after the lead it is
our game. Every card that somebody chose teaches the network's preference. Experts claim, so that
most boards end early: a network that was trained by self-play plays them out, and these endings
are learned too, at a lower weight. Where cards lie and what declarer makes are known, and teach the
two other heads.

Boards are split by deal, since a deal is played at several tables: one in fifty is for
validation. Only the agreement there chooses between networks.

A training folder holds `log.jsonl` and `experts.npz`: of the averages of the latest weights, which
are measured every few seconds, the one with the lowest log loss on the boards for validation.
Another run can start from it, wider if need be.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from tribridge.common.arrays import Rows
from tribridge.common.errors import SettingError
from tribridge.lab.training import networks, ppo
from tribridge.lab.training.learner import Graph, TrainingError, fast_products
from tribridge.lab.training.networks import SuitNetwork, save_network, widened
from tribridge.lab.training.pytorch import Tensor, torch
from tribridge.networks import people
from tribridge.networks.auction import Contracts, set_auction
from tribridge.networks.boards import Boards, for_validation
from tribridge.networks.play import (
    MASKS,
    POINTS_KIND,
    PlayGames,
    by_card,
    numbers_of,
    only_card,
)
from tribridge.strategies.learned import POINTS

ENDING: Final = 0.5
"""What a card counts that the finisher played, in place of an expert."""
FILE: Final = "experts.npz"
SIDES: Final = ("declarer", "defence", "lead", "all")


@dataclass(frozen=True, eq=False)
class Choices(Rows):
    """Positions of boards in which there was a choice, one row each."""

    masks: Tensor
    """(n, MASKS + 3): the observation's, then the hands of the three other chairs."""
    numbers: Tensor
    legal: Tensor
    card: Tensor
    tricks: Tensor
    """Declarer's tricks in the end."""
    expert: Tensor
    """Whether an expert played the card; the finisher played the others."""
    board: Tensor
    """The number of the board."""


def for_training(boards: Boards) -> Boards:
    """The boards whose deal is not for validation."""
    return boards.take(~for_validation(boards))


def contracts_of(boards: Boards) -> Contracts:
    """The contracts, as nobody bid them."""
    level, strain, doubled = (boards.contract[:, at] for at in range(3))
    return Contracts(boards.hands, level, strain, doubled, *set_auction(level, strain))


@torch.no_grad()
def choices(boards: Boards, finisher: SuitNetwork | None = None) -> Choices:
    """The choices on boards that are arrays of a device, with those of the finisher, if any."""
    games = PlayGames(contracts_of(boards))
    rows: list[list[Tensor]] = []
    for number in range(48):  # the cards of the last trick are forced
        given = boards.cards[:, number]
        expert = given >= 0
        masks, numbers = games.observe()
        numbers, legal = people.shown(numbers), games.legal()
        card = torch.where(expert, given, only_card(legal & -legal))
        free = (legal & legal - 1) != 0
        if finisher is None:
            free = free & expert
        elif len(at := (free & ~expert).nonzero()[:, 0]):
            with ppo.half(card.device):
                wishes = ppo.preferences(finisher, masks[at], numbers[at], legal[at])
            card[at] = wishes.argmax(1)
        seen = torch.cat([masks, games.others()], 1)
        every = torch.arange(len(card), device=card.device)
        rows.append([part[free] for part in (seen, numbers, legal, card, every, expert)])
        games.step(card)
    games.finish()
    seen, numbers, legal, card, board, expert = map(torch.cat, zip(*rows, strict=True))
    return Choices(seen, numbers, legal, card, games.won[board], expert, board)


def all_choices(
    boards: Boards, device: torch.device, finisher: SuitNetwork | None = None, at_once: int = 32_768
) -> Choices:
    """The choices on boards of NumPy, some boards after others, on a device."""
    parts = []
    for start in range(0, len(boards), at_once):
        part = boards.take(slice(start, start + at_once))
        columns = (torch.from_numpy(column.astype(np.int64)) for column in part.columns())
        chosen = choices(Boards(*(column.to(device) for column in columns)), finisher)
        parts.append(replace(chosen, board=chosen.board + start))
    return Choices.joined(parts)


def losses(network: SuitNetwork, *columns: Tensor) -> tuple[Tensor, ...]:
    """The cross-entropies of card and belief, and the squared error of the tricks."""
    masks, numbers, legal, card, tricks, expert, _ = columns
    answers = by_card(ppo.answers_of(network, masks[:, :MASKS], numbers))
    allowed = ppo.legal_cards(legal)
    chances = torch.log_softmax(answers[0].masked_fill(~allowed, ppo.HIDDEN), 1)
    weight = torch.where(expert, 1.0, ENDING)
    weight = weight / weight.mean()
    imitation = -(chances.gather(1, card[:, None])[:, 0] * weight).mean()
    seen = numbers_of(numbers)
    belief = ppo.belief_loss(answers[1], masks, seen.chair, weight)
    worth = ppo.worth_loss(answers[2], card, tricks - seen.won, weight)
    return imitation, belief, worth


@torch.no_grad()
def agreement(
    network: SuitNetwork, rows: Choices, choose: Any = ppo.preferences, at_once: int = 65_536
) -> dict[str, float]:
    """The shares of the experts' cards that a network prefers, by side, and its log loss."""
    right, lost = [], []
    for start in range(0, len(rows), at_once):
        part = rows.take(slice(start, start + at_once))
        with ppo.half(part.card.device):
            wishes = choose(network, part.masks, part.numbers, part.legal)
        right.append(wishes.argmax(1) == part.card)
        lost.append(-wishes.gather(1, part.card[:, None])[:, 0])
    seen = numbers_of(rows.numbers)
    lead, declares = (seen.tricks == 0) & (seen.position == 0), seen.chair % 2 == 0
    groups = declares, ~declares & ~lead, lead, torch.ones_like(lead)
    same = torch.cat(right)
    shares = {
        side: same[of & rows.expert].float().mean().item()
        for side, of in zip(SIDES, groups, strict=True)
    }
    return {**shares, "log loss": torch.cat(lost)[rows.expert].mean().item()}


def grown(network: SuitNetwork, width: int, dropout: float = 0.0) -> SuitNetwork:
    """A wider network that answers the same; what is new in it is random and not yet heard."""
    narrow, layers = len(network.suit_in.bias), len(network.own)
    if width < narrow:
        raise SettingError(f"a network of width {narrow} cannot start one of width {width}")
    wide = SuitNetwork(network.kind, width, layers, dropout)
    wide.load_state_dict(widened(wide, network.state_dict()))
    return wide


@dataclass(frozen=True, slots=True)
class ExpertPiece:
    """One run of imitation; the rate warms up and falls as a cosine."""

    minutes: float = 4.0
    passes: float = 0.0
    """How often every choice is learned from, however long it takes; 0: train for `minutes`."""
    minibatch: int = 16_384
    rate: float = 1e-3
    decay: float = 0.02
    dropout: float = 0.1
    averaged: float = 0.05
    """The weights are averaged over about this share of the steps."""
    compiled: bool = True
    log_every: float = 20.0


def _batches(count: int, size: int, device: torch.device) -> Iterator[Tensor]:
    """Numbers of rows, each once in a pass."""
    while True:
        order = torch.randperm(count, device=device)
        yield from order[: count - count % size].split(size)


@fast_products()
def train(
    boards: Boards,
    folder: Path,
    piece: ExpertPiece | None = None,
    *,
    width: int = 384,
    layers: int = 6,
    start: Path | None = None,
    finished: bool = True,
    device: str = "cpu",
    seed: int = 1,
    say: Callable[[str], None] = print,
) -> SuitNetwork:
    """Train into a new folder, from random weights or from those of `start`, made wider.

    `finished`: the network of the package plays out boards that end early.
    """
    piece, place = piece or ExpertPiece(), torch.device(device)
    if (folder / "log.jsonl").exists():
        raise SettingError(f"{folder} already holds a training run: give another folder")
    torch.manual_seed(seed)
    if start is None:
        network = SuitNetwork(POINTS_KIND, width, layers, piece.dropout).to(place)
    else:
        network = networks.load_network(start, torch.device("cpu"), POINTS_KIND)
        network = grown(network, width, piece.dropout).to(place).requires_grad_(True)
    finisher = networks.shipped(POINTS, place) if finished else None
    apart = for_validation(boards)
    if not apart.any() or apart.all():
        raise _too_few(boards, piece)
    held = all_choices(boards.take(apart), place)
    rows = all_choices(boards.take(~apart), place, finisher)
    if not len(held) or len(rows) < piece.minibatch:
        raise _too_few(boards, piece)
    folder.mkdir(parents=True, exist_ok=True)
    say(f"{len(rows)} choices of {int((~apart).sum())} boards; validation {len(held)}")
    return _imitate(network, rows, held, folder, piece, say)


def _too_few(boards: Boards, piece: ExpertPiece) -> SettingError:
    return SettingError(
        f"too few boards ({len(boards)}): training needs {piece.minibatch} choices, and a deal for "
        "validation, which one in fifty is"
    )


def _imitate(
    network: SuitNetwork,
    rows: Choices,
    held: Choices,
    folder: Path,
    piece: ExpertPiece,
    say: Callable[[str], None],
) -> SuitNetwork:
    device = rows.card.device
    on_gpu = device.type == "cuda"
    network.train()
    average = copy.deepcopy(network).eval()
    best, lowest = copy.deepcopy(average), math.inf
    parameters, averages = list(network.parameters()), list(average.parameters())
    rate, share = torch.zeros((), device=device), torch.zeros((), device=device)
    optimizer = torch.optim.AdamW(
        parameters, lr=rate, weight_decay=piece.decay, fused=True, capturable=on_gpu
    )
    loss: Any = torch.compile(losses, dynamic=False) if piece.compiled else losses
    total = torch.zeros(3, device=device)

    def step(at: Tensor) -> None:
        with ppo.half(device):
            values = loss(network, *rows.take(at).columns())
        imitation, belief, worth = values
        (imitation + 0.1 * belief + 0.1 * worth).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        with torch.no_grad():
            for mean, now in zip(averages, parameters, strict=True):
                mean.lerp_(now, share)
            total.add_(torch.stack([value.detach() for value in values]))

    batches = _batches(len(rows), piece.minibatch, device)
    run: Callable[[Tensor], Any] = step
    if on_gpu:  # at rate zero nothing is learned while the step is captured
        run = Graph(step, (next(batches),))
        total.zero_()
    steps = logged_steps = 0
    in_pass = len(rows) // piece.minibatch
    begun = logged = time.monotonic()

    def done() -> float:
        if piece.passes:
            return steps / (piece.passes * in_pass)
        return (time.monotonic() - begun) / (60 * piece.minutes)

    def log() -> None:
        nonlocal logged_steps, lowest
        values = (total / max(1, steps - logged_steps)).tolist()
        if not all(map(math.isfinite, values)):
            raise TrainingError(
                f"the loss is not finite after {steps} steps: {folder} has the last good network, "
                "if any; start from it with a lower rate"
            )
        total.zero_()
        logged_steps = steps
        line = {
            "seconds": round(time.monotonic() - begun, 1),
            "passes": round(steps / in_pass, 2),
            **dict(zip(("imitation", "belief", "worth"), values, strict=True)),
            **agreement(average, held),
        }
        if line["log loss"] < lowest:  # validation chooses
            lowest = line["log loss"]
            best.load_state_dict(average.state_dict())
            save_network(best, folder / FILE)
        line = {name: round(value, 5) for name, value in line.items()}
        with (folder / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        say(json.dumps(line))

    while (part := done()) < 1:
        warm = min(1.0, part / 0.03 + 1e-3)
        rate.fill_(piece.rate * warm * (0.5 * (1 + math.cos(math.pi * part)) + 1e-3))
        # Averaging over a share of the steps that are to come, as far as they are known.
        span = max(1.0, piece.averaged * steps / max(part, 1e-3))
        share.fill_(1 / min(span, steps + 1))
        run(next(batches))
        steps += 1
        now = time.monotonic()
        if now - logged >= piece.log_every:
            logged = now
            log()
    if steps > logged_steps:
        log()
    return best
