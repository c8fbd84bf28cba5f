"""Claims about opponent modelling, learning and risk: the abstract's, and the paper's outlook."""

from __future__ import annotations

from typing import Final

from tribridge.studies.claims import (
    ALPHA,
    FAILS,
    HOLDS,
    OPEN,
    UNDECIDED,
    Claim,
    Facts,
    Threshold,
    p_text,
    side,
    sided,
    signed,
    verdict_if,
    within,
)

_OUTLOOK: Final = "Conclusion"
MANY: Final = 10**9
"""Layouts that are too many to go through one by one."""
CALIBRATED: Final = 5.0
"""Percentage points by which calibrated chances may be off on average."""


def offence(facts: Facts) -> list[Claim]:
    """What the paper says about the game of offence and defence."""
    played = [*facts["matches"], facts["search"]]
    tests = sum(len(one["tests"]) for one in played)
    return [
        Claim(
            "Abstract",
            "Offensive and defensive strategies are evaluated by statistical tests",
            "the text reports a test statistic, a p-value or an interval for a comparison of "
            "strategies",
            FAILS,
            "it reports none, and names no strategies; this section compares "
            f"{tests} pairs by paired tests with Holm's correction",
        ),
        Claim(
            "Abstract",
            "Opponents' hands are modelled within a two-player zero-sum game",
            "none: the text gives no model of hands, no strategies and no payoffs",
            OPEN,
            "once the dummy is seen, the tricks of the two sides add up to 13, so the play is "
            "zero-sum between the sides; the defenders do not see each other's cards. Models of "
            "the hidden hands are tested in the section on beliefs",
        ),
    ]


def learning(facts: Facts) -> list[Claim]:
    """What the paper expects of learning, and of its own bidder."""
    strength, changes = facts["strength"], facts["changes"]
    ahead = {by: (span, facts["holm"][one, two, by]) for (one, two, by), span in strength.items()
             if (one, two) == ("learned", "capture")}  # fmt: skip
    paper = [share for (who, where), share in changes.items()
             if who == "capture" and where in _SAME]  # fmt: skip
    learned = [share for (who, where), share in changes.items()
               if who == "learned" and where in _SAME]  # fmt: skip
    against = [one for one in facts["play"] if one["against"] == "capture"]
    return [
        Claim(
            "Abstract",
            "Players calibrate their bids as the auction goes on",
            "the paper's bidder makes another first call after others have passed, with the same "
            "hand and the same calls legal",
            verdict_if(max(paper) > 0),
            f"Algorithm 1 looks at the hand alone: {max(paper):.1f}% of first calls change after "
            f"one or two passes; of the learned bidder's, {min(learned):.1f}% and "
            f"{max(learned):.1f}%",
        ),
        Claim(
            _OUTLOOK,
            "Bidding can be learned by self-play among three independent bidders",
            "holds if a bidder trained by self-play alone is ahead of two of the paper's in "
            "points, as played and double dummy (p < 0.05 after Holm's correction); fails if it is "
            "behind; with another training, being ahead leaves it undecided",
            FAILS if sided(side(*gain) for gain in ahead.values()) == FAILS else UNDECIDED,
            f"no bidder here was trained by self-play alone. The learned one {facts['training']}. "
            "It is compared with the paper's, in points per game over two of them: "
            + "; ".join(f"{by} {signed(span, 1)} ({p_text(p)})" for by, (span, p) in ahead.items()),
        ),
        Claim(
            _OUTLOOK,
            "The closed-form rule leaves tricks on the table that a learned player takes",
            "on the same deals and contracts, the learned player takes more tricks than the "
            "capture rule, declaring and defending (p < 0.05 after Holm's correction)",
            sided(side(one["tricks"], one["p"]) for one in against),
            "tricks a deal: "
            + "; ".join(f"{one['side']} {signed(one['tricks'])}" for one in against),
        ),
    ]


_FORECAST: Final = "forecast's error"
_SAME: Final = ("after a pass", "after two passes")


def risk(facts: Facts) -> list[Claim]:
    """The finance analogy, as questions that games answer."""
    by = "as played"
    caution = facts[by]["caution"]["forecast, caution 0 to 1"]
    better = {
        name: change
        for name, change in facts[by]["over capture"].items()
        if change["points"][0] > 0 and change["worst 5%"][0] > 0
    }
    sure = [name for name, change in better.items() if change["p"] < ALPHA]
    best = min(better, key=lambda name: better[name]["p"], default="")
    shown = (
        f"{best} has {signed(better[best]['points'], 1)} points a deal more and a worst 5% that "
        f"differs by {signed(better[best]['worst 5%'], 1)}, ahead in both with "
        f"{p_text(better[best]['p'])} after Holm's correction over the "
        f"{len(facts[by]['over capture'])} callers"
        if best
        else "no other caller is better in both"
    )
    cost, saved = caution["points"], caution["worst 5%"]
    return [
        Claim(
            "Abstract",
            "The approach informs decisions under risk: the paper's bidder is efficient",
            "holds if no caller has both more expected points and a better mean of the worst 5%; "
            "fails if one is ahead in both (p < 0.05 after Holm's correction over the callers); "
            "otherwise undecided",
            FAILS if sure else UNDECIDED if better else HOLDS,
            f"as played, against two `points`, with a tail of {facts[by]['tail']} deals: {shown}; "
            "on the frontier: " + ", ".join(facts[by]["efficient"]),
        ),
        Claim(
            "Abstract",
            "Modelling uncertainty lets a player trade expectation for safety",
            "with full caution, `forecast` has a better mean of the worst 5% and fewer expected "
            "points than without (95% intervals); fails if the worst 5% gets worse",
            HOLDS if saved[1] > 0 and cost[2] < 0 else FAILS if saved[2] < 0 else UNDECIDED,
            f"caution 1 instead of 0: worst 5% {signed(saved, 1)}, expected points "
            f"{signed(cost, 1)} a deal",
        ),
    ]


def beliefs(facts: Facts) -> list[Claim]:
    """What the paper says about Bayesian estimation."""
    calls, wins, shown = facts["calls"], facts["wins"], facts["shown out"]
    layouts, expected, lost = facts["layouts"], facts["expected T"], facts["lost"]
    off = wins["bias"]
    many = Threshold("layouts", MANY, lambda limit: verdict_if(layouts["first trick"] > limit))
    calibrated = Threshold(
        "percentage points",
        CALIBRATED,
        lambda limit: verdict_if(
            any(within(off[way], limit) == 1 and wins["gain"][way][1] > 0 for way in off)
        ),
    )
    return [
        Claim(
            _OUTLOOK,
            "Every bid leaks information about the hand",
            "once the auction is over, the model of calls `forecast` locates the unseen cards "
            "better than no model, in bits per card (p < 0.05 after Holm's correction)",
            sided([side(calls["gain"], calls["p"])]),
            f"{calls['model']}: {signed(calls['gain'], 3)} bits a card ({p_text(calls['p'])}), of "
            f"{calls['uniform']:.3f} without a model",
        ),
        Claim(
            _OUTLOOK,
            "Showing out of a suit is the strongest evidence",
            "after equally many tricks, unseen cards are located better where a hidden hand has "
            "shown out than where none has, without any model, and by more bits per card than the "
            "model of calls saves (95% intervals over games do not overlap)",
            HOLDS
            if shown[1] > max(0, calls["gain"][2])
            else FAILS
            if shown[2] < max(0, calls["gain"][1])
            else UNDECIDED,
            f"bits a card saved: {signed(shown, 3)}; by the calls {signed(calls['gain'], 3)}",
        ),
        Claim(
            _OUTLOOK,
            "The sum over all hands is far too large to compute exactly",
            f"more than {MANY:,} layouts fit what a player sees at the first trick",
            many.verdict,
            f"about {layouts['first trick']:,.0f} at the first trick, {layouts['after 4']:,.0f} "
            f"after four tricks (median); in the auction, {layouts['auction']:,.0f}",
            threshold=many,
        ),
        Claim(
            _OUTLOOK,
            "The posterior gives the chance that a card wins its trick",
            f"the mean chance of the cards led is within {CALIBRATED:g} percentage points of the "
            "share that won (95% interval), and its Brier score is better than that of the base "
            "rate, for one of the two assumed responses",
            calibrated.verdict,
            "; ".join(
                f"response {way}: chance less share {signed(off[way], 1)} percentage points, "
                f"Brier score better by {signed(wins['gain'][way], 3)}"
                for way in off
            ),
            threshold=calibrated,
        ),
        Claim(
            _OUTLOOK,
            "The distribution of T sharpens as the hand is played",
            "for the opening leader, the standard deviation of T is smaller after four tricks than "
            "at the opening lead (95% interval over games)",
            sided([side(expected["sharper"])]),
            f"smaller by {signed(expected['sharper'])} captures",
        ),
        Claim(
            _OUTLOOK,
            "Algorithm 2 works on beliefs: the expectation of T replaces T",
            "at the opening lead, E[T] has a smaller squared error against the T of the true hands "
            "than the mean T of all games has (95% interval)",
            sided([side(expected["gain"])]),
            f"squared error smaller by {signed(expected['gain'])}. Neither is a count of tricks: "
            f"E[T] is off by {expected['error']:.1f} tricks from what declarer took, the "
            f"forecast's expectation over the same layouts by {expected[_FORECAST]:.1f}",
        ),
        Claim(
            "Abstract",
            "Modelling the opponents' hands pays",
            "leads chosen over layouts weighted by the model `forecast` lose fewer tricks double "
            "dummy than leads over unweighted layouts (p < 0.05 after Holm's correction)",
            sided([side(lost["gain"], lost["p"])]),
            f"{lost['model']}: {signed(lost['gain'], 3)} tricks saved a lead "
            f"({p_text(lost['p'])}), of "
            f"{lost['uniform']:.3f} lost without a model, on {lost['leads']:,} leads",
        ),
    ]
