"""Claims that double-dummy results, games and clocks settle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from tribridge.studies.claims import (
    ALPHA,
    FAILS,
    HOLDS,
    OPEN,
    TIMED,
    UNDECIDED,
    Claim,
    Facts,
    Span,
    Threshold,
    by_reading,
    p_text,
    side,
    sided,
    signed,
    under_readings,
    verdict_if,
    within,
)

_RUNS: Final = "Three runs"
_LESS: Final = "error less constant's"
BALANCE: Final = 2.0
"""Points per game that a place in the order of calling may be worth in a balanced game."""
SHARE: Final = 1.0
"""Percentage points by which a player's share of the contracts may differ from a third."""
BIAS: Final = 0.5
"""Tricks by which reliable predictions may be off on average."""
LONGER: Final = 10.0
"""How many times as long as Algorithm 2 what needs many times longer must take."""
_NOT_RUN: Final = "stated without evidence; the double-dummy studies were not run"
STRAIN: Final = Claim(
    "Abstract",
    "Notrump outperforms naming a trump suit",
    "pooled over all declarers, notrump beats the declarer's own longest suit in tricks and in "
    "points, whichever way they are counted (p < 0.05 after Holm's correction); fails if the suit "
    "does, depends if it is now one and now the other or neither",
    OPEN,
    _NOT_RUN,
)
RELIABLE: Final = Claim(
    "Abstract",
    "The predictions are reliable",
    f"reliable: against double-dummy tricks, the 95% interval of the bias lies within {BIAS:g} "
    "tricks of 0, and the absolute error is smaller than that of always naming the median",
    OPEN,
    _NOT_RUN,
)
"""Claims that the paper states without evidence; double-dummy results settle them."""


def strains(facts: Facts) -> list[Claim]:
    """Notrump against naming a suit: three questions, which have three answers."""
    questions = facts["questions"]

    def answers(group: str, choice: str) -> dict[str, tuple[Span, float]]:
        return {unit: gain for (who, suit, unit), gain in questions.items()
                if (who, suit) == (group, choice)}  # fmt: skip

    def shown(group: str, choice: str) -> str:
        gains = answers(group, choice)
        return "; ".join(
            f"{unit} {signed(gain)} ({p_text(p)})" for unit, (gain, p) in gains.items()
        )

    def judged(group: str, choice: str, *, tricks: bool = False) -> str:
        gains = answers(group, choice).items()
        return sided(-side(*gain) for unit, gain in gains if tricks or unit != "tricks")

    everyone, bidders, own, pair = (
        "all declarers", "Algorithm 1 bids", "longest suit", "longest with dummy",
    )  # fmt: skip
    intro = "double dummy, suit minus notrump, p after Holm's correction: "
    in_points = (
        "holds if notrump is ahead in points for a declarer who always bids at level 1, and for "
        "one who knows what makes and bids just that, without and with a premium for game (p < "
        "0.05 after Holm's correction); fails if the suit is; depends if only some of them say so"
    )
    best = facts["tricks"].get("best suit | all declarers")
    return [
        replace(
            STRAIN,
            verdict=judged(everyone, own, tricks=True),
            evidence=f"{intro}{shown(everyone, own)}"
            + (f"; the best suit of the deal takes {signed(best)} tricks" if best else ""),
        ),
        Claim(
            "Abstract",
            f"{STRAIN.text}, on hands that Algorithm 1 bids, compared with declarer's longest suit",
            in_points,
            judged(bidders, own),
            f"{intro}{shown(bidders, own) or 'too few such hands'}",
        ),
        Claim(
            "Abstract",
            f"{STRAIN.text}, on the same hands, compared with the longest suit of both hands",
            in_points,
            judged(bidders, pair),
            f"{intro}{shown(bidders, pair) or 'too few such hands'}",
        ),
    ]


def truth(facts: Facts) -> list[Claim]:
    """What double dummy says about the predictions."""
    two = facts["accuracy"]["Algorithm 2"]
    qualified = facts["qualified"]["Algorithm 2"]
    reliable = Threshold(
        "tricks of bias",
        BIAS,
        lambda limit: verdict_if(
            two["less to"] < 0
            and within((two["bias"], two["bias from"], two["bias to"]), limit) == 1
        ),
    )
    promises = [r for r in facts["calibration"] if r["% that make it"] is not None]
    promised = sum(r["declarers"] for r in promises)
    kept = sum(r["declarers"] * r["% that make it"] / 100 for r in promises)
    return [
        replace(
            RELIABLE,
            verdict=reliable.verdict,
            threshold=reliable,
            evidence=f"Algorithm 2 against double-dummy tricks: bias {two['bias']:+.2f} "
            f"[{two['bias from']:+.2f}, {two['bias to']:+.2f}], absolute error "
            f"{two['absolute error']:.2f}, which is {two[_LESS]:+.2f} "
            f"[{two['less from']:+.2f}, {two['less to']:+.2f}] compared with always naming the "
            f"median; correlation {two['correlation']:.2f}; T tricks make on "
            f"{100 * kept / promised:.0f}% of the deals that promise T, and "
            f"{qualified['% of rejected that make']:.0f}% of the pairs that it rejects make 7",
        )
    ]


def cost(facts: Facts) -> list[Claim]:
    """What the paper says about running time."""
    slope = facts["slope"]
    times = facts["microseconds"]
    two = times["Algorithm 2, reference"]
    slow, constant = (
        {name: value / two for name, value in times.items() if name.startswith(kinds)}
        for kinds in (("Monte Carlo", "double dummy"), ("forecast",))
    )
    longer = Threshold(
        "times Algorithm 2's time",
        LONGER,
        lambda limit: verdict_if(all(value > limit for value in slow.values())),
    )
    return [
        Claim(
            TIMED,
            "On n suits of m ranks the time grows as n^2 m^2 at worst",
            "a proof (above the table), and a measured slope whose 95% interval lies below 2",
            verdict_if(slope[2] < 2),
            f"the loop makes at most a hand's number of captures and each costs at most n + m "
            f"steps, so n m (n + m) is enough; measured here: as (n m) to the power "
            f"{signed(slope).replace('+', '')}",
        ),
        Claim(
            TIMED,
            "For one deck the estimate takes constant time",
            "it follows from the steps of the algorithm",
            HOLDS,
            "with n and m fixed, the bound is a number; so it is for every forecast in the table "
            "that adds up cards or runs a network",
        ),
        Claim(
            TIMED,
            "On n suits of m ranks the space is n m",
            "it follows from the steps of the algorithm",
            HOLDS,
            "the state matrix has n m cells; everything else it keeps is a few numbers and at most "
            "one list of cards for each suit",
        ),
        Claim(
            TIMED,
            "Sampling and search need many times longer for a comparable estimate",
            f"100 random playouts, and the double-dummy solver, take more than {LONGER:g} times as "
            "long as Algorithm 2",
            longer.verdict,
            f"times Algorithm 2's median: {_ratios(slow)}. Constant-time forecasts that are closer "
            f"to double dummy: {_ratios(constant)}",
            threshold=longer,
        ),
    ]


def _ratios(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:,.1f}" for name, value in times.items())


def _thirds(readings: Iterable[Mapping[str, Span]], limit: float) -> str:
    """Whether every place declares a third of the contracts, by the shares under each reading."""
    found = {
        min(within((at - 100 / 3, low - 100 / 3, high - 100 / 3), limit) for at, low, high in one)
        for one in (places.values() for places in readings)
    }
    return UNDECIDED if 0 in found else OPEN if len(found) > 1 else verdict_if(found == {1})


def fairness(facts: Facts) -> list[Claim]:
    """Balance, the qualifying dummy, bidding accuracy and sample sizes."""
    seats, dummy, order = facts["seats"], facts["dummy"], facts["order"]
    solved, accuracy = facts["dummy double dummy"], facts["accuracy"]
    third = Threshold(
        "percentage points from a third", SHARE, lambda limit: _thirds(seats.values(), limit)
    )
    balanced = Threshold(
        "points from the table's mean",
        BALANCE,
        lambda limit: (
            FAILS
            if any(one["p"] < ALPHA for one in order)
            else HOLDS
            if all(within(one["points"], limit) == 1 for one in order)
            else UNDECIDED
        ),
    )
    return [
        Claim(
            "Abstract",
            "The game is free of bias between the players",
            f"in the paper's game every player declares a third of the contracts, within "
            f"{SHARE:g} percentage point; holds if the 95% intervals say so under every reading, "
            "fails if one lies beyond it under every reading",
            third.verdict,
            "the first, second and third to call declare "
            + "; ".join(
                f"{' / '.join(f'{share:.2f}' for share, _, _ in places.values())}% ({name})"
                for name, places in seats.items()
            )
            + ". The three hands are exchangeable, so ties, which go to the first caller, are the "
            "only cause, and with the deal rotating the game is exactly fair",
            threshold=third,
        ),
        Claim(
            "Abstract",
            "The game is balanced when all three bid freely",
            f"holds if, in the games played beforehand, the 95% interval of every place in the "
            f"order of calling lies within {BALANCE:g} points of the table's mean; fails if one "
            "differs from it (p < 0.05 after Holm's correction)",
            balanced.verdict,
            "points per game compared with the table's mean: "
            + ", ".join(
                f"{one['place']} {signed(one['points'], 1)} ({p_text(one['p'])})" for one in order
            ),
            threshold=balanced,
        ),
        Claim(
            _RUNS,
            "A dummy that qualifies too is a much stronger sign that the contract makes",
            "the share of contracts that make is higher with a qualifying dummy, by Algorithm 2 "
            "and double dummy (95% intervals); holds if so under every reading, fails if under "
            "none",
            under_readings(
                {
                    name: min(one["difference"][1], solved["difference"][1]) > 0
                    for name, one in dummy.items()
                }
            ),
            "in percentage points, by reading: "
            + by_reading({name: one["difference"][0] for name, one in dummy.items()}, "{:+.1f}")
            + f"; double dummy, 7 tricks in notrump: {signed(solved['difference'], 1)} over all "
            "declarers",
        ),
        Claim(
            "Single and combined hand",
            "Bidding accuracy improves once the dummy is seen",
            "against double dummy, the absolute error is smaller with the dummy than without "
            "(95% interval), for the algorithms on the declarers for whom both give captures, and "
            "for the forecast from points on all",
            sided(-side(gain) for gain in accuracy.values()),
            "error with the dummy less error without, in tricks: "
            + "; ".join(f"{name} {signed(gain)}" for name, gain in accuracy.items()),
        ),
        Claim(
            "Abstract",
            "The results come from 100,000 deals",
            "every table agrees with the sample size stated for it, and the abstract with the "
            "tables",
            verdict_if(all(one == "agrees" for one in facts["samples"].values())),
            "; ".join(f"{name}: {verdict}" for name, verdict in facts["samples"].items()),
        ),
    ]
