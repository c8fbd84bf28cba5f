"""Strategies in tiny games choose what they choose at a table."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.training.features import play_features
from tribridge.arena.tiny.auctions import AuctionGame
from tribridge.arena.tiny.card_play import WholeGame, card_play, table_after
from tribridge.arena.tiny.layouts import Layouts
from tribridge.arena.tiny.policies import (
    as_strategy,
    call_strategies,
    greedy_calls,
    learned_calls,
    learned_cards,
    load_bidder,
    load_player,
    random_calls,
    whole_strategies,
)
from tribridge.arena.tiny.treeplex import Treeplex, judge
from tribridge.cards import Deck, Strain
from tribridge.deals import Seat
from tribridge.errors import FormatError
from tribridge.game import find_scheme, view
from tribridge.networks import auction as calls
from tribridge.networks import play as cards
from tribridge.networks.network import load_network

WIDTH = 6


def weights(path: Path, suit: int, table: int, outputs: int) -> Path:
    """The file of a network with random weights."""
    rng = np.random.default_rng(1)
    inner, last = (WIDTH, WIDTH), (outputs, WIDTH)
    shapes: dict[str, tuple[int, ...]] = {
        "suit_in.weight": (WIDTH, suit),
        "suit_in.bias": (WIDTH,),
        "table_in.weight": (WIDTH, table),
        "own.0.weight": inner,
        "own.0.bias": (WIDTH,),
        "others.0.weight": inner,
        "out.weight": last,
        "out.bias": (outputs,),
        "out_others.weight": last,
    }
    file = BytesIO()
    np.savez(file, **{name: rng.normal(size=shape) for name, shape in shapes.items()})  # type: ignore[arg-type]
    path.write_bytes(file.getvalue())
    return path


@pytest.fixture
def bidder(tmp_path: Path) -> Path:
    path = tmp_path / "bidding.npz"
    return weights(path, calls.SUIT_FEATURES, calls.TABLE_FEATURES, calls.OUTPUTS)


@pytest.fixture
def player(tmp_path: Path) -> Path:
    return weights(tmp_path / "play.npz", cards.SUIT_FEATURES, cards.TABLE_FEATURES, 39)


@pytest.fixture(scope="module")
def auction() -> AuctionGame:
    return AuctionGame(Layouts(Deck(2, 4)), find_scheme("auction"))


def test_learned_calls_are_those_of_the_network_at_a_table(
    auction: AuctionGame, bidder: Path
) -> None:
    preferences = learned_calls(load_bidder(bidder))
    with bidder.open("rb") as file:
        network = load_network(file, "the file", calls.KIND)
    for turn, place in enumerate(auction.tree.turns[::7]):
        wishes = preferences(auction, 7 * turn)
        for deal in (0, 700, 2000):
            table = table_after(auction.layouts, deal, place.auction.calls)
            seat = Seat(place.seat)
            seen = np.array([calls.observe(view(table, seat))])
            expected = calls.by_call(network(*calls.expand(seen, np.float32)))[0, 0]
            hand = auction.layouts.deals[deal, seat]
            np.testing.assert_allclose(
                wishes[hand], [expected[calls.call_number(call)] for call in place.calls], atol=1e-4
            )


def test_learned_cards_are_those_of_the_network_at_a_table(
    auction: AuctionGame, player: Path
) -> None:
    """After any auction, with the cards played so far; the strategy prefers the same card."""
    network, random = load_player(player), Random(2)
    whole = WholeGame(auction)
    profile = whole_strategies(whole, random_calls, learned_cards(network), best=(False, True))
    checked = 0
    for at in random.sample(range(len(whole.contracts)), 8):
        end, contract = whole.contracts[at]
        play = whole.plays[contract.bid.strain]
        for seat in range(3):
            role, tree = whole.role(seat, contract), whole.game.trees[seat]
            for inside, here in whole.places(seat)[at]:
                spot = play.spots[role][inside.start + 3]
                # The deal as the spot has it, turned so that declarer's seat is the first one.
                deal = int(
                    np.flatnonzero(auction.layouts.turned(contract.declarer.index) == spot.deal)[0]
                )
                actions = (*end.auction.calls, *spot.played)
                table = table_after(auction.layouts, deal, actions)
                assert table.turn is Seat(seat)
                seen = play_features(cards.observe(view(table, Seat(seat))))
                wishes = cards.by_card(network(*(part[None] for part in seen)))[0, 0]
                best = int(np.argmax([wishes[card.index] for card in spot.options]))
                first = int(tree.firsts[here.start + 3])
                chosen = profile[seat][first : first + len(spot.options)]
                assert chosen.tolist() == [float(option == best) for option in range(len(chosen))]
                checked += 1
    assert checked > 20


def test_greedy_calls_by_hand(auction: AuctionGame) -> None:
    """With both aces and nothing bid, notrump makes unless a suit is led through; -5 is worse."""
    values = greedy_calls(auction, 0)
    opening = auction.tree.turns[0]
    assert values.shape == (28, 4)
    assert (values[:, opening.calls.index(opening.auction.legal[0])] == 0).all()
    later = next(
        at for at, turn in enumerate(auction.tree.turns) if turn.auction.last_bid is not None
    )
    assert (greedy_calls(auction, later)[:, 0] == -5).all()
    profile = call_strategies(auction, greedy_calls, best=True)
    assert sum(judge(auction, profile).values) == pytest.approx(0, abs=1e-9)


def test_the_first_of_equal_preferences_is_chosen() -> None:
    tree = Treeplex(np.array([0, 0]), np.array([3, 2]), (2,))
    preferences = np.array([0.0, 1.0, 2.0, 2.0, 0.0, 0.0])
    assert as_strategy(tree, preferences, best=True).tolist() == [1, 0, 1, 0, 1, 0]
    soft = as_strategy(tree, preferences, best=False)
    assert soft[1:4].sum() == pytest.approx(1)
    assert soft[2] == pytest.approx(soft[3])
    assert soft[4:].tolist() == [0.5, 0.5]


def test_other_files_are_refused(bidder: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="playing network"):
        load_player(bidder)
    with pytest.raises(FormatError, match="no such file"):
        load_bidder(tmp_path / "none.npz")


def test_card_play_options_are_those_of_the_spot(player: Path) -> None:
    play = card_play(Layouts(Deck(4, 2)), Strain.NOTRUMP)
    wishes = learned_cards(load_player(player))(play, 1, None)
    assert len(wishes) == sum(len(spot.options) for spot in play.spots[1])
