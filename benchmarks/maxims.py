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

from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.double_dummy.dds import cards as double_dummy_cards
from tribridge.game import PASS, Position, new_table
from tribridge.game.position import NO_TRUMP
from tribridge.strategies.players.maxims.player import maxim

Maxim = Callable[[Position], tuple[Card, str]]

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
    try:  # before players and tables had one position
        sight = importlib.import_module(f"{module.__name__.rsplit('.', 2)[0]}.sight").Sight
    except ModuleNotFoundError:
        return found
    fields = [name for name in sight._fields if name != "trump"]

    def adapted(position: Position) -> tuple[Card, str]:
        values = {name: getattr(position, name) for name in fields}
        return found(sight(trump=-1 if position.trump == NO_TRUMP else position.trump, **values))

    return adapted


def opening(seed: int, number: int) -> Position:
    """A deal at its opening lead."""
    dealt = deal(seed, number)
    seat, bid = contract(dealt)
    play = new_table(dealt, seat).apply(bid).apply(PASS).apply(PASS).position
    assert play is not None
    return play


def tricks(seed: int, number: int, declarer: Maxim, defence: Maxim) -> tuple[int, bool]:
    """Declarer's tricks, and whether the contract is made."""
    game = opening(seed, number)
    while not game.over:
        game = game.apply_unchecked((declarer if game.declaring else defence)(game)[0])
    return game.won, game.won >= game.contract.tricks_needed()


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
            card, reason = maxim(game)
            if len(game.legal) > 1:
                strain = contract(deal(seed, number))[1].strain
                values = double_dummy_cards(game.hands, strain, game.leader, game.trick)
                best = max(values.values()) if game.declaring else min(values.values())
                rule = re.sub(r"[♠♥♦♣](10|.)", "♦", reason)
                key = ("declaring" if game.declaring else "defending", rule)
                cost[key].append(abs(best - values[card]))
                if cost[key][-1]:
                    worst[key] = f"deal {number} trick {len(game.tricks) + 1}"
            game = game.apply_unchecked(card)
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
