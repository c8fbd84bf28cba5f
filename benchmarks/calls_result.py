"""The result of the study of calls, from its scored auctions.

    python -m benchmarks.calls_result --said FOLDER --result FILE.json

The auctions are those of `benchmarks/calls.py`; all batches of the plan must be there. The models
of calls of the table and the paper's bidder score the first of them here, over the same layouts,
which takes a few minutes. The result in the package is `studies/calls.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.calls import BATCH, folder_of
from benchmarks.place import SCHEMES, Folder
from benchmarks.refusals import in_one_line
from tribridge.beliefs import FLOOR, CallModel, CaptureCalls, PointCalls
from tribridge.beliefs.trust import TRUST, trust_at
from tribridge.cards.cards import FULL_DECK
from tribridge.cards.deals import Seat
from tribridge.common import stats
from tribridge.common.files import write_atomic
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.game.scoring import ALIASES, find_scheme
from tribridge.lab.studies.calls import (
    AS_IS,
    AUCTION,
    CALIBRATED,
    CLOSED,
    CONTRACT,
    NETWORK,
    PLAN,
    Kind,
    Levelled,
    Modelled,
    Placed,
    Result,
    Tested,
)
from tribridge.lab.studies.place import PLACES
from tribridge.lab.studies.study import dumps_result
from tribridge.lab.training.whole_games import around_hand, deals, missing_bits
from tribridge.networks.auction import BIDS, SEATS, STRAINS

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]
Chosen = NDArray[np.bool_]
CALLER, THIRD, HIDDEN, WHOLE = range(4)
DEALS: Final = 1024
"""Scored by the table's model."""
SAMPLE: Final = 100
"""Auctions that the report can bid again."""
DEVIATIONS: Final = (
    "The calls were first scored by the bidders' own network. Its likelihoods are so sharp that of "
    "the layouts drawn only a few explain an auction, and the noise cost more bits than the calls "
    "say (the line of the network below). What calls say is therefore scored by the table's "
    "calibrated model, on the first {count:,} deals; hypotheses, deals and layouts are those of "
    "the plan."
)
"""From the plan."""


class Auctions(Protocol):
    """Auctions whose calls are of some kinds."""

    @property
    def calls(self) -> Ints: ...

    @property
    def made(self) -> Chosen: ...

    @property
    def bid(self) -> Chosen: ...

    @property
    def standing(self) -> Ints: ...


@dataclass(frozen=True, slots=True)
class Said:
    """All auctions under one scheme."""

    calls: Ints
    """(t, n): their calls; -1 where an auction is over."""
    bits: F64
    """(t, n, 4): mean of both listeners, about each hand and all."""
    each: F64
    """(t, n, 2, 4): to each listener."""

    @property
    def made(self) -> Chosen:
        return self.calls >= 0

    @property
    def bid(self) -> Chosen:
        return self.made & (self.calls < BIDS)

    @property
    def standing(self) -> Ints:
        """The level of the bid that stood before each call; 0: none."""
        bids = np.where(self.bid, self.calls // STRAINS + 1, 0)
        before = np.maximum.accumulate(bids, 0)
        return np.concatenate([np.zeros_like(before[:1]), before[:-1]])

    def sums(self, chosen: Chosen, about: int = CALLER) -> tuple[F64, F64]:
        """Bits of the chosen calls, and how many they are, by deal."""
        return np.where(chosen, self.bits[..., about], 0.0).sum(0), chosen.sum(0).astype(float)


def load(folder: Folder, scheme: str) -> Said:
    """The auctions of a scheme, in all batches of the plan."""
    total = PLAN.sizes["calls"]
    parts = [
        folder.load(f"said-{scheme}-{batch:03}-{min(BATCH, total - begin)}")
        for batch, begin in enumerate(range(0, total, BATCH))
    ]
    longest = max(len(part["calls"]) for part in parts)

    def padded(array: NDArray[Any], fill: float) -> NDArray[Any]:
        more = ((0, longest - len(array)), *[(0, 0)] * (array.ndim - 1))
        return np.pad(array, more, constant_values=fill)

    calls = np.concatenate([padded(part["calls"].astype(np.int64), -1) for part in parts], 1)
    each = np.concatenate([padded(part["bits"].astype(np.float64), 0) for part in parts], 1)
    return Said(calls, each.mean(2), each)


def ratio_values(sums: F64, counts: F64) -> F64:
    """Values by deal whose mean is the ratio of two sums, and whose spread is that of the ratio."""
    ratio = sums.sum() / counts.sum()
    values: F64 = ratio + (sums - ratio * counts) / counts.mean()
    return values


def tested(values: F64) -> Tested:
    """The mean of values by deal, with its interval and a test that it is 0."""
    return Tested(stats.mean_interval(values), stats.paired(values).p)


def name_of(call: int) -> str:
    """A bid as it is written."""
    return str(Bid(call // STRAINS + 1, FULL_DECK.strains[call % STRAINS]))


def kinds(said: Auctions) -> Iterator[tuple[str, Chosen]]:
    """The kinds of calls that are made often enough."""
    for call in range(BIDS):
        yield name_of(call), said.bid & (said.calls == call)
    passes = said.made & ~said.bid
    for level in range(8):
        name = f"pass over level {level}" if level else "pass, no bid yet"
        yield name, passes & (said.standing == level)


def kind_rows(scheme: str, said: Said) -> Iterator[Kind]:
    """What each kind of call says."""
    for name, chosen in kinds(said):
        if (count := int(chosen.sum())) < PLAN.sizes["frequent"]:
            continue
        third, hidden, whole = (
            float(said.bits[..., about][chosen].mean()) for about in (THIRD, HIDDEN, WHOLE)
        )
        less = said.each[..., CALLER][chosen] < 0
        span = stats.mean_interval(ratio_values(*said.sums(chosen)))
        yield Kind(scheme, name, count, span, third, hidden, whole, 100 * float(less.mean()))


def place_rows(scheme: str, said: Said) -> Iterator[Placed]:
    """What the first call of each player says."""
    for place, name in enumerate(PLACES):
        bits, bid = said.bits[place, :, CALLER], said.bid[place]
        yield Placed(
            scheme,
            name,
            100 * float(bid.mean()),
            stats.mean_interval(bits),
            float(bits[bid].mean()),
            float(bits[~bid].mean()),
        )


def level_rows(scheme: str, said: Said) -> Iterator[Levelled]:
    """What bids say by level."""
    for level in range(1, 8):
        chosen = said.bid & (said.calls // STRAINS + 1 == level)
        if (count := int(chosen.sum())) >= PLAN.sizes["frequent"]:
            span = stats.mean_interval(ratio_values(*said.sums(chosen)))
            yield Levelled(scheme, level, count, span, float(said.bits[..., WHOLE][chosen].mean()))


def by_view(said: Said, deals_of: int) -> F64:
    """Bits of whole auctions by the network, about all hands, for each player: (n, 3)."""
    result = np.zeros((deals_of, SEATS))
    for at in range(len(said.calls)):
        for listener in range(2):
            result[:, (at + 1 + listener) % SEATS] += said.each[at, :deals_of, listener, WHOLE]
    return result


def auction_of(numbers: Ints) -> list[Call]:
    """The calls of an auction."""
    made = [int(number) for number in numbers if number >= 0]
    return [
        PASS if at >= BIDS else Bid(at // STRAINS + 1, FULL_DECK.strains[at % STRAINS])
        for at in made
    ]


def heard(
    scheme: str, calls: Ints, batch: int, count: int, model: CallModel, *, trusted: bool
) -> F64:
    """What the calls of the first deals of a batch say by a model of calls: (t, n, 2, 4).

    The layouts are those of `whole_games.Table.said`.
    """
    seed, line = PLAN.seeds["calls"], TRUST[ALIASES.get(scheme, scheme)]
    hands = deals(seed, batch, min(BATCH, PLAN.sizes["calls"]))
    result = np.zeros((len(calls), count, 2, 4))
    for seat in range(SEATS):
        rng = np.random.default_rng((seed, batch, 3, seat))
        nothing = np.zeros(len(hands), np.int64)
        layouts = around_hand(hands[:, seat], seat, nothing, PLAN.sizes["layouts"], rng)
        for number in range(count):
            each = layouts[number], hands[number], seat, calls[:, number]
            for at, told in heard_by(*each, model, line if trusted else None):
                result[at, number, (seat - at % SEATS) % SEATS - 1] = told
    return result


def heard_by(
    layouts: Ints,
    true: Ints,
    seat: int,
    calls: Ints,
    model: CallModel,
    line: tuple[float, float] | None,
) -> Iterator[tuple[int, F64]]:
    """What each call of the others says to a seat by a model of calls: its number and bits (4,).

    Layouts (m, 4) are weighted, calls trusted by their level (`beliefs.trust`) or fully.
    """
    auction, logs = Auction(Seat.NORTH), np.zeros(len(layouts))
    before = missing_bits(layouts[None], logs[None], true[None], seat)[0]
    for at, call in enumerate(auction_of(calls)):
        caller = at % SEATS
        level = max(level_of(auction.last_bid), level_of(call))
        if caller != seat:
            held = layouts[:, caller].astype(np.uint64)
            chance = model.likelihood(held, Seat(caller), auction, call)
            logs += np.log((1 - FLOOR) * chance + FLOOR * (chance.mean() or 1.0))
            trust = trust_at(line, max(1, level)) if line is not None else 1.0
            after = missing_bits(layouts[None], trust * logs[None], true[None], seat)[0]
            third = 3 - caller - seat
            yield at, (before - after)[[caller, third, 3, 4]]
            before = after
        auction = auction.apply_unchecked(call)


def level_of(call: Call | None) -> int:
    """The level of a bid; 0 for any other call."""
    return call.level if isinstance(call, Bid) else 0


def heard_by_table(scheme: str, network: Said, count: int) -> Said:
    """What the calls of the first auctions say by the table's calibrated model."""
    model, parts = PointCalls(None, find_scheme(scheme), ()), []
    for batch, begin in enumerate(range(0, count, BATCH)):
        size = min(BATCH, count - begin)
        calls = network.calls[:, begin : begin + size]
        parts.append(heard(scheme, calls, batch, size, model, trusted=True))
    each = np.concatenate(parts, axis=1)
    return Said(network.calls[:, :count], each.mean(2), each)


def result_of(folder: Folder, network: dict[str, Said], count: int) -> Result:
    """The result of a run; `count` auctions of each scheme are scored by the table's model."""
    head = folder.begun()
    models: dict[tuple[str, str], F64] = {}
    said = {scheme: heard_by_table(scheme, network[scheme], count) for scheme in SCHEMES}
    some = PLAN.sizes["models"]
    for scheme in SCHEMES:
        calls = network[scheme].calls[:, :some]
        table = PointCalls(None, find_scheme(scheme), ())

        def by_model(model: CallModel, scheme: str = scheme, calls: Ints = calls) -> F64:
            each = heard(scheme, calls, 0, some, model, trusted=False)
            return by_view(Said(calls, each.mean(2), each), some)

        models[scheme, CALIBRATED] = by_view(said[scheme], some)
        models[scheme, AS_IS] = by_model(table)
        models[scheme, NETWORK] = by_view(network[scheme], some)
        models[scheme, CLOSED] = by_model(CaptureCalls())
    one = said[CONTRACT]
    passes = one.made & ~one.bid
    level = one.calls // STRAINS + 1
    high, low = (one.bid & (level >= 3)), (one.bid & (level == 1))

    def per_call(chosen: Chosen, about: int = CALLER) -> F64:
        return ratio_values(*one.sums(chosen, about))

    frequent = [chosen for _, chosen in kinds(one) if chosen.sum() >= PLAN.sizes["frequent"]]
    least = min((per_call(chosen) for chosen in frequent), key=lambda values: float(values.mean()))
    chosen_from = len(frequent)
    span = stats.mean_interval(least, level=1 - 0.05 / chosen_from)
    p = min(1.0, chosen_from * stats.paired(least).p)
    closed = models[CONTRACT, CLOSED] - models[CONTRACT, NETWORK] / 2
    found = {
        "bids": tested(per_call(one.bid) - per_call(passes)),
        "passes": tested(per_call(passes)),
        "height": tested(per_call(high) - per_call(low)),
        "hidden": tested(per_call(one.made, HIDDEN) - per_call(one.made, WHOLE) / 10),
        "order": tested(one.bits[0, :, CALLER] - one.bits[2, :, CALLER]),
        "scheme": tested(one.bits[..., WHOLE].sum(0) - said[AUCTION].bits[..., WHOLE].sum(0)),
        "closed": tested(closed.mean(1)),
        "mislead": Tested(span, p),
    }
    modelled = [
        Modelled(
            scheme,
            name,
            len(values),
            stats.mean_interval(values.mean(1)),
        )
        for (scheme, name), values in models.items()
    ]
    source = (
        f"{count:,} deals of seed {PLAN.seeds['calls']} for each scheme, bid by three players of "
        f"{head['caller']}, scored beforehand by the table's calibrated model over "
        f"{PLAN.sizes['layouts']} layouts for each listener (`python -m benchmarks.calls said`, "
        "`python -m benchmarks.calls_result`)"
    )
    return Result(
        PLAN.digest,
        source,
        PLAN.sizes["frequent"],
        PLAN.sizes["models"],
        DEVIATIONS.format(count=count),
        tuple(tuple(int(call) for call in one.calls[:, at] if call >= 0) for at in range(SAMPLE)),
        tuple(row for scheme in SCHEMES for row in kind_rows(scheme, said[scheme])),
        tuple(row for scheme in SCHEMES for row in place_rows(scheme, said[scheme])),
        tuple(row for scheme in SCHEMES for row in level_rows(scheme, said[scheme])),
        tuple(modelled),
        found,
    )


def main() -> None:
    """Sum up."""
    parser = argparse.ArgumentParser(description="The result of the study of calls.")
    parser.add_argument("--said", type=Path, required=True)
    parser.add_argument("--deals", type=int, default=DEALS, help="scored for each scheme")
    parser.add_argument("--result", type=Path, required=True)
    options = parser.parse_args()
    folder = folder_of(options.said)
    network = {scheme: load(folder, scheme) for scheme in SCHEMES}
    found = result_of(folder, network, options.deals)
    write_atomic(options.result, dumps_result(found))


if __name__ == "__main__":
    in_one_line(main)
