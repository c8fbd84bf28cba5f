"""What stands between captures and tricks: deals played with one obstacle after another removed.

    python -m benchmarks.obstacles play --out GAMES.jsonl
    python -m benchmarks.obstacles result GAMES.jsonl --result FILE.json

Algorithm 2 counts as if declarer's side led to every trick, and from the hand it likes. Three rules
of bridge stand between such a count and the tricks of the play. Each is taken away by itself and
with the others (`Easier`):

- **lead**: declarer's side makes the opening lead, from either hand;
- **stops**: a defender who wins a trick does not lead to the next: the next hand in turn does, which
  is one of declarer's side. Nothing can be run against declarer;
- **entries**: whenever declarer's side is to lead, it leads from the hand it likes.

All four hands play double dummy in notrump as the rules of bridge have it, of equal cards the lowest, and
the lead is then handed over: nobody counts on the help in advance. (A search that does takes minutes
a deal.) With nothing removed the tricks are those of double dummy.

**Defence**: a declarer who sees all cards, against `learned@1` in place of defenders who do, in
notrump at the level of the captures.

Numbers and deals were fixed before (`obstacles.plan.toml`). The file grows declarer by declarer; a
run with the same file continues.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import B_FAILS
from tribridge.cards.cards import Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError
from tribridge.double_dummy import dds
from tribridge.game import new_table
from tribridge.game.auction import PASS, Bid
from tribridge.game.tricks import Chair, winner
from tribridge.lab.labels.labels import Labels, shipped
from tribridge.lab.studies.plans import plan_of
from tribridge.strategies import act, decision_rng, find_strategy
from tribridge.strategies.versions import player_version

app = typer.Typer()


@app.callback()
def main() -> None:
    """What stands between captures and tricks."""


class Easier(NamedTuple):
    """Which obstacles are removed; none: the rules of bridge."""

    lead: bool = False
    stops: bool = False
    entries: bool = False

    def __str__(self) -> str:
        names = [name for name, gone in zip(self._fields, self, strict=True) if gone]
        return "+".join(names) or "nothing"


RULES: Final = tuple(
    sorted((Easier(*which) for which in product((False, True), repeat=3)), key=sum)
)
"""Every combination, from the rules of bridge to all three removed."""


class Played(NamedTuple):
    """A declarer: captures, and tricks under all rules and against the weaker defence."""

    number: int
    captures: int
    double_dummy: int
    tricks: dict[str, int]
    """By the name of what is removed."""
    defence: int


def tricks_under(hands: Sequence[int], rules: Easier) -> int:
    """Declarer's tricks in notrump under easier rules; hands by chair."""
    left, won = list(hands), 0
    leaders = (Chair.DECLARER, Chair.DUMMY) if rules.lead else (Chair.LEFT,)
    while any(left):
        values = {leader: dds.cards(left, Strain.NOTRUMP, leader, ()) for leader in leaders}
        leader = max(leaders, key=lambda chair: max(values[chair].values()))
        trick: list[Any] = []
        for at in range(len(Chair)):
            chair = Chair((leader + at) % len(Chair))
            worth = values[leader] if not trick else dds.cards(left, Strain.NOTRUMP, leader, trick)
            best = (max if chair.declaring else min)(worth.values())
            card = max(
                (card for card in worth if worth[card] == best), key=lambda card: card.column
            )
            trick.append(card)
            left[chair] ^= card.bit
        taker = winner(leader, tuple(trick), None)
        won += taker.declaring
        if rules.stops and not taker.declaring:
            taker = Chair((taker + 1) % len(Chair))
        free = rules.entries and taker.declaring
        leaders = (Chair.DECLARER, Chair.DUMMY) if free else (taker,)
    return won


def tricks_against(seed: int, number: int, declarer: Seat, captures: int) -> int:
    """Tricks of a declarer who sees all cards against `learned@1`."""
    table = new_table(deal(seed, number), declarer)
    for call in (Bid(min(max(captures - 6, 1), 7), Strain.NOTRUMP), PASS, PASS):
        table = table.apply(call)
    oracle, learned = find_strategy("pass+oracle"), find_strategy("pass+learned@1")
    actions = 0
    while not table.over:
        turn, position = table.turn, table.position
        assert turn is not None
        assert position is not None
        strategy = oracle if turn is declarer else learned
        choice = act(strategy, table, decision_rng(seed, number, turn, actions))
        table, actions = table.apply(choice.action, turn), actions + 1
    assert table.position is not None
    return table.position.won


def chosen(labels: Labels) -> Iterator[tuple[int, int]]:
    """The deals whose declarer, the seat (number mod 3), passes both conditions; with captures."""
    seats = labels.numbers.astype(np.int64) % len(Seat)
    own = labels.hands[np.arange(len(labels)), seats]
    codes = arrays.pair(own, labels.hands[:, 3]).verdict
    for number in np.flatnonzero(codes > B_FAILS).tolist():
        yield number, int(codes[number])


def play_one(labels: Labels, number: int, captures: int) -> Played:
    """A declarer under all rules."""
    seat = number % len(Seat)
    hands = labels.work.chairs(
        labels.numbers[number : number + 1], labels.hands[number : number + 1]
    )
    chairs = [int(mask) for mask in hands[seat]]
    return Played(
        number,
        captures,
        int(labels.of(Strain.NOTRUMP)[number, seat]),
        {str(rules): tricks_under(chairs, rules) for rules in RULES},
        tricks_against(labels.work.seed, number, Seat(seat), captures),
    )


def made_by() -> str:
    """The version of the weaker defence."""
    return str(player_version("learned@1"))


def load(path: Path) -> list[Played]:
    """The declarers of a file, made under the plan and by the version of today."""
    if not path.exists():
        return []
    head, *rows = path.read_text("utf-8").splitlines()
    if json.loads(head) != _head():
        raise FormatError(f"{path}: by another version or under another plan; name another file")
    return [Played(**json.loads(row)) for row in rows]


def _head() -> dict[str, str]:
    return {"plan": plan_of("obstacles").digest, "made_by": made_by()}


@app.command()
def play(
    out: Annotated[Path, typer.Option(help="A file for the tricks; continued if it is there.")],
    declarers: Annotated[int, typer.Option(min=1)] = plan_of("obstacles").sizes["declarers"],
) -> None:
    """Play the declarers under all rules."""
    labels, done = shipped(), len(load(out))
    if not out.exists():
        out.write_text(json.dumps(_head()) + "\n")
    for at, (number, captures) in enumerate(chosen(labels)):
        if done <= at < declarers:
            with out.open("a") as file:
                file.write(json.dumps(play_one(labels, number, captures)._asdict()) + "\n")
            print(f"{at + 1} of {declarers}", flush=True)


if __name__ == "__main__":
    app()
