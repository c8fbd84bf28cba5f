"""Learning as a curve on the full deck: bidders by where they begin, and by their width.

    python -m benchmarks.curves train --folder FOLDER --device cuda [--seed 0]
    python -m benchmarks.curves respond --folder FOLDER --device cuda [--seed 0]
    python -m benchmarks.curves judge --folder FOLDER --device cuda [--partial]

`train` trains the bidders of the plan, `studies/curves.plan.toml`, and keeps their networks after
fixed numbers of batches; `respond` trains a best response to each of them, from the network itself,
first to those that hypotheses are about; `judge` plays all of them on the same deals, contracts
paid by what our player makes of them, and writes `judged.jsonl`; with `--partial` it goes without
the responses that are not there. All go on where they were stopped: a run that was cut off is begun
again, and a folder of another plan is refused. With `--seed` several processes share one GPU.
`--share` trains and judges a share of the sizes, to try the commands. Needs NumPy and PyTorch.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.curves_tiny import folder_of
from benchmarks.refusals import in_one_line
from tribridge.common.errors import NotFoundError
from tribridge.lab.studies.plans import read_numbers
from tribridge.lab.training.bidders import best
from tribridge.lab.training.bidding import BiddingPiece, BiddingSize, train
from tribridge.lab.training.bidding_games import BEGINS, Dealing, gain, greedy, mean_and_error
from tribridge.lab.training.networks import BIDDERS, load_network
from tribridge.lab.training.payoffs import tricks_by_network
from tribridge.lab.training.pytorch import torch
from tribridge.lab.training.stakes import settings

DATA: Final = Path(__file__).parents[1] / "data/learning"
FORECAST: Final = DATA / "forecast-copy.npz"
"""A network that bids like `forecast`: whom to imitate, and the yardstick."""
PAYOFFS: Final = DATA / "stakes/payoffs-3.npz"
SCHEME: Final = "auction"
WIDTHS: Final = (64, 128, 576)
"""Beside the width of the plan; all begin as `greedy`."""
MARKS: Final = (0.0, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""After which shares of the batches networks are judged."""
IMITATED: Final = 0.25
"""The share of the batches that imitate, unless from nothing."""
OPTIMISM: Final = 0.5
"""From nothing: the share of a run in which failing costs less at first."""


class Run(NamedTuple):
    """A bidder to train."""

    begins: str
    width: int
    at: int
    """Which of the seeds."""

    @property
    def name(self) -> str:
        return f"{self.begins}-{self.width}-{self.at}"


def runs() -> list[Run]:
    """All runs of the plan, those of one seed after the other."""
    sizes = read_numbers("curves")["sizes"]
    kinds = [(begins, sizes["width"]) for begins in BEGINS]
    kinds += [("greedy", width) for width in WIDTHS]
    return [Run(*kind, at) for at in range(sizes["seeds"]) for kind in kinds]


class Sizes(NamedTuple):
    """How much is trained and judged."""

    batches: int
    games: int
    imitation: int
    response_batches: int
    measured: int
    minibatch: int = 16_384
    compiled: bool = True

    @property
    def marks(self) -> tuple[int, ...]:
        return tuple(sorted({round(share * self.batches) for share in MARKS}))


def sizes_of(share: float, device: str) -> Sizes:
    """The sizes of the plan, or a share of them."""
    sizes = read_numbers("curves")["sizes"]
    whole = Sizes(*(sizes[name] for name in Sizes._fields[:5]))
    if share == 1:
        return whole._replace(compiled=device != "cpu")
    games = max(64, round(share * whole.games))
    return Sizes(
        max(4, round(share * whole.batches)),
        games,
        max(1, round(share * whole.imitation)),
        max(1, round(share * whole.response_batches)),
        max(64, round(share * whole.measured)),
        minibatch=max(32, games // 2),
        compiled=False,
    )


def piece_of(sizes: Sizes, **changes: Any) -> BiddingPiece:
    """A stretch of training as the plan has it, without doubles."""
    same: dict[str, Any] = {
        "games": sizes.games,
        "minibatch": sizes.minibatch,
        "compiled": sizes.compiled,
        "measured": min(4096, sizes.measured),
        "doubles": 0.0,
        "log_every": 1e9,
    }
    return BiddingPiece(**same | changes)


def size_of(width: int) -> BiddingSize:
    """A bidder of a width; the critic is always the same."""
    return BiddingSize(width=width, scheme=SCHEME)


def train_run(run: Run, folder: Path, sizes: Sizes, device: str) -> None:
    """Train a bidder."""
    nothing = run.begins == "nothing"
    piece = piece_of(
        sizes,
        batches=sizes.batches,
        imitation=0 if nothing else sizes.imitation,
        optimism=OPTIMISM if nothing else 0.0,
    )
    train(
        folder, size_of(run.width), piece, device=device,
        seed=read_numbers("curves")["seeds"]["runs"] + run.at, payoffs=PAYOFFS,
        teacher=FORECAST if run.begins == "experts" else None, kept=sizes.marks, say=_silent,
    )  # fmt: skip


def train_response(run: Run, marked: Path, folder: Path, sizes: Sizes, device: str) -> None:
    """Train a best response in one seat to a network in the two others, from the network itself."""
    piece = piece_of(
        sizes, batches=sizes.response_batches, imitation=0, response=1,
        rate=(5e-4, 5e-5), entropy=(0.005, 0.0005),
    )  # fmt: skip
    train(
        folder, size_of(run.width), piece, device=device, start=marked,
        seed=read_numbers("curves")["seeds"]["responses"] + run.at, payoffs=PAYOFFS,
        copies={SCHEME: marked / "bidding.npz"}, say=_silent,
    )  # fmt: skip


def _silent(line: str) -> None:
    """Says nothing: the log has it."""


def whole(path: Path, make: Any) -> bool:
    """Make a folder, whole or not at all; False if it is there."""
    if path.exists():
        return False
    part = path.with_name(f"{path.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    make(part)
    part.rename(path)
    return True


def answered(run: Run, mark: int, sizes: Sizes) -> bool:
    """Whether a best response is trained: wherever bidders begin, and to the last of each width."""
    return run.width == read_numbers("curves")["sizes"]["width"] or mark == sizes.marks[-1]


def responses(at: int | None, sizes: Sizes) -> Iterator[tuple[Run, int]]:
    """The runs, of one seed or all, and the batches after which they get a best response.

    First those that hypotheses are about: at the end, and after the imitation.
    """
    last, imitated = sizes.marks[-1], round(IMITATED * sizes.batches)
    order = sorted(sizes.marks, key=lambda mark: (mark != last, mark != imitated, mark))
    for mark in order:
        for run in runs():
            if at in (None, run.at) and answered(run, mark, sizes):
                yield run, mark


def judge(
    folder: Path, sizes: Sizes, device: str, *, missing_ok: bool = False
) -> Iterator[dict[str, Any]]:
    """Points of each network against two of a yardstick, and what its best response gains.

    If `missing_ok`, responses that are not there are left out.
    """
    place = torch.device(device)
    torch.manual_seed(read_numbers("curves")["seeds"]["deals"])
    dealing = Dealing(settings(SCHEME), place, tricks_by_network(PAYOFFS, place))
    most = 32_768  # deals at once: three gigabytes
    parts = [dealing.deal(min(most, sizes.measured - at)) for at in range(0, sizes.measured, most)]

    def lead(first: Any, second: Any) -> list[float]:
        gains = torch.cat([gain(first, second, deals, dealing) for deals in parts])
        return list(mean_and_error(gains))

    def bidder(path: Path) -> Any:
        if not path.exists():
            raise NotFoundError(f"{path}: no such network: train and respond first")
        return best(load_network(path, place, *BIDDERS))

    copy = bidder(FORECAST)
    for run in runs():
        for mark in sizes.marks:
            own = bidder(folder / run.name / str(mark) / "bidding.npz")
            row = {**run._asdict(), "games": mark * sizes.games}
            row |= {"forecast": lead(own, copy), "greedy": lead(own, greedy)}
            response = folder / f"{run.name}-response-{mark}" / "bidding.npz"
            if answered(run, mark, sizes) and (response.exists() or not missing_ok):
                row["gained"] = lead(bidder(response), own)
            yield row


def main() -> None:
    """Train, respond or judge."""
    parser = argparse.ArgumentParser(description="Learning as a curve, on the full deck.")
    parser.add_argument("what", choices=("train", "respond", "judge"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, choices=range(3), help="the runs of this one alone")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--partial", action="store_true", help="judge without missing responses")
    options = parser.parse_args()
    if not 0 < options.share <= 1:
        parser.error("--share must be greater than 0 and at most 1")
    folder, device = options.folder, options.device
    sizes = sizes_of(options.share, device)
    folder_of(folder, share=f"{options.share:g}").begin()
    if options.what == "judge":
        rows = judge(folder, sizes, device, missing_ok=options.partial)
        lines = [json.dumps(row) + "\n" for row in rows]
        (folder / "judged.jsonl").write_text("".join(lines), "utf-8")
        return
    makers: Iterator[tuple[Path, Any]]
    if options.what == "train":
        makers = (
            (folder / run.name, partial(train_run, run, sizes=sizes, device=device))
            for run in runs()
            if options.seed in (None, run.at)
        )
    else:
        makers = (
            (
                folder / f"{run.name}-response-{mark}",
                partial(
                    train_response, run, folder / run.name / str(mark), sizes=sizes, device=device
                ),
            )
            for run, mark in responses(options.seed, sizes)
        )
    for path, make in makers:
        begun = time.monotonic()
        if whole(path, make):
            print(f"{path.name}: {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    in_one_line(main)
