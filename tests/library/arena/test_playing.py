"""Single games: whole, replayable, with reasons; what a failing strategy leads to."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from tests.library.arena import faulty
from tribridge.arena.contracts import DOUBLE_DUMMY, best_strain, set_contract
from tribridge.arena.playing import Game, clock_of, play
from tribridge.arena.work import PlayWork, command_of
from tribridge.cards.cards import FULL_DECK, Deck, Hand, Strain, Suit, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.common import codec
from tribridge.common.errors import SettingError
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import PASS
from tribridge.game.record import loads
from tribridge.game.scoring import find_scheme
from tribridge.game.table import new_table
from tribridge.game.tricks import chair_hands
from tribridge.strategies import Strategy, find_player, find_strategy
from tribridge.strategies.callers.simple import PassCaller
from tribridge.strategies.program import ProgramStrategy

NAMES = ("random", "points+random", "capture")


def player(name: str) -> Strategy:
    return Strategy(name, PassCaller(), find_player(name))


def fixed(number: int, declarer: str, defence: str, **options: object) -> Game:
    """A game of tiny hands in a set contract."""
    deck = Deck("2x8")
    dealt = deal(3, number, deck)
    setting = set_contract(dealt, number)
    seats = [player(defence)] * 3
    seats[setting.contract.declarer] = player(declarer)
    table = new_table(dealt, setting.contract.declarer)
    return play(table, seats, seed=3, number=number, given=setting.calls, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", range(4))
def test_a_game_is_a_record_that_replays_with_the_reason_of_each_choice(number: int) -> None:
    dealt = deal(1, number)
    seats = [find_strategy(name) for name in NAMES]
    table = new_table(dealt, Seat.NORTH, scheme=find_scheme("auction"))
    game = play(table, seats, seed=1, number=number)
    events = list(game.events({"any": "thing"}, seed=1, number=number))
    (record,) = loads("".join(json.dumps(event) + "\n" for event in events))
    assert record.replay() == game.table
    assert record.deal == dealt
    assert (record.seed, record.number) == (1, number)
    assert game.table.over
    assert not game.faults
    chosen = [event for event in events if event["event"] in ("call", "card")]
    assert len(chosen) == len(record.actions)
    assert all(len(event["reason"]) > 5 for event in chosen)
    assert sum(time.choices for time in game.times.values()) == len(chosen)


def test_the_same_game_is_played_again_and_another_seed_plays_another() -> None:
    dealt, seats = deal(1, 5), [find_strategy("random")] * 3
    games = [
        play(new_table(dealt, Seat.NORTH), seats, seed=seed, number=5).choices for seed in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]


def test_a_set_contract_is_reached_by_nobodys_choice() -> None:
    game = fixed(0, "random", "random")
    assert game.table.auction.calls[1:] == (PASS, PASS)
    assert [choice.reason for choice in game.choices[:3]] == ["Fixed before the game."] * 3
    assert sum(time.choices for time in game.times.values()) == 16


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("raise", "failed", "raised RuntimeError: lost the thread"),
        ("cheat", "failed", "which is not allowed"),
        ("nothing", "failed", "not a choice"),
        ("mute", "failed", "without a reason"),
        ("vague", "failed", "with details that are not numbers"),
        ("heap", "failed", "not allowed"),
    ],
)
def test_a_fault_is_named_and_the_game_goes_on_or_stops(how: str, kind: str, words: str) -> None:
    name = f"faulty:how={how},trick=1"
    game = fixed(0, "random", name)
    assert game.table.over
    assert len(game.faults) == 2  # each defender once
    for fault in game.faults:
        assert (fault.strategy, fault.kind) == (name, kind)
        assert words in fault.message
        assert "\n" not in fault.message
        assert "substitute" in game.choices[fault.action].reason
    stopped = fixed(0, "random", name, stop=True)
    assert not stopped.table.over
    assert len(stopped.faults) == 1
    assert len(stopped.choices) == stopped.faults[0].action
    text = "".join(json.dumps(event) + "\n" for event in stopped.events({}))
    assert loads(text)[0].replay() == stopped.table
    assert stopped.choices == game.choices[: len(stopped.choices)]


@pytest.mark.parametrize(("how", "words"), [("sleep", "gave no answer for"), ("spin", "took")])
def test_a_choice_that_does_not_come_back_is_ended_and_counted(how: str, words: str) -> None:
    game = fixed(0, f"faulty:how={how},trick=3", "random", limit=0.05)
    assert game.table.over
    assert {fault.kind for fault in game.faults} == {"overran"}
    assert words in game.faults[0].message
    assert "the limit is 0.05 s" in game.faults[0].message


def test_waiting_for_the_processor_costs_a_strategy_nothing() -> None:
    """It is off the processor for longer than its limit, as on a machine that is busy."""
    assert not fixed(0, "faulty:how=nap,trick=3", "random", limit=0.2).faults


def test_a_strategy_that_asks_another_process_is_timed_by_the_wall_clock() -> None:
    assert clock_of(player("random")) is time.process_time
    assert clock_of(Strategy("asks", PassCaller(), ProgramStrategy())) is time.perf_counter


def test_figures_of_any_kind_of_number_can_be_written() -> None:
    game = fixed(0, "faulty:how=figures,trick=1", "random")
    assert not game.faults
    text = "".join(json.dumps(event) + "\n" for event in game.events({}))
    assert '"details": {"one": 1.0, "half": 0.5}' in text


def test_faulty_is_a_strategy_like_any_other() -> None:
    assert isinstance(find_player("faulty"), faulty.Faulty)


@pytest.mark.parametrize("number", range(6))
def test_the_contract_is_what_double_dummy_makes_by_the_side_with_most_points(number: int) -> None:
    dealt = deal(7, number)
    found = set_contract(dealt, number, rule=DOUBLE_DUMMY)
    contract = found.contract

    def points(seat: Seat) -> int:
        both = (*dealt.hands[seat], *dealt.hidden)
        return sum({"A": 4, "K": 3, "Q": 2, "J": 1}.get(card.rank.letter, 0) for card in both)

    assert points(contract.declarer) == max(points(seat) for seat in Seat)
    tricks = DoubleDummy().tricks(chair_hands(dealt, contract.declarer), contract.bid.strain)
    assert found.double_dummy == tricks
    assert contract.bid.level == max(1, tricks - 6)
    both = Hand(dealt.hands[contract.declarer].mask | dealt.hidden.mask)
    longest = max(len(both.suit(suit)) for suit in Suit)
    assert (contract.bid.strain is Strain.NOTRUMP) == (longest < 8)
    assert set_contract(dealt, number, Strain.HEARTS).contract.bid.strain is Strain.HEARTS


@pytest.mark.parametrize("deck", ["4x13", "2x8"])
@pytest.mark.parametrize("number", range(6))
def test_the_contract_is_the_same_however_the_defenders_cards_lie(deck: str, number: int) -> None:
    dealt = deal(7, number, Deck(deck))
    setting = set_contract(dealt, number)
    declarer = setting.contract.declarer
    assert declarer is Seat(number % 3)
    defenders = [seat for seat in Seat if seat is not declarer]
    unseen = [card for seat in defenders for card in dealt.hands[seat]]
    random = np.random.default_rng(number)
    for _ in range(8):
        cards = [unseen[at] for at in random.permutation(len(unseen))]
        hands = list(dealt.hands)
        for at, seat in enumerate(defenders):
            hands[seat] = Hand(cards[at * dealt.deck.hand_size :][: dealt.deck.hand_size])
        again = Deal.of(hands, dealt.deck)
        assert set_contract(again, number).contract == setting.contract


def test_a_rule_of_contracts_that_is_none_is_refused() -> None:
    with pytest.raises(SettingError, match="forecast or double-dummy"):
        set_contract(deal(7, 0), 0, rule="oracle")
    with pytest.raises(SettingError, match="forecast or double-dummy"):
        PlayWork.of(("random",), ("random",), contracts="oracle")


def test_the_command_names_the_rule_of_contracts() -> None:
    work = PlayWork.of(("random",), ("random",), contracts=DOUBLE_DUMMY)
    assert "--contracts double-dummy" in command_of(work, 0, 10)
    assert codec.read(codec.plain(work), PlayWork) == work


def test_of_equal_fits_the_higher_suit_is_trumps() -> None:
    one, other = parse_hand("AKQJ.AKQJ.AKQ.AK"), parse_hand("T987.T987.JT9.QJ")
    assert best_strain(Hand(one.mask | other.mask), FULL_DECK) is Strain.SPADES
