"""`tribridge train`: train networks by self-play and forecasts on labels."""

from __future__ import annotations

from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tribridge.cards.cards import Deck
from tribridge.cli.options import AsJson, Device, argument, find_device, option, print_json
from tribridge.common.errors import NotFoundError, SettingError, quantity
from tribridge.common.files import check_place, load_arrays, split, write_atomic
from tribridge.game.rubber_worth import GAMES, LOW, dumps_deals
from tribridge.game.scoring import find_scheme
from tribridge.lab.labels.labels import load_training_labels

app = typer.Typer(no_args_is_help=True, add_completion=False)

Out = Annotated[Path, option("Folder for the training run.")]
Weights = Annotated[Path, option("File for the weights.")]
Labels = Annotated[Path, argument("File or folder written by tribridge label.")]
LabelFiles = Annotated[list[Path], argument("Files or folders written by tribridge label.")]
Minutes = Annotated[float, option("Minutes to train.")]
Start = Annotated[Path | None, option("Start from the policy and the critic in this folder.")]
Rate = Annotated[str, option("Learning rate at the start and at the end.")]
Entropy = Annotated[str, option("Entropy bonus at the start and at the end.")]
Preset = Annotated[
    str,
    option(
        "gpu: the network in the package; small: a tiny one, for any computer, to try the command."
    ),
]
Seed = Annotated[int, option("Seed of the run.")]


@app.callback()
def train() -> None:
    """Train bidding, card play and forecasts."""


@app.command()
def play(
    out: Out,
    minutes: Minutes = 9.0,
    start: Start = None,
    preset: Preset = "gpu",
    rival: Annotated[
        Path | None,
        option(
            "Weights of the player in 30% of the games and in comparisons; the package's "
            "unless given."
        ),
    ] = None,
    deck: Annotated[str, option("Deck of the small preset, as suits x ranks.")] = "2x6",
    people: Annotated[
        Path | None, option("Weights of train experts, to stay near and to play with in 20%.")
    ] = None,
    hold: Annotated[str, option("How near to people, at the start and at the end.")] = "0.3,0.1",
    boards: Annotated[
        Path | None, option("Boards whose deals and contracts are 30% of those played.")
    ] = None,
    rivals: Annotated[
        float | None,
        option("Share of the games against the rival: 0.3, with --people 0.2.", min=0, max=1),
    ] = None,
    width: Annotated[int, option("Width of the player's network.", min=1)] = 384,
    rate: Rate = "2e-4,5e-5",
    entropy: Entropy = "0.004,0.001",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train card play for points by PPO self-play, with a critic that sees all hands.

    Contracts are bid, set by rule or unusual, in schemes and rubbers of all kinds; on a small deck
    every trick is worth the same. In the end the policy is compared with the rival, in contracts
    bid for auction. With --people the policy is held near what experts would play, and experts hold
    one side, or one defender's cards, in part of the games. With --rivals 1 it learns against the
    rival alone, to find its weaknesses. A run that was stopped or killed has
    saved its networks, at most a minute before: go on from them with --start.
    """
    device = _device(device, preset, minutes)
    from tribridge.lab.training.learner import PlaySize
    from tribridge.lab.training.play import train
    from tribridge.lab.training.ppo import PlayPiece

    size = PlaySize(width=width)
    piece = PlayPiece(minutes, rate=_two(rate, "--rate"), entropy=_two(entropy, "--entropy"))
    if people is not None:
        # Their signals in place of a convention of ours.
        piece = replace(
            piece, rivals=0.2, people=0.2, hold=_two(hold, "--hold"), conventional=False
        )
    if rivals is not None:
        piece = replace(piece, rivals=rivals)
    if preset == "small":
        if people is not None or boards is not None:
            raise SettingError("--people and --boards need the full deck: not with --preset small")
        pack, many = Deck(deck), device == "cuda"
        assert pack.hand_size  # raises if four hands cannot be dealt
        size = PlaySize(**_small(64 if many else 48), deck=pack)
        piece = replace(
            piece,
            games=16_384 if many else 512,
            minibatch=8_192 if many else 512,
            rate=(2e-3, 5e-5) if many else (3e-3, 3e-4),
            compiled=False,
            measured=4096 if many else 1024,
            compared=4096,
        )
    from tribridge.lab.training.experts import for_training
    from tribridge.lab.training.lin_boards import read_boards

    given = None if boards is None else for_training(read_boards(boards, typer.echo))
    train(
        out, size, piece, device=device, seed=seed, start=start, rival=rival, people=people,
        boards=given,
    )  # fmt: skip
    typer.echo(f"{out / 'play.npz'}: the policy that plays")


Files = Annotated[
    Path, argument("File written by tribridge train boards, or a folder of LIN files.")
]


@app.command()
def boards(
    folder: Annotated[Path, argument("Folder of LIN files, with the folders in it.")],
    out: Annotated[Path, option("File to write.")] = Path("boards.npz"),
) -> None:
    """Read boards that people bid and played from LIN files.

    Boards that are illegal, cut off, passed out or in a file twice are counted and left out.
    """
    from tribridge.lab.training.lin_boards import read_folder
    from tribridge.networks.boards import save_boards

    check_place(out)
    reading = read_folder(folder)
    save_boards(reading.boards(), out)
    typer.echo(f"{out}: {reading}")


@app.command()
def experts(
    boards: Files,
    out: Out,
    minutes: Minutes = 2.0,
    passes: Annotated[
        float, option("Train for so many passes over all choices, however long.", min=0)
    ] = 0.0,
    start: Annotated[
        Path | None, option("Start from these weights, made wider; random weights unless given.")
    ] = None,
    width: Annotated[int, option("Width of the network.", min=1)] = 576,
    layers: Annotated[int, option("Layers of a network from random weights.", min=1)] = 6,
    rate: Annotated[float, option("Highest learning rate.", min=0)] = 6e-4,
    dropout: Annotated[float, option("Share of the values left out.", min=0, max=0.9)] = 0.1,
    decay: Annotated[float, option("Weight decay.", min=0)] = 0.05,
    preset: Preset = "gpu",
    endings: Annotated[
        bool, option("Play out boards that end with a claim.", "--endings/--no-endings")
    ] = True,
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train card play to imitate experts, on boards that they played.

    One deal in fifty is kept for validation, and the log loss there chooses the weights that are
    written. Boards that end with a claim are played out by the package's network, unless
    --no-endings is given. A run that was stopped has saved its network: go on with --start.
    """
    device = _device(device, preset, minutes)
    from tribridge.lab.training.experts import ExpertPiece, train
    from tribridge.lab.training.lin_boards import read_boards

    piece = ExpertPiece(minutes, passes=passes, rate=rate, dropout=dropout, decay=decay)
    if preset == "small":
        piece = replace(piece, minibatch=256, compiled=False, log_every=5.0)
        width, layers = 32, 2
    train(
        read_boards(boards, typer.echo), out, piece, width=width, layers=layers, start=start,
        finished=endings, device=device, seed=seed,
    )  # fmt: skip
    typer.echo(f"{out / 'experts.npz'}: the network that plays like them")


@app.command()
def bidding(
    out: Out,
    minutes: Minutes = 8.0,
    start: Start = None,
    preset: Preset = "gpu",
    scheme: Annotated[
        str, option("Bid for this scheme or these laws alone; unless given for all of the package.")
    ] = "",
    copy: Annotated[
        list[str] | None,
        option(
            "A network that bids like another caller, to bid against as well, as FILE, "
            "or as SCHEME=FILE if it does not bid for auction; repeatable."
        ),
    ] = None,
    payoffs: Annotated[
        Path | None, option("What contracts bring, from train payoffs; unless given, the forecast.")
    ] = None,
    imitation: Annotated[
        int, option("Batches of imitation at the start; 0: from random weights.", min=0)
    ] = 120,
    played: Annotated[
        bool, option("Pay what the player makes of each contract.", "--played")
    ] = False,
    optimism: Annotated[
        float, option("Share of the run in which failing costs less at first.", min=0, max=1)
    ] = 0.0,
    response: Annotated[
        int, option("Train a best response to --copy in this many seats.", min=0, max=2)
    ] = 0,
    rate: Rate = "1e-3,5e-5",
    entropy: Entropy = "0.02,0.001",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train bidding: imitate a greedy bidder, then PPO with fictitious self-play.

    One network bids for all schemes and laws, with doubles and without. A run that was stopped or
    killed has saved its networks, at most a minute before: go on from them with --start.
    """
    if response and not copy:
        raise SettingError("--response needs --copy, the caller to respond to")
    copies = {}
    for text in copy or []:
        name, _, file = text.rpartition("=")
        copies[name or "auction"] = Path(file)
    device = _device(device, preset, minutes)
    from tribridge.lab.training.bidding import BiddingPiece, BiddingSize, train

    size = BiddingSize(scheme=scheme)
    piece = BiddingPiece(
        minutes,
        rate=_two(rate, "--rate"),
        entropy=_two(entropy, "--entropy"),
        imitation=imitation,
        played=played,
        optimism=optimism,
        response=response,
    )
    if preset == "small":
        many = device == "cuda"
        games = 16_384 if many else 1024
        size = BiddingSize(**_small(64), scheme=scheme)
        piece = replace(
            piece,
            games=games,
            minibatch=games // 2,
            rate=(2e-3, 5e-5 if many else 2e-4),
            compiled=False,
            measured=4096 if many else 1024,
            imitation=imitation // 2,
        )
    train(
        out, size, piece, device=device, seed=seed, start=start, copies=copies,
        payoffs=payoffs,
    )  # fmt: skip
    typer.echo(f"{out / 'bidding.npz'}: the policy that bids")


@app.command("payoffs")
def train_payoffs(
    out: Out,
    bidder: Annotated[
        Path | None, option("Weights of the bidder; the package's unless given.")
    ] = None,
    start: Annotated[Path | None, option("Start from this payoffs.npz.")] = None,
    batches: Annotated[int, option("Batches of 65,536 games.", min=1)] = 200,
    preset: Preset = "gpu",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train a network that predicts the tricks our player takes in a bidder's contracts.

    Training of bidding then pays contracts by what it predicts.
    """
    device = _device(device, preset)
    from tribridge.lab.training.payoffs import train

    small: dict[str, Any] = {"games": 64, "width": 16, "layers": 1, "steps": 9, "minibatch": 64}
    sizes = small if preset == "small" else {}
    train(out, bidder=bidder, start=start, batches=batches, device=device, seed=seed, **sizes)
    typer.echo(f"{out / 'payoffs.npz'}: the tricks of contracts")


@app.command()
def forecast(
    labels: LabelFiles,
    out: Weights = Path("net.npz"),
    means: Annotated[
        list[Path] | None, option("A CSV file of mean tricks over ten layouts; repeatable.")
    ] = None,
    preset: Preset = "gpu",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train the forecast network on labels, double dummy or played (needs PyTorch).

    The small preset is only for trying the command: its forecasts are worthless.
    """
    device = _device(device, preset)
    from tribridge.lab.training.forecast import QUICK, train_files

    check_place(out)
    plan = None if preset == "gpu" else QUICK
    count = train_files(labels, means or [], out, plan, seed=seed, device=device)
    typer.echo(f"{out}: {count} weights")


@app.command()
def defence(
    labels: LabelFiles,
    out: Weights = Path("defence.npz"),
    preset: Preset = "gpu",
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train a defender's forecast on double-dummy labels of ordinary deals (needs PyTorch).

    Takes a few minutes on one core. The small preset is only for trying the command: its forecasts
    are worthless.
    """
    device = _device(device, preset)
    from tribridge.lab.training.forecast import DEFENCE, QUICK_DEFENCE, train_defence

    check_place(out)
    lesson = DEFENCE if preset == "gpu" else QUICK_DEFENCE
    count = train_defence(labels, out, lesson, seed=seed, device=device)
    typer.echo(f"{out}: {count} weights")


@app.command()
def estimators(
    labels: Labels,
    out: Annotated[Path, option("Folder for the data files.")],
) -> None:
    """Fit the points and capture forecasts.

    Writes points.json, capture.npz and defence.json as shipped with the package. The same labels
    give the same files.
    """
    from tribridge.lab.training.estimators import fit

    training = load_training_labels(labels)
    out.mkdir(parents=True, exist_ok=True)
    fit(training, out)


@app.command()
def typical_deals(
    labels: Labels,
    out: Annotated[Path, option("File to write.")],
) -> None:
    """Bid the labelled deals from which the worth of a rubber's standing is computed.

    Writes typical_deals.csv as shipped with the package. The same labels give the same file.
    """
    from tribridge.lab.training.typical_deals import play_typical_deals

    check_place(out)
    training = load_training_labels(labels)
    results = {name: play_typical_deals(training, find_scheme(name)) for name in (LOW, GAMES)}
    write_atomic(out, dumps_deals(results, training.title))
    typer.echo(f"{out}: {quantity(len(training), 'deal')} for each of {LOW} and {GAMES}")


@app.command()
def curves(
    log: Annotated[Path, argument("The log.jsonl of a training run.")],
    figure: Annotated[Path, argument("Figure to write: .svg, .png or .pdf.")],
) -> None:
    """Draw the learning curves of a training run (does not need PyTorch)."""
    from tribridge.lab.studies.drawing import drawn, file_kind
    from tribridge.lab.studies.training_logs import read_log, training_curves

    kind = file_kind(figure)
    check_place(figure)
    lines = read_log(log)
    write_atomic(figure, drawn(lambda: training_curves(lines), (kind,))[kind])
    typer.echo(f"{figure}: {quantity(len(lines), 'measurement')}")


def _device(name: str, preset: str, minutes: float = 1.0) -> str:
    """Check the options that all trainings share and return the device to use.

    Small networks run on one thread: sharing them costs more than it gains, and where other
    programs use the cores too, threads that wait for each other take many times as long.
    """
    if minutes <= 0:
        raise SettingError(f"--minutes must be greater than 0, not {minutes:g}")
    if preset not in ("gpu", "small"):
        raise SettingError(f"unknown preset {preset!r}: expected gpu or small")
    name = find_device(name)
    if preset == "small":
        import torch

        torch.set_num_threads(1)
    return name


def _small(width: int) -> dict[str, Any]:
    """The sizes of a small policy and critic."""
    return {"width": width, "layers": 2, "critic_width": width, "critic_layers": 2}


def _two(text: str, name: str) -> tuple[float, float]:
    """Two numbers separated by a comma."""
    try:
        first, last = (float(part) for part in text.split(","))
    except ValueError:
        raise SettingError(f"{name} {text!r}: expected two numbers, as in 5e-4,2e-4") from None
    return first, last


@app.command()
def small(
    out: Weights = Path("small.npz"),
    batches: Annotated[int, option("Batches of games to learn from.", min=1)] = 24,
    games: Annotated[int, option("Games in a batch.", min=1)] = 16_384,
    steps: Annotated[int, option("Steps of the optimiser.", min=1)] = 20_000,
    device: Device = "auto",
    seed: Seed = 1,
) -> None:
    """Train the small network of the search: it imitates the player learned@1.

    It learns the preferences of the package's network in games that this network plays.
    """
    device = find_device(device)
    import torch

    from tribridge.lab.training.networks import save_network, shipped
    from tribridge.lab.training.play import PointsDeals, train_small
    from tribridge.strategies.learned import TRICKS

    check_place(out)
    place = torch.device(device)
    network, share = train_small(
        shipped(TRICKS, place),
        PointsDeals(place),
        batches=batches,
        games=games,
        steps=steps,
        device=device,
        seed=seed,
    )
    save_network(network, out)
    typer.echo(f"{out}: prefers the same card as the player learned@1 in {share:.1%} of choices")


@app.command()
def pack(
    network: Annotated[Path, argument("Weights that a training run wrote.")],
    out: Weights,
    bits: Annotated[int, option("Size of a weight: 8 or 16.")] = 8,
    step: Annotated[
        float, option("In 8 bits: round to so many standard deviations of a row.", min=0, max=1)
    ] = 0.0,
    boards: Annotated[
        Path | None,
        option("Boards on which weights make up for the rounding of others."),
    ] = None,
    count: Annotated[int, option("How many of these boards, at most.", min=1)] = 2000,
    seed: Seed = 1,
) -> None:
    """Write weights in 8 or 16 bits, as networks of the package are stored.

    Under a name that ends in .split they are also compressed. The larger the step, the smaller.
    With --boards a player for points, or the critic of the package, changes less: of those that are
    not for validation some are drawn, and each weight makes up for what the rounding of others
    changes on them.
    """
    import numpy as np

    from tribridge.networks.network import full_size, in_eight_bits, in_sixteen_bits

    check_place(out)
    if bits not in (8, 16):
        raise SettingError(f"--bits {bits}: expected 8 or 16")
    if not network.exists():
        raise NotFoundError(f"{network}: no such file; `tribridge train` makes such networks")
    with network.open("rb") as file:
        arrays = full_size(load_arrays(file, f"{network}: not the weights of a network"))
    if boards is not None:
        if bits != 8:
            raise SettingError("--boards goes with --bits 8")
        packed = _fitted(network, arrays, step, boards, count, seed)
    else:
        packed = in_eight_bits(arrays, step) if bits == 8 else in_sixteen_bits(arrays)
    buffer = BytesIO()
    np.savez(buffer, **packed)
    data = split(buffer.getvalue()) if out.suffix == ".split" else buffer.getvalue()
    write_atomic(out, data)
    typer.echo(f"{out}: {len(data):,} bytes, {network} has {network.stat().st_size:,}")


def _fitted(
    network: Path, arrays: dict[str, Any], step: float, boards: Path, count: int, seed: int
) -> dict[str, Any]:
    """Weights rounded on positions of boards for training."""
    from tribridge.lab.training.lin_boards import read_boards
    from tribridge.lab.training.rounding import features_of, rounded
    from tribridge.networks.boards import draw, for_validation
    from tribridge.networks.network import load_network, read_weights
    from tribridge.networks.play import POINTS_KIND
    from tribridge.networks.values import SHIPPED
    from tribridge.strategies.learned import POINTS
    from tribridge.strategies.learned import network as shipped

    with network.open("rb") as file:
        kind, _ = read_weights(file, str(network), POINTS_KIND, SHIPPED)
    player = shipped(POINTS)
    if kind == POINTS_KIND:
        with network.open("rb") as file:
            player = load_network(file, str(network), POINTS_KIND)
    given = read_boards(boards, typer.echo)
    given = draw(given.take(~for_validation(given)), count, seed)
    seen = features_of(given, player, seed, all_hands=kind == SHIPPED)
    return rounded(arrays, step, seen)


@app.command()
def compare(
    networks: Annotated[list[Path], argument("Weights of bidders, or of players; two or more.")],
    deals: Annotated[int, option("Fresh deals.", min=2)] = 100_000,
    scheme: Annotated[
        str, option("Scoring scheme, or laws of a rubber at random standings.")
    ] = "auction",
    payoffs: Annotated[
        Path | None, option("Settle bidders by this network of train payoffs, not by forecast.")
    ] = None,
    played: Annotated[bool, option("Settle bidders by what the player makes.", "--played")] = False,
    doubles: Annotated[
        float, option("Share of the games in which bidders may double.", min=0, max=1)
    ] = 0.0,
    as_json: AsJson = False,
    device: Device = "auto",
    seed: Annotated[int, option("Seed of the deals.")] = 1,
) -> None:
    """Play trained networks against each other on fresh deals.

    Bidders play one against two of the other and two against one, settled by forecast;
    players declare and defend contracts set by rule and contracts from auctions.
    """
    device = find_device(device)
    from tribridge.lab.training.comparing import Settling
    from tribridge.lab.training.comparing import compare as play_all

    by = Settling(scheme, payoffs, played, doubles)
    leads = play_all(networks, deals, by, device=device, seed=seed)
    if as_json:
        print_json(list(map(asdict, leads)))
        return
    table = Table("network", "against", "holding", "lead ± standard error", box=None)
    for each in leads:
        table.add_row(each.one, each.other, each.where, f"{each.lead:+.3f} ± {each.error:.3f}")
    Console().print(table)
    print(f"{quantity(deals, 'deal')}; leads are points per game under {scheme}.")
