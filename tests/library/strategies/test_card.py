"""The bidding card: its sums against a plain reading of its text, and the bids that follow."""

from __future__ import annotations

import re

import pytest

from tests.library.strategies.conformance import check
from tests.library.strategies.test_callers import called, with_hand
from tribridge.cards.cards import Hand, Strain, Suit
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import NotFoundError, SettingError
from tribridge.game.auction import DOUBLE, PASS, Bid, parse_call
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import new_table
from tribridge.strategies import Strategy, find_caller, find_player, find_strategy
from tribridge.strategies.callers.card import CARD, column_of, counted_points

TEXT = "\n".join(CARD.lines())


def honours_in(text: str) -> dict[str, int]:
    """What honours count in a piece of the card: `A 4, K 3`."""
    return {name: int(value) for name, value in re.findall(r"\b([AKQJT]) (\d+)", text)}


def number_in(pattern: str) -> int:
    """The number that a line of the card names."""
    match = re.search(pattern, TEXT)
    assert match is not None, pattern
    return int(match[1])


def read_aloud(hand: Hand) -> dict[Strain, int]:
    """The points of a hand, added up card by card as the text of the card says."""
    notrump, suit, *_ = TEXT.splitlines()
    cards = {each: [card for card in hand if card.suit is each] for each in Suit}

    def total(values: dict[str, int]) -> int:
        return sum(values.get(card.rank.letter, 0) for card in hand)

    points = {Strain.NOTRUMP: total(honours_in(notrump))}
    for trumps, held in cards.items():
        if len(held) < number_in(r"In a suit of (\d+) cards"):
            continue
        count = total(honours_in(suit))
        for number, _ in enumerate(held, 1):
            if number > number_in(r"after the first (\d+)"):
                count += number_in(r"(\d+) for each trump after")
        for other, side in cards.items():
            if other is not trumps:
                count += number_in(r"(\d+) for a void") if not side else 0
                count += number_in(r"(\d+) for a singleton") if len(side) == 1 else 0
        points[Strain(trumps.index)] = count
    return points


def test_the_sums_are_those_of_its_text() -> None:
    for number in range(300):
        for hand in deal(5, number).hands:
            assert counted_points(CARD, hand) == read_aloud(hand)


def test_it_fits_on_a_card() -> None:
    assert len(CARD.lines()) <= 12
    assert all(len(line) < 90 for line in CARD.lines())


def test_it_opens_with_just_enough_and_passes_with_less() -> None:
    bids = 0
    for number in range(300):
        table = new_table(deal(6, number), Seat.NORTH)
        counts = read_aloud(table.deal.hands[0])
        call = called("card", table).action
        if max(counts.values()) >= number_in(r"A bid of one needs (\d+) points"):
            assert isinstance(call, Bid)
            assert call.level == 1
            assert counts[call.strain] == max(counts.values())
            bids += 1
        else:
            assert call is PASS
    assert 30 < bids < 270


def test_each_level_needs_a_trick_more() -> None:
    hand = "AKQ2.AK3.A92.KQJ"
    most = max(read_aloud(with_hand(hand).hands[0]).values())
    levels = []
    for level in range(1, 7):
        table = new_table(with_hand(hand), Seat.EAST)
        for call in (PASS, Bid(level, Strain.NOTRUMP)):
            table = table.apply(call)
        choice = called("card", table).action
        if isinstance(choice, Bid):
            levels.append(choice.level)
            assert CARD.need["auction"] + CARD.trick * (choice.level - 1) <= most
    assert levels == list(range(2, 2 + len(levels)))
    assert 0 < len(levels) < 6


def test_under_contract_scoring_it_bids_its_games() -> None:
    table = new_table(with_hand("AKQ2.AK3.A92.KQJ"), Seat.NORTH, scheme=find_scheme("contract"))
    call = called("card:scheme=contract", table).action
    assert isinstance(call, Bid)
    assert (call.level, call.strain) in {(3, Strain.NOTRUMP), (4, Strain.SPADES)}


def test_rubbers_are_bid_as_their_scheme_is() -> None:
    laws = all_laws()
    assert column_of(laws["contract-rubber"].scheme) == "contract"
    assert column_of(laws["auction-rubber"].scheme) == "auction"
    rubber = RubberState(laws["contract-rubber"], Standing((0, 0, 0), (0, 0, 0)))
    weak = with_hand("8642.K3.A92.J842")
    assert called("card", new_table(weak, Seat.NORTH)).action is PASS
    assert isinstance(called("card", new_table(weak, Seat.NORTH, rubber=rubber)).action, Bid)


def test_it_doubles_where_that_is_allowed() -> None:
    deal_ = with_hand("9432.AQJT.A52.A3")
    for doubles, expected in ((True, DOUBLE), (False, PASS)):
        table = new_table(deal_, Seat.EAST, doubles=doubles)
        for call in ("pass", "5H"):
            table = table.apply(parse_call(call))
        assert called("card", table).action == expected
        assert called("card:doubles=no", table).action is PASS


@pytest.mark.parametrize(("text", "error"), [
    ("card:margin=2", SettingError), ("card:scheme=whist", SettingError),
    ("card:card=1", SettingError), ("card@2", NotFoundError),
])  # fmt: skip
def test_a_parameter_that_it_does_not_have_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        find_caller(text)


def test_it_is_a_strategy_with_the_usual_player() -> None:
    assert find_strategy("card").player == find_strategy("learned").player
    strategy = Strategy("card", find_caller("card"), find_player("random"))
    assert check(strategy, range(6))
