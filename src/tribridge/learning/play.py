"""Card play by self-play: PPO with a policy that sees one seat's view and a critic that sees all.

All games of a batch are at the same card. A batch is played with the current policy, every choice
of two cards or more is judged by the critic (generalised advantage estimation over choices; forced
cards count for nothing), and the policy and the critic learn from it once. Declarer's side wants
tricks, the defenders want declarer's side not to have them; one network plays all four chairs.

Training keeps a folder: `checkpoint.pt` (all that a run needs to go on), `log.jsonl` (a line a few
seconds apart), `play.npz` (the average of the latest policies, which is what plays) and
`critic.npz`. The last two are small, and another training can start from them.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from tribridge.cards import Deck
from tribridge.errors import SettingError
from tribridge.learning.deals import Expected, RuleContracts
from tribridge.learning.learner import (
    Learner,
    Piece,
    Size,
    TrainingError,
    load_checkpoint,
    load_weights,
    save,
)
from tribridge.learning.play_games import Contracts, PlayGames
from tribridge.learning.ppo import (
    HIDDEN,
    half,
    learn,
    legal_cards,
    losses,
    pick,
    play_out,
    preferences,
    self_play,
    step_of,
)

_SAVE_EVERY: Final = 60.0


class Graph:
    """A function of tensors as a captured CUDA graph: launching its kernels costs next to nothing.

    Its inputs are copied to fixed places; its outputs are overwritten by the next call.
    """

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Tensor]) -> None:
        self.inputs = [tensor.clone() for tensor in inputs]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                function(*self.inputs)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outputs = function(*self.inputs)

    def __call__(self, *inputs: Tensor) -> Any:
        for place, tensor in zip(self.inputs, inputs, strict=True):
            place.copy_(tensor)
        self.graph.replay()
        return self.outputs


@torch.no_grad()
def duel(
    declaring: nn.Module | None, defending: nn.Module | None, contracts: Contracts, deck: Deck
) -> tuple[float, float]:
    """Declarer's tricks when each side plays its best card (None: any card), with its error."""
    games = PlayGames(contracts, deck.hand_size)
    device = contracts.hands.device
    while not games.over:
        masks, numbers = games.observe()
        legal = games.legal()
        with half(device):
            sides = [
                pick(torch.where(legal_cards(legal), 0.0, HIDDEN)) if policy is None
                else preferences(policy, masks, numbers, legal).argmax(1)
                for policy in (declaring, defending)
            ]  # fmt: skip
        games.step(torch.where(games.chair % 2 == 0, *sides))
    won = games.won.float()
    return won.mean().item(), won.std().item() / math.sqrt(len(won))


def train(
    folder: Path,
    size: Size | None = None,
    piece: Piece | None = None,
    *,
    device: str = "cpu",
    seed: int = 1,
    resume: bool = False,
    start: Path | None = None,
    expected: Expected | None = None,
    say: Callable[[str], None] = print,
) -> Learner:
    """Train for a stretch of time; with `resume`, go on from the folder's checkpoint.

    `start` is a folder with the policy and the critic to begin with.
    """
    size, piece = size or Size(), piece or Piece()
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists() and not resume:
        raise SettingError(f"{folder} holds a training already: --resume goes on with it")
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    learner = Learner(size, torch.device(device))
    if resume and checkpoint.exists():
        learner.restore(load_checkpoint(checkpoint, device), str(checkpoint))
    elif start is not None:
        load_weights(learner.policy, start / "play.npz")
        load_weights(learner.average, start / "play.npz")
        load_weights(learner.critic, start / "critic.npz")
    dealing = RuleContracts(size.deck, expected)
    play, step = programs(learner, dealing, piece)
    begun = logged = saved = time.monotonic()
    before = learner.seconds
    games_before = learner.games
    snapshot = copy.deepcopy(learner.average)
    batches_before = learner.batches

    def done() -> float:
        """The share of the piece that is over."""
        if piece.batches:
            return (learner.batches - batches_before) / piece.batches
        return (time.monotonic() - begun) / (60 * piece.minutes)

    while (share := done()) < 1:
        contracts = dealing.deal(piece.games, learner.device)
        started = time.monotonic()
        batch = self_play(learner, contracts, piece.horizon, play)
        played = time.monotonic()
        values = learn(learner, batch, piece, share, step)
        learner.games += piece.games
        learner.batches += 1
        learner.seconds = before + time.monotonic() - begun
        if not all(map(math.isfinite, values.values())):
            raise TrainingError(
                f"the loss is no longer a number after {learner.games} games: "
                f"{checkpoint} is the last good state; go on from it with a lower rate"
            )
        now = time.monotonic()
        if now - logged >= piece.log_every:
            logged = now
            line = {
                "seconds": round(learner.seconds, 1),
                "games": learner.games,
                "games a second": round((learner.games - games_before) / (now - begun)),
                "playing": round(played - started, 3),
                "learning": round(time.monotonic() - played, 3),
                **{name: round(value, 5) for name, value in values.items()},
                **measures(learner, dealing, snapshot, piece.measured),
            }
            with (folder / "log.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
            say(json.dumps(line))
        if now - saved >= _SAVE_EVERY:
            saved = now
            save(learner, folder)
    save(learner, folder)
    return learner


def programs(learner: Learner, dealing: RuleContracts, piece: Piece) -> tuple[Any, Any]:
    """How games are played and how a minibatch is learned from; on a GPU both are captured."""
    choose: Any = torch.compile(preferences, dynamic=False) if piece.compiled else preferences
    loss: Any = torch.compile(losses, dynamic=False) if piece.compiled else losses
    play = partial(play_out, learner.policy, learner.size.deck.hand_size, choose)
    step = step_of(learner, piece, loss)
    if not (learner.on_gpu and piece.captured):
        return play, step
    contracts = dealing.deal(piece.games, learner.device)
    columns = [getattr(contracts, name) for name in contracts.__dataclass_fields__]
    with torch.no_grad():
        captured = Graph(play, columns)
        batch = self_play(learner, contracts, piece.horizon, captured)
    part = next(batch.pieces(piece.minibatch))
    # At rate zero the steps that warm up and capture change no weight but for the moments.
    learner.rate.zero_()
    return captured, Graph(step, [getattr(part, name) for name in part.__dataclass_fields__])


def measures(
    learner: Learner, dealing: RuleContracts, snapshot: nn.Module, count: int
) -> dict[str, float]:
    """How the average policy does on fresh deals: against any card and against its own past."""
    contracts = dealing.deal(count, learner.device)
    deck = learner.size.deck
    pairs = {
        "self": (learner.average, learner.average),
        "declaring against random": (learner.average, None),
        "defending against random": (None, learner.average),
        "declaring against the start": (learner.average, snapshot),
        "defending against the start": (snapshot, learner.average),
    }
    return {name: round(duel(*pair, contracts, deck)[0], 3) for name, pair in pairs.items()}
