"""`tribridge train`: networks by self-play, forecasts from labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tribridge.errors import MissingPackageError, SettingError

app = typer.Typer(help="Train bidding, card play and forecasts.", no_args_is_help=True)

Out = Annotated[Path, typer.Option(help="Folder of the training.")]
Minutes = Annotated[float, typer.Option(help="How long to train.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the folder.")]
Rate = Annotated[str, typer.Option(help="Learning rate, first and last.")]
Entropy = Annotated[str, typer.Option(help="Weight of the entropy, first and last.")]
Device = Annotated[str, typer.Option(help="cuda or cpu; auto takes a GPU if there is one.")]
Seed = Annotated[int, typer.Option(help="Seed of the training.")]


@app.callback()
def _train() -> None:
    """Train bidding, card play and forecasts."""


@app.command()
def play(
    out: Out,
    minutes: Minutes = 9.0,
    resume: Resume = False,
    start: Annotated[
        Path | None, typer.Option(help="Begin with play.npz and critic.npz of this folder.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gpu: the network of the package; small: a deck of 12 cards.")
    ] = "gpu",
    rate: Rate = "5e-4,2e-4",
    entropy: Entropy = "0.02,0.008",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train card play: PPO against itself, with a critic that sees all hands.

    A training that was stopped or killed goes on with --resume and loses a minute at most. The
    weights that come with the package were made by
    `train play --minutes 8.8 --rate 5e-4,3e-4 --entropy 0.02,0.01` and then, with `--resume`,
    `--minutes 8 --rate 3e-4,5e-5 --entropy 0.01,0.002`, `--minutes 4.3 --rate 3e-4,2e-4
    --entropy 0.008,0.005` and `--minutes 8.6 --rate 2e-4,1e-5 --entropy 0.005,0.0003`, on one H200.
    """
    device = _device(device, preset, minutes)
    import torch

    from tribridge.learning.expected import forecast
    from tribridge.learning.learner import Piece, Size
    from tribridge.learning.play import train

    rates, weights = _two(rate, "--rate"), _two(entropy, "--entropy")
    if preset == "gpu":
        size = Size()
        piece = Piece(minutes=minutes, minibatch=16_384, rate=rates, entropy=weights)
    else:
        size = Size(width=48, layers=2, critic_width=48, critic_layers=2, suits=2, ranks=6)
        piece = Piece(
            minutes=minutes,
            games=512,
            minibatch=512,
            rate=(3e-3, 3e-4),
            entropy=weights,
            compiled=False,
            measured=1024,
        )
    expected = forecast(torch.device(device)) if preset == "gpu" else None
    train(
        out,
        size,
        piece,
        device=device,
        seed=seed,
        resume=resume,
        start=start,
        expected=expected,
        say=typer.echo,
    )
    typer.echo(f"{out / 'play.npz'}: the policy that plays")


@app.command()
def bidding(
    out: Out,
    minutes: Minutes = 8.0,
    resume: Resume = False,
    start: Annotated[
        Path | None, typer.Option(help="Begin with bidding.npz and critic.npz of this folder.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gpu: the network of the package; small: one for any computer.")
    ] = "gpu",
    scheme: Annotated[str, typer.Option(help="Scoring scheme to bid for.")] = "auction",
    copy: Annotated[
        Path | None, typer.Option(help="A copy of a caller (train copy) to bid against as well.")
    ] = None,
    response: Annotated[
        int,
        typer.Option(
            min=0, max=2, help="Train a best response to --copy that holds so many seats."
        ),
    ] = 0,
    rate: Rate = "1e-3,5e-5",
    entropy: Entropy = "0.02,0.001",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train bidding: imitation of a greedy bidder, then PPO with fictitious self-play.

    A contract pays its expected points under the forecast from declarer's and dummy's hands. A
    training that was stopped or killed goes on with --resume and loses a minute at most.
    """
    if response and copy is None:
        raise SettingError("--response needs --copy: what is the best response to?")
    device = _device(device, preset, minutes)
    from tribridge.learning.bidding import BiddingPiece, BiddingSize, train

    rates, weights = _two(rate, "--rate"), _two(entropy, "--entropy")
    if preset == "gpu":
        size = BiddingSize(scheme=scheme)
        piece = BiddingPiece(minutes=minutes, rate=rates, entropy=weights, response=response)
    else:
        size = BiddingSize(
            width=64, layers=2, critic_width=64, critic_layers=2, scheme=scheme
        )  # fmt: skip
        piece = BiddingPiece(
            minutes=minutes,
            games=1024,
            minibatch=512,
            rate=(2e-3, 2e-4),
            entropy=weights,
            compiled=False,
            measured=1024,
            imitation=60,
            response=response,
        )
    train(
        out,
        size,
        piece,
        device=device,
        seed=seed,
        resume=resume,
        start=start,
        copy_of=copy,
        say=typer.echo,
    )
    typer.echo(f"{out / 'bidding.npz'}: the policy that bids")


@app.command()
def copy(
    caller: Annotated[str, typer.Argument(help="The caller to copy, as in arena list.")],
    out: Annotated[Path, typer.Option(help="File for the weights.")] = Path("copy.npz"),
    auctions: Annotated[int, typer.Option(min=100, help="Auctions to learn from.")] = 200_000,
    steps: Annotated[int, typer.Option(min=1, help="Steps of the optimiser.")] = 6_000,
    processes: Annotated[int, typer.Option(help="Worker processes; 0 for all cores.")] = 0,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Seed of the auctions and the training.")] = 1,
) -> None:
    """Teach a network to call as another caller does, as an opponent for `train bidding`."""
    device = _device(device, "gpu")
    from tribridge.cli.progress import Progress
    from tribridge.files import check_place
    from tribridge.learning.calls import collect
    from tribridge.learning.copies import save_copy, train_copy

    check_place(out)
    bar = Progress("auctions", auctions)
    try:
        rows = collect(
            caller, auctions, seed=seed, processes=processes, progress=partial(bar.tell, 0)
        )
    finally:
        bar.stop()
    network, share = train_copy(rows, steps=steps, device=device, seed=seed, say=typer.echo)
    save_copy(network, out)
    typer.echo(f"{out}: makes {share:.1%} of {caller}'s calls on auctions held out")


@app.command()
def forecast(
    labels: Annotated[list[Path], typer.Argument(help="Files or folders of tribridge label.")],
    out: Annotated[Path, typer.Option(help="File for the weights.")] = Path("net.npz"),
    means: Annotated[
        list[Path] | None, typer.Option(help="A file of means over ten layouts (CSV); repeatable.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gpu: the network of the package; small: to try the command.")
    ] = "gpu",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train the forecast network on double-dummy labels (needs PyTorch).

    The forecasts of the small preset are worth nothing: it is there to try the command.
    """
    device = _device(device, preset)
    from tribridge.files import check_place
    from tribridge.forecast.learn import QUICK, Plan, train_files

    check_place(out)
    plan = Plan() if preset == "gpu" else QUICK
    count = train_files(labels, means or [], out, plan, seed=seed, device=device, say=typer.echo)
    typer.echo(f"{out}: {count} weights")


@app.command()
def estimators(
    labels: Annotated[Path, typer.Argument(help="File or folder of tribridge label.")],
    out: Annotated[Path, typer.Option(help="Folder for the data files.")],
) -> None:
    """Fit the forecasts that are no networks, and the lines of callers and beliefs.

    Writes points.json, capture.npz and linear.json as they come with the package, and prints the
    lines as they stand in the code. The same labels give the same files.
    """
    from tribridge.double_dummy.labels import load_training_labels
    from tribridge.forecast.fit import fit
    from tribridge.strategies.fit import fitted_lines

    training = load_training_labels(labels)
    out.mkdir(parents=True, exist_ok=True)
    fit(training, out)
    typer.echo(fitted_lines(training))


@app.command()
def curves(
    log: Annotated[Path, typer.Argument(help="The log.jsonl of a training.")],
    figure: Annotated[Path, typer.Argument(help="Figure to write: .svg, .png or .pdf.")],
) -> None:
    """Draw how a training went (needs no PyTorch)."""
    from tribridge.files import check_place, write_atomic
    from tribridge.report.drawing import drawn, file_kind
    from tribridge.report.figures_training import read_log, training_curves

    kind = file_kind(figure)
    check_place(figure)
    lines = read_log(log)
    write_atomic(figure, drawn(lambda: training_curves(lines), (kind,))[kind])
    typer.echo(f"{figure}: {len(lines)} measurements")


def _device(name: str, preset: str, minutes: float = 1.0) -> str:
    """The device that a name means here, once the options that all trainings share are checked.

    Small networks run on one thread: sharing them costs more than it gains, and where other
    programs use the cores too, threads that wait for each other take many times as long.
    """
    if minutes <= 0:
        raise SettingError(f"--minutes {minutes:g} is too short: give a number greater than 0")
    if preset not in ("gpu", "small"):
        raise SettingError(f"unknown preset {preset!r}: expected gpu or small")
    try:
        import torch
    except ImportError:
        raise MissingPackageError("PyTorch is missing: pip install 'tribridge[learn]'") from None
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda") or (name == "cuda" and not torch.cuda.is_available()):
        raise SettingError(f"no device {name!r} here: cpu always works, cuda needs a GPU")
    if preset == "small":
        torch.set_num_threads(1)
    return name


def _two(text: str, name: str) -> tuple[float, float]:
    """Two numbers separated by a comma."""
    try:
        first, last = (float(part) for part in text.split(","))
    except ValueError:
        raise SettingError(f"{name} {text!r}: expected two numbers, as in 5e-4,2e-4") from None
    return first, last
