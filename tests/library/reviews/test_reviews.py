"""Reviews: fair verdicts, computed from what each player could know and from nothing else."""

from __future__ import annotations

import inspect
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

import tribridge as tb
from benchmarks import own_choices
from benchmarks.review import GRADES, Pair, agreement, summary
from tests.grids import thinned
from tests.library.game.playing import with_deal
from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.dealer import deal as deal_number
from tribridge.cards.deals import Deal
from tribridge.cli import games as games_command
from tribridge.club.core import reviews as table_reviews
from tribridge.common import codec
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import parse_call
from tribridge.game.laws import find_laws
from tribridge.game.record import record_of
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table
from tribridge.game.textbook import positions
from tribridge.game.tricks import Chair
from tribridge.game.views import view
from tribridge.reviews import Judgement, Luck, Option, Plan, Verdict, judge, review
from tribridge.reviews.calls import settle_call
from tribridge.reviews.cards import (
    LARGE,
    SMALL,
    CardValues,
    certain,
    judge_card,
    key_card,
    settle_card,
    value_cards,
)
from tribridge.reviews.judging import LAYOUTS
from tribridge.reviews.values import Key
from tribridge.reviews.wording import SEATS, summaries
from tribridge.strategies.players.maxims.player import pick
from tribridge.strategies.players.search.evaluation import play_out
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import reason_for

EXACT = Plan(layouts=500)


def played(deal: str | Deal, actions: str, deck: str = "2x8") -> Table:
    table = tb.new_table(deal, deck=deck)
    for action in actions.split():
        table = table.apply(action)
    return table


def last(table: Table, plan: Plan = EXACT) -> Judgement:
    """The judgement on the last action of a table."""
    return judge(table.undo(), table.history[-1], plan)


# The values


def test_the_value_of_a_card_is_its_mean_over_all_layouts_of_a_small_deck() -> None:
    table = played(deal_number(3, 5, Deck("2x6")), "1NT pass pass", "2x6")
    position, contract, deck = table.position, table.contract, table.deal.deck
    assert position is not None
    assert contract is not None
    seen = view(table, table.turn)
    stakes = seen.stakes(contract)
    own, dummy = position.hands[Chair.LEFT], position.hands[Chair.DUMMY]
    unseen = list(Hand(deck.mask & ~(own | dummy)))
    sums: dict[Card, float] = {}
    points: dict[Card, float] = {}
    layouts = 0
    for held in combinations(unseen, deck.hand_size):
        declarer = Hand(held).mask
        other = Hand(unseen).mask & ~declarer
        layout = position.with_hands((declarer, own, dummy, other))
        exact, by_maxims = DoubleDummy(deck).cards(layout), play_out(layout)
        for card in position.legal:
            sums[card] = sums.get(card, 0.0) + (exact[card] + by_maxims[card]) / 2
            worth = (stakes[exact[card]] + stakes[by_maxims[card]]) / 2
            points[card] = points.get(card, 0.0) + worth
        layouts += 1
    values = value_cards(seen, 500, np.random.default_rng(1))
    assert values.whole
    assert len(values.layouts) == layouts == 20
    found = {option.action: option.expected for option in values.options}
    assert found == pytest.approx({card: total / layouts for card, total in sums.items()})
    earned = {option.action: option.points for option in values.options}
    assert earned == pytest.approx({card: total / layouts for card, total in points.items()})
    assert [option.points_error for option in values.options] == [0.0] * len(found)
    best = min(earned.values())  # for a defender
    losses = {option.action: option.points_loss for option in values.options}
    assert losses == pytest.approx({card: value - best for card, value in earned.items()})


def test_an_ending_is_judged_by_more_than_the_network() -> None:
    # Dummy's king of trumps is alone: to lead the queen to it wastes one of the two.
    table = tb.new_table(
        "N:JT.9652.984.AT53 KQ83.K84.AJ3.864 A752.T.QT7652.92 964.AQJ73.K.KQJ7",
        dealer="S",
        auction="1D pass 1S 2D pass pass",
    )
    play = "SJ S4 S3 SA C2 C3 CJ C4 HQ H4 HT H6 CK C6 C9 CA ST S6 S8 S2 CT CQ C8 S5 HA H8 S7 H2"
    for card in f"{play} H3 HK D2 H5".split():
        table = table.play(card)
    assert judge(table, Card("DQ"), Plan()).verdict.wrong
    assert judge(table, Card("D5"), Plan()).verdict.right


def swapped(deal: Deal, one: int, two: int, first: Card, second: Card) -> Deal:
    """A deal with a card of one hand exchanged for a card of another."""
    hands = list(deal.hands)
    assert first in hands[one]
    assert second in hands[two]
    exchange = first.bit | second.bit
    hands[one], hands[two] = Hand(hands[one].mask ^ exchange), Hand(hands[two].mask ^ exchange)
    return Deal.of(hands, deal.deck)


def test_cards_hidden_from_the_player_do_not_enter_the_expected_values() -> None:
    plan = Plan(layouts=8)
    deal = tb.deal(seed=1)
    table = played(deal, "1NT pass 2H pass pass CT C4 C9 C3")
    assert table.turn is tb.Seat.NORTH
    # North sees neither East's nor South's cards.
    other = with_deal(table, swapped(deal, 1, 2, Card("SK"), Card("SA")))
    assert view(table, tb.Seat.NORTH) == view(other, tb.Seat.NORTH)
    assert table.deal != other.deal
    action = table.legal[0]
    one, two = (judge(t, action, plan) for t in (table, other))
    assert _known(one) == _known(two)
    assert [o.expected for o in one.options] == [o.expected for o in two.options]
    assert sum(option.share or 0.0 for option in one.options) == pytest.approx(1)
    # Nor do they enter the value of a call.
    one, two = (
        judge(tb.new_table(t.deal).call("pass").call("1H").call("pass"), tb.PASS, plan)
        for t in (table, other)
    )
    assert one.options
    assert _known(one) == _known(two)


def _known(judgement: Judgement) -> Judgement:
    """A judgement without what the actual deal adds to it."""
    options = tuple(replace(option, actual=None) for option in judgement.options)
    return replace(
        judgement,
        options=options,
        luck=None,
        cost=None,
        points_cost=None,
        double_dummy=None,
        why=(),
    )


# Verdicts


def test_a_guess_that_fails_is_bad_luck_whichever_way_it_is_taken() -> None:
    line = "1NT pass pass CQ C7 C9 CA D7 D9"
    for hands, card, held in (
        ("N:87.AK A9.QJ QT.T9 KJ.87", "DJ", "♦A"),
        ("N:87.AK Q9.QJ AT.T9 KJ.87", "DK", "♦Q"),
    ):
        judgement = last(played(hands, f"{line} {card}"))
        assert judgement.chair is Chair.DUMMY
        assert (judgement.verdict, judgement.luck, judgement.cost) == (
            Verdict.BEST,
            Luck.BAD,
            1,
        )
        assert f"because East held {held}, which was 39% likely" in judgement.reason


def test_a_guess_that_works_is_neither_good_nor_bad_luck() -> None:
    line = "1NT pass pass CQ C7 C9 CA D7 D9"
    judgement = last(played("N:87.AK A9.QJ QT.T9 KJ.87", f"{line} DK"))
    assert (judgement.verdict, judgement.luck, judgement.cost) == (Verdict.BEST, None, 0)


def test_a_finesse_where_the_top_cards_are_sure_is_a_mistake() -> None:
    line = "2NT pass pass CQ C7 C9 CA DJ D8 DT"
    judgement = last(played("N:AJ.AK 98.QJ Q7.T9 KT.87", line))
    assert (judgement.verdict, judgement.luck, judgement.cost) == (Verdict.MISTAKE, None, 1)
    assert judgement.reason.startswith("♦K was certain to make the contract. ♦K averages 4.0 ")
    assert "when South holds ♦Q" in judgement.reason


def test_the_same_finesse_is_lucky_when_it_works() -> None:
    line = "2NT pass pass CQ C7 C9 CA DJ D8 DT"
    judgement = last(played("N:AJ.AK Q8.QJ 97.T9 KT.87", line))
    assert (judgement.verdict, judgement.luck, judgement.cost) == (Verdict.MISTAKE, Luck.LUCKY, 0)
    assert judgement.reason.endswith("It cost nothing on the actual deal.")


def setting(hands: str, actions: str) -> Judgement:
    return last(played(hands, actions, "4x13"), Plan(layouts=16))


def test_giving_up_a_certain_set_is_a_mistake_however_surely_the_contract_fails() -> None:
    hands = "N:AKQJ54.AKQ2..AKQ 92.T975.A83.T862 87.86.KQJT9.9743 T63.J43.76542.J5"
    judgement = setting(hands, "7NT pass pass HT")
    assert judgement.verdict is Verdict.MISTAKE
    assert judgement.best is not None
    assert judgement.best.action == Card("DA")
    assert judgement.reason.startswith("♦A was certain to defeat the contract.")
    once, twice = (str(summaries([judgement] * times)[judgement.seat]) for times in (1, 2))
    assert "better: ♦A" in once
    assert "most of it" not in once
    assert "most of it" in twice
    assert setting(hands, "7NT pass pass DA").verdict.right


def test_ducking_the_setting_trick_is_a_mistake() -> None:
    table = next(one for one in positions() if one.id == "second-set").table()
    assert last(table.play("HA"), Plan(layouts=16)).verdict.right
    assert last(table.play("H2"), Plan(layouts=16)).verdict is Verdict.MISTAKE


def test_ducking_with_a_sure_trump_trick_is_fair() -> None:
    hands = "N:KQJ54.AKQ2.K.AKQ A2.T975.A83.T862 87.86.QJT97.9743 T963.J43.6542.J5"
    table = played(hands, "7S pass pass", "4x13")
    assert table.position is not None
    assert certain(table.position, Card("HT")) == []
    other = played(hands, "7NT pass pass", "4x13").position
    assert other is not None
    assert set(certain(other, Card("HT"))) == {Card("SA"), Card("DA")}


def test_no_right_card_of_the_textbook_gives_up_a_certain_result() -> None:
    for one in positions():
        seen = one.view()
        for card in one.cards:
            if certain(position_of(seen), card):
                values = value_cards(seen, 8, np.random.default_rng(1))
                assert values.given_up(card) is None, one.id


def test_calls_are_judged_by_what_they_lead_to() -> None:
    plan = Plan(layouts=8)
    table = tb.new_table(seed=1)
    wild = last(table.call("7NT"), plan)
    assert wild.verdict is Verdict.MISTAKE
    assert wild.luck is None
    assert wild.loss > 100
    assert wild.cost is not None
    assert wild.cost > 100
    calm = last(table.call("pass"), plan)
    assert calm.verdict is Verdict.BEST
    assert {tb.PASS} < {option.action for option in calm.options} <= set(table.legal)
    wild_table = tb.new_table(seed=1, doubles=True).call("7NT")
    double = last(wild_table.call("X"), plan)
    assert (double.verdict, double.luck) == (Verdict.BEST, None)
    assert double.chosen is not None
    actual = {option.action: option.actual for option in double.options}
    assert (actual[tb.DOUBLE] or 0) >= (actual[tb.PASS] or 0) > 0


ONE_DOWN = "N:Q2.AJ752.AQ976.T KT8653.KT3.J3.62 A97.Q4.KT5.KQ987 J4.986.842.AJ543"
"""South's clubs take seven tricks, and North's diamonds eight."""


def test_a_call_is_settled_by_the_auction_that_followed_it() -> None:
    table = tb.new_table(ONE_DOWN, dealer="N", scheme="auction-tricks")
    for call in ("1D", "Pass", "2C"):
        table = table.call(call)
    ahead = last(table, Plan())
    opening, _, overcall, *_ = review(table.call("pass").call("pass")).calls
    assert overcall.verdict.wrong
    assert [one.expected for one in ahead.options] == [one.expected for one in overcall.options]
    settled = {option.action: option.actual for option in overcall.options}
    assert settled[parse_call("2C")] == -50  # one down in the contract that was played
    assert settled[tb.PASS] == -7  # what it would have cost to let 1♦ play
    assert (overcall.luck, overcall.cost) == (None, 43)
    assert "it cost 43 points per opponent against Pass" in overcall.reason
    # Whoever was overcalled, and then passed, has no bad luck and gets what the contract brought.
    assert opening.chosen is not None
    assert (opening.luck, opening.chosen.actual) == (None, 25)


def test_a_call_after_which_its_player_bid_again_is_not_said_to_have_cost_anything() -> None:
    said = []
    for calls in ("3D 4C 4D Pass Pass", "3D 4C Pass 4D Pass Pass"):
        table = tb.new_table(ONE_DOWN, dealer="N", scheme="auction-tricks")
        for call in calls.split():
            table = table.call(call)
        first = review(table, Plan(layouts=8)).calls[0]
        assert first.verdict.wrong
        said.append((first.luck, "actual deal" in first.reason))
    assert said[0][1]
    assert said[1] == (None, False)


def test_a_sound_bid_that_brings_something_is_not_bad_luck() -> None:
    # North's 1♦ makes with an overtrick, and a pass would have brought more.
    table, calls = tb.new_table(ONE_DOWN, dealer="N"), (tb.PASS, parse_call("1D"))
    passing, bid = (Option(call, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) for call in calls)
    sound = Judgement(
        number=1, seat=table.auction.dealer, chair=None, action=bid.action,
        options=(bid, passing), verdict=Verdict.BEST,
    )  # fmt: skip
    made = settle_call(sound, table, find_scheme("auction-tricks"), (tb.PASS, tb.PASS))
    assert made.options[0].actual == 14
    assert made.luck is None
    assert made.cost
    failed = parse_call("3D")
    sound = replace(sound, action=failed, options=(replace(bid, action=failed), passing))
    down = settle_call(sound, table, find_scheme("auction-tricks"), (tb.PASS, tb.PASS))
    assert (down.options[0].actual, down.luck) == (-50, Luck.BAD)


@pytest.mark.parametrize(
    ("average", "luck", "cost"), [(0.0, Luck.BAD, 50), (-10.0, Luck.BAD, 40), (-46.0, None, 150)]
)
def test_only_a_result_clearly_below_the_average_is_bad_luck(
    average: float, luck: Luck | None, cost: float
) -> None:
    table, calls = tb.new_table(ONE_DOWN, dealer="N"), (tb.PASS, parse_call("3D"))
    passing, bid = (Option(call, average, 0.0, 0.0, average, 0.0, 0.0) for call in calls)
    sound = Judgement(
        number=1, seat=table.auction.dealer, chair=None, action=bid.action,
        options=(bid, passing), verdict=Verdict.BEST,
    )  # fmt: skip
    settled = settle_call(sound, table, find_scheme("auction-tricks"), (tb.PASS, tb.PASS))
    assert settled.luck is luck
    assert settled.points_cost == cost
    assert ("would have gained" in settled.reason) is (luck is not None)


def valued(scheme: str, *tricks: list[int]) -> CardValues:
    """North's first two legal cards in 4♠, with declarer's tricks on some layouts."""
    table = tb.new_table(seed=1, scheme=scheme).call("4S").call("pass").call("pass")
    table = table.apply(table.legal[0])
    seen = view(table, table.turn)
    assert seen.contract is not None
    stakes = np.array(seen.stakes(seen.contract))
    exact = np.array(tricks).T
    values = value_cards(seen, 8, np.random.default_rng(1))
    return replace(
        values,
        layouts=(values.layouts * len(exact))[: len(exact)],
        share=np.full(len(exact), 1 / len(exact)),
        cards=values.cards[:2],
        made=(exact >= 10).astype(float),
        tricks=exact.astype(float),
        points=stakes[exact],
        stake=float(stakes[10] - stakes[9]),
        network={},
    )


def verdict(values: CardValues, at: int = 1, opinion: Card | None = None) -> Verdict:
    return judge_card(1, values.view, values.cards[at], values, opinion, SEATS).verdict


@pytest.mark.parametrize("scheme", ["auction", "contract"])
def test_making_the_contract_counts_for_more_than_tricks(scheme: str) -> None:
    """The safety play makes in all layouts; the other card wins more tricks, and goes down."""
    values = valued(scheme, [10] * 120, [9] * 36 + [11] * 84)
    safe, greedy = values.options
    assert safe.action == values.cards[0]
    assert greedy.expected > safe.expected
    assert greedy.loss == 0
    assert verdict(values) is Verdict.MISTAKE


@pytest.mark.parametrize("scheme", ["auction", "contract"])
def test_a_clear_loss_is_named_by_its_size_whoever_agrees(scheme: str) -> None:
    shares = {
        Verdict.GOOD: SMALL / 2,
        Verdict.INACCURACY: (SMALL + LARGE) / 2,
        Verdict.MISTAKE: LARGE,
    }
    for name, share in shares.items():
        down = round(share * 400)
        values = valued(scheme, [10] * 400, [9] * down + [10] * (400 - down))
        assert verdict(values) is name
        assert verdict(values, opinion=values.cards[1]) is name
        assert verdict(values, 0) is Verdict.BEST


def test_tricks_thrown_away_are_an_inaccuracy_however_little_they_pay() -> None:
    for share, name in (1.0, Verdict.INACCURACY), (0.2, Verdict.GOOD):
        fewer = round(share * 400)
        values = valued("contract", [12] * 400, [11] * fewer + [12] * (400 - fewer))
        assert verdict(values) is name
        assert values.options[1].points_loss < SMALL * values.stake


def test_an_opening_lead_by_the_book_is_no_inaccuracy() -> None:
    table = tb.new_table(seed=1, auction="1NT pass pass")
    seen = view(table, table.turn)
    book = pick(position_of(seen))[0]
    other = next(card for card in seen.legal_cards if card.suit is not book.suit)
    for share, by_book in ((SMALL + LARGE) / 2, Verdict.GOOD), (LARGE, Verdict.MISTAKE):
        down = round(share * 400)
        values = valued("auction", [9] * down + [10] * (400 - down), [10] * 400)
        assert verdict(replace(values, view=seen, cards=(other, book))) is by_book
        assert verdict(replace(values, view=seen, cards=(book, other))).wrong


@pytest.mark.parametrize("scheme", ["auction", "contract"])
def test_a_card_that_half_of_the_experts_play_is_blamed_only_for_a_clear_loss(scheme: str) -> None:
    """Clear is what is a mistake even at the lower end of its interval."""
    for share, blamed in ((SMALL + LARGE) / 2, False), (LARGE + 0.02, False), (2 * LARGE, True):
        down = round(share * 400)
        values = valued(scheme, [10] * 400, [9] * down + [10] * (400 - down))
        best, other = values.cards
        for part, few in (0.9, False), (0.3, True):
            asked = replace(values, network={best: 1 - part, other: part})
            judged = judge_card(1, asked.view, other, asked, None, SEATS)
            assert judged.verdict.wrong is (blamed or few)
            assert judged.verdict.right or judged.verdict is verdict(values)
            assert ("half of the experts" in judged.reason) is not judged.verdict.wrong
            assert "% of experts would play" in judged.reason
            shares = {option.action: option.share or 0.0 for option in judged.options}
            assert sum(shares.values()) == pytest.approx(1)
            assert shares[other] < part


@pytest.mark.parametrize("scheme", ["auction", "contract"])
def test_a_card_that_most_experts_avoid_and_that_is_worse_is_neither_good_nor_unlucky(
    scheme: str,
) -> None:
    """Where the values and the experts agree, a loss beyond its error is no bad luck."""
    down = round(SMALL / 2 * 400)
    values = valued(scheme, [10] * 400, [9] * down + [10] * (400 - down))
    best, other = values.cards
    hands, tricks = values.layouts[0], {best: 10, other: 10 - values.sign}
    for part, judged_as, luck in (
        (0.1, Verdict.INACCURACY, None),
        (0.35, Verdict.GOOD, None),
        (0.65, Verdict.GOOD, Luck.BAD),
    ):
        asked = replace(values, network={best: 1 - part, other: part})
        for opinion in None, other:
            judged = judge_card(1, asked.view, other, asked, opinion, SEATS)
            assert judged.verdict is judged_as
            assert judged.best is not None
            assert judged.best.action == best
            assert ("less than a tenth" in judged.reason) is (judged_as is Verdict.GOOD)
        settled = settle_card(judged, asked, tricks, hands, SEATS)
        assert (settled.luck, settled.cost) == (luck, 1)
        assert ("not called bad luck" in settled.reason) is (part == 0.35)
    # A difference that chance explains is nobody's fault, whatever the experts play.
    few = valued(scheme, [10] * 8, [9] + [10] * 7)
    close = replace(few, network={best: 0.9, other: 0.1})
    judged = judge_card(1, close.view, other, close, None, SEATS)
    assert judged.verdict is Verdict.GOOD
    assert "within the error" in judged.reason
    assert settle_card(judged, close, tricks, hands, SEATS).luck is None


def test_where_a_card_was_likely_to_lie_is_no_bad_luck_to_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = valued("auction", [10] * 8, [9] + [10] * 7)
    best, other = values.cards
    judged = judge_card(1, values.view, other, values, None, SEATS)
    tricks = {best: 10, other: 10 - values.sign}
    for chance, named in (0.39, True), (0.89, False):
        key = Key(Card("SA"), Chair.LEFT, chance)
        monkeypatch.setattr(CardValues, "key", lambda *_, key=key: key)
        settled = settle_card(judged, values, tricks, values.layouts[0], SEATS)
        assert settled.luck is Luck.BAD
        assert ("likely" in settled.reason) is named
        assert f"{best} would have gained a trick" in settled.reason or named


def test_what_experts_would_play_is_told_where_they_differ_and_cards_do() -> None:
    values = valued("auction", [10] * 40, [10] * 20 + [11] * 20)
    first, second = values.cards
    for part, told in (0.6, True), (0.95, False):
        asked = replace(values, network={first: 1 - part, second: part})
        reason = judge_card(1, asked.view, second, asked, None, SEATS).reason
        assert (f"of experts would play {second} here" in reason) is told
    alike = replace(valued("auction", [10] * 40, [10] * 40), network={first: 0.5, second: 0.5})
    assert "experts" not in judge_card(1, alike.view, second, alike, None, SEATS).reason


def test_a_small_deck_has_no_shares_of_experts() -> None:
    table = played(deal_number(3, 5, Deck("2x6")), "1NT pass pass", "2x6")
    judged = last(table.apply(table.legal[0]))
    assert len(judged.options) > 1
    assert all(option.share is None for option in judged.options)


def test_options_that_differ_by_nothing_worth_naming_are_all_best() -> None:
    """The network values two cards that win the same tricks a little differently."""
    values = valued("auction", [10] * 100, [10] * 100)
    nearly = values.points.copy()
    nearly[:, 1] -= 0.005 * values.stake
    values = replace(values, points=nearly, whole=True)
    assert verdict(values) is Verdict.BEST
    judgement = judge_card(1, values.view, values.cards[1], values, None, SEATS)
    assert judgement.points_loss == 0
    assert judgement.reason.startswith("All legal cards average 10.0")


def test_a_review_has_one_default_number_of_layouts_everywhere() -> None:
    command = get_type_hints(games_command.review, include_extras=True)["layouts"]
    assert command.__metadata__[0].show_default == str(LAYOUTS)
    python = inspect.signature(tb.review).parameters["layouts"].default
    assert python == Plan().layouts == table_reviews.LAYOUTS == LAYOUTS
    page = Path(__file__).parents[3] / "docs" / "how-to" / "your-games.md"
    assert f"on {LAYOUTS} layouts" in page.read_text("utf-8")


def test_a_small_sample_blames_nobody_for_a_difference_in_a_few_layouts() -> None:
    for count, name in ((8, Verdict.GOOD), (80, Verdict.INACCURACY)):
        down = count // 8
        values = valued("contract", [10] * count, [9] * down + [10] * (count - down))
        assert verdict(values) is name
    agreed = valued("contract", [10] * 8, [9] * 8)
    assert agreed.options[1].points_error > 0  # which does not prove that others agree


def test_the_error_of_a_loss_is_as_large_where_few_layouts_have_most_of_the_weight() -> None:
    """Estimates by layouts of unequal weights spread as far as their errors say."""
    rng, losses, errors = np.random.default_rng(4), [], []
    values = valued("contract", [10] * 60, [10] * 60)
    for _ in range(400):
        weights = np.exp(1.2 * rng.normal(size=60))
        points = np.zeros((60, 2))
        points[:, 1] = -30 - 20 * rng.normal(size=60)
        drawn = replace(values, share=weights / weights.sum(), points=points, stake=1.0)
        losses.append(drawn.sign * (drawn.options[0].points - drawn.options[1].points))
        errors.append(drawn.options[1].points_error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(losses), rel=0.15)


def test_a_single_layout_says_what_a_card_loses_and_nothing_of_the_error() -> None:
    """Of all that are drawn late in a deal, the play may leave one."""
    values = valued("contract", [10], [9])
    assert not values.whole
    best, other = values.options
    assert best.points > other.points
    assert np.isfinite(other.points_error)
    assert verdict(values).right  # it proves nothing


# The whole deal


def small_game() -> Table:
    table = tb.new_table(seed=3, deck="4x4").call("1NT").call("pass").call("pass")
    while not table.over:
        table = table.apply(table.legal[0])
    return table


def test_a_review_is_the_same_every_time_and_in_any_number_of_processes() -> None:
    table = small_game()
    plan = Plan(layouts=8)
    first = review(table, plan)
    assert tb.review(record_of(table), layouts=plan.layouts, seed=plan.seed) == first
    assert review(table, replace(plan, processes=2)) == first
    assert review(table, replace(plan, seed=2)) != first


def test_a_slow_machine_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table = small_game()
    first = review(table, Plan(layouts=8))
    hours = iter(range(0, 1 << 40, 3600))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    assert review(table, Plan(layouts=8)) == first


def test_a_review_has_a_judgement_for_each_action_a_curve_and_a_sentence_for_each_player() -> None:
    table = small_game()
    seen: list[Judgement] = []
    result = review(table, EXACT, seen.append)
    assert result.judgements == tuple(seen)
    actions = table.history
    assert tuple(one.action for one in result.judgements) == actions
    assert [one.number for one in result.judgements] == list(range(1, len(actions) + 1))
    assert len(result.curve) == 16
    assert table.outcome is not None
    tricks, costs = table.outcome.tricks, 0.0
    for now, after in zip(result.cards, [*result.cards[1:], None], strict=True):
        then = tricks if after is None else after.double_dummy
        assert now.double_dummy is not None
        assert then is not None
        assert now.cost == abs(now.double_dummy - then)
        costs += now.cost
    assert costs
    assert set(result.summaries) == set(tb.Seat)
    assert all(words.endswith(".") for words in result.summaries.values())
    text = str(result)
    assert text.count("\n") >= len(actions)
    data = codec.plain(result, digits=3)
    assert len(data["judgements"]) == len(actions)
    assert data["players"]["N"] == result.summaries[tb.Seat.NORTH]


def test_a_table_is_reviewed_in_the_points_of_its_own_scheme() -> None:
    contract = find_scheme("contract")
    deal, calls, cards = "N:AJ.AK 98.QJ Q7.T9 KT.87", "1D pass pass", "CQ C7 C9 CA"

    def points(scheme: tb.Scheme) -> list[float | None]:
        table = tb.new_table(deal, deck="2x8", auction=calls, play=cards, scheme=scheme)
        return [one.points for one in tb.review(table, layouts=8).cards]

    own = points(replace(contract, name="mine"))
    assert own == points(contract) != points(find_scheme("auction"))


def test_a_table_is_reviewed_by_the_laws_of_its_own_rubber() -> None:
    laws = find_laws("auction-rubber")

    def points(laws: tb.Laws) -> list[float | None]:
        rubber = tb.Rubber(laws, below=(20, 0, 0))
        table = tb.new_table(seed=1, auction="1NT pass pass", play="C9", rubber=rubber)
        return [one.points for one in tb.review(table, layouts=8).cards]

    assert points(replace(laws, name="mine")) == points(laws)


def test_nothing_to_review_and_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(tb.SettingError, match="nothing to review"):
        tb.review(tb.new_table(seed=1))
    table = tb.new_table(seed=1).call("pass")
    with pytest.raises(tb.SettingError, match="8 to 10,000"):
        tb.review(table, layouts=0)
    with pytest.raises(tb.SettingError, match="Record"):
        tb.review("N:")  # type: ignore[arg-type]


def test_the_key_card_is_the_one_whose_place_explains_the_gain() -> None:
    king, queen = Card("DK"), Card("DQ")
    layouts = [
        (0, king.bit | queen.bit, 0, 0),
        (0, king.bit, 0, queen.bit),
        (0, queen.bit, 0, king.bit),
        (0, 0, 0, king.bit | queen.bit),
    ]
    share = np.full(4, 0.25)
    chairs = (Chair.LEFT, Chair.RIGHT)
    unseen = king.bit | queen.bit
    gains = np.array([1.0, 1.0, 0.0, 0.0])
    key = key_card(layouts, share, gains, unseen, hidden=chairs, whole=True)
    assert key is not None
    assert (key.card, key.chair, key.chance) == (king, Chair.LEFT, 0.5)
    flat = key_card(layouts, share, np.ones(4), unseen, hidden=chairs, whole=True)
    assert flat is None
    nearly = 1 + gains / 20  # a twentieth more with the king on the left: about the same anywhere
    assert key_card(layouts, share, nearly, unseen, hidden=chairs, whole=True) is None
    actual = key_card(layouts, share, gains, unseen, hidden=chairs, whole=True, actual=layouts[3])
    assert actual is None  # the king was not on the left


def test_calls_are_judged_by_who_is_vulnerable() -> None:
    at_risk = {}
    for vulnerable in ("", "N", "E"):
        table = tb.new_table(seed=3, auction="4S", scheme="contract", vulnerable=vulnerable)
        (opening,) = tb.review(table, layouts=8).calls
        assert opening.chosen is not None
        (overcall,) = tb.review(table.call("5C"), layouts=8).calls[1:]
        passing = next(one for one in overcall.options if one.action is tb.PASS)
        pairs = ((one.expected, one.actual) for one in (opening.chosen, passing))
        at_risk[vulnerable] = [points for pair in pairs for points in pair]
    assert at_risk["E"][1::2] == at_risk[""][1::2]  # North declares on the actual deal
    assert all(old != new for old, new in zip(at_risk[""], at_risk["N"], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("every", [16, pytest.param(4, marks=pytest.mark.full)])
def test_the_better_card_is_the_one_of_the_hint_if_it_is_as_good_and_says_why(every: int) -> None:
    explained = named = 0
    for position in positions()[::every]:
        table = position.table()
        seen = view(table, table.turn)
        values = value_cards(seen, 40, np.random.default_rng(1))
        best = tb.options(table)[0].action
        assert isinstance(best, Card)
        for option in values.options[-2:]:
            assert isinstance(option.action, Card)
            judgement = judge_card(1, seen, option.action, values, best, SEATS)
            if not judgement.verdict.wrong or values.given_up(option.action) is not None:
                continue
            assert judgement.best is not None
            own = next(one for one in values.options if one.action == best)
            stake = values.stake
            as_good = own.verdict(SMALL * stake, LARGE * stake).right
            better = best if as_good else values.options[0].action
            assert judgement.best.action == better
            assert judgement.expected == values.options[0].expected
            assert isinstance(better, Card)
            said = reason_for(position_of(seen), better, option.action)
            assert said is None or f"{better}: {said}" in judgement.reason
            explained += said is not None
            named += better == best
    assert explained > 20 // every
    assert named > 20 // every


@pytest.mark.slow
@pytest.mark.parametrize("calls", thinned(["1H", "", "1NT pass"]))
def test_the_better_call_is_the_one_of_the_hint_if_it_is_as_good_and_says_why(calls: str) -> None:
    named = 0
    for number in range(2):
        table = tb.new_table(seed=3, number=number, auction=calls)
        hint = tb.options(table)[0]
        for call in ("5D", "7NT") if hint.action is tb.PASS else ("pass", "7NT"):
            judged = judge(table, parse_call(call), Plan())
            if not judged.verdict.wrong:
                continue
            assert judged.best is not None
            assert judged.expected == max(one.expected for one in judged.options)
            right = judge(table, hint.action, Plan()).verdict.right
            assert (judged.best.action == hint.action) == right
            if right:
                assert judged.why[2].fields["reason"] == hint.reason.sentence  # type: ignore[attr-defined]
                named += 1
    assert named > 2


def test_the_share_of_agreeing_verdicts_stands_beside_what_one_answer_reaches() -> None:
    best, good, mistake = Verdict.BEST, Verdict.GOOD, Verdict.MISTAKE
    pairs = [Pair(good, best, 0.0)] * 7 + [Pair(mistake, mistake, 1.5), Pair(good, mistake, 0.4)]
    assert list(summary([*pairs, Pair(Verdict.INACCURACY, Verdict.INACCURACY, 0.2)])) == [
        "within one grade: 9 of 10 cards (90%)",
        "always answering good: 8 of 10 (80%)",
        "mistakes: 2, not blamed: 1",
        "cards that lose more than a trick: 1, not blamed: 0",
    ]


@pytest.mark.slow
def test_verdicts_are_compared_with_a_long_computation() -> None:
    (pairs,) = agreement(1, 9, 8, 8)
    assert len(pairs) >= 4
    assert {pair.long for pair in pairs} <= {*GRADES}
    assert all(pair.loss >= 0 for pair in pairs)


@pytest.mark.slow
def test_the_choices_of_the_hints_are_reviewed_as_at_the_table() -> None:
    record = own_choices.game(22, 0)
    kind, judged = next(own_choices.judged(record))
    state = next(iter(record.states()))
    assert kind == "calls"
    assert judged == judge(state, tb.options(state)[0].action, Plan())
