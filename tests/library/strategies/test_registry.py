"""Names and parameters: what is found, and what is refused with which words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tribridge.common.errors import NotFoundError, SettingError
from tribridge.strategies import (
    DEFAULT_CALLER,
    DEFAULT_PLAYER,
    callers,
    decision_rng,
    find_caller,
    find_player,
    find_strategy,
    option,
    players,
    register_player,
    strategies,
)
from tribridge.strategies.callers.simple import RandomCaller
from tribridge.strategies.players.simple import RandomPlayer


def test_every_entry_can_be_found_by_its_name_and_by_its_defaults_written_out() -> None:
    for entries, find in ((callers(), find_caller), (players(), find_player)):
        for entry in entries:
            written = ",".join(f"{one.name}={one.default}" for one in entry.parameters)
            assert find(f"{entry.name}:{written}") == find(entry.name)
    for entry in strategies():
        assert find_strategy(entry.name).fair == entry.fair


def test_lists_print_one_strategy_per_line() -> None:
    lines = repr(strategies()).splitlines()
    assert lines == str(strategies()).splitlines() == [str(entry) for entry in strategies()]
    assert lines[0].startswith("pass  calls: always passes; cards: ")
    assert repr(callers()[0]) == "<pass  always passes>"


def test_strategy_is_caller_plus_player() -> None:
    found = find_strategy("random:passing=0.25,reach=3+random")
    assert (found.caller, found.player) == (RandomCaller(0.25, 3), RandomPlayer())
    assert found.name == "random:passing=0.25,reach=3+random"


def test_single_name_takes_the_default_partner() -> None:
    assert find_strategy("pass").player == find_player(DEFAULT_PLAYER)
    assert find_strategy("random:reach=2").caller == RandomCaller(reach=2)
    assert find_strategy("random").player == RandomPlayer()
    for entry in players():
        if entry.name not in {one.name for one in callers()}:
            assert find_strategy(entry.name).caller == find_caller(DEFAULT_CALLER)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nobody", "unknown strategy 'nobody': expected one of pass, random"),
        ("", "unknown strategy ''"),
        ("pass+nobody", "unknown player 'nobody': expected one of random"),
        ("nobody+random", "unknown caller 'nobody': expected one of pass"),
        ("random:depth=2", "random has no parameter 'depth': it has passing, reach"),
        ("pass:depth=2", "pass has no parameter 'depth': it has none"),
        ("random:reach", "random: reach has no value: write reach=..."),
        ("random:reach=x", "random: cannot read reach=x: expected a whole number, 1 or more"),
        ("random:reach=0", "random: reach=0 is out of range: expected a whole number, 1 or more"),
        ("random:passing=2", "expected a number from 0 to 1"),
        ("random:passing=nan", "passing=nan is out of range"),
        ("sampling:layouts=99999999999999999999", "expected a whole number from 0 to 10000"),
        ("ismcts:iterations=1000000000", "expected a whole number from 0 to 100000"),
        ("forecast:samples=1000000000", "expected a whole number from 1 to 10000"),
        ("random:reach=1,reach=2", "random: reach is given twice"),
        (
            "forecast:scheme=nope",
            "forecast: scheme=nope is out of range: expected auction-tricks, old, new, contract, "
            "auction",
        ),
    ],
)
def test_what_is_refused_is_named(text: str, said: str) -> None:
    kind = NotFoundError if said.startswith("unknown") else SettingError
    with pytest.raises(kind) as caught:
        find_strategy(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_is_given_once_and_a_class_must_fit() -> None:
    @dataclass(frozen=True)
    class Other:
        name: ClassVar[str] = "random"
        summary: ClassVar[str] = "another"
        fast: bool = option(True, "whether it is fast")

        def card(self, view: object, rng: object) -> None: ...

    with pytest.raises(SettingError, match="name 'random'"):
        register_player(Other)
    with pytest.raises(SettingError, match="method card"):
        register_player(type("Idle", (), {"name": "idle"}))


def test_generator_of_a_decision_depends_on_each_of_its_parts() -> None:
    def draw(*key: int) -> int:
        return int(decision_rng(*key).integers(2**62))

    keys = [(1, 2, 0, 3), (2, 2, 0, 3), (1, 3, 0, 3), (1, 2, 1, 3), (1, 2, 0, 4), (0, 0, 0, 0)]
    keys += [(0, 1 << 32, 0, 0), (1 << 32, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 1, 0, 0)]
    assert len({draw(*key) for key in keys}) == len(keys)
    assert draw(*keys[0]) == draw(*keys[0])
    assert isinstance(decision_rng(1, 2, 0, 3), np.random.Generator)
    with pytest.raises(SettingError, match="seed -1"):
        decision_rng(-1, 0, 0, 0)


def test_generator_of_a_decision_does_not_tell_which_deal_it_is_for() -> None:
    seed, number = 918273645, 777
    made = decision_rng(seed, number, 1, 3)
    plain = np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number, 0, 1, 3)))
    )
    assert made.integers(2**62, size=50).tolist() == plain.integers(2**62, size=50).tolist()
    origin = made.bit_generator.seed_seq
    assert isinstance(origin, np.random.SeedSequence)
    assert str(seed) not in repr(origin)
    assert str(number) not in repr(origin)


def test_a_strategy_has_only_the_versions_that_both_of_its_halves_have() -> None:
    """Otherwise an old name would be played by a new half."""
    assert find_caller("learned@3") == find_caller("learned")
    with pytest.raises(NotFoundError, match="learned has no version '3'"):
        find_strategy("learned@3")
