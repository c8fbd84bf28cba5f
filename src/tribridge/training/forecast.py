"""Training the forecast kind `net` with PyTorch (`pip install 'tribridge[learn]'`).

One command runs three steps:

1. *Teachers*: a few wide networks learn from labels, the tricks of layouts (`tribridge label`). The
   loss is their negative log likelihood.
2. *Student for two hands*: a small network learns the teachers' average on fresh pairs of hands;
   with unlimited data it cannot overfit.
3. *Student for one hand*: the same with dummy withheld, so it learns the teachers' average over
   dummies.

Labels of played deals (`tribridge label --player learned`) come by the million, and the two small
networks learn from them directly, without teachers.

The networks treat the four suits alike (see `net`), so permuting the suits permutes their forecasts
and leaves notrump unchanged.

    tribridge train forecast LABELS [LABELS ...] --out FILE

The forecast of a defender (`tribridge train defence`) is learned in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tribridge.cards import FULL_DECK
from tribridge.double_dummy.labels import Labels, load_training_labels
from tribridge.errors import SettingError
from tribridge.files import dumps_arrays, write_atomic
from tribridge.forecast.distribution import TRICKS
from tribridge.forecast.net import LOW
from tribridge.training.deals import deal_hands
from tribridge.training.learner import fast_products, optimise


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs of hands with what is to be learned of them, on the training device."""

    hands: Tensor
    dummies: Tensor
    targets: Tensor
    """The tricks of a layout, (n, 5), or the teachers' forecasts, (n, 5, 14)."""

    def __len__(self) -> int:
        return len(self.hands)


def examples(
    hands: NDArray[np.uint64],
    dummies: NDArray[np.uint64],
    tricks: NDArray[Any],
    device: str = "cpu",
) -> Examples:
    """Examples from arrays of masks and tricks."""
    return Examples(
        torch.from_numpy(hands.astype(np.int64)).to(device),
        torch.from_numpy(dummies.astype(np.int64)).to(device),
        torch.from_numpy(tricks.astype(np.int64)).to(device),
    )


def of_labels(labels: Labels, device: str = "cpu") -> Examples:
    """Two examples per labelled declarer: hand and dummy, and the two exchanged.

    Which of the two declares hardly affects the tricks of a layout (0.06 of a trick in a suit, 0.09
    in notrump), and matters much less than the layout of the other cards.
    """
    players, hidden, tricks = labels.pairs()
    return join(
        [examples(players, hidden, tricks, device), examples(hidden, players, tricks, device)]
    )


def of_played(labels: Labels, device: str = "cpu") -> Examples:
    """One example per declarer of played deals.

    Unlike double dummy, it matters which of the two hands the defenders see, so they are not
    exchanged.
    """
    return examples(*labels.pairs(), device)


def join(parts: Sequence[Examples]) -> Examples:
    """Examples from several sources as one set."""
    return Examples(
        *(
            torch.cat([getattr(part, name) for part in parts])
            for name in ("hands", "dummies", "targets")
        )
    )


TRICK_COUNTS: Final = TRICKS + 1
"""The possible numbers of tricks: 0 to 13."""
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
    """The whole training."""

    teachers: tuple[Lesson, ...] = (
        Lesson(Shape(2, 512, 4, 1024), 8_000, 2048, 2e-3, 0.1, 0.3),
        Lesson(Shape(2, 1024, 4, 1024), 8_000, 2048, 2e-3, 0.1, 0.4),
        *[Lesson(Shape(2, 512, 4, 1024), 12_000, 2048, 2e-3, 0.1, 0.4)] * 6,
    )
    bank: int = 6_000_000
    """Random pairs that the teachers forecast for the students."""
    pair: Lesson = Lesson(Shape(2, 128, 2, 512), 40_000, 4096, 3e-3)
    single: Lesson = Lesson(Shape(1, 96, 2, 128), 12_000, 4096, 2e-3)


PLAYED = Plan(
    teachers=(),
    pair=Lesson(Shape(2, 128, 2, 512), 27_000, 8192, 3e-3),
    single=Lesson(Shape(1, 96, 2, 128), 12_000, 8192, 2e-3),
)
"""For labels of played deals."""

QUICK = Plan(
    teachers=(Lesson(Shape(2, 64, 2, 64), 40, 256, 2e-3, 0.1, 0.1),) * 2,
    bank=4000,
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


def loss(logits: Tensor, tricks: Tensor) -> Tensor:
    """Negative log likelihood of the labels."""
    return -torch.log_softmax(logits, -1).gather(-1, tricks.unsqueeze(-1)).mean()


def train_on_labels(lesson: Lesson, data: Examples, seed: int) -> SuitNet:
    """Train one network on the labels: a wide teacher, or a small one if there are millions."""
    return _trained(lesson, data, loss, seed)


def _trained(
    lesson: Lesson, data: Examples, measure: Callable[[Tensor, Tensor], Tensor], seed: int
) -> SuitNet:
    """A network trained by a loss of its logits and of the targets of the hands."""
    device = data.hands.device
    torch.manual_seed(seed)
    model = SuitNet(lesson.shape, lesson.dropout).to(device)
    hands = (data.hands, data.dummies)[: lesson.shape.hands]

    def value() -> Tensor:
        at = torch.randint(len(data), (lesson.batch,), device=device)
        return measure(model(bits(*(masks[at] for masks in hands))), data.targets[at])

    return optimise(model, value, lesson.steps, lesson.rate, lesson.decay)


@torch.no_grad()
def chances_of(teachers: Sequence[SuitNet], hands: Tensor, dummies: Tensor) -> Tensor:
    """The average forecast of some networks."""
    cards = bits(hands, dummies)
    parts = [torch.softmax(teacher(cards), -1) for teacher in teachers]
    return torch.stack(parts).mean(0)


def fill_bank(teachers: Sequence[SuitNet], size: int, seed: int) -> Examples:
    """`size` random pairs, with the teachers' forecasts."""
    device = next(teachers[0].parameters()).device
    torch.manual_seed(seed)
    pairs = torch.cat(
        [
            deal_hands(min(PIECE, size - at), FULL_DECK, device)[:, :2]
            for at in range(0, size, PIECE)
        ]
    )
    chances = torch.cat([chances_of(teachers, *part.T).half() for part in pairs.split(PIECE)])
    return Examples(pairs[:, 0], pairs[:, 1], chances)


def train_student(lesson: Lesson, bank: Examples, seed: int) -> SuitNet:
    """Train a small network on the teachers' forecasts; with one hand, on their average."""

    def doubt(logits: Tensor, chances: Tensor) -> Tensor:
        return -(chances.float() * torch.log_softmax(logits, -1)).sum(-1).mean()

    return _trained(lesson, bank, doubt, seed)


def train(
    plan: Plan, data: Examples, seed: int, say: Callable[[str], None] = print
) -> dict[str, NDArray[np.float32]]:
    """Train everything and return the weight arrays for `net`."""
    started = perf_counter()
    teachers = []
    for at, lesson in enumerate(plan.teachers):
        teachers.append(train_on_labels(lesson, data, seed + at))
        say(f"teacher {at + 1} of {len(plan.teachers)}: {perf_counter() - started:.0f} s")
    bank = fill_bank(teachers, plan.bank, seed)
    students = {}
    for name, lesson in (("pair", plan.pair), ("single", plan.single)):
        students[name] = train_student(lesson, bank, seed)
        say(f"student {name}: {perf_counter() - started:.0f} s")
    return weight_arrays(students)


def train_without_teachers(
    plan: Plan, data: Examples, seed: int, say: Callable[[str], None] = print
) -> dict[str, NDArray[np.float32]]:
    """Train the two small networks on labels directly, for which there must be millions of them."""
    started = perf_counter()
    students = {}
    for name, lesson in (("single", plan.single), ("pair", plan.pair)):
        students[name] = train_on_labels(lesson, data, seed)
        say(f"{name}, {len(data):,} examples: {perf_counter() - started:.0f} s")
    return weight_arrays(students)


def weight_arrays(networks: Mapping[str, SuitNet]) -> dict[str, NDArray[np.float32]]:
    """The weights of some networks, as `net` and `defence` read them."""
    return {
        f"{name}.{key}": np.ascontiguousarray(value.float().cpu().numpy().T)
        for name, network in networks.items()
        for key, value in network.state_dict().items()
    }


@fast_products()
def train_files(
    labels: Sequence[Path],
    out: Path,
    plan: Plan | None = None,
    *,
    seed: int = 1,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> int:
    """Train on files of labels, write the weights, and return their number."""
    loaded = [load_training_labels(path) for path in labels]
    played = {each.work.player != "" for each in loaded}
    if len(played) > 1:
        raise SettingError("double-dummy tricks and played ones: train a forecast on either")
    if True in played:
        data = join([of_played(each, device) for each in loaded])
        arrays = train_without_teachers(plan or PLAYED, data, seed, say)
    else:
        data = join([of_labels(each, device) for each in loaded])
        arrays = train(plan or Plan(), data, seed, say)
    source = np.array("; ".join(each.title for each in loaded))
    return save_weights(arrays, out, source=source)


def save_weights(arrays: Mapping[str, NDArray[np.float32]], out: Path, **notes: Any) -> int:
    """Write weights, with notes, and return their number."""
    write_atomic(out, dumps_arrays({**notes, **arrays}))
    return sum(array.size for array in arrays.values())


DEFENCE: Final = Lesson(Shape(1, 64, 2, 64), 1_200, 2048, 4e-3, 0.05, 0.1)
"""How the package's weights were trained."""
QUICK_DEFENCE: Final = Lesson(Shape(1, 16, 2, 16), 40, 256, 2e-3)
"""For trying out the command: its forecasts are worthless."""


def train_defence(
    labels: Sequence[Path],
    out: Path,
    lesson: Lesson = DEFENCE,
    *,
    seed: int = 1,
    device: str = "cpu",
    say: Callable[[str], None] = print,
) -> int:
    """Train the forecast of a defender, write the weights, and return their number.

    One network learns declarer's tricks from the left defender's hand, another from the right
    defender's.
    """
    loaded = [load_training_labels(path) for path in labels]
    columns = zip(*(part.defenders() for part in loaded), strict=True)
    lefts, rights, tricks = (np.concatenate(column) for column in columns)
    started = perf_counter()
    networks = {}
    for side, hands in (("left", lefts), ("right", rights)):
        data = examples(hands, hands, tricks, device)
        networks[side] = train_on_labels(lesson, data, seed)
        say(f"{side} defender: {perf_counter() - started:.0f} s")
    return save_weights(weight_arrays(networks), out)
