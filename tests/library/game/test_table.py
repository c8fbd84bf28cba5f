"""The table: golden traces line by line, every deal of a tiny deck, and what always holds."""

from __future__ import annotations

import json
from itertools import combinations, zip_longest
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from tests.library.game.counting import count_games
from tests.library.game.playing import (
    ALL_ACTIONS,
    DATA,
    action_name,
    actions_of,
    chair_names,
    points,
    walk,
    walks,
)
from tests.library.game.slow_rules import (
    slow_bids,
    slow_calls,
    slow_cards,
    slow_contract,
    slow_history,
)
from tests.library.game.traces import GOLDEN, Golden, golden_text, trace
from tribridge.cards.cards import Card, Deck, Hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import FormatError, IllegalActionError
from tribridge.game.auction import DOUBLE, PASS, Bid, Outcome, call_name, parse_call
from tribridge.game.scoring import schemes, scores
from tribridge.game.table import Action, Table, new_table
from tribridge.game.tricks import Chair

N, E, S = Seat
GAMES: list[dict[str, Any]] = json.loads((DATA / "nodes.json").read_text("utf-8"))["games"]


# Golden traces


def read_trace(lines: list[str]) -> tuple[Table, list[Action]]:
    """The table of a trace's header and the actions of its lines."""
    header = dict(line.split(maxsplit=1) for line in lines[:4])
    dealt = Deal(header["deal"], Deck(header["deck"]))
    table = new_table(dealt, Seat(header["dealer"]), doubles=header["doubles"] == "yes")
    words = [line.rsplit("-> ", 1)[1] for line in lines if "-> " in line]
    actions = [parse_call(word) if word[0] in "1234567PX" else Card(word) for word in words]
    return table, actions


def first_difference(lines: list[str]) -> str | None:
    """Replay a trace line by line; the first line that does not come out as written."""
    table, actions = read_trace(lines)
    for number, (found, written) in enumerate(zip_longest(trace(table, actions), lines), 1):
        if found != written:
            return f"line {number}: {written!r} is written, the game has {found!r}"
    return None


def test_each_golden_trace_has_its_file_and_no_other_is_there() -> None:
    assert {path.stem for path in DATA.glob("*.trace")} == {golden.name for golden in GOLDEN}
    assert {path.name for path in DATA.iterdir() if path.suffix != ".trace"} == {
        "nodes.json",
        "scores.csv",
        "written_by_0.2.0",
    }


@pytest.mark.parametrize("path", sorted(DATA.glob("*.trace")), ids=lambda path: path.stem)
def test_golden_trace_replays_line_by_line(path: Any) -> None:
    assert first_difference(path.read_text("utf-8").splitlines()) is None


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_golden_trace_is_the_deal_and_the_actions_of_its_seeds(golden: Golden) -> None:
    assert (DATA / f"{golden.name}.trace").read_text("utf-8") == golden_text(golden)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("SA SJ S8 S5 S4 ->", "SA SJ S8 S5 ->", 17),
        ("36 calls: Pass 1C..7NT", "37 calls: Pass 1C..7NT", 5),
        ("14 South", "14 East ", 19),
        ("won by dummy; declarer has 1", "won by left; declarer has 0", 20),
        ("tricks   6", "tricks   7", -4),
        ("North 400", "North 200", -3),
        ("contract 2♥xx", "contract 2♥x", -5),
    ],
)
def test_changed_line_of_a_trace_is_noticed(old: str, new: str, line: int) -> None:
    text = (DATA / "suit-redoubled-failed.trace").read_text("utf-8")
    assert old in text
    changed = text.replace(old, new, 1).splitlines()
    place = line if line > 0 else len(changed) + 1 + line
    assert (first_difference(changed) or "").startswith(f"line {place}: ")


def test_golden_traces_cover_the_ways_a_deal_can_end() -> None:
    ends = []
    for golden in GOLDEN:
        text = (DATA / f"{golden.name}.trace").read_text("utf-8")
        table, actions = read_trace(text.splitlines())
        for action in actions:
            table = table.apply(action)
        assert table.outcome is not None
        ends.append((table.deal.deck, table.outcome))
    contracts = [outcome.contract for _, outcome in ends if outcome.contract is not None]
    assert len(contracts) < len(ends), "a deal passed out"
    assert {contract.declarer for contract in contracts} == set(Seat)
    assert {contract.factor for contract in contracts} == {1, 2, 4}
    assert {contract.bid.strain.trump is None for contract in contracts} == {True, False}
    over = {
        outcome.tricks - outcome.contract.tricks_needed(deck)
        for deck, outcome in ends
        if outcome.contract is not None
    }
    assert min(over) < 0 < max(over)
    assert 0 in over


# Whole deals of tiny decks


@pytest.mark.slow
@pytest.mark.parametrize("entry", GAMES, ids=lambda entry: entry["deck"])
def test_number_of_positions_of_a_whole_deal_is_as_recorded(entry: dict[str, Any]) -> None:
    dealt = Deal(entry["deal"], Deck(entry["deck"]))
    table = new_table(dealt, Seat(entry["dealer"]), doubles=entry["doubles"])
    assert count_games(table) == (entry["positions"], entry["complete"])


@pytest.mark.slow
@pytest.mark.parametrize("entry", GAMES, ids=lambda entry: entry["deck"])
def test_recorded_positions_of_a_whole_deal_are_those_of_the_slow_rules(
    entry: dict[str, Any],
) -> None:
    deck = Deck(entry["deck"])
    dealt = Deal(entry["deal"], deck)
    bids = slow_bids(deck.suits, deck.ranks)
    positions: list[int] = []
    complete = 0
    layer: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((), ())]
    while layer:
        positions.append(len(layer))
        following = []
        for calls, cards in layer:
            options = slow_calls(calls, bids, entry["doubles"])
            following += [((*calls, call), cards) for call in options]
            found = slow_contract(calls)
            if not options and found is not None:
                bid, at, _ = found
                declarer = Seat(entry["dealer"]).after(at)
                trump = None if bid.endswith("NT") else bid[1]
                chair, left, trick, _ = slow_history(chair_names(dealt, declarer), cards, trump)
                options = slow_cards(left[chair], trick)
                following += [(calls, (*cards, card)) for card in options]
            complete += not options
        layer = following
    assert (positions, complete) == (entry["positions"], entry["complete"])


def all_deals(deck: Deck) -> list[Deal]:
    """Every deal of a deck, by choosing each hand from the cards that are left."""
    cards = list(Hand(deck.mask))
    found = []
    for north in combinations(cards, deck.hand_size):
        rest = [card for card in cards if card not in north]
        for east in combinations(rest, deck.hand_size):
            others = [card for card in rest if card not in east]
            for south in combinations(others, deck.hand_size):
                hidden = [card for card in others if card not in south]
                hands = [Hand(hand) for hand in (north, east, south, hidden)]
                found.append(Deal.of(hands, deck))
    return found


@pytest.mark.slow
def test_all_2520_deals_of_a_2x4_deck_play_out_by_the_slow_rules() -> None:
    deals = all_deals(Deck(2, 4))
    assert len(set(deals)) == len(deals) == 2520  # 8! / (2!)^4
    random = Random(1)
    ends, factors = set(), set()
    for number, dealt in enumerate(deals):
        table = new_table(dealt, Seat(number % 3), doubles=number % 2 == 0)
        *_, last = walk(table, random, quiet=0.4)
        outcome = last.outcome
        assert outcome is not None
        found = slow_contract(tuple(call_name(call) for call in last.auction.calls))
        if found is None:
            assert outcome == Outcome(None)
            continue
        bid, at, factor = found
        contract = outcome.contract
        assert contract is not None
        assert (call_name(contract.bid), contract.factor) == (bid, factor)
        assert contract.declarer == table.dealer.after(at)
        cards = [action.name for action in actions_of(last) if isinstance(action, Card)]
        trump = None if bid.endswith("NT") else bid[1]
        _, left, trick, won = slow_history(chair_names(dealt, contract.declarer), cards, trump)
        assert (set.union(*left.values()), trick) == (set(), [])
        assert outcome.tricks == won
        ends.add((contract.declarer, bid, won))
        factors.add(factor)
    # Nothing was left out: each declarer with each bid and number of tricks, and each factor.
    assert len(ends) == 3 * 3 * 3
    assert factors == {1, 2, 4}


# What holds at every point


@settings(max_examples=40, deadline=None)
@given(walks())
def test_all_cards_are_accounted_for_at_every_point(states: list[Table]) -> None:
    for table in states:
        deck = table.deal.deck
        if table.position is None:
            hands = [set(hand) for hand in table.deal.hands]
            played: list[Card] = []
        else:
            hands = [set(Hand(mask)) for mask in table.position.hands]
            played = [action for action in actions_of(table) if isinstance(action, Card)]
        everything = [card for hand in hands for card in hand] + played
        assert len(everything) == len(set(everything)) == deck.size
        assert set(everything) == set(Hand(deck.mask))


@settings(max_examples=40, deadline=None)
@given(walks())
def test_tricks_won_and_lost_add_up_at_every_point(states: list[Table]) -> None:
    for table in states:
        play = table.position
        if play is None:
            continue
        won = sum(trick.winner in (Chair.DECLARER, Chair.DUMMY) for trick in play.tricks)
        lost = sum(trick.winner in (Chair.LEFT, Chair.RIGHT) for trick in play.tricks)
        assert won == play.won
        assert won + lost == len(play.tricks)
        in_hand = {len(Hand(mask)) for mask in play.hands}
        size = table.deal.deck.hand_size
        assert max(in_hand) == size - len(play.tricks)
        assert max(in_hand) - min(in_hand) == (1 if play.trick else 0)
        assert sum(4 - len(trick.cards) for trick in play.tricks) == 0
        if table.over:
            assert won + lost == size
            assert table.outcome == Outcome(table.contract, won)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(walks())
def test_legal_actions_and_turn_are_those_of_the_slow_rules(states: list[Table]) -> None:
    for table in states:
        deck = table.deal.deck
        calls = tuple(call_name(call) for call in table.auction.calls)
        legal = {action_name(action) for action in table.legal}
        bids = slow_bids(deck.suits, deck.ranks)
        options = slow_calls(calls, bids, table.auction.doubles)
        found = slow_contract(calls)
        if options or found is None:
            assert table.position is None
            assert legal == options
            continue
        bid, at, factor = found
        declarer = table.dealer.after(at)
        assert table.contract is not None
        assert (call_name(table.contract.bid), table.contract.factor) == (bid, factor)
        assert table.contract.declarer is declarer
        cards = [action.name for action in actions_of(table) if isinstance(action, Card)]
        trump = None if bid.endswith("NT") else bid[-1]
        chair, left, trick, won = slow_history(chair_names(table.deal, declarer), cards, trump)
        assert legal == slow_cards(left[chair], trick)
        assert table.position is not None
        assert table.position.won == won
        if table.over:
            assert not legal
        else:
            around = {"declarer": 0, "dummy": 0, "left": 1, "right": 2}
            assert table.turn == declarer.after(around[chair])


@pytest.mark.slow
@settings(max_examples=16, deadline=None)
@given(walks())
def test_every_illegal_action_is_refused_in_one_line_that_says_why(states: list[Table]) -> None:
    for table in states:
        legal = table.legal
        assert len(set(legal)) == len(legal)
        allowed = []
        for action in ALL_ACTIONS:
            reason = refusal(table, action)
            assert table.can(action) == (reason is None)
            if reason is None:
                allowed.append(action)
                continue
            assert "\n" not in reason
            who, _, why = reason.partition(": ")
            assert why, f"no reason in {reason!r}"
            assert str(action) in reason
            if table.over:
                assert why == "the deal is over"
            else:
                assert who.startswith(f"{table.turn} cannot ")
        assert set(allowed) == set(legal)
        assert table.over == (not legal)


def refusal(table: Table, action: Action, seat: Seat | None = None) -> str | None:
    """Why `check` and `apply` refuse an action; None if they do not."""
    reasons = []
    for act in (table.check, table.apply):
        try:
            act(action, seat)
        except IllegalActionError as error:
            reasons.append(str(error))
    assert not reasons or (len(reasons) == 2 and reasons[0] == reasons[1])
    return reasons[0] if reasons else None


@settings(max_examples=25, deadline=None)
@given(walks())
def test_acting_out_of_turn_is_refused(states: list[Table]) -> None:
    for table in states:
        for seat in Seat:
            for action in table.legal:
                assert table.can(action, seat) == (seat is table.turn)
                if seat is not table.turn:
                    reason = f"{seat} cannot act: it is {table.turn}'s turn"
                    assert refusal(table, action, seat) == reason
                else:
                    assert table.apply(action, seat) == table.apply(action)


@settings(max_examples=25, deadline=None)
@given(walks())
def test_applying_an_action_leaves_the_state_as_it_was(states: list[Table]) -> None:
    for table in states:
        before = repr(table)
        for action in table.legal:
            after = table.apply(action)
            assert after != table
            assert after == table.apply_unchecked(action)
        assert repr(table) == before


# The table one rule at a time


def table_after(text: str, *, doubles: bool = False) -> Table:
    table = new_table(deal(1, 0), N, doubles=doubles)
    for word in text.split():
        table = table.apply(parse_call(word))
    return table


def test_new_table_waits_for_the_dealers_call() -> None:
    for dealer in Seat:
        table = new_table(deal(1, 0), dealer)
        assert (table.turn, table.dealer) == (dealer, dealer)
        assert (table.position, table.contract, table.outcome, table.over) == (
            None,
            None,
            None,
            False,
        )
        assert len(table.legal) == 36


def test_passed_out_deal_has_no_play_and_no_contract() -> None:
    table = table_after("p p p")
    assert table.over
    assert (table.position, table.turn, table.contract) == (None, None, None)
    assert table.outcome == Outcome(None, 0)
    assert refusal(table, PASS) == "Pass is not allowed: the deal is over"
    assert refusal(table, Card("SK"), E) == "♠K is not allowed: the deal is over"
    for scheme in schemes().values():
        assert scores(Outcome(None), scheme) == points(0, 0, 0)


def test_card_during_the_auction_is_refused() -> None:
    assert refusal(table_after("1C"), Card("SK")) == "East cannot play ♠K: a call is due"


def test_call_during_the_play_is_refused() -> None:
    table = table_after("1C p p", doubles=True)
    for call in (PASS, DOUBLE, Bid(7, table.deal.deck.strains[-1])):
        assert refusal(table, call) == f"East cannot call {call}: the auction is over"


def test_outcome_is_known_only_at_the_end() -> None:
    states = list(walk(table_after("1C p p"), Random(3)))
    assert all(table.outcome is None for table in states[:-1])
    assert states[-1].outcome is not None
    assert len(states) == 53


def test_state_is_frozen_and_can_be_a_key() -> None:
    table = table_after("1C p p")
    with pytest.raises(AttributeError):
        table.position = None  # type: ignore[misc]
    assert {table: 1}[table_after("1C p p")] == 1


def test_call_and_play_take_text_and_refuse_the_other_kind() -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    with pytest.raises(FormatError, match="read call 'CT'"):
        table.call("CT")
    with pytest.raises(IllegalActionError, match="call is due"):
        table.play("CT")
    for call in ["1NT", "pass", "2H", "pass", "pass"]:
        table = table.call(call)
    with pytest.raises(IllegalActionError, match="auction is over"):
        table.call("3H")
    assert table.play("CT").turn is Seat.SOUTH


def test_the_states_of_a_table_are_those_that_it_went_through() -> None:
    table = new_table(deal(1, 0), N, vulnerable=(N,))
    states = [table]
    for action in ("1NT", "pass", "pass", "HT", None, None):
        table = table.apply(action or table.legal[0])
        states.append(table)
    assert list(table.states()) == states
    assert list(table.claim(7).states()) == states
