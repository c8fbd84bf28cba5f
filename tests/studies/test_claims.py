"""The verdicts: one rule in both directions, corrected tests, and limits that are named as ours."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tribridge import stats
from tribridge.capture import REPORTED, Conditions, algorithm1, algorithm2, parse_reading
from tribridge.cards import parse_hand
from tribridge.studies import claims, claims_conclusion, claims_counts, claims_truth
from tribridge.studies.claims import DEPENDS, FAILS, HOLDS, OPEN, UNDECIDED
from tribridge.studies.tables import judge_readings

Verdicts = dict[str, str]


def by_text(found: list[claims.Claim]) -> Verdicts:
    return {claim.text: claim.verdict for claim in found}


@pytest.mark.parametrize(
    ("natural", "other", "verdict", "figure"),
    [
        (True, True, HOLDS, "agrees"),
        (False, False, FAILS, "differs"),
        (True, False, OPEN, "not determined by the text: agrees under natural"),
        (False, True, OPEN, "not determined by the text: agrees under non-strict"),
    ],
)
def test_no_reading_decides_alone_neither_for_a_claim_nor_against_it(
    natural: bool, other: bool, verdict: str, figure: str
) -> None:
    assert claims.under_readings({"natural": natural, "non-strict": other}) == verdict
    distances = {"natural": 0.0 if natural else 9.0, "non-strict": 0.0 if other else float("inf")}
    assert judge_readings(distances) == figure
    shares = {"natural": Fraction(26 if natural else 1, 100),
              "non-strict": Fraction(26 if other else 1, 100)}  # fmt: skip
    second = by_text(claims_counts.second_hand(second_facts() | {"rejected of qualified": shares}))
    rejected = next(text for text in second if text.startswith("25 to 28%"))
    assert second[rejected] == verdict
    lines = dict.fromkeys(headline_facts()["published, z"], distances)
    runs = by_text(claims_counts.headline(headline_facts() | {"published, z": lines}))
    assert runs["About 10.3% of deals have a bidder"] == verdict


def headline_facts() -> dict[str, Any]:
    lines = ("deals with a bidder", "win rate", "win rate when both eligible", "both eligible")
    readings = dict.fromkeys(REPORTED, 1.0)
    return {
        "published, z": dict.fromkeys(lines, readings),
        "share with a bidder": readings,
        "share both eligible": readings,
        "win rate": readings,
        "win rate when both eligible": readings,
        "losses with a weak dummy": readings,
        "published runs alike, p": {"contracts made": 0.115},
        "published spread of win rate": 0.1,
        "published spread of both-eligible win rate": 0.1,
        "published ranking old": (1, 2, 3),
        "published ranking new": (1, 2, 3),
        "published ratio of schemes": 5.4,
        "our ratio of schemes": readings,
    }


def second_facts() -> dict[str, Any]:
    return {
        "rejected of qualified": dict.fromkeys(REPORTED, Fraction(26, 100)),
        "success by result": dict.fromkeys((7, 8, 9, 10), Fraction(3, 4)),
        "only the second hand fails": dict.fromkeys(REPORTED, True),
        "published counts, farthest z": dict.fromkeys(REPORTED, -24.0),
        "published proportions": dict.fromkeys(
            REPORTED, stats.fit([893, 544, 228, 93], [0.25] * 4)
        ),
    }


def test_runs_that_differ_before_the_correction_alone_are_alike() -> None:
    text = "The runs agree so closely that further runs would land in the same range"
    assert by_text(claims_counts.headline(headline_facts()))[text] == HOLDS
    apart = headline_facts() | {"published runs alike, p": {"contracts made": 0.01}}
    assert by_text(claims_counts.headline(apart))[text] == FAILS


def test_counts_with_other_proportions_fit_no_sample_size() -> None:
    counts = claims_counts.second_hand(second_facts())[-1]
    assert counts.verdict == FAILS
    assert "no sample size" in counts.evidence
    right = dict.fromkeys(REPORTED, stats.fit([250, 250, 250, 250], [0.25] * 4))
    turned = claims_counts.second_hand(second_facts() | {"published proportions": right})[-1]
    assert "no sample size" not in turned.evidence


def test_with_as_many_cards_as_the_gap_the_first_hand_itself_can_fail() -> None:
    """Clubs QJ: two cards, two missing above them, and a dummy that has neither."""
    hand, dummy = parse_hand("AK42.AK32.AK2.QJ"), parse_hand("765.765.543.T987")
    assert algorithm1(hand, reading=parse_reading("natural")).outcome is Conditions.B_FAILS
    assert algorithm1(hand, reading=parse_reading("non-strict")).outcome is Conditions.BOTH_HOLD
    assert algorithm2(hand, dummy).outcome is Conditions.B_FAILS
    enough = parse_hand("AK4.AK32.AK2.QJ3")
    assert algorithm2(enough, dummy).outcome is Conditions.BOTH_HOLD


def questions(**changed: tuple[float, float]) -> Verdicts:
    """The claims on notrump, where it is ahead everywhere but for the changes, by unit."""
    gains = {"tricks": (-1.0, 0.01), "level 1": (-5.0, 0.01), "full": (-5.0, 0.01)} | changed
    facts = {
        "questions": {
            (who, suit, unit): ((gap, gap - 1, gap + 1), p)
            for who in ("all declarers", "Algorithm 1 bids")
            for suit in ("longest suit", "longest with dummy")
            for unit, (gap, p) in gains.items()
        },
        "tricks": {},
    }
    return by_text(claims_truth.strains(facts))


def test_notrump_that_is_ahead_for_one_way_of_bidding_alone_depends() -> None:
    assert set(questions().values()) == {HOLDS}
    everywhere = {"tricks": (1.0, 0.01), "level 1": (5.0, 0.01), "full": (5.0, 0.01)}
    assert set(questions(**everywhere).values()) == {FAILS}
    assert set(questions(**{"level 1": (2.6, 0.4)}).values()) == {DEPENDS}
    assert set(questions(**{"level 1": (2.6, 0.01)}).values()) == {DEPENDS}
    chance = {unit: (gap, 0.4) for unit, (gap, _) in everywhere.items()}
    assert set(questions(**chance).values()) == {UNDECIDED}


def test_the_interval_of_a_corrected_comparison_does_not_decide() -> None:
    assert claims.side((2.0, 0.5, 3.5)) == 1
    assert claims.side((2.0, 0.5, 3.5), 0.2) == 0
    assert claims.side((-2.0, -3.5, 0.5), 0.01) == -1


def seat_facts(**changed: Any) -> dict[str, Any]:
    third, span = 100 / 3, (0.0, -0.5, 0.5)
    places = dict.fromkeys(("first", "second", "third"), (third, third - 0.6, third + 0.6))
    return {
        "seats": dict.fromkeys(REPORTED, places),
        "order": [{"place": "first", "points": span, "p": 0.5}],
        "dummy": {name: {"difference": (9.0, 8.0, 10.0)} for name in REPORTED},
        "dummy double dummy": {"difference": (9.0, 8.0, 10.0)},
        "accuracy": {"both": (-1.0, -2.0, -0.5)},
        "samples": {"Table 2": "agrees"},
    } | changed


def test_a_place_differs_after_the_correction_only() -> None:
    text = "The game is balanced when all three bid freely"

    def verdict(low: float, high: float, p: float) -> str:
        order = [{"place": "first", "points": ((low + high) / 2, low, high), "p": p}]
        return by_text(claims_truth.fairness(seat_facts(order=order)))[text]

    assert verdict(0.1, 1.5, 0.2) == HOLDS
    assert verdict(0.1, 1.5, 0.01) == FAILS
    assert verdict(-0.1, 3.0, 0.2) == UNDECIDED


def test_wide_intervals_leave_a_limit_undecided() -> None:
    text = "The game is free of bias between the players"

    def verdict(low: float, high: float) -> str:
        places = {"first": (34.0, low, high)}
        return by_text(claims_truth.fairness(seat_facts(seats=dict.fromkeys(REPORTED, places))))[
            text
        ]

    assert [verdict(33, 34), verdict(33, 38), verdict(36, 38)] == [HOLDS, UNDECIDED, FAILS]


def test_the_table_of_limits_shows_what_half_and_twice_would_change() -> None:
    found = claims_truth.fairness(seat_facts())
    rows = {row["claim"]: row for row in claims.thresholds_table(found).records()}
    seats = rows["The game is free of bias between the players"]
    assert (seats["ours"], seats["verdict"]) == (claims_truth.SHARE, HOLDS)
    assert (seats["with half"], seats["with twice"], seats["changes"]) == (UNDECIDED, HOLDS, "yes")
    order = rows["The game is balanced when all three bid freely"]
    assert (order["with half"], order["with twice"], order["changes"]) == (HOLDS, HOLDS, "no")
    assert set(rows) == {claim.text for claim in found if claim.threshold}


def learning_facts(points: float, p: float) -> dict[str, Any]:
    keys = [("learned", "capture", by) for by in ("as played", "double dummy")]
    return {
        "strength": dict.fromkeys(keys, (points, points - 1, points + 1)),
        "holm": dict.fromkeys(keys, p),
        "training": "imitated somebody",
        "changes": {(who, "after a pass"): 0.0 for who in ("capture", "learned")},
        "play": [{"side": "declarer", "against": "capture", "tricks": (1.0, 0.5, 1.5), "p": 0.2}],
    }


def test_help_in_the_training_is_no_proof_of_self_play() -> None:
    def judged(points: float, p: float) -> claims.Claim:
        found = claims_conclusion.learning(learning_facts(points, p))
        return next(claim for claim in found if "self-play" in claim.text)

    assert judged(8.0, 0.001).verdict == UNDECIDED
    assert "imitated somebody" in judged(8.0, 0.001).evidence
    assert judged(-8.0, 0.001).verdict == FAILS
    tricks = claims_conclusion.learning(learning_facts(8.0, 0.001))[-1]
    assert tricks.verdict == UNDECIDED  # an interval above 0, but p = 0.2 after the correction
