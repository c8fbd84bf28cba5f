"""Versions of `learned` since 2: for points, sure of sure things, conventional, by the books."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from importlib import resources

import numpy as np
import pytest

from tests.library.strategies.test_learned_search import opened, played
from tests.library.strategies.test_sure import GRAND_SLAM, at
from tribridge.cards.cards import Card, Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, NotFoundError
from tribridge.common.files import joined
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import chair_hands
from tribridge.game.views import view
from tribridge.networks.network import load_network
from tribridge.networks.play import (
    KIND,
    PlayGames,
    observe,
    preferences,
    same_contract,
    steps_of,
)
from tribridge.strategies import Choice, callers, find_caller, find_player, find_strategy, players
from tribridge.strategies.learned import POINTS, SMALL, network, player
from tribridge.strategies.learned.caller import LearnedCaller
from tribridge.strategies.learned.player import LearnedPlayer
from tribridge.strategies.learned.releases import CALLERS, FOLDER, PLAYER, PLAYERS
from tribridge.strategies.learned.search import play_out
from tribridge.strategies.players.sure import sure_cards
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import reason_for
from tribridge.strategies.registry import written
from tribridge.strategies.versions import player_version, strategy_version

TIE = 1e-3
"""Preferences closer than this may be ranked differently by another summation order."""


def chosen(player: LearnedPlayer, table: Table) -> Choice:
    """What a player chooses at a table."""
    return player.card(view(table, table.turn), np.random.default_rng(1))


def _numbers(versions: Iterable[int]) -> str:
    return ", ".join(map(str, versions))


def test_versions_are_found_by_name() -> None:
    assert find_player("learned") == find_player(f"learned@{max(PLAYERS)}") == LearnedPlayer()
    assert find_player("learned@1:layouts=5") == LearnedPlayer(layouts=5, release=PLAYERS[1])
    assert find_player("learned@1") != find_player("learned")
    assert find_strategy("learned@1").player == find_player("learned@1")
    old = LearnedCaller(release=CALLERS[1])
    assert find_strategy("learned@1").caller == find_caller("learned@1") == old
    assert find_caller(f"learned@{max(CALLERS)}") == find_caller("learned") == LearnedCaller()
    both = find_strategy("learned@1:scheme=contract,layouts=3")
    assert both.caller == find_caller("learned@1:scheme=contract")
    assert both.player == find_player("learned@1:layouts=3")
    assert strategy_version("learned@1").version == "learned@1+learned@1"
    assert written(find_caller("learned@1:doubles=no")) == "learned@1:doubles=False"
    assert find_strategy("points@1+learned@1").caller == find_caller("points")
    assert strategy_version("points+learned@1").version == "points@1+learned@1"
    for text in ("learned@1:layouts=3", "learned@1:seconds=0.5", "learned@1"):
        assert player_version(text).version == text
        assert find_player(written(find_player(text))) == find_player(text)
    names = [entry.name for entry in (*callers(), *players())]
    assert not [name for name in names if "@" in name]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("points+learned@2", f"learned has no version '2': expected one of {_numbers(PLAYERS)}"),
        ("learned@2+maxims", f"learned has no version '2': expected one of {_numbers(CALLERS)}"),
        ("learned@2", "learned has no version '2': expected one of 1, "),
        ("points+maxims@x", "maxims has no version 'x': expected one of 1"),
        ("nobody@1", "unknown strategy 'nobody'"),
    ],
)
def test_unknown_versions_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotFoundError, match=message):
        find_strategy(text)


def test_versions_keep_their_weights() -> None:
    """Results in the package name the digests, so that they may not change with a file."""
    package = resources.files("tribridge")
    weights = [(one.file, one.digest) for one in PLAYERS.values()]
    weights += [(file, digest) for one in CALLERS.values() for _, file, digest in one.files]
    for file, digest in weights:
        data = joined(package.joinpath(f"{FOLDER}/{file}").read_bytes())
        assert sha256(data).hexdigest().startswith(digest), file
        assert len(digest) == 12
    assert player_version("learned@1").weights == PLAYERS[1].digest == "883a8a684bfd"


def test_all_weights_belong_to_a_version() -> None:
    files = {one.name for one in resources.files("tribridge").joinpath(FOLDER).iterdir()}
    named = {one.file for one in PLAYERS.values()}
    named |= {file for one in CALLERS.values() for file in one.by_scheme.values()}
    assert files == named | {SMALL}


def test_a_version_is_data() -> None:
    """A file and an entry: nothing else knows how many versions there are."""
    ahead = replace(PLAYER, version=9, file=PLAYERS[1].file, points=False)
    table = opened(0)
    assert chosen(LearnedPlayer(release=ahead), table) == chosen(
        LearnedPlayer(release=PLAYERS[1]), table
    )
    assert LearnedPlayer(release=ahead).version == 9
    for versions in (PLAYERS, CALLERS):
        assert [one.version for one in versions.values()] == sorted(versions)


def test_networks_of_the_other_kind_are_refused() -> None:
    file = resources.files("tribridge").joinpath(f"strategies/learned/data/{POINTS}")
    with file.open("rb") as stream, pytest.raises(FormatError, match=r"table_in\.weight is"):
        load_network(stream, POINTS, KIND)


def test_a_card_that_is_certain_to_decide_says_so() -> None:
    choice = chosen(LearnedPlayer(layouts=2), at(GRAND_SLAM, "6NT pass pass", "HT H3 H6"))
    assert choice.reason.endswith(f"{choice.action} is certain to make the contract.")


def test_sure_cards_with_fewer_nodes_are_some_of_those_with_more() -> None:
    table = at(GRAND_SLAM, "6NT pass pass", "HT H3 H6")
    position = position_of(view(table, table.turn))
    assert sure_cards(position, 0) == []
    assert set(sure_cards(position, 40)) <= set(sure_cards(position))


def test_reasons_say_what_can_be_said_of_the_card_or_what_is_played_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = opened(0)
    choice = chosen(LearnedPlayer(), table)
    assert isinstance(choice.action, Card)
    assert choice.reason == reason_for(position_of(view(table, table.turn)), choice.action)
    monkeypatch.setattr(player, "reason_for", lambda *_: None)
    choice = chosen(LearnedPlayer(), table)
    assert choice.reason.startswith("It did best in practice games")
    assert 0 <= choice.details["tricks"] <= 13
    searched = chosen(LearnedPlayer(layouts=4), played(1, 41))
    assert "4 layouts" in searched.reason
    assert "points" in searched.details


@pytest.mark.parametrize("cards", [0, 9, 22, 45])
def test_without_time_the_network_chooses_as_it_does_without_search(cards: int) -> None:
    table = played(1, cards)
    hurried = chosen(LearnedPlayer(seconds=1e-6), table)
    assert hurried.action == chosen(LearnedPlayer(), table).action


def test_other_decks_are_left_to_the_maxims() -> None:
    table = new_table(deal(1, 1, Deck(4, 4)), Seat.NORTH)
    for call in ("1NT", "pass", "pass"):
        table = table.call(call)
    assert "maxims decide" in chosen(LearnedPlayer(), table).reason


def test_schemes_that_do_not_reward_making_still_have_steps() -> None:
    tricks = find_scheme("auction-tricks")
    worthless = dict.fromkeys(tricks.trick, Fraction(0))
    nothing = replace(tricks, undertrick=Fraction(0), trick=worthless)
    table = replace(opened(0), scheme=nothing)
    assert len(steps_of(view(table, table.turn))) == 13


@pytest.mark.parametrize("number", [0, 1, 2])
def test_games_in_lockstep_are_games_of_the_player(number: int) -> None:
    """Card by card."""
    table = replace(opened(number), scheme=find_scheme("contract"))
    assert table.contract is not None
    seen = view(table, table.turn)
    hands = np.array([chair_hands(table.deal, table.contract.declarer)], np.int64)
    contracts, steps = same_contract(observe(seen).numbers, hands), np.array([steps_of(seen)])
    games, same = PlayGames(contracts, steps=steps), True
    while not table.over:
        masks, numbers = games.observe()
        wishes = preferences(network(POINTS), masks, numbers, games.legal())
        choice = chosen(LearnedPlayer(), table)
        assert isinstance(choice.action, Card)
        if choice.action.index != wishes[0].argmax():
            first, second = np.sort(wishes[0])[:-3:-1]
            assert first - second < TIE
            same = False
        table = table.apply(choice.action)
        games.step(np.array([choice.action.index]))
    if same:
        played_out = play_out(network(POINTS), PlayGames(contracts, steps=steps))
        assert played_out.tolist() == games.won.tolist()
