"""The choices worth naming: the strategy's first, the others by value, every sentence true."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import tribridge as tb
from benchmarks import own_choices
from tests.grids import thinned
from tests.library.strategies.claims import CLAIMS, true
from tests.library.strategies.test_reasons import positions
from tribridge.cards.cards import Card, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError
from tribridge.common.sentences import Words
from tribridge.forecast.distribution import percent
from tribridge.game import Table, find_scheme, new_table, textbook, view
from tribridge.game.auction import parse_call
from tribridge.game.table import Action
from tribridge.game.views import View
from tribridge.reviews import Plan, judge
from tribridge.strategies import Option, choices, decision_rng, find_strategy, options
from tribridge.strategies.choices import why
from tribridge.strategies.learned import auctions
from tribridge.strategies.learned.player import UNEXPLAINED
from tribridge.strategies.learned.valuing import LAYOUTS, value_legal_cards
from tribridge.strategies.protocol import actions_made, position_of
from tribridge.strategies.reasons import groups, reason_for

RNG = np.random.default_rng(1)
SOME = [table for at, table in enumerate(positions(6, seed=11)) if at % 11 == 0]
"""Positions of the play from the first lead to the last trick."""


@pytest.fixture(scope="module")
def named() -> list[tuple[Table, tuple[Option, ...]]]:
    return [(table, options(view(table, table.turn))) for table in SOME]


def sentence(option: Option) -> str:
    return option.reason.sentence.text if isinstance(option.reason, Words) else ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "position", thinned(textbook.positions(), 3), ids=lambda position: position.id
)
def test_the_best_option_is_the_card_that_the_strategy_plays(position: textbook.Diagram) -> None:
    choice = find_strategy("learned").choose(position.view(), decision_rng(0, 0, 0, 0))
    best = options(position.view())[0]
    assert best.action == choice.action
    assert best.reason == choice.reason or choice.reason == UNEXPLAINED


def test_the_best_option_is_the_choice_of_the_strategy_in_any_position(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    for table, found in named:
        choice = tb.choose("learned", table)
        assert found[0].action == choice.action
        if sentence(found[0]) in CLAIMS:
            assert found[0].reason == choice.reason
        assert {option.action for option in found} <= {*table.legal}
        same = [card for option in found for card in (option.action, *option.same)]
        assert len(same) == len({*same})


def test_the_share_of_experts_is_the_one_that_a_review_says(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    told = 0
    for table, found in named[::2]:
        if len(table.legal) < 2:
            continue
        judged = judge(table, found[0].action, Plan())
        shares_of = {option.action: option.share or 0.0 for option in judged.options}
        for option in found:
            each = sum(shares_of[card] for card in (option.action, *option.same))
            assert option.share == pytest.approx(each)
        given = why(find_strategy("human"), view(table, table.turn), found[0].action, RNG)
        said = [reason for reason in given.reasons if "experts would play" in reason]
        if given.own and said:
            popular = sorted(said for said in map(str, judged.why) if "experts would play" in said)
            assert popular in ([], said)
            told += popular == said
    assert told


@pytest.mark.slow
def test_options_are_ranked_by_their_value(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    """Reversing the ranking, or leaving it out, fails here."""
    apart = 0
    for table, found in named:
        if len(found) < 2:
            continue
        seen = view(table, table.turn)
        position, contract = position_of(seen), seen.contract
        assert contract is not None
        stakes = seen.stakes(contract)
        margin = choices._ALIKE * (stakes[position.needed] - stakes[position.needed - 1])
        values = [option.value for option in found if option.value is not None]
        assert len(values) == len(found)
        for option, later in pairwise(found[1:]):
            assert option.value is not None
            assert later.value is not None
            if later.value > option.value:  # only since the option is shown as one before it
                shown = [choices._shown_worth(each) for each in found]
                assert choices._shown_worth(option) in shown[: found.index(option)]
        apart += max(values) - values[-1] > 3 * margin
        left_out = {*groups_of(table)} - {card for o in found for card in (o.action, *o.same)}
        rng = decision_rng(1, 0, seen.seat, actions_made(seen))  # type: ignore[arg-type]
        valued = value_legal_cards(seen, LAYOUTS, rng, solve_endings=True)
        sign = 1 if position.declaring else -1
        points = dict(zip(valued.cards, sign * valued.means() @ np.array(stakes), strict=True))
        told = {(o.action.suit, o.reason) for o in found if isinstance(o.action, Card)}
        for card in left_out:
            reason = reason_for(position, card)
            if reason is None or (card.suit, reason) in told:
                continue  # nothing is said of it, or the same as of a better card of the suit
            assert points[card] <= min(values) + margin + 1e-6
    assert apart > 2


def test_options_that_are_shown_as_equally_good_stand_together(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    equal_later = tb.new_table(
        "N:32.AT732.T2.9875 64.KQJ864.Q73.43 KQT85..A64.AQJT6 AJ97.95.KJ985.K2",
        dealer="N",
        auction="1H 1S Pass Pass",
        play="CA CK C5 C3 CQ C2 C7 C4 DA D5 D2 DQ CJ S7 C9",
    )
    together = 0
    for table, found in [*named, (equal_later, tb.options(equal_later))]:
        shown = [choices._shown_worth(option) for option in found]
        for worth in set(shown):
            first, count = shown.index(worth), shown.count(worth)
            assert shown[first : first + count] == [worth] * count, f"{found}\n{table}"
            together += count > 1
    assert together


def groups_of(table: Table) -> list[Card]:
    return [group[0] for group in groups(position_of(view(table, table.turn)))]


def test_every_sentence_is_true_of_its_option(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    told = set()
    for table, found in named:
        for option in found:
            assert isinstance(option.action, Card)
            told.add(text := sentence(option))
            if text.startswith("As good as"):
                best = found[0]
                assert option is not best
                assert option.tricks == pytest.approx(best.tricks, abs=0.1)
                assert option.chance == pytest.approx(best.chance, abs=0.01)
            if not text:
                assert option.reason == ""
            if not text or text.startswith(("As good as", "Most experts", "Some experts")):
                position = position_of(view(table, table.turn))
                assert reason_for(position, option.action) is None
                assert text or (option.share or 0.0) < 0.1
                assert not text.startswith("Most") or (option.share or 0.0) >= 0.5
            else:
                assert isinstance(option.reason, Words)
                assert true(table, option.action, option.reason.sentence), f"{option}\n{table}"
    assert "As good as {card} on average." in told


def test_that_a_contract_is_certain_is_said_once_and_beside_the_reason_of_the_card(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    sure = 0
    for table, found in named:
        certain = [option for option in found if "is certain to" in option.reason]
        assert len(certain) <= 1 or found[0] not in certain
        for option in certain:
            own = reason_for(position_of(view(table, table.turn)), option.action)  # type: ignore[arg-type]
            assert option.reason.startswith(own or str(option.action))
        sure += len(certain)
    assert sure


@pytest.mark.slow
def test_cards_are_worth_what_a_review_says(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    """All of them, early and in endings."""
    apart = Counter[bool]()
    for table, found in named[::3]:
        if len(found) > 1:
            judged = judge(table, found[0].action, Plan())
            reviewed = {one.action: one for one in judged.options}
            sign = 1 if position_of(view(table, table.turn)).declaring else -1
            for option in found:
                one = reviewed[option.action]
                own = one.points if sign == 1 else -one.points / 2  # for each opponent
                assert option.value == pytest.approx(own)
                won = one.expected if sign == 1 else 13 - one.expected
                assert option.tricks == pytest.approx(won)
                apart[len(table.tricks) >= 6] += 1
    assert min(apart[False], apart[True]) > 1


def test_declarer_and_defenders_count_the_same_tricks(
    named: list[tuple[Table, tuple[Option, ...]]],
) -> None:
    for table, found in named:
        declaring = position_of(view(table, table.turn)).declaring
        for option in found:
            if option.tricks is None:
                continue
            assert option.chance is not None
            assert 0 <= option.chance <= 1
            assert table.position is not None
            own = table.position.won if declaring else len(table.tricks) - table.position.won
            assert own - 1e-6 <= option.tricks <= own + 13 - len(table.tricks) + 1e-6


def test_that_the_numbers_put_another_option_ahead_is_said() -> None:
    """In points, or in tricks beside equal points, as they are shown."""
    first = Option(Card("D4"), "", 12.4, 0.5, 7.14)
    for value, tricks, said in (
        (12.3, 7.13, False), (11.6, 7.14, False), (12.6, 7.0, True), (12.0, 7.2, True),
        (11.0, 7.5, False),
    ):  # fmt: skip
        other = replace(first, action=Card("C9"), value=value, tricks=tricks)
        assert (choices.put_ahead([first, other]) is not None) is said, other
    bid, passed = Option(parse_call("1NT"), "", -3.2), Option(tb.PASS, "", 4.0)
    assert choices.put_ahead([bid, passed]) is None  # calls are told apart by their errors
    assert choices.put_ahead([Option(Card("S2"), "")]) is None
    for share, preferred in ((0.3, True), (0.5, False), (0.6, False)):
        own, other = replace(first, share=0.5), replace(first, action=Card("C9"), value=13.0)
        said_of_it = choices.put_ahead([own, replace(other, share=share)])
        assert said_of_it is not None
        assert ("experts" in said_of_it) is preferred


def test_a_defender_is_told_points_of_the_unit_of_calls() -> None:
    """Of a contract that only fails, half of what each defender wins from declarer."""
    hands = "N:AKQJ54.AKQ2..AKQ 92.T975.A83.T862 87.86.KQJT9.9743 T63.J43.76542.J5"
    table = tb.new_table(hands).call(["7NT", "pass", "pass"])
    found = options(view(table, table.turn))
    assert found[0].value == pytest.approx(25 * (found[0].tricks or 0), rel=0.02)


def test_of_equally_good_options_the_explained_one_comes_first() -> None:
    plain = [Option(Card("S2"), "", 10.0), Option(Card("S3"), "Said.", 9.9)]
    later = [Option(Card("S4"), "Said.", 5.0), Option(Card("S5"), "", 1.0)]
    ordered = choices._explained_first([*plain, *later], 1.0)
    assert [str(option.action) for option in ordered] == ["♠3", "♠2", "♠4", "♠5"]
    ordered = choices._explained_first([*plain, *later], 0.0)
    assert [str(option.action) for option in ordered] == ["♠2", "♠3", "♠4", "♠5"]


@pytest.mark.parametrize("calls", thinned(["", "1H", "3C X", "1NT pass"], 2))
def test_calls_are_those_of_the_strategy_with_the_chances_of_their_contracts(calls: str) -> None:
    for number in range(3):
        table = new_table(deal(3, number), Seat.NORTH, doubles=True).call(calls.split())
        seen = view(table, table.turn)
        found = options(seen)
        assert found[0].action == tb.choose("learned", table).action
        assert "Pass" in {str(option.action) for option in found}
        values = [option.value for option in found[1:]]
        assert values == sorted(values, reverse=True)  # type: ignore[type-var]
        worth = [(option.action, option.value) for option in found]
        for option in found:
            if option.chance is not None:
                assert f"{percent(option.chance)}%" in option.reason
            else:
                assert (table.auction.last_bid, option.action) == (None, tb.PASS)
            assert ("long shot" not in option.reason) or (option.chance or 0) < 0.25
            if "loses less" in option.reason:
                assert option.value > dict(worth)[tb.PASS]  # type: ignore[operator]


def test_only_the_first_pass_commits_to_nothing() -> None:
    table, said = new_table(deal(3, 0), Seat.NORTH), list[str]()
    for _ in Seat:
        named = options(view(table, table.turn))
        said.extend(option.reason for option in named if option.action is tb.PASS)
        table = table.call("pass")
    assert ["commits to nothing" in reason for reason in said] == [True, False, False]
    assert len({*said}) == 3


def test_calls_that_are_shown_to_be_equal_do_not_contradict_each_other() -> None:
    """What is suggested is never said to bring more than a pass that is shown to bring as much."""
    tied = Counter[bool]()
    for number, calls in ((3, "1NT"), (1, "1D"), (1, "1D pass")):
        dealt, rubber = deal(50_003, number), tb.Rubber().state
        table = new_table(dealt, Seat(number % 3), doubles=True, rubber=rubber).call(calls.split())
        named = options(view(table, table.turn))
        shown = {option.action: round(option.value or 0.0) for option in named}
        passing = next(option for option in named if option.action is tb.PASS)
        for option in named:
            equal = shown[option.action] == shown[tb.PASS]
            if any(claim in option.reason for claim in ("loses less", "brings more")):
                assert shown[option.action] > shown[tb.PASS]
            if "about as good as a pass" in option.reason.lower():
                assert equal
            if option is not passing and equal:
                assert "worth more" not in passing.reason or option is not named[0]
            tied[equal and option is not passing] += 1
        if "no other call is worth more" in passing.reason:
            assert passing is named[0] or shown[tb.PASS] == shown[named[0].action]
        if "about as good" in passing.reason:
            best = named[0].action
            assert re.search(rf"good( on average)? as {best}[.,]", passing.reason)
    assert tied[False]


def test_a_bid_that_mostly_fails_is_not_plainly_as_good_as_a_pass() -> None:
    kinds, rng = Counter[bool](), np.random.default_rng(1)
    for number, call in ((3, "1NT"), (0, "1C"), (1, "1C")):
        table = new_table(deal(50_003, number), Seat.NORTH, doubles=True).call([call])
        seen = view(table, table.turn)
        bids: list[Any] = [bid for bid in seen.legal if isinstance(bid, tb.Bid)][:15]
        game = auctions.game_of(seen, find_scheme("auction"))
        values = auctions.value_calls(seen, [*bids, tb.PASS], game, 40, rng)
        for bid in bids:
            valued = choices.ValuedCalls.of(seen, {bid: 5.0, tb.PASS: 5.0}, values)
            chance, said = valued._chance(bid) or 0.0, valued.reason(bid)
            assert f"{percent(chance)}%" in said
            assert "as good as a pass" in said
            assert ("but" in said) == (chance < 0.5)
            beside = f"which makes {percent(chance)}%" in valued.reason(tb.PASS)
            assert beside == (chance < 0.5)
            kinds[chance < 0.5] += 1
    assert min(kinds[True], kinds[False])


def test_it_is_said_of_calls_that_the_others_may_bid_on_where_the_auctions_show_it() -> None:
    said = Counter[str]()
    for number, calls in ((3, "1NT pass"), (1, "1D pass"), (0, "pass pass 1NT")):
        table = new_table(deal(50_003, number), Seat(number % 3), doubles=True).call(calls.split())
        seen = view(table, table.turn)
        named = options(seen)
        calls_named: list[Any] = [option.action for option in named]
        rng = np.random.default_rng(int(choices._rng(seen).integers(1 << 31)))
        game = auctions.game_of(seen, find_scheme("auction"))
        values = auctions.value_calls(seen, calls_named, game, auctions.LAYOUTS, rng)
        for option in named:
            pushed, share = values.pushed(option.action), values.bid_on(option.action)  # type: ignore[arg-type]
            for claim, least, measured in (
                ("pushes strong players", 0.25, pushed), ("Strong players bid on", 0.25, share),
            ):  # fmt: skip
                if claim in option.reason:
                    assert measured >= least
                    assert (
                        f" {percent(measured)}% of the time." in option.reason.partition(claim)[2]
                    )
                    said[claim] += 1
            if share >= 0.5 and option.action is not tb.PASS:
                assert "strong players" in option.reason.lower()
    assert said["pushes strong players"]


def numbered(seen: View, *gains: float, spread: float) -> auctions.CallValues:
    """Values of a pass, 1NT and 2C, that gain so much on a pass, more or less by the layout."""
    calls = (tb.PASS, parse_call("1NT"), parse_call("2C"))
    game = auctions.game_of(seen, find_scheme("auction"))
    values = auctions.value_calls(seen, calls, game, 50, np.random.default_rng(1))
    points = np.tile([0.0, *gains], (50, 1))
    points[::2, 1] += spread
    points[1::2, 1] -= spread
    points[::3, 2] += spread
    points[1::3, 2] -= spread
    return replace(values, points=points, effective=50.0)


def test_a_call_clearly_ahead_of_the_strategys_is_suggested_and_one_not_so_is_as_good() -> None:
    table = new_table(deal(50_003, 3), Seat.NORTH).call(["1H"])
    seen = view(table, table.turn)
    passed, bid, high = tb.PASS, parse_call("1NT"), parse_call("2C")
    apart = numbered(seen, 30.0, 10.0, spread=20.0)
    assert apart.clearly_better(passed, choices.CLEAR) == bid
    assert apart.clearly_better(bid, choices.CLEAR) == bid
    level = numbered(seen, 10.0, 2.0, spread=100.0)
    for first in (passed, bid, high):
        assert level.clearly_better(first, choices.CLEAR) == first
        means = dict(zip(level.calls, level.points.mean(0).tolist(), strict=True))
        points = {first: means[first]} | means
        reason = choices.ValuedCalls.of(seen, points, level).options()[0].reason
        _, said, calls = reason.partition("About as good, within the error of the estimate: ")
        assert bool(said) == (first != bid)
        assert ("1NT" in calls) == (first != bid)
        assert ("2♣" in calls) == (first is passed)


def test_no_hint_advises_against_its_numbers() -> None:
    """No bid that is worth less than a pass, and no card unless more experts play it."""
    followed = 0
    for number in range(2):
        record = own_choices.game(50_100, number)
        for state, action in zip(record.states(), record.actions, strict=False):
            if len(state.legal) < 2:
                continue
            first, *others = choices.options(view(state, state.turn))
            for other in others:
                assert first.value is not None
                assert other.value is not None
                if round(other.value) > round(first.value):
                    assert other.action is not tb.PASS, first
                    if isinstance(first.action, Card):
                        assert (first.share or 0.0) > (other.share or 0.0), (first, other)
            followed += first.action != action and action not in first.same
    assert followed


@pytest.mark.parametrize("strategy", ["learned", "learned+maxims", "learned:layouts=9"])
def test_a_bot_says_of_its_call_what_the_options_say(strategy: str) -> None:
    said = set()
    for number, calls in enumerate(("", "1H", "1NT pass", "3C X")):
        table = new_table(deal(3, number), Seat.NORTH, doubles=True).call(calls.split())
        choice, best = tb.choose(strategy, table), tb.options(table)[0]
        assert (choice.action, choice.reason) == (best.action, best.reason)
        said.add(sentence(best))
    assert len(said) > 1


@pytest.mark.slow
def test_a_search_says_of_its_card_what_the_options_say() -> None:
    explained = 0
    for table in SOME[:24]:
        choice, named = tb.choose("learned:layouts=4", table), options(view(table, table.turn))
        same = next((one for one in named if one.action == choice.action), None)
        if len(table.legal) == 1 or same is None:
            continue
        position = position_of(view(table, table.turn))
        if reason_for(position, choice.action) is None and "certain" not in choice.reason:  # type: ignore[arg-type]
            assert "layout" in choice.reason or "practice games" in choice.reason
        else:
            assert choice.reason == same.reason
            explained += 1
    assert explained > 8


def test_callers_that_choose_for_themselves_keep_their_reasons() -> None:
    table = new_table(deal(3, 0), Seat.NORTH)
    for strategy in ("points", "learned@1", "learned:doubles=no"):
        own = find_strategy(strategy).choose(view(table, table.turn), decision_rng(1, 0, 0, 0))
        assert tb.choose(strategy, table).reason == own.reason


@pytest.mark.slow
@pytest.mark.parametrize("calls", thinned(["1NT pass", "", "1H"]))
def test_calls_are_worth_what_a_review_says(calls: str) -> None:
    apart = 0
    for number in range(2):
        table = new_table(deal(3, number), Seat.NORTH, doubles=True).call(calls.split())
        named = options(view(table, table.turn))
        reviewed: dict[Action, float] = {}
        for option in named:
            if option.action not in reviewed:
                judged = judge(table, option.action, Plan())
                reviewed |= {one.action: one.expected for one in judged.options}
        for option in named:
            assert option.value == pytest.approx(reviewed[option.action])
            apart += 1
    assert apart > 3


def test_the_scheme_of_the_table_counts() -> None:
    table = new_table(deal(3, 0), Seat.NORTH)
    under = {
        name: [
            option.value
            for option in options(replace(view(table, table.turn), scheme=find_scheme(name)))
        ]
        for name in ("auction", "contract")
    }
    assert under["auction"] != under["contract"]


def test_small_decks_and_single_cards_get_what_there_is() -> None:
    table = new_table(deal(1, 0, Deck(4, 5)), Seat.NORTH)
    (call,) = options(view(table, Seat.NORTH))
    assert (call.action, call.value) == (tb.choose("learned", table).action, None)
    table = table.call("1NT pass pass")
    (card,) = options(view(table, table.turn))
    assert (card.action, card.value) == (tb.choose("learned", table).action, None)


def test_nobody_else_is_told_anything() -> None:
    table = SOME[3]
    for seat in (*Seat, None):
        if seat is not table.turn:
            assert options(view(table, seat)) == ()
            with pytest.raises(IllegalActionError, match="turn"):
                tb.options(view(table, seat))
    assert tb.options(table) == options(view(table, table.turn))


def test_a_choice_names_its_alternatives_when_asked() -> None:
    table = SOME[3]
    assert tb.choose("maxims", table).alternatives == ()
    choice = tb.choose("maxims", table, alternatives=True)
    assert choice == tb.choose("maxims", table)
    assert choice.action not in {option.action for option in choice.alternatives}
    found = options(view(table, table.turn))
    assert {*choice.alternatives} <= {*found}
    assert tb.choose("learned", table, alternatives=True).alternatives == found[1:]


def test_reasons_name_no_card_that_the_player_does_not_see() -> None:
    for table in positions(20, seed=12):
        seen = view(table, table.turn)
        position = position_of(seen)
        visible = {*seen.hand, *(seen.dummy or ()), *seen.trick}
        for card in position.legal:
            said = reason_for(position, card)
            fields = {} if said is None else said.sentence.fields
            named = {Card(str(text)) for text in fields.values() if str(text)[0] in "♣♦♥♠"}
            assert named <= visible


def test_a_bot_that_plays_as_people_do_says_of_experts_what_the_review_says() -> None:
    """The six of diamonds, which is good, with as many experts for it and its equal as there."""
    table = tb.new_table(
        "N:.T98542.A9765.A6 J953.AJ3.32.KQ43 AKT72.K76.KQ.975 Q864.Q.JT84.JT82",
        dealer="N",
        scheme="auction",
        auction="1H Pass 1S 2H Pass Pass",
        play="CK C2 C9 CA DA D2 D4 DQ D5 D3 DJ DK SK H2 S3 S4 H4 H3 HQ HK H7 HT HJ DT SJ S6 S2 H5",
    )
    seen, six = view(table, table.turn), tb.Card("D6")
    strategy = find_strategy("human:temperature=1.5")
    dice = next(
        seed
        for seed in range(99)
        if strategy.choose(seen, np.random.default_rng(seed)).action == six
    )
    given = why(strategy, seen, six, np.random.default_rng(dice))
    judged = judge(table, six, Plan())
    assert judged.verdict.right
    assert given.own
    assert not any(grade in given.reasons[0] for grade in ("slip", "good", "mistake"))
    assert str(reason_for(position_of(seen), six)) in given.reasons[0]
    (share,) = (reason for reason in given.reasons if "of experts would play" in reason)
    assert "♦7/6" in share
    assert share in judged.reason
