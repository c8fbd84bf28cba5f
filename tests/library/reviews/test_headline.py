"""What decided a deal: what a choice cost on the actual deal, with luck told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

import tribridge as tb
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.game.auction import PASS, Bid, parse_call
from tribridge.game.tricks import Chair
from tribridge.game.views import view
from tribridge.reviews import (
    Judgement,
    Luck,
    Option,
    Plan,
    Verdict,
    brief_headline,
    headline,
    named_in_headline,
    own_costliest,
    own_words,
    praise,
    result_turned,
    review,
    turning_point,
    well_played,
)
from tribridge.reviews.values import decisive
from tribridge.reviews.wording import (
    SEATS,
    call_cost,
    call_luck,
    call_reason,
    card_reason,
    cost_of,
    experts,
    summary,
)
from tribridge.strategies.learned.auctions import End
from tribridge.strategies.protocol import decision_rng
from tribridge.strategies.registry import find_strategy

PLAN = Plan(layouts=40)
LUCKY = "N:543.QJT.QJT.QJT4 2.9876.987.98765 JT9876.32.432.32 AKQ.AK54.AK65.AK"
"""South's spades take ten tricks and more, thanks to cards that South cannot see."""
SEVEN_DOWN = "N:AQ4.KJ52.KT3.Q62 T762.973.9865.T3 KJ95.AQT.AQ2.AK5 83.864.J74.J9874"
"""North has a fair hand, East next to nothing."""


def judged(deal: str, dealer: str, calls: str) -> tuple[Judgement, ...]:
    table = tb.new_table(deal, dealer=dealer)
    for call in calls.split():
        table = table.apply(call)
    return review(table, PLAN).judgements


def test_a_mistake_that_cost_nothing_decided_nothing() -> None:
    bid, *others = judged(LUCKY, "S", "4S Pass Pass")
    assert (bid.verdict, bid.luck, bid.cost) == (Verdict.MISTAKE, Luck.LUCKY, 0)
    assert bid.points_loss == max(one.points_loss for one in (bid, *others))
    assert bid not in decisive([bid, *others])
    assert "4♠" not in str(headline([bid, *others])).partition(";")[0]


def test_a_blunder_that_costs_most_is_named_whoever_made_it() -> None:
    judgements = judged(SEVEN_DOWN, "N", "Pass 7NT Pass Pass")
    turning = turning_point(judgements)
    assert turning is judgements[1]
    assert turning.points_cost == turning.cost == max(one.cost or 0 for one in judgements)
    words = str(headline(judgements, ["Ann", "Walter", "Maud"]))
    assert words.startswith("What decided it: 7NT by Walter.")
    assert f"cost {cost_of(turning)}" in words
    assert f"cost {cost_of(turning)}" in turning.reason
    brief = str(brief_headline(judgements, ["Ann", "Walter", "Maud"]))
    assert "7NT by Walter; Pass was better" in brief
    assert len(brief) < len(words)


def call(name: str, seat: Seat, verdict: Verdict, loss: float, cost: float) -> Judgement:
    """A judgement on a call that should lose some points, and cost others."""
    action = parse_call(name)
    other = parse_call("7S") if action is PASS else PASS
    options = (
        Option(other, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        Option(action, -loss, loss, 0.0, -loss, loss, 0.0),
    )
    return Judgement(
        number=1, seat=seat, chair=None, action=action, options=options, verdict=verdict,
        cost=cost, points_cost=cost,
    )  # fmt: skip


def found(card: str, shares: dict[str, float], loses: dict[str, float], actual: int) -> Judgement:
    """A best card at which declarer can take nine tricks; the others end at `actual`."""
    options = tuple(
        Option(Card(name), 9.0, loss, 0.0, 0.0, loss, 0.0, 9.0 if name == card else actual, share)
        for name, share in shares.items()
        for loss in [loses.get(name, 0.0)]
    )
    return Judgement(
        number=5, seat=Seat.EAST, chair=Chair.DECLARER, action=Card(card), options=options,
        verdict=Verdict.BEST, cost=0, points_cost=0, double_dummy=9,
    )  # fmt: skip


def test_a_card_is_praised_that_most_experts_would_miss() -> None:
    shares = {"SK": 0.3, "SA": 0.6, "H2": 0.1}
    fine = found("SK", shares, {"SA": 5.0, "H2": 5.0}, 8)
    words = str(praise([fine], ["Ann", "Walter", "Maud"]))
    assert "SK" not in words
    assert "♠K by Walter" in words
    assert "70%" in words
    for other in (
        found("SK", shares, {"SA": 5.0, "H2": 5.0}, 9),  # the others cost nothing here
        found("SK", shares, {"H2": 5.0}, 8),  # most would play a card as good as this one
        found("SK", {"SK": 0.6, "SA": 0.4}, {"SA": 5.0}, 8),  # most would find it
        replace(fine, verdict=Verdict.GOOD),
        replace(fine, cost=1),
    ):
        assert praise([other]) is None
    rarer = found("SK", {"SK": 0.1, "SA": 0.9}, {"SA": 5.0}, 8)
    assert well_played([fine, rarer, fine]) == (rarer, 0.9)


def test_what_happened_counts_and_not_what_was_to_be_feared() -> None:
    passed = call("Pass", Seat.NORTH, Verdict.MISTAKE, loss=110, cost=75)
    bid = call("2NT", Seat.SOUTH, Verdict.INACCURACY, loss=60, cost=92)
    assert turning_point([passed, bid]) is bid


@pytest.mark.parametrize("verdict", [Verdict.BEST, Verdict.GOOD])
def test_a_sound_pass_is_never_blamed(verdict: Verdict) -> None:
    passed = call("Pass", Seat.NORTH, verdict, loss=5, cost=300)
    assert decisive([passed]) == []
    assert turning_point([passed]) is None
    assert "cards decided" in str(headline([passed]))


def lost(chair: Chair, before: int, cost: int, points: float) -> Judgement:
    """A card that cost tricks on the actual deal."""
    best, own = Card("SK"), Card("S2")
    options = tuple(Option(card, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0) for card in (best, own))
    return Judgement(
        number=9, seat=Seat.EAST, chair=chair, action=own, options=options,
        verdict=Verdict.MISTAKE, cost=cost, points_cost=points, double_dummy=before,
    )  # fmt: skip


def test_tricks_that_did_not_change_the_result_are_not_what_decided_it() -> None:
    bid = call("2NT", Seat.EAST, Verdict.BEST, loss=0, cost=0)
    over, down = lost(Chair.DECLARER, 10, 2, 18), lost(Chair.DECLARER, 8, 1, 58)
    safe = str(headline([bid, over]))
    assert safe == (
        "The play never changed whether the contract made. "
        "What cost most as the cards lay: ♠2 by East, 2 tricks; ♠K was better."
    )
    unlucky = replace(over, verdict=Verdict.BEST, luck=Luck.BAD)
    assert "bad luck cost most: ♠2 by East was no mistake" in str(headline([bid, unlucky]))
    assert not result_turned([bid, unlucky])
    # A larger mistake that cost nothing comes before a trick that was unlucky.
    lose = replace(over, cost=0, points_cost=0, luck=Luck.LUCKY)
    best, own = lose.options
    spared = replace(lose, options=(best, replace(own, points_loss=50.0)))
    assert str(headline([bid, unlucky, spared])) == (
        "The play never changed whether the contract made. "
        "The largest mistake, ♠2 by East, cost nothing as the cards lay; "
        "by what could be known, ♠K was better."
    )
    assert "bad luck cost most" in str(headline([bid, unlucky, lose]))
    # The eighth trick of 2NT, lost by declarer or given by a defender, decided the deal.
    given = lost(Chair.LEFT, 7, 1, 58)
    for before, turned in ((over, down), (lost(Chair.LEFT, 5, 2, 9), given)):
        assert turned.turns(8)
        assert result_turned([bid, before, turned])
        assert str(headline([bid, before, turned])).startswith("What decided it: ♠2 by East")
    # Lost and given back, it decided nothing.
    back = [bid, down, given]
    assert not result_turned(back)
    assert "won back" in str(headline(back))
    assert "decided" not in str(headline(back))
    # The same for the contract, but not the same tricks.
    lost_two, gave_two = lost(Chair.DECLARER, 8, 2, 108), lost(Chair.LEFT, 6, 2, 108)
    ends = {
        "it failed, as with best play, but by 1 trick more": [lost(Chair.LEFT, 7, 1, 58), lost_two],
        "it failed, as with best play, but by 1 trick fewer": [
            lost(Chair.LEFT, 6, 2, 108), lost(Chair.DECLARER, 8, 1, 58),
        ],
        "it made, as with best play, but with 1 trick more": [
            lost(Chair.DECLARER, 8, 1, 58), lost(Chair.LEFT, 7, 2, 67),
        ],
        "it made, as with best play, but with 2 tricks fewer": [
            lost(Chair.DECLARER, 10, 4, 126), gave_two,
        ],
    }  # fmt: skip
    for words, cards in ends.items():
        assert not result_turned([bid, *cards])
        assert words in str(headline([bid, *cards]))
        assert "the result is that" not in str(headline([bid, *cards]))
    # A mistake that cost nothing is told of where nothing cost anything.
    assert str(headline([bid, spared])) == (
        "The largest mistake, ♠2 by East, cost nothing as the cards lay; "
        "by what could be known, ♠K was better."
    )
    assert not over.turns(8)
    assert not lost(Chair.RIGHT, 8, 1, 9).turns(8)
    # Where the auction cost most, that decided it; with a small deck nothing is said of the result.
    wrong = call("2NT", Seat.EAST, Verdict.MISTAKE, loss=80, cost=75)
    assert str(headline([wrong, over])).startswith("What decided it: 2NT")
    unjudged = replace(bid, verdict=Verdict.UNJUDGED)
    assert str(headline([unjudged, over])).startswith("What decided it: ♠2")


def test_the_card_that_turned_the_result_for_good_decided_it() -> None:
    bid = call("2H", Seat.EAST, Verdict.BEST, loss=0, cost=0)
    given, back = lost(Chair.LEFT, 7, 1, 66), lost(Chair.DUMMY, 8, 1, 66)
    dear, last = lost(Chair.DECLARER, 10, 3, 300), replace(given, seat=Seat.SOUTH)
    deal = [bid, given, back, last]
    assert turning_point(deal) is last
    assert decisive(deal)[0] is last
    assert str(headline(deal)).startswith("What decided it: ♠2 by South")
    # Even a card that cost more, and less than it cost was given back, did not.
    assert turning_point([bid, dear, last]) is dear  # from making to making: it cost most
    assert turning_point([bid, dear, replace(last, double_dummy=7), back]) is back
    # A call that cost more than any card did, and no call that cost less.
    for cost, decided in ((400.0, True), (40.0, False)):
        wrong = call("2H", Seat.EAST, Verdict.MISTAKE, loss=80, cost=cost)
        assert (turning_point([wrong, given, back, last]) is wrong) == decided
    # Nor does it count whether it was a mistake, bad luck, or a card that most would not play.
    unlucky = replace(last, verdict=Verdict.GOOD, luck=Luck.BAD)
    assert str(headline([bid, given, back, unlucky])).startswith("Bad luck decided it: ♠2 by South")
    avoided = [bid, given, back, replace(last, verdict=Verdict.GOOD)]
    assert turning_point(avoided) is avoided[-1]
    words = str(headline(avoided))
    assert "What decided it: ♠2 by South" in words
    assert "The costliest mistake: ♠2 by East" in words
    assert "bad luck" not in words


@pytest.mark.parametrize(
    ("loss", "error", "words"), [(80, 50, "a difference within the error"), (4, 50, "close to")]
)
def test_a_call_far_behind_is_not_close_to_the_best(loss: float, error: float, words: str) -> None:
    judged = call("2NT", Seat.SOUTH, Verdict.GOOD, loss=loss, cost=0)
    best, own = judged.options
    (reason,) = call_reason(judged, best, replace(own, points_error=error))
    assert words in str(reason)


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        (
            (8.62, 40.4),
            (8.58, 30.2),
            ("8.62 tricks and +40 points per opponent", "8.58 tricks and +30"),
        ),
        ((8.601, 40.4), (8.604, 40.2), (" +40.4 points per", " +40.2 points")),
        ((8.6, 40.0), (8.5, 30.0), ("8.6 tricks and +40", "8.5 tricks and +30")),
    ],
)
def test_numbers_that_are_to_tell_two_cards_apart_differ(
    own: tuple[float, float], other: tuple[float, float], words: tuple[str, str]
) -> None:
    judged = lost(Chair.LEFT, 7, 1, 58)
    best, chosen = (
        replace(option, expected=tricks, points=points)
        for option, (tricks, points) in zip(judged.options, (own, other), strict=True)
    )
    judged = replace(judged, options=(best, replace(chosen, loss=0.1, points_loss=9.0)))
    reason = str(card_reason(judged, 0.0, None, None, SEATS))
    assert all(word in reason for word in words)
    assert ("tricks" in reason) == ("tricks" in words[0])


def test_whoever_is_not_one_in_a_hundred_is_not_counted() -> None:
    cards = [((Card("D7"),), 0.997), ((Card("D6"),), 0.003)]
    (share,) = experts(cards, Card("D6"), excused=False)
    assert str(share).startswith("Nearly all experts")


def test_a_card_costs_tricks_and_a_call_points() -> None:
    declarer, defender = lost(Chair.DECLARER, 8, 1, 58), lost(Chair.LEFT, 7, 1, 58)
    assert str(cost_of(declarer)) == str(cost_of(defender)) == "1 trick"
    wrong = call("2NT", Seat.EAST, Verdict.MISTAKE, loss=80, cost=75)
    assert str(cost_of(wrong)) == "75 points per opponent"


def test_a_bid_that_was_overcalled_decided_nothing() -> None:
    wrong = call("1NT", Seat.NORTH, Verdict.MISTAKE, loss=60, cost=400)
    unlucky = replace(wrong, verdict=Verdict.BEST, luck=Luck.BAD)
    passed = replace(call("Pass", Seat.EAST, Verdict.MISTAKE, loss=20, cost=30), number=2)
    last = replace(call("2H", Seat.SOUTH, Verdict.MISTAKE, loss=10, cost=50), number=3)
    for overcalled in (wrong, unlucky):
        assert decisive([overcalled, passed, last]) == [last, passed]
        assert decisive([overcalled, passed]) == [overcalled, passed]


def test_a_player_is_told_their_own_mistake_unless_the_headline_names_it() -> None:
    worst = replace(call("2NT", Seat.EAST, Verdict.MISTAKE, loss=60, cost=90), number=2)
    passed = call("Pass", Seat.NORTH, Verdict.MISTAKE, loss=20, cost=40)
    sound = replace(call("Pass", Seat.SOUTH, Verdict.GOOD, loss=5, cost=0), number=3)
    deal = [passed, worst, sound]
    said = [own_words(deal, seat) for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH)]
    assert said[1] is None
    own, none = (str(one) for one in said[::2])
    assert "Pass, 40 points per opponent with best play by everyone; 7♠ was better" in own
    assert [own_costliest(deal, seat) for seat in Seat] == [passed, worst, None]
    assert none == "You made no mistake."
    spared = replace(passed, points_cost=0, cost=0, luck=Luck.LUCKY)
    assert own_words([spared, worst], Seat.NORTH) is None
    assert own_words([worst], Seat.SOUTH) is None
    # After bad luck the headline names the worst mistake, too.
    unlucky = replace(worst, verdict=Verdict.BEST, luck=Luck.BAD)
    assert own_words([passed, unlucky], Seat.NORTH) is None


def test_bad_luck_is_called_that_and_the_costliest_mistake_is_still_named() -> None:
    right = replace(call("2NT", Seat.EAST, Verdict.BEST, loss=0, cost=274), luck=Luck.BAD)
    wrong = call("Pass", Seat.NORTH, Verdict.INACCURACY, loss=42, cost=125)
    assert turning_point([wrong, right]) is right
    best, own = right.options
    right = replace(right, options=(best, replace(own, expected=-4.0, actual=-278.0)))
    words = str(headline([wrong, right]))
    assert "2NT by East was no mistake. It averages -4 points per opponent" in words
    assert "was worth -278 with best play by everyone" in words
    assert "costliest mistake: Pass by North. It cost 125 points per opponent with best" in words
    assert "costliest" not in str(headline([right]))
    # A bid that made was no bad luck, whatever a pass would have brought.
    made, failed = lost(Chair.RIGHT, 8, 0, 0), lost(Chair.RIGHT, 7, 0, 0)
    assert decisive([wrong, right, made]) == [wrong]
    assert turning_point([wrong, right, failed]) is right
    even = replace(right, points_cost=125)
    assert turning_point([even, wrong]) is wrong
    assert "bad luck" not in str(headline([even, wrong]))


def test_what_a_call_cost_names_the_contract_that_the_other_leads_to() -> None:
    ends = {
        End(10.0, Bid("2S"), Seat.EAST): "ended in 2♠ by East",
        End(0.0): "nobody would have bid",
        End(10.0, Bid("1H"), Seat.NORTH): "double dummy.",
    }
    for end, words in ends.items():
        assert str(call_cost(7.0, Bid("1H"), end)).rstrip(".").endswith(words.rstrip("."))
        assert words in str(call_luck(Luck.BAD, 7.0, Bid("1H"), end))


def told(judgements: Sequence[Judgement]) -> dict[str, list[Judgement]]:
    """The sentences on what cost most as the cards lay, with what each of them is about."""
    first = named_in_headline(judgements)
    said = {str(headline(judgements)): first, str(brief_headline(judgements)): first[:1]}
    for seat in Seat:
        costliest = own_costliest(judgements, seat)
        if costliest is not None and costliest not in first:
            said[str(own_words(judgements, seat))] = [costliest]
    return said


def test_what_is_better_as_the_cards_lay_gives_nothing_away_double_dummy() -> None:
    named, other, bot = 0, 0, find_strategy("learned+random")
    for seed in (6, 7):
        table = tb.new_table(seed=seed)
        while (seat := table.turn) is not None:
            rng = decision_rng(seed, 0, seat, len(table.history))
            table = table.apply(bot.choose(view(table, seat), rng).action)
        judgements = review(table, Plan(layouts=8)).judgements
        for words, chosen in told(judgements).items():
            for one in chosen:
                if one.chair is None or not one.cost or "bad luck" in words.lower():
                    continue
                free = [str(each.action) for each in one.options if each.actual == one.double_dummy]
                text = words.partition(str(one.action))[2]
                card = re.search(r"; (\S+) (?:was better|would have cost nothing)", text)
                assert card is not None, words
                assert card[1] in free, words
                named += 1
                assert one.best is not None
                other += str(one.best.action) not in free
    assert named > other > 0


def test_of_cards_that_cost_nothing_the_one_of_most_experts_is_better_or_else_the_lowest() -> None:
    wrong = lost(Chair.DECLARER, 9, 1, 30)
    cards = {"SK": (8.0, 0.6), "S2": (8.0, 0.1), "H9": (9.0, 0.1), "H8": (9.0, 0.1), "D4": (9.0, 0)}
    options = tuple(
        Option(Card(name), 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, actual, share)
        for name, (actual, share) in cards.items()
    )
    assert "♥8 would have cost nothing" in str(headline([replace(wrong, options=options)]))
    popular = tuple(replace(one, share=0.2) if one.action == Card("D4") else one for one in options)
    assert "♦4 would have cost nothing" in str(headline([replace(wrong, options=popular)]))
    # What the review suggests comes first, if it costs nothing.
    best = (replace(options[0], actual=9.0), *options[1:])
    assert "♠K was better" in str(headline([replace(wrong, options=best)]))


def test_a_pass_is_told_apart_from_another_one_of_the_same_player() -> None:
    early = call("Pass", Seat.NORTH, Verdict.GOOD, loss=0, cost=0)
    bid = replace(call("1S", Seat.EAST, Verdict.BEST, loss=0, cost=0), number=2)
    passed = replace(call("Pass", Seat.SOUTH, Verdict.BEST, loss=0, cost=0), number=3)
    late = replace(call("Pass", Seat.NORTH, Verdict.INACCURACY, loss=11, cost=9), number=4)
    once, twice = [bid, passed, late], [early, bid, passed, late]
    for deal, name in ((once, "Pass"), (twice, "Pass after 1♠")):
        assert f"{name} by North" in str(headline(deal))
        assert f"with {name} (better" in str(summary(deal, Seat.NORTH, SEATS))
    both = [replace(early, verdict=Verdict.MISTAKE, points_cost=50, cost=50), *twice[1:]]
    assert "Pass before any bid by North" in str(brief_headline(both))
