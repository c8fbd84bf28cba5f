"""The maxims as they stand against those of an earlier commit, on the same deals.

python benchmarks/maxims.py COMMIT [--deals 1000] [--seed 31]     tricks gained, both ways
python benchmarks/maxims.py --losses [--deals 50] [--seed 31]     what each maxim costs double dummy

Contracts are those of `benchmarks/strategies.py`. Each deal is played four times: new and old
maxims declaring against new and old ones defending. A gain is a mean of paired differences with its
standard error. The losses are those of single cards against the best card double dummy, by the
maxim that chose them: a long list of large losses shows a rule that misfires, but a good rule may
lose to a player who sees all hands.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer
from strategies import contract

from tribridge.cards import Card
from tribridge.dealer import deal
from tribridge.double_dummy.dds import cards as double_dummy_cards
from tribridge.game import PASS, new_table
from tribridge.strategies.players.maxims.player import maxim
from tribridge.strategies.players.search.simulation import Simulation
from tribridge.strategies.players.sight import NO_TRUMP, Sight

Maxim = Callable[[Sight], tuple[Card, str]]

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/tribridge"


def earlier(commit: str) -> Maxim:
    """The maxims of an earlier commit, imported beside the present ones."""
    with TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit, PACKAGE], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        package = (Path(folder) / PACKAGE).rename(Path(folder) / "earlier")
        for path in package.rglob("*.py"):
            path.write_text(re.sub(r"\btribridge\b", "earlier", path.read_text("utf-8")), "utf-8")
        sys.path.insert(0, folder)
        try:
            module = importlib.import_module("earlier.strategies.players.maxims.player")
        except ModuleNotFoundError:  # before the players had a folder
            module = importlib.import_module("earlier.strategies.maxims")
        finally:
            sys.path.remove(folder)
    found: Maxim = module.maxim
    return found


def opening(seed: int, number: int) -> Simulation:
    """A deal at its opening lead."""
    dealt = deal(seed, number)
    seat, bid = contract(dealt)
    play = new_table(dealt, seat).apply(bid).apply(PASS).apply(PASS).position
    assert play is not None
    trump = int(bid.strain)
    return Simulation(
        hands=list(play.hands),
        trump=NO_TRUMP if trump == 4 else trump,
        leader=1,
        trick=(),
        tricks=(),
        voids=[0, 0, 0, 0],
        won=0,
        needed=play.contract.tricks_needed(),
        size=13,
    )


def tricks(seed: int, number: int, declarer: Maxim, defence: Maxim) -> tuple[int, bool]:
    """Declarer's tricks, and whether the contract is made."""
    game = opening(seed, number)
    while not game.over:
        game.play((defence if game.chair & 1 else declarer)(game.sight())[0])
    return game.won, game.won >= game.needed


def mean(values: np.ndarray) -> str:
    """A mean with its standard error."""
    return f"{values.mean():+.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def compare(commit: str, deals: int, first: int, seed: int) -> None:
    """Print what the present maxims gain over the earlier ones."""
    old = earlier(commit)
    pairs = {
        (a, b): (a_, b_)
        for a, a_ in (("new", maxim), ("old", old))
        for b, b_ in (("new", maxim), ("old", old))
    }
    numbers = range(first, first + deals)
    won = {pair: np.array([tricks(seed, n, *who) for n in numbers]) for pair, who in pairs.items()}
    for rival in ("old", "new"):
        gain = won["new", rival] - won["old", rival]
        print(f"declaring against {rival}: {mean(gain[:, 0])} tricks, {mean(gain[:, 1])} made")
        gain = won[rival, "old"] - won[rival, "new"]
        print(f"defending against {rival}: {mean(gain[:, 0])} tricks, {mean(gain[:, 1])} defeated")


def losses(deals: int, first: int, seed: int) -> None:
    """Print what each maxim loses against the best card double dummy."""
    cost: dict[tuple[str, str], list[int]] = defaultdict(list)
    worst: dict[tuple[str, str], str] = {}
    for number in range(first, first + deals):
        game = opening(seed, number)
        while not game.over:
            sight = game.sight()
            card, reason = maxim(sight)
            if game.legal() & (game.legal() - 1):
                strain = contract(deal(seed, number))[1].strain
                values = double_dummy_cards(game.hands, strain, game.leader, game.trick)
                best = max(values.values()) if sight.declaring else min(values.values())
                rule = re.sub(r"[♠♥♦♣](10|.)", "♦", reason)
                key = ("declaring" if sight.declaring else "defending", rule)
                cost[key].append(abs(best - values[card]))
                if cost[key][-1]:
                    worst[key] = f"deal {number} trick {len(game.tricks) + 1}"
            game.play(card)
    for side in ("declaring", "defending"):
        rows = sorted((k for k in cost if k[0] == side), key=lambda k: -sum(cost[k]))
        print(f"{side}: {sum(sum(cost[k]) for k in rows) / deals:.2f} tricks a deal")
        for key in rows:
            lost = np.array(cost[key])
            print(
                f"  {lost.sum() / deals:.3f} a deal, {(lost > 0).mean():4.0%} of {len(lost):5d}  "
                f"{key[1]}  {worst.get(key, '')}"
            )


def main(
    commit: Annotated[str, typer.Argument(help="The earlier maxims.")] = "HEAD",
    deals: Annotated[int, typer.Option(min=2)] = 1000,
    first: Annotated[int, typer.Option(min=0)] = 0,
    seed: Annotated[int, typer.Option(min=0)] = 31,
    losses_only: Annotated[bool, typer.Option("--losses", help="Loss by maxim.")] = False,
) -> None:
    """Compare two versions of the maxims, or list the losses of the present ones."""
    if losses_only:
        losses(deals, first, seed)
    else:
        compare(commit, deals, first, seed)


if __name__ == "__main__":
    typer.run(main)
