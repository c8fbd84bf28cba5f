"""The library as a person types it: values, tables with a past, own strategies."""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import pickle
import re
import typing
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from numpy.random import Generator

import tribridge as tb
from tribridge.cards.cards import ALL_CARDS
from tribridge.common import codec

VALUES = (*ALL_CARDS, *tb.Suit, *tb.Rank, *tb.Strain, *tb.Seat)
HAND = "AKQ2.K93.A92.KQ5"
DEAL = str(tb.deal(seed=1))


# Values that behave


def test_values_are_always_true_and_equal_only_to_their_own_kind() -> None:
    for value in VALUES:
        assert bool(value)
        assert value != value.index
        assert [other for other in VALUES if other == value] == [value]
        assert pickle.loads(pickle.dumps(value)) is deepcopy(value) is value


def test_the_ace_is_high_in_every_order() -> None:
    assert tb.Rank.ACE > tb.Rank.KING > tb.Rank.TWO
    assert max(tb.Hand(HAND)) == tb.Card("SA")
    assert min(tb.Hand(HAND)) == tb.Card("C5")
    assert sorted(map(tb.Card, ("SA", "CA", "S2", "DK"))) == [
        tb.Card(name) for name in ("CA", "DK", "S2", "SA")
    ]
    for one in ALL_CARDS:
        for other in ALL_CARDS:
            above = (one.suit.index, -one.rank.index) > (other.suit.index, -other.rank.index)
            assert (one > other, one <= other) == (above, not above)


def test_kinds_cannot_be_compared_or_changed() -> None:
    for one, other in ((tb.Card("SA"), 3), (tb.Suit.CLUBS, tb.Strain.SPADES), (tb.Seat.EAST, 0)):
        with pytest.raises(TypeError):
            assert one < other  # type: ignore[operator]
    with pytest.raises(AttributeError):
        tb.Card("SA").suit = tb.Suit.CLUBS


def test_an_index_leads_into_tuples_and_back() -> None:
    for value in VALUES:
        assert type(value)(value.index) is value
        assert range(52)[value] == value.index


@pytest.mark.parametrize("text", ["♠️A", "♠A", "sa", "As", " S A ", "A♠️"])
def test_a_card_as_people_write_it(text: str) -> None:
    assert tb.Card(text) is tb.Card("SA")


@pytest.mark.parametrize(
    "given",
    [
        "AKQ2 K93 A92 KQ5",
        "♠️AKQ2 ♥️K93 ♦️A92 ♣️KQ5",
        [*tb.Hand(HAND)],
        [card.name for card in tb.Hand(HAND)],
        " ".join(card.name for card in tb.Hand(HAND)),
        " ".join(card.name[::-1] for card in tb.Hand(HAND)),
        tb.Hand(HAND),
    ],
)
def test_a_hand_as_people_write_it(given: Any) -> None:
    assert tb.Hand(given) == tb.Hand(HAND)
    assert tb.estimate(given) == tb.estimate(HAND)


def test_a_hand_answers_the_questions_of_the_table() -> None:
    hand = tb.Hand(HAND)
    assert (hand.hcp, hand.shape, hand.length("S"), hand.suit("♥")) == (
        21, (4, 3, 3, 3), 4, tb.Hand(".K93..")
    )  # fmt: skip
    assert hand - "SA" == hand - tb.Card("SA") == tb.Hand("KQ2.K93.A92.KQ5")
    assert hand & ["SA", "S3"] == tb.Hand("SA")
    assert "SA" in hand
    assert tb.deal(seed=1).hands["E"] == tb.deal(seed=1).hands[tb.Seat.EAST]
    assert tb.deal(seed=1).hands["hidden"] == tb.deal(seed=1).hidden
    assert tb.Deck("4x8") == tb.Deck(4, 8)


def test_values_write_themselves_and_can_be_aligned() -> None:
    values = (tb.Suit.SPADES, tb.Rank.ACE, tb.Strain.NOTRUMP, tb.Card("SA"), tb.Bid("1S"))
    assert [str(value) for value in values] == ["♠", "A", "NT", "♠A", "1♠"]
    others = (tb.Hand("K...A"), tb.Deck(), tb.deal(1), tb.Contract("1NT by N"), tb.Seat.NORTH)
    for value in (*values, *others):
        assert f"{value:>80}|" == f"{value!s:>80}|"
        assert f"{value}" == str(value)
    assert eval(repr(tb.Chair.LEFT), vars(tb) | {"Chair": tb.Chair}) is tb.Chair.LEFT


def test_values_by_strain_and_by_seat_are_read_again_from_json() -> None:
    forecast = tb.forecast_tricks("AKQ2.K93.A92.KQ5", kind="points")
    advice = tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass", kind="points", defence=0)
    scores = tb.new_table(seed=1).scores()
    values: list[tuple[object, Any]] = [
        (tb.solve(tb.deal(1, deck="2x4"), "N"), tb.ByStrain[int]),
        (forecast, tb.ByStrain[tb.Distribution]),
        (scores, tb.BySeat[tb.Points]),
        (advice, tb.Advice),
    ]
    for value, kind in values:
        assert codec.loads(codec.dumps(value, kind), kind) == codec.read(value, kind) == value
    assert len({scores, tb.new_table(seed=2).scores()}) == 1
    with pytest.raises(tb.FormatError, match="unknown strain 'Z'"):
        codec.loads('{"Z": 1}', tb.ByStrain[int])


def test_a_comparison_without_a_test_is_read_again_as_it_was_written() -> None:
    contest = tb.compare("random", "pass", deals=2, deck="2x4")
    text = codec.dumps(contest)
    assert codec.dumps(codec.loads(text, tb.Contest)) == text


@pytest.mark.parametrize(("text", "call"), [("1 NT", tb.Bid("1NT")), ("dbl", tb.DOUBLE)])
def test_a_call_as_people_write_it(text: str, call: tb.Call) -> None:
    table = tb.new_table(seed=1, doubles=True)
    table = table if isinstance(call, tb.Bid) else table.call("1C")
    assert table.call(text).history[-1] == call


# The public API takes text, and its types are in it

CORE = (tb.Table, tb.View, tb.Deal, tb.Hand, tb.Card, tb.Deck, tb.Bid, tb.Contract, tb.Rubber)
TEXTS = {
    "Card": "SA", "Suit": "S", "Seat": "N", "Strain": "NT", "Rank": "A", "Hand": HAND,
    "Deck": "4x13", "Deal": DEAL, "Cards": HAND, "Contract": "1NT by N", "Scheme": "auction",
    "Laws": "auction-rubber", "Standing": "N 20",
}  # fmt: skip


def signatures() -> Iterator[tuple[str, Any]]:
    """The functions of the library, and the methods of what they are about."""
    for name in tb.__all__:
        value = getattr(tb, name)
        if inspect.isfunction(value):
            yield name, value
    for cls in CORE:
        for name, member in vars(cls).items():
            inner = getattr(member, "__func__", getattr(member, "fget", member))
            if inspect.isfunction(inner) and (name == "__init__" or name[0] != "_"):
                yield f"{cls.__name__}.{name}", inner


def test_every_type_of_a_public_signature_can_be_imported() -> None:
    known = {*dir(builtins), *typing.__all__, *collections.abc.__all__, *tb.__all__}
    known |= {"Path", "PathLike", "C"}
    missing = {
        (name, word)
        for name, function in signatures()
        for annotation in function.__annotations__.values()
        for word in re.findall(r"\b[A-Z]\w*", re.sub(r"Literal\[.*?\]", "", str(annotation)))
        if word not in known
    }
    assert not missing


@pytest.mark.parametrize(("name", "function"), list(signatures()))
def test_text_is_taken_where_a_person_would_type_it(name: str, function: Any) -> None:
    """Every parameter whose value people write as text also takes text."""
    for parameter, annotation in function.__annotations__.items():
        words = set(re.findall(r"\w+", str(annotation)))
        if parameter != "return" and words & set(TEXTS) and name not in INTERNAL:
            assert words & {"str", "Cards"}, f"{name}({parameter}: {annotation})"


INTERNAL = {
    "Contract.calls", "Contract.tricks_needed", "Deal.of", "Rubber.add_result",
    "Table.apply_unchecked", "View.stakes", "Card.of", "Deal.from_hands", "Rubber.after",
    "Table.__init__", "View.__init__", "Hand.row",
}  # fmt: skip
"""Methods for programs, not for people, and constructors of positions."""


# A table with a past


def walked() -> Iterator[tb.Table]:
    """Tables at many stages, of several kinds."""
    for table in (
        tb.play_game("points+maxims", "points+maxims", "points+maxims", seed=3),
        tb.play_game("random", "random", "random", seed=2, doubles=True),
        tb.play_game("random", "random", "random", seed=2, deck="2x8", dealer="S"),
        tb.new_table(seed=1, auction="pass pass pass", scheme="contract", vulnerable="NS"),
        tb.new_table(seed=1, rubber=tb.Rubber("auction-rubber", games=(0, 1, 0))),
    ):
        size = len(table.history)
        yield from (table.undo(size - at) for at in range(0, size, 7))
        yield table


def test_undo_takes_back_and_history_brings_again() -> None:
    for table in walked():
        again = table.undo(len(table.history))
        assert again.history == ()
        for action in table.history:
            before, again = again, again.apply(action)
            assert again.undo() == before
        assert again == table
        assert len(table.tricks) == (0 if table.position is None else len(table.position.tricks))
    with pytest.raises(tb.IllegalActionError, match="cannot undo 1"):
        tb.new_table(seed=1).undo()


def test_the_repr_and_the_json_of_a_table_give_it_back(tmp_path: Path) -> None:
    for table in walked():
        assert eval(repr(table), vars(tb)) == table
        assert "\n" not in repr(table)
        assert tb.from_json(tb.to_json(table)) == table
        tb.save_pbn(tmp_path / "one.pbn", table)
        assert tb.load_pbn(tmp_path / "one.pbn") == [table]
    for text in ("", "{}", "[]", "[1]", tb.to_json(table)[:-9]):
        with pytest.raises(tb.RecordError):
            tb.from_json(text)


def test_a_position_is_typed_in_from_a_book() -> None:
    hands = {"N": HAND, "E": "J53.AQ5.KT43.J93", "S": "T984.842.J76.A74"}
    table = tb.new_table(hands=hands, dealer="E", contract="3NTx by N", play="C3 C2")
    assert table.contract == tb.Contract("3NT", "N", 2)
    assert table.history[-2:] == (tb.Card("C3"), tb.Card("C2"))
    assert table == tb.new_table(
        hands=hands, dealer="E", auction="pass, pass 3 NT dbl - pass pass", play=["C3", "C2"]
    )
    with pytest.raises(tb.CardsError, match="only one hand"):
        tb.new_table(hands={"N": HAND})
    with pytest.raises(tb.SettingError, match="either an auction"):
        tb.new_table(seed=1, auction="1C", contract="1C by N")


# Own strategies


class Low:
    """Bids once, as text, and plays its lowest card; remembers which deals began."""

    def __init__(self) -> None:
        self.began: list[tb.Seat] = []

    def start(self, seat: tb.Seat, view: tb.View) -> None:
        assert view.seat is seat
        self.began.append(seat)

    def call(self, view: tb.View, rng: Generator) -> str:
        return "pass" if view.auction.last_bid else "1 NT"

    def card(self, view: tb.View, rng: Generator) -> tb.Card:
        return min(view.legal_cards, key=lambda card: card.rank)


def test_any_object_that_calls_and_plays_is_a_strategy() -> None:
    low, seen = Low(), list[tuple[int, int]]()
    table = tb.play_game(low, "maxims", "maxims", seed=1)
    assert table.contract == tb.Contract("1NT", "N")
    assert low.began == [tb.Seat.NORTH]
    assert tb.choose(low, table.undo(52)).action in table.undo(52).legal
    contest = tb.compare(
        low, "random", "points+maxims", deals=2, progress=lambda *done: seen.append(done)
    )
    assert {one.first for one in contest.comparisons} <= {"Low", "random", "points+maxims"}
    assert seen[-1] == (2, 2)


def test_a_class_defined_again_replaces_the_first() -> None:
    from tribridge.strategies.registry import kept

    def define(card: Callable[[Any, tb.View, Generator], str]) -> type[Any]:
        cls = type("Again", (), {"name": "again", "card": card, "__module__": __name__})
        return tb.register_player(cls)

    with kept():
        define(lambda self, view, rng: view.legal_cards[0].name)
        define(lambda self, view, rng: view.legal_cards[-1].name)
        table = tb.new_table(seed=1, auction="1NT pass pass")
        assert tb.choose("pass+again", table).action == table.legal[-1]


def test_legal_actions_come_by_kind() -> None:
    table = tb.new_table(seed=1)
    seen = tb.view(table, "N")
    assert (seen.legal_calls, seen.legal_cards) == (table.legal, ())
    table = table.call("1NT pass pass")
    seen = tb.view(table, "E")
    assert (seen.legal_calls, seen.legal_cards) == ((), table.legal)
