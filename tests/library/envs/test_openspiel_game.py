"""The OpenSpiel game: OpenSpiel's own tests, and the table's game action by action."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is missing: pip install '.[openspiel]'")

import pyspiel

from tests.library.envs.playthroughs import DATA, PLAYTHROUGHS, playthrough_text
from tests.library.envs.reading import exchange
from tests.library.game.playing import DATA as GAME_DATA
from tests.library.game.playing import choose
from tribridge.cards.dealer import deal_count
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import TribridgeError
from tribridge.envs.openspiel_game import TribridgeState
from tribridge.game import Table, find_scheme, new_table, scores, settle

GAMES = [
    "tribridge",
    "tribridge(deck=2x4)",
    "tribridge(deck=4x3,doubles=true)",
    "tribridge(deck=3x4,scheme=old)",
]


def deal_out(state: Any, random: Random) -> None:
    """Let chance deal all cards."""
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(outcomes, weights)[0])


def states(state: Any) -> Iterator[Any]:
    """A state and all that follow it."""
    yield state
    for action in () if state.is_terminal() else state.legal_actions():
        yield from states(state.child(action))


@pytest.mark.parametrize("name", GAMES)
def test_random_simulation_with_serialisation(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough(name: str) -> None:
    """Renewed by `make golden` alone."""
    expected = (DATA / name).read_text("utf-8").splitlines()
    for number, (new, old) in enumerate(
        zip(playthrough_text(name).splitlines(), expected, strict=True), 1
    ):
        assert new == old, f"{name}, line {number}"


@pytest.mark.parametrize("name", GAMES)
def test_random_games_agree_with_the_table_action_by_action(name: str) -> None:
    game = pyspiel.load_game(name)
    settings = game.get_parameters()
    random = Random(1)
    for _ in range(8):
        state = game.new_initial_state()
        deal_out(state, random)
        assert isinstance(state, TribridgeState)
        encoding = state.situation.rules.encoding
        dealt = Deal(str(state).partition(" | ")[0], state.situation.rules.deck)
        scheme = find_scheme(settings["scheme"])
        table = new_table(dealt, Seat.NORTH, doubles=settings["doubles"], scheme=scheme)
        while not table.over:
            assert state.table == table
            assert table.turn is Seat(state.current_player())
            assert state.legal_actions() == sorted(map(encoding.number, table.legal))
            mask = [int(number in state.legal_actions()) for number in range(encoding.actions)]
            assert state.legal_actions_mask() == mask == encoding.mask(table.legal).tolist()
            assert state.returns() == [0, 0, 0]
            action = choose(table, random, 0.4)
            assert state.string_to_action(state.action_to_string(encoding.number(action))) == (
                encoding.number(action)
            )
            table = table.apply(action)
            state.apply_action(encoding.number(action))
        assert state.is_terminal()
        assert table.outcome is not None
        points = settle(scores(table.outcome, scheme, table.deal.deck))
        assert state.returns() == [float(one) for one in points]
        assert game.min_utility() <= min(state.returns())
        assert game.max_utility() >= max(state.returns())


def test_chance_deals_every_deal_once_and_all_are_equally_likely() -> None:
    state = pyspiel.load_game("tribridge(deck=2x4)").new_initial_state()
    chances: Counter[str] = Counter()

    def visit(state: Any, chance: float) -> None:
        if not state.is_chance_node():
            chances[str(state)] += 1
            assert chance == pytest.approx(1 / 2520)
            return
        for outcome, weight in state.chance_outcomes():
            visit(state.child(outcome), chance * weight)

    visit(state, 1.0)
    assert set(chances.values()) == {1}
    assert len(chances) == 2520 == deal_count(state.situation.rules.deck)


def test_node_counts_are_those_of_the_table() -> None:
    """From a deal on, OpenSpiel sees as many positions as `game/` does, at every depth."""
    entries = json.loads((GAME_DATA / "nodes.json").read_text("utf-8"))["games"]
    for entry in entries:
        if entry["deck"] not in ("2x4", "4x1"):
            continue
        game = pyspiel.load_game(f"tribridge(deck={entry['deck']},doubles={entry['doubles']})")
        state = game.new_initial_state()
        # The file has East as the dealer: seats are moved on by one.
        north, east, south, hidden = Deal(entry["deal"], state.situation.rules.deck).hands
        for card in state.situation.rules.encoding.cards:
            hands = (east, south, north, hidden)
            state.apply_action(next(at for at, hand in enumerate(hands) if card in hand))
        depths = Counter(len(one.history()) - len(state.history()) for one in states(state))
        assert [depths[depth] for depth in range(len(depths))] == entry["positions"]
        assert len(depths) - 1 <= game.max_game_length()


def test_the_longest_game_is_as_long_as_announced() -> None:
    for doubles in (False, True):
        game = pyspiel.load_game(f"tribridge(deck=1x4,doubles={doubles})")
        state = game.new_initial_state()
        deal_out(state, Random(1))
        longest = max(len(one.history()) for one in states(state)) - len(state.history())
        assert longest == game.max_game_length()


@pytest.mark.slow
def test_information_states_tell_apart_what_a_seat_can_tell_apart() -> None:
    """Strings and tensors divide all states of a deck of four cards in the same way."""
    game = pyspiel.load_game("tribridge(deck=1x4)")
    by_string: dict[tuple[int, str], set[bytes]] = defaultdict(set)
    by_tensor: dict[tuple[int, bytes], set[str]] = defaultdict(set)
    legal: dict[tuple[int, str], set[tuple[int, ...]]] = defaultdict(set)
    for state in states(game.new_initial_state()):
        if state.is_chance_node():
            continue
        for player in range(3):
            text = state.information_state_string(player)
            tensor = bytes(map(int, state.information_state_tensor(player)))
            by_string[player, text].add(tensor)
            by_tensor[player, tensor].add(text)
            if state.current_player() == player:
                legal[player, text].add(tuple(state.legal_actions()))
    assert len(by_string) > 500
    assert all(len(tensors) == 1 for tensors in by_string.values())
    assert all(len(texts) == 1 for texts in by_tensor.values())
    assert all(len(actions) == 1 for actions in legal.values())


def test_information_states_do_not_change_with_hidden_cards() -> None:
    random = Random(2)
    game = pyspiel.load_game("tribridge(deck=4x3)")
    for _ in range(5):
        state = game.new_initial_state()
        deal_out(state, random)
        while not state.is_terminal():
            for player in range(3):
                seen = state.information_state_string(player)
                tensor = state.information_state_tensor(player)
                other = _with_table(state, exchange(state.table, Seat(player), random))
                assert other.information_state_string(player) == seen
                assert other.information_state_tensor(player) == tensor
            state.apply_action(random.choice(state.legal_actions()))


def _with_table(state: Any, table: Table) -> Any:
    other = state.clone()
    other.situation = replace(state.situation, table=table)
    return other


@pytest.mark.slow
def test_algorithms_of_openspiel_run() -> None:
    """Three iterations of CFR+ on four cards take NashConv from 95 points to below 20."""
    game = pyspiel.load_game("tribridge(deck=1x4)")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    assert 0 <= pyspiel.nash_conv(game, solver.average_policy()) < 20


@pytest.mark.parametrize(
    ("settings", "message"),
    [("deck=2x3", "cannot be dealt into four"), ("scheme=rubber", "unknown scoring scheme")],
)
def test_bad_parameters_are_refused(settings: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message):
        pyspiel.load_game(f"tribridge({settings})")


def test_an_observer_of_all_hands_is_refused() -> None:
    game = pyspiel.load_game("tribridge")
    kind = pyspiel.IIGObservationType(
        perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(TribridgeError, match="all hands"):
        game.make_py_observer(kind)
