"""Conditions on deals: what they mean, hand by hand; what is dealt under them; bad text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tribridge as tb
from tribridge.cards import dealing
from tribridge.cards.cards import FULL_DECK, Deck, Suit
from tribridge.cards.conditions import Condition
from tribridge.cards.dealer import bounds, numbered
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.dealing import deals_where

Meets = Callable[[tb.Deal], bool]


def _losers(hand: tb.Hand) -> int:
    """Missing aces, kings and queens, counted the way a player does."""
    total = 0
    for suit in Suit:
        held = [card.rank.letter for card in hand.suit(suit)]
        total += len(set("AKQ"[: len(held)]) - set(held))
    return total


SAME: list[tuple[str, Meets]] = [
    ("hcp(N) >= 15 and balanced(N)", lambda d: d.hands["N"].hcp >= 15
     and sorted(d.hands["N"].shape) in ([3, 3, 3, 4], [2, 3, 4, 4], [2, 3, 3, 5])),
    ("12 <= hcp(east) <= 14", lambda d: 12 <= d.hands["E"].hcp <= 14),
    ("spades(S) >= 5 or hearts(S) >= 5", lambda d: max(d.hands["S"].shape[:2]) >= 5),
    ("max(spades(S), hearts(S)) >= 5", lambda d: max(d.hands["S"].shape[:2]) >= 5),
    ('shape(S, "5332")', lambda d: sorted(d.hands["S"].shape) == [2, 3, 3, 5]),
    ('shape(S, 5332, "4-4-3-2")',
     lambda d: sorted(d.hands["S"].shape) in ([2, 3, 3, 5], [2, 3, 4, 4])),
    ('shape(hidden, "4=3=x=x")', lambda d: d.hidden.shape[:2] == (4, 3)),
    ('shape(W, "54xx")', lambda d: sorted(d.hidden.shape)[2:] in ([4, 5], )
     or (5 in d.hidden.shape and 4 in d.hidden.shape)),
    ("not has(N, 'SA') and count(N, 'A.A.A.A') == 2",
     lambda d: "SA" not in d.hands["N"] and len(d.hands["N"] & "A.A.A.A") == 2),
    ("losers(N) <= 6", lambda d: _losers(d.hands["N"]) <= 6),
    ("controls(N) > controls(E) + controls(S)", lambda d: _controls(d, "N") >
     _controls(d, "E") + _controls(d, "S")),
    ("hcp(N, hearts) + hcp(N, 'S') == 10 - 3 * 2 / 1",
     lambda d: (d.hands["N"].suit("H") | d.hands["N"].suit("S")).hcp == 4),
    ("-hcp(N) > -5", lambda d: d.hands["N"].hcp < 5),
    ("not (clubs(N) == 3 or not diamonds(N) != 4)",
     lambda d: d.hands["N"].length("C") != 3 and d.hands["N"].length("D") != 4),
]  # fmt: skip


def _controls(deal: tb.Deal, seat: str) -> int:
    hand = deal.hands[seat]
    return 2 * len(hand & "A.A.A.A") + len(hand & "K.K.K.K")


@pytest.mark.parametrize(("text", "meets"), SAME, ids=[text for text, _ in SAME])
def test_a_condition_means_what_a_player_reads(text: str, meets: Meets) -> None:
    masks = deal_masks(3, 0, 2000)
    deals = [tb.deal(3, at) for at in range(2000)]
    expected = [meets(deal) for deal in deals]
    assert Condition(text).met(masks).tolist() == expected
    assert any(expected)
    assert not all(expected)


@pytest.mark.parametrize(("text", "meets"), SAME[:3], ids=[text for text, _ in SAME[:3]])
def test_text_and_function_find_the_same_deals(text: str, meets: Meets) -> None:
    by_text, by_function = (tb.deals(5, seed=8, number=2, where=w) for w in (text, meets))
    assert by_text == by_function
    assert by_text[3] == tb.deal(seed=8, number=5, where=text)
    wanted = [d for d in (tb.deal(8, at) for at in range(by_text.tried)) if meets(d)]
    assert wanted[2:] == list(by_text)
    assert by_text.rate == 7 / by_text.tried


def _every(deck: Deck) -> Iterator[tb.Deal]:
    """All deals of a small deck."""
    first, second, third = bounds(deck)
    for each in product(range(first), range(second), range(third)):
        yield numbered(each, deck)


@pytest.mark.parametrize(
    ("deck", "text", "meets"),
    [
        ("2x4", "diamonds(N) == 1 and hcp(E) > hcp(S)", lambda d: d.hands["N"].length("D") == 1
         and d.hands["E"].hcp > d.hands["S"].hcp),
        ("2x4", "has(S, 'DA') and hcp(hidden) >= 3",
         lambda d: "DA" in d.hands["S"] and d.hidden.hcp >= 3),
        ("2x4", "has(N, 'DA') and (has(E, 'CA') or has(hidden, 'CA'))",
         lambda d: "DA" in d.hands["N"] and "CA" in (d.hands["E"] | d.hidden)),
        ("4x2", "has(E, 'SA HA') and has(hidden, 'CK') and not has(N, 'CA')",
         lambda d: len(d.hands["E"] & "SA HA") == 2 and "CK" in d.hidden
         and "CA" not in d.hands["N"]),
    ],
)  # fmt: skip
def test_deals_are_those_of_the_deck_that_meet_it_equally_often(
    deck: str, text: str, meets: Meets
) -> None:
    wanted = {deal for deal in _every(Deck(deck)) if meets(deal)}
    deals = tb.deals(12 * len(wanted), seed=5, where=text, deck=deck)
    counts = Counter(deals)
    assert set(counts) <= wanted
    assert stats.chisquare([counts[deal] for deal in wanted]).pvalue > 1e-4


def test_cards_that_are_fixed_cost_no_deal() -> None:
    deals = tb.deals(20, seed=1, where='has(N, "AKQJT98765432...") and has(E, "HA")')
    assert (deals.tried, deals.rate) == (20, 1.0)
    assert all("HA" in deal.hands["E"] and deal.hands["N"].shape[0] == 13 for deal in deals)
    assert Condition("has(N, 'SA') or has(N, 'SK')").fixed == (0, 0, 0, 0)
    assert Condition("not has(N, 'SA') and hcp(E) > 3").fixed == (0, 0, 0, 0)


def test_tricks_are_those_of_the_solver() -> None:
    deals = tb.deals(3, seed=2, where="tricks(N, NT) >= 4 and tricks(N, D) < 4", deck="4x5")
    assert all(tb.solve(deal, "N", deck="4x5")["NT"] >= 4 for deal in deals)
    assert all(tb.solve(deal, "N", deck="4x5")["D"] < 4 for deal in deals)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hcp(N) >= 15 and balance(N)", "letter 18, at 'balance(N)': no such function"),
        ("  hcp(N) >= 15 and balance(N)", "letter 20, at 'balance(N)'"),
        ('has(N, "♠A") and hcp(X) > 3', "letter 22, at 'X) > 3': no such hand"),
        ("hcp(N) > 3 and\nhcp(N)", "letter 16, at 'hcp(N)': a number"),
        ("hcp(N) = 15", "letter 8, at '= 15': cannot be read here: for = write =="),
        ("hcp(N) > 1 && hcp(E) > 2", "at '&& hcp(E) > 2': cannot be read here: for && write and"),
        ("hcp(N) > ", "cannot be read here"),
        ("balanced(N) + 1 > 2", "letter 1, at 'balanced(N) + 1 > 2': true or false"),
        ("has(N, 'SA SA')", "letter 8, at \"'SA SA')\": the cards: ♠A is given twice"),
        ("shape(N, '5432')", "add up to 14"),
        ("shape(N, '533')", "3 lengths for 4 suits"),
        ("shape(N)", "which lengths?"),
        ("hcp() > 3", "which hand?"),
        ("tricks(hidden, NT) > 3", "the hidden hand does not declare"),
        ("hcp(N) ** 9 > 3", "expected + - * or /"),
        ("hcp(N) / hcp(E) > 3", "only a number other than 0 can divide"),
        ("hcp(N) in 3", "only < <= == != >= and > compare"),
        ("__import__('os').system('x')", "no such function"),
        ("[x for x in y]", "has no meaning in a condition"),
        ("(lambda: 3)() > 2", "no such function"),
        ("hcp(seat=N) > 3", "no named arguments"),
        ("'a' > 'b'", "has no meaning"),
        ("True", "has no meaning"),
        ("", "the condition is empty"),
        ("hcp(N) > 1\0", "cannot be read"),
        ("(" * 900 + "hcp(N) > 1" + ")" * 900, ""),
        ("not " * 480 + "balanced(N)", ""),
        ("-" * 1900 + "1 > 0", ""),
        ("hcp(N) > 1 or " * 9000 + "balanced(N)", "126,011 letters: 2,000 at most"),
    ],
)
def test_bad_text_gets_one_line_that_points_at_the_place(text: str, said: str) -> None:
    try:
        Condition(text)
    except tb.FormatError as error:
        assert said in str(error)
        assert "\n" not in str(error)
        assert len(str(error)) < 300
    else:
        assert not said  # deep, and read all the same


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="hcp(N)S,'A5 andornot<>=+-*/balnced\n\0♠#:;.\\", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        met = Condition(text).met(deal_masks(1, 0, 4))
    except tb.TribridgeError as error:
        assert "\n" not in str(error)
    else:
        assert met.shape == (4,)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("has(N, 'SA') and has(E, 'SA')", "♠A cannot be in the hands of North and East"),
        ("has(hidden, 'AKQJT98765432.A..')", "gives the hidden hand 14 cards: a hand has 13"),
    ],
)
def test_hands_that_no_deal_has_are_refused_at_once(where: str, said: str) -> None:
    with pytest.raises(tb.CardsError, match=said):
        tb.deal(where=where)


@pytest.mark.parametrize("where", ["hcp(N) > 37", lambda deal: False])
def test_a_condition_that_is_never_met_ends(where: str | Meets) -> None:
    with pytest.raises(tb.RunError, match="none of 1,000 deals met the condition") as error:
        tb.deal(seed=1, where=where, tries=1000)
    assert "\n" not in str(error.value)


def test_the_error_names_the_rate_so_far() -> None:
    with pytest.raises(tb.RunError, match=r"deals met the condition .* \(1 in [\d.,]+\), and none"):
        tb.deals(1000, seed=1, where="hcp(N) >= 19", tries=60)


def test_a_function_that_takes_its_time_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "SECONDS", -1.0)  # every deal takes too long
    with pytest.raises(tb.RunError, match="none of 1 deal met"):
        next(deals_where(lambda deal: False, 1, FULL_DECK))
    with pytest.raises(tb.RunError, match="none of 64 deals met"):
        next(deals_where(Condition("hcp(N) > 37"), 1, FULL_DECK))


def test_deals_show_themselves_in_a_line() -> None:
    deals = tb.deals(3, seed=1)
    assert (len(deals), deals.rate) == (3, 1.0)
    assert repr(deals) == "<3 deals of seed 1>"
    assert str(deals).splitlines() == [str(tb.deal(1, at)) for at in range(3)]
    assert deals[1:] == (tb.deal(1, 1), tb.deal(1, 2))


@pytest.mark.parametrize("wrong", [{"count": 0}, {"tries": 0}, {"where": 3}, {"number": -1}])
def test_settings_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(tb.SettingError):
        tb.deals(**{"count": 1, "seed": 1, "where": "balanced(N)"} | wrong)  # type: ignore[arg-type]
