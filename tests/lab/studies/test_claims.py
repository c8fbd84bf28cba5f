"""The verdicts: one rule in both directions, corrected tests, and limits that are named as ours."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.lab.studies.helpers import small_suite
from tribridge.capture import READINGS, Conditions, algorithm1, algorithm2, parse_reading
from tribridge.cards.cards import parse_hand
from tribridge.common import stats
from tribridge.common.stats import Interval
from tribridge.common.tables import Hypothesis
from tribridge.lab.studies import claims, fairness, headline, learned, second_hand, strains, suite
from tribridge.lab.studies.claims import DEPENDS, FAILS, HOLDS, OPEN, UNDECIDED
from tribridge.lab.studies.published import judge_readings

Verdicts = dict[str, str]
NO_TEST = stats.Test("", 0.0, None, 1.0, "", 0.0)


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
    second = by_text(second_hand.claims(replace(second_result(), rejected=shares)))
    rejected = next(text for text in second if text.startswith("25 to 28%"))
    assert second[rejected] == verdict
    runs = by_text(headline.claims(headline_result(natural=natural, other=other)))
    assert runs["About 10.3% of deals have a bidder"] == verdict


def headline_result(
    p: float = 0.3, holm: float = 1.0, *, natural: bool = True, other: bool = True
) -> headline.Result:
    """Lines that are the published ones, or far from them, by reading."""

    def lines(near: bool) -> headline.Lines:
        return {line: headline.SampledValue(sum(runs) / 3 if near else 1e9, 1e-3, 10**6)
                for line, runs in headline.compared_lines().items()}  # fmt: skip

    estimates = dict(zip(READINGS, (lines(natural), lines(other)), strict=True))
    tests = (Hypothesis("bidders", NO_TEST), Hypothesis("made", replace(NO_TEST, p=p), holm))
    return headline.Result(10**6, estimates, (), tests)


def second_result() -> second_hand.Result:
    fit = stats.fit([893, 544, 228, 93], [0.25] * 4)
    return second_hand.Result(
        100_000,
        (),
        (),
        dict.fromkeys((7, 8, 9, 10), Fraction(3, 4)),
        dict.fromkeys(READINGS, Fraction(26, 100)),
        dict.fromkeys(READINGS, -24.0),
        dict.fromkeys(READINGS, fit),
        dict.fromkeys(READINGS, True),
    )


def test_no_correction_helps_a_claim_that_nothing_differs() -> None:
    text = "The runs agree so closely that further runs would land in the same range"
    for p, holm, verdict in ((0.3, 1.0, HOLDS), (0.023, 0.092, UNDECIDED), (0.001, 0.01, FAILS)):
        assert by_text(headline.claims(headline_result(p, holm)))[text] == verdict
        assert claims.no_difference([(0.9, 1.0), (p, holm)]) == verdict


def test_net_points_are_summed_as_the_text_says() -> None:
    """The published totals fit the contracts with an eligible dummy, not all of them."""
    text = next(text for text in by_text(headline.claims(headline_result())) if "net about" in text)
    assert by_text(headline.claims(headline_result()))[text] == HOLDS
    shown = headline_result()
    loss = headline.SampledValue(-8.5e7, 1e-3, 10**6)
    every = dict.fromkeys(headline.POINTS.values(), loss)
    lost = {reading: {**lines, **every} for reading, lines in shown.estimates.items()}
    found = headline.claims(replace(shown, estimates=lost))
    assert by_text(found)[text] == FAILS
    assert "-85,000,000" in next(claim.evidence for claim in found if claim.text == text)
    assert by_text(found)["The new scheme pays more than five times as much"] == OPEN


def test_counts_with_other_proportions_fit_no_sample_size() -> None:
    counts = second_hand.claims(second_result())[-1]
    assert counts.verdict == FAILS
    assert "no sample size" in counts.evidence
    right = dict.fromkeys(READINGS, stats.fit([250, 250, 250, 250], [0.25] * 4))
    turned = second_hand.claims(replace(second_result(), fits=right))[-1]
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
    asked = tuple(
        strains.Question(who, suit, unit, Interval(gap, gap - 1, gap + 1), p, p, "")
        for who in (strains.EVERYONE, strains.BIDDERS)
        for suit in strains.CHOICES[:2]
        for unit, (gap, p) in gains.items()
    )
    return by_text(strains.claims(strains.Result("", asked, (), (), ())))


def test_notrump_that_is_ahead_for_one_way_of_bidding_alone_depends() -> None:
    assert set(questions().values()) == {HOLDS}
    everywhere = {"tricks": (1.0, 0.01), "level 1": (5.0, 0.01), "full": (5.0, 0.01)}
    assert set(questions(**everywhere).values()) == {FAILS}
    assert set(questions(**{"level 1": (2.6, 0.4)}).values()) == {DEPENDS}
    assert set(questions(**{"level 1": (2.6, 0.01)}).values()) == {DEPENDS}
    chance = {unit: (gap, 0.4) for unit, (gap, _) in everywhere.items()}
    assert set(questions(**chance).values()) == {UNDECIDED}


def test_the_interval_of_a_corrected_comparison_does_not_decide() -> None:
    assert claims.side(Interval(2.0, 0.5, 3.5)) == 1
    assert claims.side(Interval(2.0, 0.5, 3.5), 0.2) == 0
    assert claims.side(Interval(-2.0, -3.5, 0.5), 0.01) == -1


def seats_result(
    share: Interval | None = None, order: Interval | None = None, p: float = 0.5, tiny: float = 0.0
) -> fairness.Result:
    third = 100 / 3
    share = share or Interval(third, third - 0.6, third + 0.6)
    clear = Interval(9.0, 8.0, 10.0)
    judges = [*READINGS, "double dummy"]
    return fairness.Result(
        tuple(fairness.Place(reading, "first", 1, share, None) for reading in READINGS),
        (fairness.Worth("first", order or Interval(0.0, -0.5, 0.5), p, p),),
        "",
        (fairness.Seated("contract", "uniform", tiny, -tiny, 0.0, 0.1),),
        "2x4",
        1,
        tuple(fairness.Dummies(judge, 1, None, 1, None, clear) for judge in judges),
        (fairness.Accuracy("both", 1, 1.0, 1.0, Interval(-1.0, -2.0, -0.5)),),
        "",
        (fairness.SampleSize("Table 2", 1, 1, "agrees"),),
    )


def test_a_place_differs_after_the_correction_only() -> None:
    text = "The game is balanced when all three bid freely"

    def verdict(low: float, high: float, p: float) -> str:
        order = Interval((low + high) / 2, low, high)
        return by_text(fairness.claims(replace(seats_result(order=order, p=p), tiny=())))[text]

    assert verdict(0.1, 1.5, 0.2) == HOLDS
    assert verdict(0.1, 1.5, 0.01) == FAILS
    assert verdict(-0.1, 3.0, 0.2) == UNDECIDED


def test_a_place_that_is_worth_points_under_one_scheme_alone_is_said_to_be() -> None:
    text = "The game is balanced when all three bid freely"
    far = Interval(5.0, 4.0, 6.0)
    assert by_text(fairness.claims(seats_result()))[text] == HOLDS
    assert by_text(fairness.claims(seats_result(tiny=3.0)))[text] == DEPENDS
    assert by_text(fairness.claims(seats_result(order=far, p=0.01, tiny=3.0)))[text] == FAILS


def test_too_few_deals_with_a_qualifying_dummy_leave_the_claim_undecided() -> None:
    text = "A dummy that qualifies too is a much stronger sign that the contract makes"
    result = seats_result()
    *dummies, solved = result.dummies

    def verdict(difference: Interval) -> str:
        row = replace(solved, difference=difference)
        return by_text(fairness.claims(replace(result, dummies=(*dummies, row))))[text]

    assert verdict(Interval(2.0, 1.0, 3.0)) == HOLDS
    assert verdict(Interval(-2.0, -3.0, -1.0)) == FAILS
    assert verdict(Interval(2.0, -math.inf, math.inf)) == UNDECIDED


def test_no_test_is_no_small_p() -> None:
    assert claims.p_text(math.nan) == claims.p_text(None) != claims.p_text(0.0)


def test_wide_intervals_leave_a_limit_undecided() -> None:
    text = "The game is free of bias between the players"

    def verdict(low: float, high: float) -> str:
        return by_text(fairness.claims(seats_result(Interval(34.0, low, high))))[text]

    assert [verdict(33, 34), verdict(33, 38), verdict(36, 38)] == [HOLDS, UNDECIDED, FAILS]


def test_the_table_of_limits_shows_what_half_and_twice_would_change() -> None:
    found = fairness.claims(seats_result())
    rows = {row["claim"]: row for row in claims.thresholds_table(found).records()}
    seats = rows["The game is free of bias between the players"]
    assert (seats["ours"], seats["verdict"]) == (1.0, HOLDS)
    assert (seats["with half"], seats["with twice"], seats["changes"]) == (UNDECIDED, HOLDS, "yes")
    order = rows["The game is balanced when all three bid freely"]
    assert (order["with half"], order["with twice"], order["changes"]) == (HOLDS, HOLDS, "no")
    assert set(rows) == {claim.text for claim in found if claim.threshold}


def learning_result(points: float, p: float) -> learned.Result:
    span = Interval(points, points - 1, points + 1)
    bid = Interval(10.0, 9.0, 11.0)
    strength = tuple(
        learned.Strength(learned.LEARNED, "capture", by, span, p, p)
        for by in (learned.PLAYED, learned.SOLVED)
    )
    contexts = tuple(learned.ContextShare(who, "after a pass", bid, 0.0)
                     for who in (learned.PAPER, learned.LEARNED))  # fmt: skip
    ahead = Interval(1.0, 0.5, 1.5)
    play = learned.PlayGap("declarer", learned.LEARNED, "capture", ahead, 0.2, 100, "")
    return learned.Result(
        100, "", "imitated somebody", strength, (), 0, "", (), contexts, (play,), ""
    )


def test_help_in_the_training_is_no_proof_of_self_play() -> None:
    def judged(points: float, p: float) -> claims.Claim:
        found = learned.claims(learning_result(points, p))
        return next(claim for claim in found if "self-play" in claim.text)

    for points in (8.0, -8.0):
        assert judged(points, 0.001).verdict == UNDECIDED
        assert "imitated somebody" in judged(points, 0.001).evidence
    tricks = learned.claims(learning_result(8.0, 0.001))[-1]
    assert tricks.verdict == UNDECIDED  # an interval above 0, but p = 0.2 after the correction


@pytest.mark.slow
def test_every_claim_in_the_data_is_judged_once_by_its_study() -> None:
    judged = [(claim.study, claim.text) for claim in suite.claims(small_suite())]
    stated = claims.statements()
    assert sorted(judged) == sorted(
        (study, entry.text) for study, entries in stated.items() for entry in entries.values()
    )
    assert {entry.section for entries in stated.values() for entry in entries.values()} <= set(
        claims.SECTIONS
    )


def test_without_its_study_a_claim_is_open_or_left_out() -> None:
    left = suite.claims({})
    assert {claim.study for claim in left} == {"truth", "strains"}
    assert {claim.verdict for claim in left} == {OPEN}
    assert all("not run" in claim.evidence and "{" not in claim.criterion for claim in left)
