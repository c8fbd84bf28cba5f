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
import pickle
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from tribridge.cards import Deck
from tribridge.errors import SettingError, TribridgeError
from tribridge.files import write_whole
from tribridge.learning.deals import Expected, RuleContracts
from tribridge.learning.networks import SuitNetwork, by_card, make_critic, make_policy
from tribridge.learning.play_games import Contracts, PlayGames, expand
from tribridge.strategies.players.learned.observation import MASKS

FORMAT: Final = "tribridge play 1"
_HIDDEN: Final = -1e9
_SAVE_EVERY: Final = 60.0


class TrainingError(TribridgeError):
    """A training that cannot go on; the last checkpoint is kept."""


@dataclass(frozen=True, slots=True)
class Size:
    """What cannot change while a training goes on."""

    width: int = 384
    layers: int = 6
    critic_width: int = 256
    critic_layers: int = 5
    suits: int = 4
    ranks: int = 13

    @property
    def deck(self) -> Deck:
        return Deck(self.suits, self.ranks)


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of training; rate and entropy move from their first to their last value."""

    minutes: float = 9.0
    batches: int = 0
    """Batches to train on, whatever time they take; 0: by the clock."""
    games: int = 32_768
    """Games played at once."""
    minibatch: int = 32_768
    rate: tuple[float, float] = (5e-4, 2e-4)
    entropy: tuple[float, float] = (0.02, 0.008)
    horizon: float = 0.9
    """Lambda of the advantage estimate."""
    clip: float = 0.2
    compiled: bool = True
    captured: bool = True
    """Whether a GPU runs graphs instead of single kernels."""
    log_every: float = 10.0
    measured: int = 8192
    """Deals that each line of the log is measured on."""

    def at(self, share: float) -> tuple[float, float]:
        """Rate and entropy weight when a share of the time is over."""
        (rate, rate_end), (entropy, entropy_end) = self.rate, self.entropy
        return rate + (rate_end - rate) * share, entropy + (entropy_end - entropy) * share


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
    """Declarer's tricks to come, as estimated."""
    advantage: Tensor
    """For the side that chose, in units of its standard deviation."""

    def pieces(self, size: int) -> Iterator[Batch]:
        """Random minibatches of one size; what is left over is dropped."""
        order = torch.randperm(len(self.card), device=self.card.device)
        for at in range(0, len(order) - size + 1, size):
            index = order[at : at + size]
            yield Batch(*(getattr(self, name)[index] for name in self.__dataclass_fields__))


@dataclass(eq=False)
class Learner:
    """Policy, critic and optimiser, and how they use a device."""

    size: Size
    device: torch.device
    policy: SuitNetwork = field(init=False)
    critic: SuitNetwork = field(init=False)
    average: SuitNetwork = field(init=False)
    optimizer: torch.optim.Optimizer = field(init=False)
    rate: Tensor = field(init=False)
    """The learning rate, and the weight of the entropy: kept where a captured graph reads them."""
    entropy: Tensor = field(init=False)
    games: int = 0
    batches: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        size = self.size
        self.rate, self.entropy = torch.zeros(2, device=self.device).unbind()
        self.policy = make_policy(size.width, size.layers).to(self.device)
        self.critic = make_critic(size.critic_width, size.critic_layers).to(self.device)
        self.average = copy.deepcopy(self.policy)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.AdamW(
            parameters, lr=self.rate, weight_decay=1e-3, fused=True, capturable=self.on_gpu
        )

    def state(self) -> dict[str, Any]:
        """All that a run needs to go on."""
        return {
            "format": FORMAT,
            "size": asdict(self.size),
            "policy": self.policy.state_dict(),
            "critic": self.critic.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "games": self.games,
            "batches": self.batches,
            "seconds": self.seconds,
            "random": torch.get_rng_state(),
        }

    def restore(self, state: dict[str, Any], source: str) -> None:
        """Go on from a state."""
        if state.get("format") != FORMAT:
            raise SettingError(f"{source}: not a checkpoint of {FORMAT!r}")
        if state["size"] != asdict(self.size):
            raise SettingError(f"{source}: made for {state['size']}, not for {asdict(self.size)}")
        self.policy.load_state_dict(state["policy"])
        self.critic.load_state_dict(state["critic"])
        self.average.load_state_dict(state["average"])
        if "optimizer" in state:
            self.optimizer.load_state_dict(state["optimizer"])
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate
            torch.set_rng_state(state["random"].cpu())
        self.games, self.batches = state["games"], state["batches"]
        self.seconds = state["seconds"]

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"


def preferences(policy: nn.Module, masks: Tensor, numbers: Tensor, legal: Tensor) -> Tensor:
    """Logarithms of the chances of all 52 cards; those that are not legal have none."""
    kind = torch.bfloat16 if masks.device.type == "cuda" else torch.float32
    answers = by_card(policy(*expand(masks[:, :MASKS], numbers, kind)).float())
    return torch.log_softmax(answers[0].masked_fill(~legal_cards(legal), _HIDDEN), 1)


def legal_cards(legal: Tensor) -> Tensor:
    """Masks as truth values (n, 52)."""
    return (legal[:, None] >> torch.arange(52, device=legal.device) & 1).bool()


def pick(chances: Tensor) -> Tensor:
    """A card for each row, drawn by the logarithms of its chances."""
    noise = -torch.log(-torch.log(torch.rand_like(chances).clamp(1e-12, 1 - 1e-7)))
    return (chances + noise).argmax(1)


def half(device: torch.device) -> torch.autocast:
    """Matrix products in bfloat16 where the device is made for it."""
    on_gpu = device.type == "cuda"
    return torch.autocast(device.type, torch.bfloat16, enabled=on_gpu, cache_enabled=False)


def play_out(policy: nn.Module, tricks: int, choose: Any, *contracts: Tensor) -> tuple[Tensor, ...]:
    """Games of the policy against itself up to the last trick but one, then the forced cards.

    Returns for each card but the last four: masks, numbers, legal cards, the card, the logarithm of
    its chance, whether declarer's side chose it, tricks won with it; and the last trick's winner.
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
    """Games of the policy against itself, and what can be learned from them."""
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
    """Declarer's tricks to come in each row, as the critic sees them."""
    kind = torch.bfloat16 if masks.device.type == "cuda" else torch.float32
    parts = [
        critic(*expand(masks[at : at + size], numbers[at : at + size], kind)).float().mean((1, 2))
        for at in range(0, len(masks), size)
    ]
    return torch.cat(parts)


def estimate(
    value: Tensor, won: Tensor, last: Tensor, free: Tensor, horizon: float
) -> tuple[Tensor, Tensor]:
    """Tricks to come and advantages (cards, games); forced cards pass through unchanged."""
    ahead, lead = last, torch.zeros_like(last)
    back, advantage = torch.empty_like(value), torch.empty_like(value)
    for at in range(len(value) - 1, -1, -1):
        ahead = won[at] + ahead
        lead = torch.where(free[at], ahead - value[at] + horizon * lead, lead)
        ahead = torch.where(free[at], value[at], ahead)
        advantage[at] = lead
        back[at] = ahead + lead
    return back, advantage


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
    """Of the policy, its entropy, the critic, the belief and the value of the card played."""
    kind = torch.bfloat16 if masks.device.type == "cuda" else torch.float32
    answers = by_card(policy(*expand(masks[:, :MASKS], numbers, kind)).float())
    allowed = legal_cards(legal)
    chances = torch.log_softmax(answers[0].masked_fill(~allowed, _HIDDEN), 1)
    ratio = (chances.gather(1, card[:, None])[:, 0] - log_chance).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
    entropy = -(chances.exp() * chances.masked_fill(~allowed, 0)).sum(1).mean()
    judged = critic(*expand(masks, numbers, kind)).float().mean((1, 2))
    error = (judged - tricks).square().mean()
    chair = numbers[:, 0]
    target = legal_cards(torch.where(chair == 1, masks[:, MASKS + 2], masks[:, MASKS]))
    seen = masks[:, 0] | masks[:, 1]
    held = masks[:, MASKS] | masks[:, MASKS + 1] | masks[:, MASKS + 2]
    hidden = legal_cards(held & ~seen).float()
    doubt = nn.functional.binary_cross_entropy_with_logits(
        answers[1], target.float(), reduction="none"
    )
    belief = (doubt * hidden).sum() / hidden.sum().clamp(min=1)
    worth = answers[2].gather(1, card[:, None])[:, 0]
    return -gain, entropy, error, belief, (worth - tricks).square().mean()


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


def step_of(learner: Learner, piece: Piece, loss: Any) -> Callable[..., Tensor]:
    """One step of the optimiser on a minibatch, given as the fields of a `Batch`."""
    parameters = [*learner.policy.parameters()], [*learner.critic.parameters()]

    def step(*columns: Tensor) -> Tensor:
        with half(learner.device):
            values = loss(learner.policy, learner.critic, *columns, piece.clip)
        policy, entropy, error, belief, worth = values
        objective = policy - learner.entropy * entropy + 0.5 * error + 0.1 * belief + 0.1 * worth
        objective.backward()
        for part in parameters:
            nn.utils.clip_grad_norm_(part, 1.0)
        learner.optimizer.step()
        learner.optimizer.zero_grad(set_to_none=False)
        return torch.stack([value.detach() for value in values])

    return step


def learn(
    learner: Learner, batch: Batch, piece: Piece, share: float, step: Any
) -> dict[str, float]:
    """One pass over a batch; the means of the losses."""
    rate, weight = piece.at(share)
    learner.rate.fill_(rate)
    learner.entropy.fill_(weight)
    size = min(piece.minibatch, len(batch.card))
    total = torch.zeros(5, device=learner.device)
    steps = 0
    for part in batch.pieces(size):
        total += step(*(getattr(part, name) for name in part.__dataclass_fields__))
        steps += 1
    with torch.no_grad():
        share = 1 / min(100, learner.batches + 2)
        for mean, now in zip(
            learner.average.parameters(), learner.policy.parameters(), strict=True
        ):
            mean.lerp_(now, share)
    names = ("policy", "entropy", "critic", "belief", "worth")
    return dict(zip(names, (total / max(steps, 1)).tolist(), strict=True))


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
                pick(torch.where(legal_cards(legal), 0.0, _HIDDEN)) if policy is None
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


def save(learner: Learner, folder: Path) -> None:
    """Write the checkpoint and the policy that plays, each whole or not at all."""
    buffer = BytesIO()
    torch.save(learner.state(), buffer)
    write_whole(folder / "checkpoint.pt", buffer.getvalue())
    write_whole(folder / "play.npz", export(learner.average))
    write_whole(folder / "critic.npz", export(learner.critic))


def export(network: nn.Module) -> bytes:
    """A network as a NumPy file; a policy's is what `strategies.learned` runs."""
    arrays = {
        name: value.detach().cpu().numpy().astype(np.float16)
        for name, value in network.state_dict().items()
    }
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def load_weights(network: nn.Module, path: Path) -> None:
    """Weights as `export` writes them."""
    try:
        arrays = {name: torch.from_numpy(value) for name, value in np.load(path).items()}
        network.load_state_dict(arrays)
    except (RuntimeError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise SettingError(f"{path}: not the weights of such a network: {_first(error)}") from None


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def load_checkpoint(path: Path, device: str) -> dict[str, Any]:
    """A checkpoint from its file; a damaged one is refused."""
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except (RuntimeError, ValueError, EOFError, KeyError, pickle.UnpicklingError) as error:
        raise SettingError(f"{path}: not a checkpoint: {_first(error)}") from None
    if not isinstance(state, dict):
        raise SettingError(f"{path}: not a checkpoint")
    return state
