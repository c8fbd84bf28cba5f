"""Version 1 of the caller `learned`: network, calls, reasons, and the weights that it refuses."""

from __future__ import annotations

from importlib import resources
from io import BytesIO

import numpy as np
import pytest

from tests.lab.training.features import auction_features
from tests.library.strategies.test_callers import called, with_hand
from tribridge.cards.cards import Deck
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, SettingError
from tribridge.common.files import load_arrays
from tribridge.game.auction import PASS, parse_call
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table
from tribridge.game.views import view
from tribridge.networks import play
from tribridge.networks.auction import KIND, observe
from tribridge.networks.network import SuitNetwork, load_network
from tribridge.strategies import decision_rng, find_caller, find_player, find_strategy
from tribridge.strategies.learned import TRICKS
from tribridge.strategies.learned.caller import WEIGHTS, calls_for, plain_answers, weights_for
from tribridge.strategies.registry import bidding_for
from tribridge.strategies.versions import caller_version

RNG = np.random.default_rng(1)
CALLERS = resources.files("tribridge.strategies.learned").joinpath("data")
FILE = WEIGHTS["auction-tricks"]


def weights() -> dict[str, np.ndarray]:
    with CALLERS.joinpath(FILE).open("rb") as file:
        return load_arrays(file, FILE)


def packed(arrays: dict[str, np.ndarray]) -> BytesIO:
    buffer = BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    buffer.seek(0)
    return buffer


def after(*calls: str, hand: str = "AKQ2.AK3.A92.KQJ") -> Table:
    """North to call with a hand after some calls."""
    table = new_table(with_hand(hand), Seat((0 - len(calls)) % 3))
    for call in calls:
        table = table.apply(parse_call(call))
    assert table.turn is Seat.NORTH
    return table


def test_answers_are_those_of_the_dense_network() -> None:
    """Packed features, written again as the slow reference writes them."""
    dense = SuitNetwork.of(weights())
    caller = find_caller("random:passing=0.5")
    for number in range(20):
        table = new_table(deal(11, number), Seat(number % 3))
        while table.turn is not None and table.contract is None:
            seen = view(table, table.turn)
            observation = observe(seen)
            (answers,) = dense(*(part[None] for part in auction_features(observation)))
            got = plain_answers([seen], FILE)[:, 0]
            for head in range(3):
                bids = got[head, :35].reshape(7, 5)
                own = answers[:, 7 * head : 7 * head + 7]
                shared = answers[:, 21 + 8 * head : 29 + 8 * head].mean(0)
                np.testing.assert_allclose(bids[:, :4], own.T, atol=1e-4)
                np.testing.assert_allclose(bids[:, 4], shared[:7], atol=1e-4)
                np.testing.assert_allclose(got[head, 35], shared[7], atol=1e-4)
            rng = decision_rng(1, number, table.turn, len(table.auction.calls))
            table = table.apply(caller.call(seen, rng).action)


@pytest.mark.parametrize(
    ("hand", "calls", "expected"),
    [
        ("AKQ2.AK3.A92.KQJ", (), "bid"),
        ("AKJT985.K3.92.A2", (), "1S"),
        ("5432.432.5432.43", (), "Pass"),
        ("5432.432.5432.43", ("1NT", "pass"), "Pass"),
        ("AKJT985.K3.92.A2", ("1C", "1H"), "bid"),
    ],
)
def test_plain_hands_get_plain_calls(hand: str, calls: tuple[str, ...], expected: str) -> None:
    action = called("learned@1", after(*calls, hand=hand)).action
    assert (action is not PASS) if expected == "bid" else action == parse_call(expected)


def test_the_reason_gives_two_options_with_their_values() -> None:
    close = rare = 0
    for number in range(400):
        table = new_table(deal(12, number), Seat.NORTH)
        choice = called("learned@1", table)
        assert choice.reason.startswith(f"{choice.action} averages ")
        assert choice.reason.endswith(".")
        assert f"{choice.details['points']:+.1f} points in self-play" in choice.reason
        close += "of the time" in choice.reason
        rare += "as the contract" in choice.reason
    assert close + rare == 400
    assert close
    assert rare


def test_over_7nt_it_passes() -> None:
    choice = called("learned@1", after("7NT"))
    assert (choice.action, choice.reason) == (PASS, "Nothing can be bid over 7NT.")


def test_it_bids_over_a_double() -> None:
    table = new_table(with_hand("AKJT985.K3.92.A2"), Seat.NORTH, doubles=True)
    for call in ("1S", "double", "2C"):
        table = table.apply(parse_call(call))
    choice = called("learned@1", table)
    assert choice.action in table.legal


def test_a_small_deck_falls_back_and_says_so() -> None:
    deck = Deck(4, 3)
    table = new_table(deal(1, 0, deck), Seat.NORTH)
    choice = called("learned@1", table)
    assert choice.action == called("points", table).action
    assert choice.reason.startswith(
        "It has learned from full decks only; counting points instead: "
    )


def test_one_name_stands_for_the_caller_and_the_player() -> None:
    strategy = find_strategy("learned@1")
    assert strategy.caller == find_caller("learned@1")
    assert strategy.player == find_player("learned@1")


def test_weights_of_another_network_are_refused() -> None:
    with (
        CALLERS.joinpath(TRICKS).open("rb") as file,
        pytest.raises(FormatError, match=r"bidding network"),
    ):
        load_network(file, TRICKS, KIND)
    fewer = {name: value for name, value in weights().items() if name != "out.bias"}
    with pytest.raises(FormatError, match=r"bidding network: out.bias"):
        load_network(packed(fewer), "x.npz", KIND)
    narrow = weights()
    narrow["own.1.weight"] = narrow["own.1.weight"][:, :-1]
    with pytest.raises(FormatError, match=r"^x.npz: not the .*: own.1.weight is \(192, 191\)"):
        load_network(packed(narrow), "x.npz", KIND)


def test_damaged_weights_are_refused() -> None:
    whole = CALLERS.joinpath(FILE).read_bytes()
    for data in (b"", b"no weights", whole[:1000], whole[: len(whole) // 2]):
        with pytest.raises(FormatError, match=r"^x.npz: not the weights") as caught:
            load_network(BytesIO(data), "x.npz", KIND)
        assert "\n" not in str(caught.value)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    with pytest.raises(FormatError, match=r"^x.npz: "):
        load_network(BytesIO(bytes(flipped)), "x.npz", KIND)
    bad = weights()
    bad["out.weight"][3, 3] = np.nan
    with pytest.raises(FormatError, match=r"out.weight contains values"):
        load_network(packed(bad), "x.npz", KIND)


def test_the_player_refuses_weights_of_another_network_too() -> None:
    with (
        CALLERS.joinpath(FILE).open("rb") as file,
        pytest.raises(FormatError, match=r"playing network: suit_in"),
    ):
        load_network(file, "x.npz", play.KIND)
    with pytest.raises(FormatError, match=r"playing network"):
        load_network(BytesIO(b"no weights"), "x.npz", play.KIND)


def test_many_views_at_once_get_the_calls_of_one_by_one() -> None:
    seen = []
    for number in range(6):
        table = new_table(deal(3, number), Seat(number % 3))
        while table.contract is None and table.turn is not None:
            seen.append(view(table, table.turn))
            table = table.apply(find_caller("learned@1").call(seen[-1], RNG).action)
    calls = [find_caller("learned@1").call(one, RNG).action for one in seen]
    assert calls_for(seen) == calls
    assert calls_for([]) == []


def test_schemes_have_weights_of_their_own_or_the_forecast() -> None:
    assert weights_for(find_scheme("auction")) == weights_for(find_scheme("auction-tricks"))
    seen = view(after(), Seat.NORTH)
    answers = [plain_answers([seen], file) for file in WEIGHTS.values()]
    assert all(not np.allclose(answers[0], other) for other in answers[1:])


def test_a_scheme_without_a_network_is_bid_by_the_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(WEIGHTS, "contract")
    caller = find_caller("learned@1:scheme=contract,doubles=no")
    seen = view(after("1H", "pass"), Seat.NORTH)
    choice = caller.call(seen, np.random.default_rng(1))
    other = find_caller("forecast:scheme=contract,doubles=no").call(seen, np.random.default_rng(1))
    assert choice.action == other.action
    assert "forecast decides" in choice.reason
    assert (
        caller_version("learned@1:scheme=contract").weights != caller_version("learned@1").weights
    )


def test_the_caller_bids_for_the_scheme_it_is_given() -> None:
    # Only `contract` pays a bonus for a game that is bid.
    seen = view(after(hand="AKQ2.AK3.A92.KJ2"), Seat.NORTH)
    for scheme in WEIGHTS:
        bid = find_caller(f"learned@1:scheme={scheme}").call(seen, RNG).action
        assert bid == parse_call("3NT" if scheme == "contract" else "1NT")
    with pytest.raises(SettingError, match="scheme"):
        find_caller("learned@1:scheme=none")


@pytest.mark.parametrize("scheme", ["old", "new"])
def test_networks_that_are_gone_are_refused_in_one_line(scheme: str) -> None:
    """Also where the scheme of a table is meant, and not given by name."""
    refusal = f"^learned@1 bids no longer for the scheme '{scheme}': learned bids for any$"
    with pytest.raises(SettingError, match=refusal):
        find_caller(f"learned@1:scheme={scheme}")
    with pytest.raises(SettingError, match=refusal):
        bidding_for(find_strategy("learned@1"), find_scheme(scheme))
    assert find_caller(f"learned:scheme={scheme}")
