"""What an auction says about the hands, call by call, and what that is worth.

Bits are gains of a proper score: by how much a call raises the log2 of the chance that a listener,
one of the other two players, gives to who holds each unseen card. A call that lowers it misleads.
The model of calls is the table's, calibrated; other models, the paper's bidder among them, are
compared with it where the auction is over. What the calls are worth in tricks and points is taken
from the study `opponents`. The package has the result (`calls.json`, written by
`benchmarks/calls_result.py` under `calls.plan.toml`); a run bids the first of these auctions again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

from tribridge.common.stats import Interval
from tribridge.common.tables import BITS, P_VALUE, PERCENT, POINTS, TRICKS
from tribridge.lab.studies import calibration, opponents
from tribridge.lab.studies.drawing import (
    BLUE,
    GREY,
    RED,
    Drawing,
    error_bars,
    name_axes,
    new_figure,
)
from tribridge.lab.studies.plans import Answer, plan_of
from tribridge.lab.studies.study import Figure, Runner, Study, planned, stored

AUCTION: Final = "auction"
CONTRACT: Final = "contract"
NETWORK: Final = "the bidders' network"
CALIBRATED: Final = "the table's, calibrated"
AS_IS: Final = "the table's, as it is"
CLOSED: Final = "the paper's bidder"
PLAN: Final = plan_of("calls")
_BITS: Final = replace(BITS, digits=2)
_FINE: Final = replace(BITS, digits=3)
_TRICKS: Final = replace(TRICKS, digits=3)
_POINTS: Final = replace(POINTS, digits=2)
_SHARE: Final = replace(PERCENT, digits=1)
_SHOWN: Final = 24
"""Kinds of calls in the figure at most."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What each call says, in bits.

    {source}. Mean over the calls and both listeners, about the caller's hand (with its 95% interval
    over deals), the third player's, the hidden hand and all three. Misleads: how often listeners
    know less about the caller's hand than before. Calls made fewer than {frequent} times are left
    out; a pass is named by the level of the bid it passes.
    """

    scheme: str
    call: str
    calls: int
    caller: Annotated[Interval, "about the caller's hand", _BITS]
    third: Annotated[float, "third player's", _BITS]
    hidden: Annotated[float, "hidden", _BITS]
    whole: Annotated[float, "all three", _BITS]
    misleads: Annotated[float, "% misleading", _SHARE]


@dataclass(frozen=True, slots=True)
class Placed:
    """What the first call of each player says, by place.

    {source}. Bits about the caller's hand, with 95% intervals over deals.
    """

    scheme: str
    place: Annotated[str, "to call"]
    bids: Annotated[float, "% that bid", _SHARE]
    caller: Annotated[Interval, "about the caller's hand", _BITS]
    of_bid: Annotated[float, "by a bid", _BITS]
    of_pass: Annotated[float, "by a pass", _BITS]


@dataclass(frozen=True, slots=True)
class Levelled:
    """What bids say, by level.

    {source}. Bits about the caller's hand and about all three, with 95% intervals over deals.
    """

    scheme: str
    level: int
    bids: int
    caller: Annotated[Interval, "about the caller's hand", _BITS]
    whole: Annotated[float, "all three", _BITS]


@dataclass(frozen=True, slots=True)
class Modelled:
    """What each model of calls gets out of a whole auction.

    The first {models} of these deals, the same layouts for all models. Bits about all hands that a
    player does not see, of the 61.8 that are missing at the deal, counted card by card: 39 cards in
    one of three hands each. (Of whole deals 56 are missing, since every hand has thirteen cards.)
    Below 0 a listener does better to ignore the calls. With 95% intervals over deals. The network's
    likelihoods are sharp, and few layouts explain an auction: its line measures the sample more
    than the calls.
    """

    scheme: str
    model: str
    deals: int
    bits: Annotated[Interval, "bits a view", _BITS]


@dataclass(frozen=True, slots=True)
class Worth:
    """From bits to tricks to points.

    Under the laws `auction-rubber`: bits a card that the calls save once the auction is over and
    dummy is seen (study `calibration`), tricks that they save at an opening lead and points in a
    complete game (study `opponents`, whose power was stated before). Holm's correction is theirs.
    """

    layouts: Annotated[str, "layouts drawn by"]
    bits: Annotated[Interval | None, "bits a card saved", "bits from", "bits to", _FINE]
    tricks: Annotated[Interval | None, "tricks saved a lead", "tricks from", "tricks to", _TRICKS]
    holm: Annotated[float | None, "p (Holm)", P_VALUE]
    points: Annotated[Interval | None, "points a game", "points from", "points to", _POINTS]


@dataclass(frozen=True, slots=True)
class Tested:
    """A number that a hypothesis is about."""

    span: Interval
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The first auctions of this study, bid again for this report.

    By the same network on this machine's processor. A GPU computes with fewer digits, so that a
    close choice may differ.
    """

    auctions: int
    same: Annotated[int, "same calls"]


@dataclass(frozen=True, slots=True)
class Result:
    """What auctions say."""

    plan: str
    source: str
    frequent: int
    models: int
    deviations: str
    """From the plan."""
    sample: tuple[tuple[int, ...], ...]
    """The calls of the first auctions under `contract`."""
    kinds: Annotated[tuple[Kind, ...], "calls-said"]
    places: Annotated[tuple[Placed, ...], "calls-places"]
    levels: Annotated[tuple[Levelled, ...], "calls-levels"]
    modelled: Annotated[tuple[Modelled, ...], "calls-models"]
    tested: Mapping[str, Tested]
    """By the hypotheses of the plan."""
    worth: Annotated[tuple[Worth, ...], "calls-worth"] = ()
    again: Annotated[tuple[Again, ...], "calls-again"] = ()

    def model(self, scheme: str, name: str) -> Modelled:
        """What a model gets under a scheme."""
        return next(row for row in self.modelled if (row.scheme, row.model) == (scheme, name))

    def kinds_of(self, scheme: str) -> list[Kind]:
        """The calls under a scheme, those that say most first."""
        rows = [row for row in self.kinds if row.scheme == scheme]
        return sorted(rows, key=lambda row: -row.caller.estimate)


def answers(result: Result) -> Mapping[str, Answer]:
    """What was found, by the hypotheses of the plan."""
    return {key: Answer(each.span, each.p) for key, each in result.tested.items()}


def worth_rows() -> tuple[Worth, ...]:
    """Bits, tricks and points of the same beliefs, from two other studies."""
    led = stored("opponents", opponents.Result)
    scored = stored("calibration", calibration.Result).scorings
    saved = next(
        row.saved
        for row in scored
        if (row.scoring, row.model) == ("auction-rubber", calibration.CALIBRATED)
    )
    return tuple(
        Worth(
            opponents.LAYOUTS_BY[row.layouts],
            saved if row.layouts == opponents.CALLS else None,
            row.saved,
            row.holm,
            led.games[0].gained if row.layouts == opponents.CALLS else None,
        )
        for row in led.leads
        if row.layouts != opponents.UNIFORM
    )


def run(auctions: int, seed: int, runner: Runner) -> Result:
    """The stored result, with its first auctions bid again."""
    from tribridge.game.scoring import find_scheme
    from tribridge.lab.training.whole_games import Table, deals

    result = planned("calls", Result, PLAN)
    hands = deals(PLAN.seeds["calls"], 0, auctions)
    calls = Table(find_scheme(CONTRACT)).calls(hands)
    now = [tuple(int(call) for call in column if call >= 0) for column in calls.T]
    same = sum(a == b for a, b in zip(now, result.sample, strict=False))
    return replace(result, worth=worth_rows(), again=(Again(auctions, same),))


def draw(result: Result) -> Drawing:
    """What a call says about the hand of the player who makes it.

    Bits that a listener gains under `contract`, with 95% intervals over deals; red calls mislead on
    average. The calls that say most and least, of those that are not rare.
    """
    rows = result.kinds_of(CONTRACT)
    if len(rows) > _SHOWN:
        rows = rows[: _SHOWN // 2] + rows[-(_SHOWN // 2) :]
    rows = rows[::-1]
    figure, axes = new_figure(6.6, 0.9 + 0.24 * len(rows))
    spans = [row.caller for row in rows]
    colours = [BLUE if span.estimate > 0 else RED for span in spans]
    axes.barh(
        range(len(rows)),
        [span.estimate for span in spans],
        xerr=error_bars(spans),
        color=colours,
        ecolor=GREY,
        height=0.7,
    )
    axes.axvline(0, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [row.call for row in rows])
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    name_axes(axes, "", "bits about the caller's hand", "")
    return figure


STUDY: Final[Study[int, Result]] = Study(
    name="calls",
    title="What an auction says, and what it is worth",
    order=117,
    run=run,
    paper=60,
    quick=6,
    describe=lambda auctions: {"auctions of the study `calls` bid again": auctions},
    figures=(Figure("calls-said", "calls-said", draw),),
    plan=PLAN,
    answers=answers,
    deviations=lambda result: result.deviations,
)
