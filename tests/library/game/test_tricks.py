"""The play: who sits and plays where, following suit, who wins; every play of tiny deals."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.game.counting import PLAY_DECKS, count_plays
from tests.library.game.playing import DATA, chair_names
from tests.library.game.slow_rules import CHAIRS, slow_best, slow_play_tree
from tribridge.cards.cards import ALL_CARDS, Card, Deck, Hand, Strain, Suit, card_at
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import IllegalActionError
from tribridge.game.auction import Bid, Contract
from tribridge.game.position import Position, start_play
from tribridge.game.tricks import Chair, beats, winner, winning_place

N, E, S = Seat
ENTRIES: list[dict[str, Any]] = json.loads((DATA / "nodes.json").read_text("utf-8"))["plays"]


def entry_name(entry: dict[str, Any]) -> str:
    return f"{entry['deck']}-{entry['strain']}-{entry['declarer']}"


def entry_play(entry: dict[str, Any]) -> tuple[Deal, Position]:
    deal = Deal(entry["deal"], Deck(entry["deck"]))
    contract = Contract(Bid(1, Strain(entry["strain"])), Seat(entry["declarer"]))
    return deal, start_play(deal, contract)


def play_of(deal: str, strain: str, declarer: Seat, cards: str = "", deck: str = "4x3") -> Position:
    """The play of a tiny deal after these cards, each one checked."""
    contract = Contract(Bid(1, Strain(strain)), declarer)
    play = start_play(Deal(deal, Deck(deck)), contract)
    for word in cards.split():
        play.check(Card(word))
        play = play.apply_unchecked(Card(word))
    return play


def refusal(play: Position, card: str) -> str:
    with pytest.raises(IllegalActionError) as caught:
        play.check(Card(card))
    return str(caught.value)


# Whole trees


def test_recorded_plays_cover_each_deck_declarer_and_a_suit_and_notrump() -> None:
    wanted = {
        (str(deck), declarer.letter, strain.letter)
        for (deck, _), declarer in product(PLAY_DECKS, Seat)
        for strain in deck.strains[-2:]
    }
    found = [(entry["deck"], entry["declarer"], entry["strain"]) for entry in ENTRIES]
    assert set(found) == wanted
    assert len(found) == 6 * sum(deals for _, deals in PLAY_DECKS)


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_number_of_plays_by_cards_is_as_recorded(entry: dict[str, Any]) -> None:
    deal, play = entry_play(entry)
    positions, ends = count_plays(play)
    assert positions == entry["positions"]
    tricks = range(deal.deck.hand_size + 1)
    assert [ends[won] for won in tricks] == entry["ends_by_tricks"]


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_name)
def test_recorded_plays_are_those_of_the_slow_rules(entry: dict[str, Any]) -> None:
    deal, play = entry_play(entry)
    trump = None if entry["strain"] == "NT" else entry["strain"]
    positions, ends = slow_play_tree(chair_names(deal, play.contract.declarer), trump)
    assert positions == entry["positions"]
    assert [ends[won] for won in range(deal.deck.hand_size + 1)] == entry["ends_by_tricks"]


def test_recorded_plays_of_a_four_card_ending_are_those_worked_by_hand() -> None:
    # One card each: one play, and the Ace of the suit led wins unless a trump falls.
    deal = Deal("N:A. .A K. .K", Deck(2, 2))
    for strain, won in (("NT", 0), ("C", 0), ("D", 1)):
        play = start_play(deal, Contract(Bid(1, Strain(strain)), N))
        # East leads the Ace of clubs; the dummy follows, South and North discard or ruff.
        assert count_plays(play) == ([1, 1, 1, 1, 1], {won: 1})


# Who wins


def test_every_trick_of_two_suits_and_three_ranks_is_won_as_the_slow_rules_say() -> None:
    cards = [card for card in ALL_CARDS if card.row < 2 and card.column < 3]
    for trick in product(cards, repeat=4):
        if len(set(trick)) < 4:
            continue
        names = [card.name for card in trick]
        for trump in (None, Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS):
            place = slow_best(names, None if trump is None else trump.letter)
            assert winner(Chair.LEFT, trick, trump) == (Chair.LEFT + place) % 4


@pytest.mark.parametrize(
    ("cards", "trump", "place"),
    [
        ("S2 SA SK S3", None, 1),  # the highest of the suit led
        ("S2 HA DA CA", None, 0),  # no card of another suit wins in notrump
        ("S2 H2 SA S3", Suit.HEARTS, 1),  # the lowest trump beats the Ace
        ("S2 H2 SA H3", Suit.HEARTS, 3),  # the higher of two trumps
        ("H2 HA H3 H4", Suit.HEARTS, 1),  # trumps led
        ("S9 ST HA DA", Suit.CLUBS, 1),  # nobody ruffs
        ("ST S9 S8 S7", None, 0),  # the Ten is above the Nine
    ],
)
def test_highest_trump_else_highest_of_the_suit_led_wins(
    cards: str, trump: Suit | None, place: int
) -> None:
    trick = [Card(word) for word in cards.split()]
    for leader in Chair:
        assert winner(leader, trick, trump) == (leader + place) % 4


def test_trick_can_be_judged_before_it_is_complete() -> None:
    trick = [Card("S2"), Card("S5")]
    assert winner(Chair.DUMMY, trick, None) is Chair.RIGHT
    assert winner(Chair.DUMMY, trick[:1], None) is Chair.DUMMY


# Seating and turns

DEAL = "N:A.K..Q K..AQ. .Q..AK Q.A.K."
"""North ♠A ♥K ♣Q, East ♠K ♦AQ, South ♥Q ♣AK, hidden ♠Q ♥A ♦K."""


@pytest.mark.parametrize("declarer", Seat)
def test_seats_run_declarer_left_defender_dummy_right_defender(declarer: Seat) -> None:
    deal = Deal(DEAL, Deck(4, 3))
    play = start_play(deal, Contract(Bid(1, Strain("NT")), declarer))
    left, right = declarer.after(1), declarer.after(2)
    hands = [deal.hands[declarer], deal.hands[left], deal.hidden, deal.hands[right]]
    assert list(play.hands) == [hand.mask for hand in hands]
    assert [chair.player(declarer) for chair in Chair] == [declarer, left, declarer, right]
    assert [chair.name.lower() for chair in Chair] == list(CHAIRS)
    assert play.turn is left
    assert play.chair is Chair.LEFT


def test_left_defender_leads_and_the_winner_leads_next() -> None:
    play = play_of(DEAL, "NT", N, "SK SQ HQ SA")
    # East led the King, the dummy's Queen, South has no spade, North's Ace wins.
    assert play.chair is Chair.DECLARER
    assert play.turn is N
    assert (play.won, len(play.tricks)) == (1, 1)
    trick = play.tricks[0]
    assert (trick.leader, trick.winner) == (Chair.LEFT, Chair.DECLARER)


def test_declarer_plays_the_dummys_cards() -> None:
    play = play_of(DEAL, "NT", N, "SK")
    assert play.chair is Chair.DUMMY
    assert play.turn is N
    assert play.legal == (Card("SQ"),)


def test_trick_won_by_the_dummy_counts_for_the_declarer() -> None:
    play = play_of(DEAL, "H", E, "HQ HA HK DQ")
    # South, left of East, leads a trump; the dummy's Ace wins, East discards.
    assert play.tricks[0].winner is Chair.DUMMY
    assert play.won == 1
    assert play.turn is E


def test_trick_won_by_a_defender_does_not_count_for_the_declarer() -> None:
    play = play_of(DEAL, "NT", S, "SA SQ SK HQ")
    assert play.tricks[0].winner is Chair.LEFT
    assert play.won == 0
    assert play.turn is N


def test_suit_led_must_be_followed() -> None:
    play = play_of(DEAL, "NT", N, "SK")
    assert refusal(play, "HA") == (
        "North cannot play ♥A from dummy: spades were led, so follow suit with ♠Q"
    )


def test_any_card_may_be_played_by_one_who_cannot_follow() -> None:
    play = play_of(DEAL, "NT", N, "SK SQ")
    assert play.chair is Chair.RIGHT
    assert [card.name for card in play.legal] == ["CA", "CK", "HQ"]


def test_trump_need_not_be_played_by_one_who_cannot_follow() -> None:
    play = play_of(DEAL, "H", N, "SK SQ")
    assert {card.name for card in play.legal} == {"CA", "CK", "HQ"}


def test_any_card_may_be_led() -> None:
    assert [card.name for card in play_of(DEAL, "D", N).legal] == ["DA", "DQ", "SK"]


def test_card_must_be_held() -> None:
    play = play_of(DEAL, "NT", N)
    assert refusal(play, "SA") == "East cannot play ♠A: East does not hold it"
    assert refusal(play, "S2") == "East cannot play ♠2: East does not hold it"
    after = play_of(DEAL, "NT", N, "SK SQ HQ SA CQ DA")
    # The dummy's Queen of spades is gone.
    assert refusal(after, "SQ") == "North cannot play ♠Q from dummy: dummy does not hold it"


def test_no_card_is_due_after_the_last_trick() -> None:
    play = play_of(DEAL, "NT", N, "SK SQ HQ SA HK DQ HA CK DK CA CQ DA")
    assert play.over
    assert play.turn is None
    assert play.legal == ()
    # North's Ace of spades, the dummy's Ace of hearts, East's Ace of diamonds.
    assert [trick.winner for trick in play.tricks] == [Chair.DECLARER, Chair.DUMMY, Chair.LEFT]
    assert play.won == 2
    assert "last trick" in refusal(play, "SK")


def test_who_does_not_follow_has_shown_out() -> None:
    spades, hearts = 1 << Suit.SPADES.index, 1 << Suit.HEARTS.index
    assert play_of(DEAL, "NT", N, "SK SQ").voids == (0, 0, 0, 0)
    assert play_of(DEAL, "NT", N, "SK SQ HQ").voids == (0, 0, 0, spades)
    assert play_of(DEAL, "NT", N, "SK SQ HQ SA HK DQ").voids == (0, hearts, 0, spades)


def test_cards_dealt_to_a_chair_are_known_to_the_end() -> None:
    deal = Deal(DEAL, Deck(4, 3))
    for cards in ("", "SK SQ", "SK SQ HQ SA HK DQ HA CK", "SK SQ HQ SA HK DQ HA CK DK CA CQ DA"):
        play = play_of(DEAL, "NT", N, cards)
        dealt = [Hand(mask) for mask in play.dealt()]
        assert dealt == [deal.hands[0], deal.hands[1], deal.hidden, deal.hands[2]]


def fast(leader: Chair, cards: tuple[Card, ...], trump: Suit | None) -> Chair:
    place = winning_place(cards, -1 if trump is None else trump.index)
    return Chair((leader + place) % 4)


def by_beating(cards: tuple[Card, ...], trump: Suit | None) -> int:
    best = 0
    for at in range(1, len(cards)):
        if beats(cards[at].index, cards[best].index, -1 if trump is None else trump.index):
            best = at
    return best


@pytest.mark.parametrize("trump", [None, *Suit])
def test_the_fast_winner_is_the_written_rule_on_every_trick_of_a_small_deck(
    trump: Suit | None,
) -> None:
    deck = [card_at(suit, rank) for suit in range(4) for rank in range(3)]
    for size in range(1, 5):
        for cards in permutations(deck, size):
            wins = winner(Chair.LEFT, cards, trump)
            assert fast(Chair.LEFT, cards, trump) is wins
            assert Chair((Chair.LEFT + by_beating(cards, trump)) % 4) is wins


@given(
    st.sampled_from(list(Chair)),
    st.lists(st.sampled_from(ALL_CARDS), min_size=1, max_size=4, unique=True).map(tuple),
    st.sampled_from([None, *Suit]),
)
def test_the_fast_winner_is_the_written_rule_on_the_full_deck(
    leader: Chair, cards: tuple[Card, ...], trump: Suit | None
) -> None:
    assert fast(leader, cards, trump) is winner(leader, cards, trump)
    assert Chair((leader + by_beating(cards, trump)) % 4) is winner(leader, cards, trump)


def test_strains_can_stand_for_trumps_and_notrump_has_none() -> None:
    trick = tuple(Card(text) for text in ("HK", "S2", "HA", "D3"))
    places = [winning_place(trick, strain.index) for strain in Strain]
    assert places == [2, 3, 2, 1, 2]
