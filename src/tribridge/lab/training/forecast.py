"""Training the forecast kind `net` with PyTorch.

One command runs three steps:

1. *Teachers*: a few wide networks learn from labels. A label is the tricks of one layout
   (`tribridge label`), or a mean over ten layouts (files in BridgeHand2Vec format, optional). The
   loss is the negative log likelihood: of the tricks of one layout, or, for a mean, of a normal
   distribution with a tenth of the forecast's own variance.
2. *Student for two hands*: a small network learns the teachers' average on fresh pairs of hands,
   both random and built (`lab.labels.built_deals`); with unlimited data it cannot overfit.
3. *Student for one hand*: the same with dummy withheld, so it learns the teachers' average over
   dummies. It sees only pairs with a random dummy.

Labels of played deals (`tribridge label --player learned`) come by the million, and the two small
networks learn from them directly, without teachers.

The networks treat the four suits alike (see `net`), so permuting the suits permutes their forecasts
and leaves notrump unchanged.

    tribridge train forecast LABELS [LABELS ...] --out FILE [--means CSV]

The forecast of a defender (`tribridge train defence`) is learned in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK
from tribridge.common.arrays import Rows
from tribridge.common.errors import SettingError
from tribridge.common.files import dumps_arrays, write_atomic
from tribridge.common.parallel import worker_pool
from tribridge.forecast.means import LAYOUTS, read_means
from tribridge.lab.labels.built_deals import built_pairs, rebuilt
from tribridge.lab.labels.labels import Labels, load_training_labels
from tribridge.lab.training.deals import deal_hands
from tribridge.lab.training.forecast_net import TRICK_COUNTS, Shape, SuitNet, bits
from tribridge.lab.training.learner import fast_products, optimise
from tribridge.lab.training.pytorch import Tensor, torch


@dataclass(frozen=True, eq=False)
class Examples(Rows):
    """Pairs of hands with the tricks of some layouts, on the training device."""

    hands: Tensor
    dummies: Tensor
    tricks: Tensor
    """(n, 5), the tricks of one layout or their mean over several."""
    layouts: Tensor


def examples(
    hands: NDArray[np.uint64],
    dummies: NDArray[np.uint64],
    tricks: NDArray[Any],
    layouts: int,
    device: str = "cpu",
) -> Examples:
    """Examples from arrays of masks and tricks."""
    return Examples(
        torch.from_numpy(hands.astype(np.int64)).to(device),
        torch.from_numpy(dummies.astype(np.int64)).to(device),
        torch.from_numpy(tricks.astype(np.float32)).to(device),
        torch.full((len(hands),), layouts, device=device),
    )


def of_labels(labels: Labels, device: str = "cpu") -> Examples:
    """Two examples per labelled declarer: hand and dummy, and the two exchanged.

    Which of the two declares hardly affects the tricks of a layout (0.06 of a trick in a suit, 0.09
    in notrump), and matters much less than the layout of the other cards.
    """
    players, hidden, tricks = labels.pairs()
    both = (players, hidden), (hidden, players)
    return Examples.joined(examples(*pair, tricks, 1, device) for pair in both)


def of_played(labels: Labels, device: str = "cpu") -> tuple[Examples, Examples]:
    """Pairs of hands with the tricks of played deals, and those of them with a random dummy.

    Unlike double dummy, it matters which of the two hands the defenders see, so they are not
    exchanged.
    """
    players, hidden, tricks = labels.pairs()
    alone = np.ones(len(players), bool)
    if labels.work.built:
        alone = np.array([rebuilt(number) == 1 for number in labels.numbers.tolist()])
    return (
        examples(players, hidden, tricks, 1, device),
        examples(players[alone], hidden[alone], tricks[alone], 1, device),
    )


def of_means(path: Path, device: str = "cpu") -> Examples:
    """Two examples per line of a file of means, with each hand as declarer."""
    return examples(*read_means(path), LAYOUTS, device)


PIECE: Final = 1 << 16


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


def loss(logits: Tensor, tricks: Tensor, layouts: Tensor) -> Tensor:
    """Negative log likelihood of the labels, up to constants."""
    chances = torch.log_softmax(logits, -1)
    single = (layouts == 1).unsqueeze(-1)
    picked = -chances.gather(-1, tricks.round().long().unsqueeze(-1)).squeeze(-1)
    mean, variance = moments(chances.exp())
    spread = variance.detach().clamp(min=0.15) / layouts.unsqueeze(-1)
    squared = (mean - tricks) ** 2 / (2 * spread)
    return torch.where(single, picked, squared).mean()


def moments(chances: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of distributions over 0-13."""
    values = torch.arange(TRICK_COUNTS, device=chances.device, dtype=chances.dtype)
    mean = (chances * values).sum(-1)
    return mean, (chances * values**2).sum(-1) - mean**2


def train_on_labels(lesson: Lesson, data: Examples, seed: int) -> SuitNet:
    """Train one network on the labels: a wide teacher, or a small one if there are millions."""
    return _trained(lesson, (data.hands, data.dummies), (data.tricks, data.layouts), loss, seed)


def _trained(
    lesson: Lesson,
    hands: Sequence[Tensor],
    targets: Sequence[Tensor],
    measure: Callable[..., Tensor],
    seed: int,
) -> SuitNet:
    """A network trained by a loss of its logits and of the targets of the hands."""
    device = hands[0].device
    torch.manual_seed(seed)
    model = SuitNet(lesson.shape, lesson.dropout).to(device)

    def value() -> Tensor:
        at = torch.randint(len(targets[0]), (lesson.batch,), device=device)
        cards = (masks[at] for masks in hands[: lesson.shape.hands])
        return measure(model(bits(*cards)), *(target[at] for target in targets))

    return optimise(model, value, lesson.steps, lesson.rate, lesson.decay)


@torch.no_grad()
def chances_of(teachers: Sequence[SuitNet], hands: Tensor, dummies: Tensor) -> Tensor:
    """The average forecast of some networks."""
    cards = bits(hands, dummies)
    parts = [torch.softmax(teacher(cards), -1) for teacher in teachers]
    return torch.stack(parts).mean(0)


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
    random = [deal_hands(min(PIECE, size - at), FULL_DECK, device) for at in range(0, size, PIECE)]
    hands = torch.cat([*(dealt[:, 0] for dealt in random), some.to(device)])
    dummies = torch.cat([*(dealt[:, 1] for dealt in random), others.to(device)])
    pieces = zip(hands.split(PIECE), dummies.split(PIECE), strict=True)
    chances = torch.cat([chances_of(teachers, *piece).half() for piece in pieces])
    return Bank(hands, dummies, chances, size + alone)


def train_student(lesson: Lesson, bank: Bank, seed: int) -> SuitNet:
    """Train a small network on the teachers' forecasts; with one hand, on their average."""
    pairs = bank.alone if lesson.shape.hands == 1 else len(bank.hands)

    def doubt(logits: Tensor, chances: Tensor) -> Tensor:
        return -(chances.float() * torch.log_softmax(logits, -1)).sum(-1).mean()

    return _trained(lesson, (bank.hands, bank.dummies), (bank.chances[:pairs],), doubt, seed)


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
    """The weights of some networks, as `net` and `defence` read them."""
    return {
        f"{name}.{key}": np.ascontiguousarray(value.float().cpu().numpy().T)
        for name, network in networks.items()
        for key, value in network.state_dict().items()
    }


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
            Examples.joined(parts)
            for parts in zip(*(of_played(each, device) for each in loaded), strict=True)
        )
        arrays = train_without_teachers(plan or PLAYED, pairs, alone, seed, say)
    else:
        parts = [of_labels(each, device) for each in loaded]
        parts += [of_means(path, device) for path in means]
        arrays = train(plan or Plan(), Examples.joined(parts), seed, say)
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
    defender's. Built deals are refused as labels: there, declarer's hand is far from random, and
    with it the hands of the defenders.
    """
    loaded = [load_training_labels(path) for path in labels]
    if any(part.work.built for part in loaded):
        raise SettingError(
            "a defender's forecast cannot be trained on built deals, in which declarer's hand is "
            "not random: give labels of ordinary deals"
        )
    columns = zip(*(part.defenders() for part in loaded), strict=True)
    lefts, rights, tricks = (np.concatenate(column) for column in columns)
    started = perf_counter()
    networks = {}
    for side, hands in (("left", lefts), ("right", rights)):
        data = examples(hands, hands, tricks, 1, device)
        networks[side] = train_on_labels(lesson, data, seed)
        say(f"{side} defender: {perf_counter() - started:.0f} s")
    return save_weights(weight_arrays(networks), out)
