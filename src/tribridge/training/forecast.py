"""Training the forecast kind `net` with PyTorch (`pip install 'tribridge[learn]'`).

One command runs three steps:

1. *Teachers*: a few wide networks learn from labels. A label is the tricks of one layout
   (`tribridge label`), or a mean over ten layouts (files in BridgeHand2Vec format, optional). The
   loss is the negative log likelihood: of the tricks of one layout, or, for a mean, of a normal
   distribution with a tenth of the forecast's own variance.
2. *Student for two hands*: a small network learns the teachers' average on fresh pairs of hands,
   both random and built (`double_dummy.built_deals`); with unlimited data it cannot overfit.
3. *Student for one hand*: the same with dummy withheld, so it learns the teachers' average over
   dummies. It sees only pairs with a random dummy.

Labels of played deals (`tribridge label --player learned`) come by the million, and the two small
networks learn from them directly, without teachers.

The networks treat the four suits alike (see `net`), so permuting the suits permutes their forecasts
and leaves notrump unchanged.

    tribridge train forecast LABELS [LABELS ...] --out FILE [--means CSV]
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tribridge.double_dummy.built_deals import built_pairs
from tribridge.double_dummy.labels import load_training_labels
from tribridge.errors import SettingError
from tribridge.files import write_atomic
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.net import LOW
from tribridge.parallel import worker_pool
from tribridge.training.examples import Examples, join, of_labels, of_means, of_played

TRICK_COUNTS: Final = TRICKS + 1
"""The possible numbers of tricks: 0 to 13."""
AVERAGED: Final = 20
"""The weight average reaches back over about a twentieth of the steps."""
WARM: Final = 3
PIECE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network."""

    hands: int
    width: int
    layers: int
    encoder: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """How one network is trained."""

    shape: Shape
    steps: int
    batch: int
    rate: float
    decay: float = 0.0
    dropout: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole training; the defaults produced the package's weights."""

    teachers: tuple[Lesson, ...] = (
        Lesson(Shape(2, 512, 4, 1024), 8_000, 2048, 2e-3, 0.1, 0.3),
        Lesson(Shape(2, 1024, 4, 1024), 8_000, 2048, 2e-3, 0.1, 0.4),
        *[Lesson(Shape(2, 512, 4, 1024), 12_000, 2048, 2e-3, 0.1, 0.4)] * 6,
    )
    bank: int = 6_000_000
    """Random pairs that the teachers forecast for the students."""
    built: int = 1_500_000
    """Built pairs in addition to them."""
    pair: Lesson = Lesson(Shape(2, 128, 2, 512), 40_000, 4096, 3e-3)
    single: Lesson = Lesson(Shape(1, 96, 2, 128), 12_000, 4096, 2e-3)


PLAYED = Plan(
    teachers=(),
    pair=Lesson(Shape(2, 128, 2, 512), 27_000, 8192, 3e-3),
    single=Lesson(Shape(1, 96, 2, 128), 12_000, 8192, 2e-3),
)
"""For labels of played deals; it produced the package's weights of the kind `real`."""

QUICK = Plan(
    teachers=(Lesson(Shape(2, 64, 2, 64), 40, 256, 2e-3, 0.1, 0.1),) * 2,
    bank=4000,
    built=600,
    pair=Lesson(Shape(2, 32, 2, 32), 40, 256, 3e-3),
    single=Lesson(Shape(1, 16, 2, 16), 40, 256, 2e-3),
)
"""A plan for trying out the command: its forecasts are worthless."""


class SuitNet(nn.Module):
    """Logits over 0-13 tricks in five strains from one or two hands; suits are treated alike."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        width, layers = shape.width, range(shape.layers)
        self.encoder = nn.Sequential(
            nn.Linear(13 * shape.hands, shape.encoder), nn.ReLU(), nn.Linear(shape.encoder, width)
        )
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in layers)
        self.others = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in layers)
        self.suit = nn.Linear(width, TRICK_COUNTS)
        self.suit_others = nn.Linear(width, TRICK_COUNTS, bias=False)
        self.notrump = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, TRICK_COUNTS)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, cards: Tensor) -> Tensor:
        """From cards (n, 4, 13 or 26) to logits (n, 5, 14)."""
        x = torch.relu(self.encoder(cards))
        for own, others in zip(self.own, self.others, strict=True):
            x = x + self.dropout(torch.relu(own(x) + others(x.mean(1, keepdim=True))))
        mean = x.mean(1)
        suits = self.suit(x) + self.suit_others(mean).unsqueeze(1)
        return torch.cat([suits, self.notrump(mean).unsqueeze(1)], 1)


def bits(*hands: Tensor) -> Tensor:
    """Masks of hands as zeros and ones: (n, 4 suits, 13 ranks of each hand), ace first.

    The lowest ranks are counted, not distinguished: any two of them are encoded as the two highest.
    """
    parts = []
    for masks in hands:
        places = torch.arange(52, device=masks.device)
        cards = (masks.unsqueeze(-1) >> places & 1).float().reshape(*masks.shape, 4, 13)
        count = cards[..., -LOW:].sum(-1, keepdim=True)
        parts += [cards[..., :-LOW], (torch.arange(LOW, device=masks.device) < count).float()]
    return torch.cat(parts, -1)


def loss(logits: Tensor, tricks: Tensor, layouts: Tensor) -> Tensor:
    """Negative log likelihood of the labels, up to constants."""
    chances = torch.log_softmax(logits, -1)
    one = (layouts == 1).unsqueeze(-1)
    picked = -chances.gather(-1, tricks.round().long().unsqueeze(-1)).squeeze(-1)
    mean, variance = moments(chances.exp())
    spread = variance.detach().clamp(min=0.15) / layouts.unsqueeze(-1)
    squared = (mean - tricks) ** 2 / (2 * spread)
    return torch.where(one, picked, squared).mean()


def moments(chances: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of distributions over 0-13."""
    values = torch.arange(TRICK_COUNTS, device=chances.device, dtype=chances.dtype)
    mean = (chances * values).sum(-1)
    return mean, (chances * values**2).sum(-1) - mean**2


def optimise(model: SuitNet, value: Callable[[], Tensor], lesson: Lesson) -> SuitNet:
    """Minimise a stochastic loss and return the average of the last weights.

    The learning rate warms up briefly, then falls as a cosine. On a GPU one step is captured as a
    graph and replayed, since launching these small kernels individually takes longer than running
    them.
    """
    steps = lesson.steps
    parameters = list(model.parameters())
    device = parameters[0].device
    average = copy.deepcopy(model)
    averages = list(average.parameters())
    at = torch.zeros((), device=device)
    speed = torch.zeros((), device=device)
    optimizer = torch.optim.AdamW(
        parameters,
        lr=speed,
        weight_decay=lesson.decay,
        fused=True,
        capturable=device.type == "cuda",
    )
    rise = max(1.0, steps / 20)
    share = min(1.0, AVERAGED / steps)

    def step() -> None:
        fall = 0.5 * (1 + torch.cos(torch.pi * at / steps))
        speed.copy_(lesson.rate * fall * ((at + 1) / rise).clamp(max=1))
        loss = value()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        with torch.no_grad():
            torch._foreach_lerp_(averages, parameters, share)
        at.add_(1)

    model.train()
    if device.type == "cuda":
        _replay(step, steps)
    else:
        for _ in range(steps):
            step()
    return average.eval()


def _replay(step: Callable[[], None], steps: int) -> None:
    """Run a few plain steps, then replay a captured one for the rest."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(steps - WARM):
        graph.replay()
    torch.cuda.synchronize()


def train_on_labels(lesson: Lesson, data: Examples, seed: int) -> SuitNet:
    """Train one network on the labels: a wide teacher, or a small one if there are millions."""
    device = data.hands.device
    torch.manual_seed(seed)
    model = SuitNet(lesson.shape, lesson.dropout).to(device)

    def value() -> Tensor:
        batch = data.at(torch.randint(len(data), (lesson.batch,), device=device))
        cards = (batch.hands, batch.dummies)[: lesson.shape.hands]
        logits = model(bits(*cards))
        return loss(logits, batch.tricks, batch.layouts)

    return optimise(model, value, lesson)


@torch.no_grad()
def chances_of(teachers: Sequence[SuitNet], hands: Tensor, dummies: Tensor) -> Tensor:
    """The average forecast of some networks."""
    cards = bits(hands, dummies)
    parts = [torch.softmax(teacher(cards), -1) for teacher in teachers]
    return torch.stack(parts).mean(0)


def random_pairs(count: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Random hands with random dummies."""
    cards = torch.rand(count, 52, device=device).argsort(-1)
    powers = torch.ones(52, dtype=torch.int64, device=device) << torch.arange(52, device=device)
    return powers[cards[:, :13]].sum(-1), powers[cards[:, 13:26]].sum(-1)


@dataclass(frozen=True, eq=False)
class Bank:
    """Pairs of hands with the teachers' forecasts."""

    hands: Tensor
    dummies: Tensor
    chances: Tensor
    alone: int
    """The first `alone` pairs have a random dummy."""


def built_hands(count: int, seed: int, piece: int = 20_000) -> tuple[Tensor, Tensor, int]:
    """Built pairs, those with a random dummy first, and the number of those."""
    starts = range(0, count, piece)
    sizes = [min(piece, count - start) for start in starts]
    if len(starts) > 1:
        with worker_pool() as pool:
            parts = list(pool.map(built_pairs, [seed] * len(starts), starts, sizes))
    else:
        parts = [built_pairs(seed, 0, count)]
    hands, dummies, alone = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(~alone, kind="stable")
    some, others = (torch.from_numpy(part[order].astype(np.int64)) for part in (hands, dummies))
    return some, others, int(alone.sum())


def fill_bank(teachers: Sequence[SuitNet], size: int, seed: int, built: int = 0) -> Bank:
    """`size` random and `built` built pairs, with the teachers' forecasts."""
    device = next(teachers[0].parameters()).device
    torch.manual_seed(seed)
    some, others, alone = built_hands(built, seed)
    random = [random_pairs(min(PIECE, size - at), device) for at in range(0, size, PIECE)]
    hands = torch.cat([*(pair[0] for pair in random), some.to(device)])
    dummies = torch.cat([*(pair[1] for pair in random), others.to(device)])
    pieces = zip(hands.split(PIECE), dummies.split(PIECE), strict=True)
    chances = torch.cat([chances_of(teachers, *piece).half() for piece in pieces])
    return Bank(hands, dummies, chances, size + alone)


def train_student(lesson: Lesson, bank: Bank, seed: int) -> SuitNet:
    """Train a small network on the teachers' forecasts; with one hand, on their average."""
    device = bank.hands.device
    torch.manual_seed(seed)
    model = SuitNet(lesson.shape).to(device)
    pairs = bank.alone if lesson.shape.hands == 1 else len(bank.hands)

    def value() -> Tensor:
        index = torch.randint(pairs, (lesson.batch,), device=device)
        cards = (bank.hands[index], bank.dummies[index])[: lesson.shape.hands]
        logs = torch.log_softmax(model(bits(*cards)), -1)
        return -(bank.chances[index].float() * logs).sum(-1).mean()

    return optimise(model, value, lesson)


def train(
    plan: Plan, data: Examples, seed: int, say: Callable[[str], None] = print
) -> dict[str, NDArray[np.float32]]:
    """Train everything and return the weight arrays for `net`."""
    started = perf_counter()
    teachers = []
    for at, lesson in enumerate(plan.teachers):
        teachers.append(train_on_labels(lesson, data, seed + at))
        say(f"teacher {at + 1} of {len(plan.teachers)}: {perf_counter() - started:.0f} s")
    bank = fill_bank(teachers, plan.bank, seed, plan.built)
    students = {}
    for name, lesson in (("pair", plan.pair), ("single", plan.single)):
        students[name] = train_student(lesson, bank, seed)
        say(f"student {name}: {perf_counter() - started:.0f} s")
    return weight_arrays(students)


def train_without_teachers(
    plan: Plan, pairs: Examples, alone: Examples, seed: int, say: Callable[[str], None] = print
) -> dict[str, NDArray[np.float32]]:
    """Train the two small networks on labels directly, for which there must be millions of them.

    The network for one hand learns from `alone`, whose dummies are random.
    """
    started = perf_counter()
    students = {}
    for name, lesson, data in (("single", plan.single, alone), ("pair", plan.pair, pairs)):
        students[name] = train_on_labels(lesson, data, seed)
        say(f"{name}, {len(data):,} examples: {perf_counter() - started:.0f} s")
    return weight_arrays(students)


def weight_arrays(networks: Mapping[str, SuitNet]) -> dict[str, NDArray[np.float32]]:
    """The weights of the networks `pair` and `single`, as `net` reads them."""
    return {
        f"{name}.{key}": np.ascontiguousarray(value.float().cpu().numpy().T)
        for name, network in networks.items()
        for key, value in network.state_dict().items()
    }


@contextmanager
def fast_products() -> Iterator[None]:
    """Products of float32 matrices with the tensor cores of a GPU, which round them a little."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@fast_products()
def train_files(
    labels: Sequence[Path],
    means: Sequence[Path],
    out: Path,
    plan: Plan | None = None,
    *,
    seed: int = 1,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> int:
    """Train on files of labels and means, write the weights, and return their number."""
    loaded = [load_training_labels(path) for path in labels]
    played = {each.work.player != "" for each in loaded} | ({False} if means else set())
    if len(played) > 1:
        raise SettingError("double-dummy tricks and played ones: train a forecast on either")
    if True in played:
        pairs, alone = (
            join(parts) for parts in zip(*(of_played(each, device) for each in loaded), strict=True)
        )
        arrays = train_without_teachers(plan or PLAYED, pairs, alone, seed, say)
    else:
        parts = [of_labels(each, device) for each in loaded]
        parts += [of_means(path, device) for path in means]
        arrays = train(plan or Plan(), join(parts), seed, say)
    buffer = BytesIO()
    source = np.array("; ".join(each.title for each in loaded))
    np.savez_compressed(buffer, source=source, **cast(dict[str, Any], arrays))
    write_atomic(out, buffer.getvalue())
    return sum(array.size for array in arrays.values())
