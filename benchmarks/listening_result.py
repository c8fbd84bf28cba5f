"""The result of the study of listeners, from its scored auctions.

    python -m benchmarks.listening_result --heard FOLDER --result FILE.json

The auctions are those of `benchmarks/listening.py`; all batches of the plan must be there. The
table's model and the paper's bidder score them here, which takes a few minutes of one core. The
result in the package is `studies/listening.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.calls_result import heard_by, kinds, ratio_values, tested
from benchmarks.listening import DEALS, batch_name, batches, folder_of
from benchmarks.place import Folder
from benchmarks.refusals import in_one_line
from tribridge.beliefs import CallModel, CaptureCalls, PointCalls
from tribridge.beliefs.trust import TRUST
from tribridge.common import stats
from tribridge.common.files import write_atomic
from tribridge.game.scoring import ALIASES, find_scheme
from tribridge.lab.studies.calls import AUCTION, CALIBRATED, CLOSED, CONTRACT
from tribridge.lab.studies.listening import (
    CHANCES,
    HALF,
    MODELS,
    PLAN,
    PREFERRED,
    QUARTER,
    SAMPLE,
    Kind,
    Modelled,
    Result,
    Tested,
)
from tribridge.lab.studies.study import dumps_result
from tribridge.lab.training.listening import KINDS, PARTS
from tribridge.lab.training.whole_games import around_hand, deals
from tribridge.networks.auction import BIDS, SEATS, STRAINS

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Chosen = NDArray[np.bool_]
CALLER, THIRD, HIDDEN, WHOLE = range(4)
ONE_SUIT: Final = range(STRAINS - 1)
"""The bids of a suit at level 1."""
ONE_NOTRUMP: Final = STRAINS - 1


@dataclass(frozen=True, slots=True)
class Heard:
    """All auctions under one scheme, each with one listener."""

    calls: Ints
    """(t, n): their calls; -1 where an auction is over."""
    bits: dict[str, F64]
    """What each call says to each of `MODELS`, about each hand and all: (t, n, 4)."""

    @property
    def turn(self) -> Ints:
        """Who makes each call, counted from the dealer: (t, 1)."""
        return np.arange(len(self.calls))[:, None] % SEATS

    @property
    def made(self) -> Chosen:
        """The calls that were heard: all but the listener's own."""
        listener = np.arange(self.calls.shape[1]) % SEATS
        heard: Chosen = (self.calls >= 0) & (self.turn != listener)
        return heard

    @property
    def bid(self) -> Chosen:
        return self.made & (self.calls < BIDS)

    @property
    def standing(self) -> Ints:
        """The level of the bid that stood before each call; 0: none."""
        bids = np.where((self.calls >= 0) & (self.calls < BIDS), self.calls // STRAINS + 1, 0)
        before = np.maximum.accumulate(bids, 0)
        return np.concatenate([np.zeros_like(before[:1]), before[:-1]])

    def per_call(self, chosen: Chosen, about: int = CALLER, by: str = PREFERRED) -> F64:
        """Values by deal whose mean is that of the bits of the chosen calls."""
        chosen = chosen & self.made
        sums = np.where(chosen, self.bits[by][..., about], 0.0).sum(0)
        return ratio_values(sums, chosen.sum(0).astype(float))

    def whole(self, by: str = PREFERRED) -> F64:
        """Bits of whole auctions about all hands, by deal."""
        total: F64 = self.bits[by][..., WHOLE].sum(0)
        return total


def load(folder: Folder, scheme: str) -> Heard:
    """The auctions of a scheme, in all batches of the plan."""
    names = [batch_name(*each) for each in batches() if each[0] == scheme]
    parts = [folder.load(name) for name in names]
    longest = max(len(part["calls"]) for part in parts)

    def joined(name: str, fill: float) -> NDArray[Any]:
        arrays = [part[name] for part in parts]
        pads = [((0, longest - len(a)), *[(0, 0)] * (a.ndim - 1)) for a in arrays]
        padded = [np.pad(a, pad, constant_values=fill) for a, pad in zip(arrays, pads, strict=True)]
        return np.concatenate(padded, 1)

    calls, bits = joined("calls", -1).astype(np.int64), joined("bits", 0).astype(float)
    by = {
        PREFERRED: ("preferred", 1),
        HALF: ("preferred", 2),
        QUARTER: ("preferred", 4),
        CHANCES: ("chances", 1),
    }
    heard = Heard(
        calls,
        {
            name: bits[:, :, KINDS.index(kind), PARTS.index(part)]
            for name, (kind, part) in by.items()
        },
    )
    heard.bits.update(by_models(scheme, calls))
    return heard


def by_models(scheme: str, calls: Ints) -> dict[str, F64]:
    """What the calls say by the table's calibrated model and by the paper's bidder."""
    seed, size = PLAN.seeds["calls"], PLAN.sizes["model_layouts"]
    line = TRUST[ALIASES.get(scheme, scheme)]
    models: dict[str, tuple[CallModel, tuple[float, float] | None]] = {
        CALIBRATED: (PointCalls(None, find_scheme(scheme), ()), line),
        CLOSED: (CaptureCalls(), None),
    }
    result = {name: np.zeros((*calls.shape, 4)) for name in models}
    begin = 0
    for each, batch, count in batches():
        if each != scheme:
            continue
        hands = deals(seed, batch, count)
        for deal in range(count):
            seat, number = deal % SEATS, begin + deal
            rng = np.random.default_rng((seed, batch, deal, 3))
            mine, nothing = hands[deal : deal + 1, seat], np.zeros(1, np.int64)
            layouts = around_hand(mine, seat, nothing, size, rng)[0]
            for name, model in models.items():
                for at, told in heard_by(layouts, hands[deal], seat, calls[:, number], *model):
                    result[name][at, number] = told
        begin += count
    return result


def frequent(heard: Heard) -> list[tuple[str, Chosen]]:
    """The kinds of calls that were heard often enough."""
    return [(name, at) for name, at in kinds(heard) if at.sum() >= PLAN.sizes["frequent"]]


def kind_rows(scheme: str, heard: Heard) -> Iterator[Kind]:
    """What each kind of call says."""
    for name, chosen in frequent(heard):
        third, hidden, whole = (
            float(heard.bits[PREFERRED][..., about][chosen].mean())
            for about in (THIRD, HIDDEN, WHOLE)
        )
        yield Kind(
            scheme,
            name,
            int(chosen.sum()),
            stats.mean_interval(heard.per_call(chosen)),
            stats.mean_interval(heard.per_call(chosen, by=CALIBRATED)),
            third,
            hidden,
            whole,
            100 * float((heard.bits[PREFERRED][..., CALLER][chosen] < 0).mean()),
        )


def tests(heard: dict[str, Heard]) -> dict[str, Tested]:
    """The numbers that the hypotheses of the plan are about."""
    one, limits = heard[CONTRACT], {each.id: each.limit for each in PLAN.hypotheses}
    first = one.standing == 0
    notrump = one.bid & first & (one.calls == ONE_NOTRUMP)
    suits = one.bid & first & np.isin(one.calls, ONE_SUIT)
    kinds_of = [one.per_call(chosen) for _, chosen in frequent(one)]
    least = min(kinds_of, key=lambda values: float(values.mean()))
    p = stats.paired(least - limits["least"]).p
    both = len(heard[AUCTION].whole())
    closed = one.whole(CLOSED) - one.whole() / 2
    found = {
        "enough": tested(one.whole() - one.whole(HALF)),
        "whole": tested(one.whole() - 2 * one.whole(CALIBRATED)),
        "closed": tested(closed),
        "word": tested(one.whole() - one.whole(CHANCES)),
        "passes": tested(one.per_call(one.made & ~one.bid)),
        "notrump": tested(one.per_call(notrump) - one.per_call(suits)),
        "misread": tested(one.per_call(notrump) - one.per_call(notrump, by=CALIBRATED)),
        "hidden": tested(one.per_call(one.made, HIDDEN) - one.per_call(one.made, WHOLE) / 10),
        "scheme": tested(one.whole()[:both] - heard[AUCTION].whole()),
    }
    span = stats.mean_interval(least, level=1 - 0.05 / len(kinds_of))
    return {
        **{key: Tested(each.span, each.p) for key, each in found.items()},
        "least": Tested(span, min(1.0, len(kinds_of) * p)),
    }


def result_of(folder: Folder) -> Result:
    """The result of a run."""
    head = folder.begun()
    heard = {scheme: load(folder, scheme) for scheme in DEALS}
    deals_of = " and ".join(f"{PLAN.sizes[size]} under {name}" for name, size in DEALS.items())
    source = (
        f"Deals of seed {PLAN.seeds['calls']}, {deals_of}, bid by three players of "
        f"{head['caller']}; one of them, in turn, listens with {PLAN.sizes['candidates']:,} hands "
        "of each of the others (`python -m benchmarks.listening listen`, `python -m "
        "benchmarks.listening_result`)"
    )
    one = heard[CONTRACT]
    columns = [one.calls[:, at] for at in range(SAMPLE)]
    return Result(
        PLAN.digest,
        source,
        PLAN.sizes["frequent"],
        PLAN.sizes["model_layouts"],
        tuple(tuple(int(call) for call in column if call >= 0) for column in columns),
        tuple(one.whole()[:SAMPLE].tolist()),
        tuple(row for scheme, each in heard.items() for row in kind_rows(scheme, each)),
        tuple(
            Modelled(scheme, name, len(each.whole()), stats.mean_interval(each.whole(name)))
            for scheme, each in heard.items()
            for name in MODELS
        ),
        tests(heard),
    )


def main() -> None:
    """Sum up."""
    parser = argparse.ArgumentParser(description="The result of the study of listeners.")
    parser.add_argument("--heard", type=Path, required=True)
    parser.add_argument("--result", type=Path, required=True)
    options = parser.parse_args()
    write_atomic(options.result, dumps_result(result_of(folder_of(options.heard))))


if __name__ == "__main__":
    in_one_line(main)
