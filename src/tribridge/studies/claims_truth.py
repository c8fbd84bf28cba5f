"""Claims that double-dummy results, games and clocks settle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tribridge.studies.claims import (
    FAILS,
    HOLDS,
    OPEN,
    TIMED,
    UNDECIDED,
    Claim,
    Facts,
    by_reading,
    signed,
    verdict_if,
)

_RUNS: Final = "Three runs"
_LESS: Final = "error less constant's"
BALANCE: Final = 2.0
"""Points per game that a place in the order of calling may be worth in a balanced game."""
SHARE: Final = 1.0
"""Percentage points by which a player's share of the contracts may differ from a third."""
_NOT_RUN: Final = "stated without evidence; the double-dummy studies were not run"
STRAIN: Final = Claim(
    "Abstract",
    "Notrump outperforms naming a trump suit",
    "pooled over all declarers, notrump beats the declarer's own longest suit both in tricks and "
    "in points (95% intervals)",
    OPEN,
    _NOT_RUN,
)
RELIABLE: Final = Claim(
    "Abstract",
    "The predictions are reliable",
    "reliable: against double-dummy tricks, the 95% interval of the bias lies within half a trick "
    "of 0, and the absolute error is smaller than that of always naming the median",
    OPEN,
    _NOT_RUN,
)
"""Claims that the paper states without evidence; double-dummy results settle them."""


def strains(facts: Facts) -> list[Claim]:
    """Notrump against naming a suit: three questions, which have three answers."""
    questions = facts["questions"]

    def answers(group: str, choice: str) -> dict[str, tuple[float, float, float]]:
        return {unit: gain for (who, suit, unit), gain in questions.items()
                if (who, suit) == (group, choice)}  # fmt: skip

    def shown(group: str, choice: str) -> str:
        gains = answers(group, choice)
        return "; ".join(f"{unit} {signed(gain)}" for unit, gain in gains.items())

    def in_points(group: str, choice: str) -> str:
        gains = [v for unit, v in answers(group, choice).items() if unit.startswith("points")]
        if not gains:
            return UNDECIDED
        if all(high < 0 for _, _, high in gains):
            return HOLDS
        return FAILS if all(low > 0 for _, low, _ in gains) else UNDECIDED

    everyone, bidders, own, pair = (
        "all declarers", "Algorithm 1 bids", "longest suit", "longest with dummy",
    )  # fmt: skip
    pooled = answers(everyone, own).values()
    intro = "double dummy, suit minus notrump: "
    both_schemes = (
        "holds if notrump is ahead in points both under scheme auction and with a premium for "
        "game (95% intervals), fails if the suit is, otherwise undecided"
    )
    best = facts["tricks"].get("best suit | all declarers")
    return [
        replace(
            STRAIN,
            verdict=verdict_if(all(high < 0 for _, _, high in pooled)),
            evidence=f"{intro}{shown(everyone, own)}"
            + (f"; the best suit of the deal takes {signed(best)} tricks" if best else ""),
        ),
        Claim(
            "Abstract",
            f"{STRAIN.text}, on hands that Algorithm 1 bids, compared with declarer's longest suit",
            both_schemes,
            in_points(bidders, own),
            f"{intro}{shown(bidders, own) or 'too few such hands'}",
        ),
        Claim(
            "Abstract",
            f"{STRAIN.text}, on the same hands, compared with the longest suit of both hands",
            both_schemes,
            in_points(bidders, pair),
            f"{intro}{shown(bidders, pair) or 'too few such hands'}",
        ),
    ]


def truth(facts: Facts) -> list[Claim]:
    """What double dummy says about the predictions."""
    two = facts["accuracy"]["Algorithm 2"]
    qualified = facts["qualified"]["Algorithm 2"]
    better = two["less to"] < 0
    centred = max(abs(two["bias from"]), abs(two["bias to"])) < 0.5
    promises = [r for r in facts["calibration"] if r["% that make it"] is not None]
    promised = sum(r["declarers"] for r in promises)
    kept = sum(r["declarers"] * r["% that make it"] / 100 for r in promises)
    return [
        replace(
            RELIABLE,
            verdict=verdict_if(better and centred),
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
            "100 random playouts, and the double-dummy solver, take more than ten times as long "
            "as Algorithm 2",
            verdict_if(all(value > 10 for value in slow.values())),
            f"times Algorithm 2's median: {_ratios(slow)}. Constant-time forecasts that are closer "
            f"to double dummy: {_ratios(constant)}",
        ),
    ]


def _ratios(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:,.1f}" for name, value in times.items())


def _balanced(gains: Sequence[tuple[float, float, float]]) -> str:
    if any(low > 0 or high < 0 for _, low, high in gains):
        return FAILS
    inside = all(low >= -BALANCE and high <= BALANCE for _, low, high in gains)
    return HOLDS if inside else UNDECIDED


def fairness(facts: Facts) -> list[Claim]:
    """Balance, the qualifying dummy, bidding accuracy and sample sizes."""
    seats, dummy, order = facts["seats"], facts["dummy"], facts["order"]
    solved, accuracy = facts["dummy double dummy"], facts["accuracy"]
    return [
        Claim(
            "Abstract",
            "The game is free of bias between the players",
            f"in the paper's game every player declares a third of the contracts, within "
            f"{SHARE:g} percentage point (95% intervals), under every reading",
            verdict_if(
                all(
                    abs(end - 100 / 3) < SHARE
                    for places in seats.values()
                    for _, low, high in places.values()
                    for end in (low, high)
                )
            ),
            "the first, second and third to call declare "
            + "; ".join(
                f"{' / '.join(f'{share:.2f}' for share, _, _ in places.values())}% ({name})"
                for name, places in seats.items()
            )
            + ". The three hands are exchangeable, so ties, which go to the first caller, are the "
            "only cause, and with the deal rotating the game is exactly fair",
        ),
        Claim(
            "Abstract",
            "The game is balanced when all three bid freely",
            f"holds if, in the games played beforehand, the 95% interval of every place in the "
            f"order of calling lies within {BALANCE:g} points of the table's mean; fails if one "
            "excludes 0",
            _balanced([one["points"] for one in order]),
            "points per game compared with the table's mean: "
            + ", ".join(f"{one['place']} {signed(one['points'], 1)}" for one in order),
        ),
        Claim(
            _RUNS,
            "A dummy that qualifies too is a much stronger sign that the contract makes",
            "the share of contracts that make is higher with a qualifying dummy under every "
            "reading, by Algorithm 2 and double dummy (95% intervals)",
            verdict_if(
                all(one["difference"][1] > 0 for one in dummy.values())
                and solved["difference"][1] > 0
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
            verdict_if(all(gain[2] < 0 for gain in accuracy.values()))
            if len({gain[2] < 0 for gain in accuracy.values()}) == 1
            else UNDECIDED,
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
