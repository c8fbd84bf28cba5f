"""The auction: rules one by one, and every auction of tiny decks by number of calls."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.library.game.counting import count_auctions
from tests.library.game.playing import ALL_CALLS, DATA, action_name
from tests.library.game.slow_rules import (
    auction_polynomial,
    complete_auctions,
    slow_auction_tree,
    slow_bids,
    slow_calls,
    slow_contract,
    slow_finished,
)
from tribridge.cards.cards import FULL_DECK, Card, Deck, Strain
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, IllegalActionError
from tribridge.game.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    Auction,
    Bid,
    Call,
    Contract,
    call_name,
    parse_call,
)

N, E, S = Seat
ENTRIES: list[dict[str, Any]] = json.loads((DATA / "nodes.json").read_text("utf-8"))["auctions"]
LARGE = 100_000
"""Trees of more positions take more than a few seconds."""


def entries(*, limit: int | None = None, slow: bool = False) -> list[Any]:
    """The entries of the data file as test parameters; large trees are marked if they are slow."""
    return [
        pytest.param(
            entry,
            id=f"{entry['deck']}{'-doubles' if entry['doubles'] else ''}",
            marks=[pytest.mark.slow] if slow and sum(entry["positions"]) > LARGE else [],
        )
        for entry in ENTRIES
        if limit is None or sum(entry["positions"]) < limit
    ]


def auction_of(text: str, dealer: Seat = N, *, doubles: bool = False) -> Auction:
    """The auction after these calls, each one checked."""
    auction = Auction(dealer, doubles=doubles)
    for word in text.split():
        call = parse_call(word)
        auction.check(call)
        auction = auction.apply_unchecked(call)
    return auction


def allowed(auction: Auction, call: Call) -> bool:
    try:
        auction.check(call)
    except IllegalActionError:
        return False
    return True


def refusal(auction: Auction, call: str) -> str:
    with pytest.raises(IllegalActionError) as caught:
        auction.check(parse_call(call))
    return str(caught.value)


# Whole trees


@pytest.mark.parametrize("entry", entries(slow=True))
def test_number_of_auctions_by_calls_is_as_recorded(entry: dict[str, Any]) -> None:
    auction = Auction(N, Deck(entry["deck"]), entry["doubles"])
    assert count_auctions(auction) == (entry["positions"], entry["complete"])


@pytest.mark.parametrize("entry", entries())
def test_recorded_counts_are_those_of_the_closed_form(entry: dict[str, Any]) -> None:
    deck = Deck(entry["deck"])
    bids = len(slow_bids(deck.suits, deck.ranks))
    assert entry["positions"] == auction_polynomial(bids, entry["doubles"])
    assert entry["complete"] == complete_auctions(bids, entry["doubles"])


@pytest.mark.parametrize("entry", entries(limit=LARGE))
def test_recorded_counts_are_those_of_the_slow_rules(entry: dict[str, Any]) -> None:
    deck = Deck(entry["deck"])
    bids = slow_bids(deck.suits, deck.ranks)
    assert slow_auction_tree(bids, entry["doubles"]) == (entry["positions"], entry["complete"])


def test_recorded_decks_have_the_number_of_complete_auctions_worked_by_hand() -> None:
    # One suit of four cards: the bids 1C and 1NT. Passed out: 1. One bid: two bids, three places
    # for the first. Two bids: three places, and 0 or 1 passes between. 1 + 6 + 6 = 13.
    assert complete_auctions(2, doubles=False) == 13
    assert slow_auction_tree(["1C", "1NT"], doubles=False)[1] == 13
    # 3^3 = 27, 3^5 = 243, 3^10 = 59049.
    assert complete_auctions(3, doubles=False) == 1 + 3 * 13
    assert complete_auctions(5, doubles=False) == 1 + 3 * 121
    assert complete_auctions(10, doubles=False) == 1 + 3 * 29524
    counts = {(e["deck"], e["doubles"]): e["complete"] for e in ENTRIES}
    assert counts["2x2", False] == 40
    assert counts["4x1", False] == 364
    assert counts["4x3", False] == 88573


@pytest.mark.parametrize("doubles", [False, True])
def test_first_calls_on_the_full_deck_are_as_many_as_the_closed_form_says(doubles: bool) -> None:
    expected = auction_polynomial(35, doubles)
    layer = [Auction(S, doubles=doubles)]
    for depth in range(4):
        assert len(layer) == expected[depth]
        layer = [
            auction.apply_unchecked(call)
            for auction in layer
            for call in (auction.legal if depth < 3 else ())
        ]
    # 36 first calls; then 36 after a pass, or after the n-th of 35 bids a pass, 35 - n bids, and
    # the double: 36 + 35 + 595 (+ 35).
    assert expected[1] == 36
    assert expected[2] == 36 + 35 + 595 + (35 if doubles else 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deck", "doubles", "dealer"),
    [(Deck(1, 4), True, N), (Deck(2, 4), True, S), (Deck(2, 2), False, E), (Deck(4, 2), False, S)],
)
def test_every_auction_of_a_tiny_deck_agrees_with_the_slow_rules(
    deck: Deck, doubles: bool, dealer: Seat
) -> None:
    bids = slow_bids(deck.suits, deck.ranks)
    open_ = [Auction(dealer, deck, doubles)]
    seen = 0
    while open_:
        auction = open_.pop()
        seen += 1
        names = tuple(call_name(call) for call in auction.calls)
        legal = slow_calls(names, bids, doubles)
        assert {call_name(call) for call in auction.legal} == legal
        assert len(auction.legal) == len(legal)
        assert auction.over == slow_finished(names)
        assert auction.turn == (None if auction.over else dealer.after(len(names)))
        found = slow_contract(names) if auction.over else None
        if found is None:
            assert auction.contract is None
        else:
            bid, at, factor = found
            declarer = dealer.after(at)
            assert auction.contract == Contract(_bid(bid), declarer, factor)
        for call in ALL_CALLS:
            assert not isinstance(call, Card)
            assert allowed(auction, call) == (action_name(call) in legal)
        open_ += [auction.apply_unchecked(call) for call in auction.legal]
    assert seen == sum(auction_polynomial(len(bids), doubles))


def _bid(text: str) -> Bid:
    bid = parse_call(text)
    assert isinstance(bid, Bid)
    return bid


# The rules one by one


def test_bids_rank_by_level_then_clubs_diamonds_hearts_spades_notrump() -> None:
    bids = [call for call in ALL_CALLS if isinstance(call, Bid)]
    assert [call_name(bid) for bid in bids[:6]] == ["1C", "1D", "1H", "1S", "1NT", "2C"]
    assert call_name(bids[-1]) == "7NT"
    assert len(bids) == 35
    assert all(low < high for low, high in pairwise(bids))


@pytest.mark.parametrize("dealer", Seat)
def test_dealer_calls_first_then_clockwise(dealer: Seat) -> None:
    auction = Auction(dealer)
    for at in range(3):
        assert auction.turn is dealer.after(at)
        auction = auction.apply_unchecked(Bid(at + 1, Strain.CLUBS))
    assert auction.turn is dealer


def test_three_passes_at_the_start_pass_the_deal_out() -> None:
    assert not auction_of("p p").over
    auction = auction_of("p p p")
    assert auction.over
    assert auction.contract is None
    assert auction.turn is None
    assert auction.legal == ()


def test_two_passes_after_a_bid_end_the_auction() -> None:
    assert not auction_of("1C p").over
    assert auction_of("1C p p").contract == Contract(Bid(1, Strain.CLUBS), N)


def test_two_passes_before_a_bid_do_not_count_towards_the_end() -> None:
    auction = auction_of("p p 1C")
    assert not auction.over
    assert not auction_of("p p 1C p").over
    assert auction_of("p p 1C p p").contract == Contract(Bid(1, Strain.CLUBS), S)


def test_highest_bidder_declares_even_if_another_named_the_strain_first() -> None:
    assert auction_of("1H 2H p p", E).contract == Contract(Bid(2, Strain.HEARTS), S)


def test_player_who_passed_may_bid_later() -> None:
    assert auction_of("p 1C p 1D p p").contract == Contract(Bid(1, Strain.DIAMONDS), N)


def test_bid_must_be_higher_than_the_last() -> None:
    auction = auction_of("1NT")
    for low in ("1C", "1S", "1NT"):
        assert refusal(auction, low).endswith("it is not higher than 1NT")
    auction.check(parse_call("2C"))


def test_seven_notrump_is_the_ceiling() -> None:
    auction = auction_of("7NT")
    assert auction.legal == (PASS,)
    with pytest.raises(IllegalActionError, match="levels are 1 to 7"):
        auction.check(Bid(8, Strain.CLUBS))
    with pytest.raises(IllegalActionError, match="levels are 1 to 7"):
        Auction(N).check(Bid(0, Strain.CLUBS))


def test_tiny_deck_has_its_own_ceiling_and_strains() -> None:
    auction = Auction(N, Deck(2, 4))
    assert [call_name(call) for call in auction.legal] == ["Pass", "1C", "1D", "1NT"]
    with pytest.raises(IllegalActionError, match="levels are 1 to 1"):
        auction.check(Bid(2, Strain.CLUBS))
    with pytest.raises(IllegalActionError, match="such suit"):
        auction.check(Bid(1, Strain.SPADES))


def test_doubles_are_off_by_default() -> None:
    assert "without doubles" in refusal(auction_of("1C"), "X")
    assert "without doubles" in refusal(auction_of("1C"), "XX")


def test_both_opponents_may_double_the_last_bid() -> None:
    assert DOUBLE in auction_of("1C", doubles=True).legal
    assert DOUBLE in auction_of("1C p", doubles=True).legal
    contract = auction_of("1C p X p p", doubles=True).contract
    assert contract == Contract(Bid(1, Strain.CLUBS), N, 2)


def test_double_needs_a_bid_of_another_player_not_doubled_yet() -> None:
    assert "bid yet" in refusal(auction_of("p", doubles=True), "X")
    # The double keeps the auction open, so the turn comes back to the bidder.
    assert "their own bid" in refusal(auction_of("1C X p", doubles=True), "X")
    assert "already doubled" in refusal(auction_of("1C X", doubles=True), "X")
    assert "already doubled" in refusal(auction_of("1C X p XX", doubles=True), "X")


def test_redouble_belongs_to_the_bidder_after_a_double_and_comes_once() -> None:
    assert "another player's bid" in refusal(auction_of("1C X", doubles=True), "XX")
    assert "another player's bid" in refusal(auction_of("1C X p XX p", doubles=True), "XX")
    auction = auction_of("1C X p", doubles=True)
    assert REDOUBLE in auction.legal
    after = auction_of("1C X p XX", doubles=True)
    assert REDOUBLE not in after.legal
    assert auction_of("1C X p XX p p", doubles=True).contract == Contract(
        Bid(1, Strain.CLUBS), N, 4
    )


def test_new_bid_takes_the_double_away() -> None:
    contract = auction_of("1C X 1D p p", doubles=True).contract
    assert contract == Contract(Bid(1, Strain.DIAMONDS), S, 1)
    assert DOUBLE in auction_of("1C X 1D", doubles=True).legal


def test_two_passes_end_the_auction_after_a_double_too() -> None:
    assert not auction_of("1C p X p", doubles=True).over
    assert auction_of("1C p X p p", doubles=True).over


def test_no_call_after_the_end() -> None:
    for call in ("p", "1D", "X"):
        assert "the auction" in refusal(auction_of("1C p p", doubles=True), call)


# Contracts and names


def test_declarer_needs_six_tricks_and_the_level() -> None:
    for level in range(1, 8):
        assert Contract(Bid(level, Strain.SPADES), N).tricks_needed() == 6 + level
    assert FULL_DECK.book == 6


@pytest.mark.parametrize(
    ("deck", "needed"), [(Deck(4, 1), 1), (Deck(2, 4), 2), (Deck(4, 3), 2), (Deck(4, 4), 3)]
)
def test_tiny_deck_takes_half_its_tricks_for_granted(deck: Deck, needed: int) -> None:
    assert Contract(Bid(1, Strain.CLUBS), N).tricks_needed(deck) == needed


def test_contract_names_bid_double_and_declarer() -> None:
    two = Bid(2, Strain.HEARTS)
    names = [str(Contract(two, S, factor)) for factor in (1, 2, 4)]
    assert names == ["2♥ by South", "2♥x by South", "2♥xx by South"]


def test_every_call_is_read_back_from_its_name() -> None:
    for call in ALL_CALLS:
        assert not isinstance(call, Card)
        assert parse_call(call_name(call)) == call
        assert parse_call(f" {call_name(call).lower()} ") == call
    assert parse_call("2♥") == Bid(2, Strain.HEARTS)
    assert parse_call("3n") == Bid(3, Strain.NOTRUMP)
    assert parse_call("double") is DOUBLE


@pytest.mark.parametrize(
    "text", ["", " ", "1", "8C", "0NT", "9", "1Z", "1CC", "C1", "XXX", "pass!", "²C", "1 C\n2"]
)
def test_text_that_is_no_call_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_call(text)
    assert "\n" not in str(caught.value)
