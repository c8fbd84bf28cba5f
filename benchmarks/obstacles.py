"""What stands between captures and tricks: deals played with one obstacle after another removed.

    python -m benchmarks.obstacles play --out GAMES.jsonl
    python -m benchmarks.obstacles result GAMES.jsonl --result FILE.json

Algorithm 2 counts as if declarer's side led to every trick, and from the hand it likes. Three rules
of bridge stand between such a count and the tricks of the play. Each is taken away by itself and
with the others (`Easier`):

- **lead**: declarer's side makes the opening lead, from either hand;
- **stops**: a defender who wins a trick does not lead to the next: the next hand in turn does,
  which is one of declarer's side. Nothing can be run against declarer;
- **entries**: whenever declarer's side is to lead, it leads from the hand it likes.

All four hands play double dummy in notrump as the rules of bridge have it, of equal cards the
lowest, and the lead is then handed over: nobody counts on the help in advance. (A search that does
takes minutes a deal.) With nothing removed the tricks are those of double dummy.

**Defence**: a declarer who sees all cards, against `learned@1` in place of defenders who do, in
notrump at the level of the captures.

Numbers and deals were fixed before (`obstacles.plan.toml`). The file grows declarer by declarer; a
run with the same file continues. `benchmarks/results` has that of the result in the package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.capture.simulation import arrays
from tribridge.capture.simulation.tables import A_FAILS, B_FAILS
from tribridge.cards.cards import Strain
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common import stats
from tribridge.common.errors import FormatError
from tribridge.common.files import write_atomic
from tribridge.common.tables import corrected
from tribridge.double_dummy import dds
from tribridge.game import new_table
from tribridge.game.auction import PASS, Bid
from tribridge.game.tricks import Chair, winner
from tribridge.lab.labels.labels import Labels, load_labels, shipped
from tribridge.lab.studies.obstacles import (
    DEFENCE,
    ENTRIES,
    LEAD,
    STOPS,
    Judged,
    Left,
    Rejected,
    Removed,
    Result,
)
from tribridge.lab.studies.plans import plan_of
from tribridge.lab.studies.study import dumps_result
from tribridge.strategies import act, decision_rng, find_strategy
from tribridge.strategies.versions import commit, player_version

F64 = NDArray[np.float64]
DATA: Final = Path(__file__).parents[1] / "data"
ORDER: Final = (LEAD, STOPS, ENTRIES)
"""In which obstacles are removed one after another, as declarer meets them."""
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


def shapley(played: Sequence[Played], obstacle: str) -> F64:
    """Tricks that a removal gains on average over all orders, by declarer."""
    names = Easier._fields
    gains = np.zeros(len(played))
    orders = [*permutations(names)]
    for order in orders:
        before = dict.fromkeys(order[: order.index(obstacle)], True)
        gains += under(played, Easier(**before, **{obstacle: True}))
        gains -= under(played, Easier(**before))
    return gains / len(orders)


def under(played: Sequence[Played], rules: Easier) -> F64:
    """Tricks under rules, by declarer."""
    return np.array([row.tricks[str(rules)] for row in played], float)


def result_of(played: Sequence[Played]) -> Result:
    """The tables of the study, from declarers as they were played."""
    captures = np.array([row.captures for row in played], float)
    tricks = under(played, Easier())
    defence = np.array([row.defence for row in played], float) - tricks
    removed, left = [], [_left("nothing", captures, tricks)]
    before = Easier()
    for obstacle in ORDER:
        alone = under(played, Easier(**{obstacle: True})) - tricks
        rules = before._replace(**{obstacle: True})
        then = under(played, rules) - under(played, before)
        one, more, mean = map(stats.mean_interval, (alone, then, shapley(played, obstacle)))
        removed.append(Removed(obstacle, one, more, mean, stats.paired(alone).p))
        before = rules
        done = "+".join(ORDER[: ORDER.index(obstacle) + 1])
        left.append(_left(done, captures, under(played, before)))
    span = stats.mean_interval(defence)
    removed.append(Removed(DEFENCE, span, None, None, stats.paired(defence).p))
    work = shipped().title
    return Result(
        plan_of("obstacles").digest,
        f"{len(played)} declarers in notrump who pass both conditions, one a deal, of the {work}; "
        f"played beforehand by `python -m benchmarks.obstacles`, the weaker defence by "
        f"{made_by()}, commit {commit()}.",
        f"The {work}.",
        corrected(removed),
        tuple(left),
        tuple(rejected()),
        tuple(judged(played, captures, defence)),
    )


def _left(removed: str, captures: F64, tricks: F64) -> Left:
    bias = captures - tricks
    spans = stats.mean_interval(bias), stats.mean_interval(np.abs(bias))
    return Left(removed, float(tricks.mean()), *spans)


def rejected() -> Iterator[Rejected]:
    """What conditions A and B cost, on all labelled deals."""
    labels, training = shipped(), load_labels(DATA / "labels-7.parquet")
    codes, tricks = _verdicts(labels), labels.of(Strain.NOTRUMP).astype(float)
    train_codes, train_tricks = _verdicts(training), training.of(Strain.NOTRUMP).astype(float)
    fails = codes <= B_FAILS
    constant = float(train_tricks[train_codes <= B_FAILS].mean())
    everybody = np.ones_like(fails)
    zero = np.where(fails, 0.0, codes)
    for name, said, who in (
        ("both conditions hold", zero, ~fails),
        ("A fails: 0", zero, codes == A_FAILS),
        ("B fails: 0", zero, codes == B_FAILS),
        ("all: 0 if rejected", zero, everybody),
        (f"all: {constant:.1f} if rejected", np.where(fails, constant, codes), everybody),
    ):
        spans = (stats.chosen_mean(values, who, plan_of("obstacles").seeds["bootstrap"])
                 for values in (said - tricks, np.abs(said - tricks)))  # fmt: skip
        yield Rejected(
            name, int(who.sum()), 100 * float(who.mean()), float(tricks[who].mean()), *spans
        )


def _verdicts(labels: Labels) -> NDArray[np.int64]:
    hands, dummies, _ = labels.pairs()
    return arrays.pair(hands, dummies).verdict.reshape(labels.seats.shape)


def judged(played: Sequence[Played], captures: F64, defence: F64) -> Iterator[Judged]:
    """The numbers of the plan."""
    tricks, easiest = under(played, Easier()), under(played, RULES[-1])
    alone = {name: under(played, Easier(**{name: True})) - tricks for name in ORDER}
    values = {
        **alone,
        "stops-most": shapley(played, STOPS) - shapley(played, ENTRIES),
        "half": easiest - tricks - (captures - tricks) / 2,
        "rest": captures - easiest,
        "defence": defence,
    }
    for name, numbers in values.items():
        p = None if name == "rest" else stats.paired(numbers).p
        yield Judged(name, stats.mean_interval(numbers), p)


@app.command()
def result(
    played: Annotated[Path, typer.Argument(help="What `play` wrote.")],
    out: Annotated[Path, typer.Option("--result", help="The file of the study.")],
) -> None:
    """Write the result of the study."""
    rows = load(played)
    wanted = plan_of("obstacles").sizes["declarers"]
    if len(rows) < wanted:
        raise FormatError(f"{played}: {len(rows)} of {wanted} declarers; play the others first")
    write_atomic(out, dumps_result(result_of(rows)))


if __name__ == "__main__":
    in_one_line(app)
