"""The posterior: standard errors, resampling, calibration, floors, bad input."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.library.beliefs.brute import AceCalls
from tests.library.game.playing import walk, with_deal
from tribridge.beliefs import FLOOR, Beliefs, CallModel, Estimate, RandomPlays, sample
from tribridge.capture.algorithm import Conditions, algorithm2
from tribridge.capture.simulation.arrays import pair
from tribridge.cards.cards import Card, Deck, Hand, Rank, Strain, Suit, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.deals import HIDDEN, Deal, Seat
from tribridge.cards.masks import F64, U64
from tribridge.common.errors import IllegalActionError, SettingError
from tribridge.game.auction import Auction, Call, parse_call
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair
from tribridge.game.views import view


def full_states(seed: int) -> list[Table]:
    table = new_table(deal(seed, 0), Seat.NORTH)
    for call in ("1H", "pass", "2NT", "pass", "pass"):
        table = table.apply(parse_call(call))
    return list(walk(table, Random(seed)))


@pytest.mark.slow
def test_standard_errors_are_the_spread_of_sampled_answers() -> None:
    scores: list[float] = []
    for number in (5, 6, 7):
        state = full_states(number)[24]
        beliefs = Beliefs(view(state, state.turn), None, RandomPlays())
        exact = beliefs.posterior(np.random.default_rng(0), limit=10**5)
        assert exact.exact
        hand = beliefs.layouts.evidence.hidden[0]
        cards = {card: exact.holds(hand, card) for card in Hand(beliefs.layouts.evidence.loose)}
        for seed in range(60):
            drawn = beliefs.posterior(np.random.default_rng(seed), draws=500, limit=0)
            assert not drawn.exact
            for card, want in cards.items():
                found = drawn.holds(hand, card)
                assert not found.exact
                if 0.1 < want.value < 0.9:  # further out the error is found from too few
                    scores.append((found.value - want.value) / found.se)
    assert len(scores) > 600
    assert 0.9 < float(np.std(scores)) < 1.1
    assert abs(float(np.mean(scores))) < 0.1


def test_a_resampled_set_has_the_chances_of_the_posterior() -> None:
    seen = view(full_states(6)[30], Seat.SOUTH)
    beliefs = Beliefs(seen, None, RandomPlays())
    posterior = beliefs.posterior(np.random.default_rng(0), limit=10**6)
    assert posterior.exact
    assert 1 < posterior.effective < len(posterior.deals)
    drawn = beliefs.sample(4000, np.random.default_rng(1))
    again = sample(seen, 4000, np.random.default_rng(1), plays=RandomPlays())
    assert np.array_equal(drawn, again)
    for card in Hand(beliefs.layouts.evidence.loose):
        for hand in beliefs.layouts.evidence.hidden:
            held = float(np.mean(drawn[:, hand] >> np.uint64(card.index) & np.uint64(1)))
            assert held == pytest.approx(posterior.holds(hand, card).value, abs=0.02)


def _scores(events: list[tuple[float, bool]]) -> list[float]:
    """For ten bins of chances, how far from them the frequency was, in standard errors."""
    chances, happened = (np.array(column) for column in zip(*events, strict=True))
    bins = np.minimum((chances * 10).astype(int), 9)
    result = []
    for each in range(10):
        chance, hits = chances[bins == each], happened[bins == each]
        spread = np.sqrt(np.sum(chance * (1 - chance)))
        if len(chance) >= 20 and spread:
            result.append(float(np.sum(hits - chance) / spread))
    return result


@pytest.mark.full
def test_events_given_thirty_in_a_hundred_happen_so_often_in_random_play() -> None:
    random, rng, deck = Random(3), np.random.default_rng(3), Deck(3, 8)
    lengths: list[tuple[float, bool]] = []
    tricks: list[tuple[float, bool]] = []
    gains: list[float] = []
    for number in range(1200):
        table = new_table(deal(77, number, deck), Seat.NORTH)
        for call in ("1H" if number % 2 else "1NT", "pass", "pass"):
            table = table.apply(parse_call(call))
        states = list(walk(table, random))
        at, seat = int(random.random() * 16), Seat(number % 3)
        state = states[at]
        posterior = Beliefs(view(state, seat), None, RandomPlays()).posterior(rng)
        hand = (seat.left, seat.right)[int(random.random() * 2)]
        suit = Suit(int(random.random() * deck.suits))
        chances = list(posterior.lengths(hand, suit).chances.items())
        length, chance = chances[int(random.random() * len(chances))]
        lengths.append((chance.value, state.deal.hands[hand].length(suit) == length))
        assert state.position is not None
        if state.position.trick:
            chance = posterior.wins(state.position.trick[0], "random")
            last = states[at + 4 - len(state.position.trick)].position
            assert last is not None
            tricks.append((chance.value, last.tricks[-1].winner is state.position.leader))
        truth = np.array([dealt.mask for dealt in state.deal.hands], dtype=np.uint64)
        weight = posterior.weights[(posterior.deals == truth).all(axis=1)].item()
        gains.append(float(np.log(weight * len(posterior.deals))))
    for events in (lengths, tricks):
        scores = _scores(events)
        assert len(scores) >= 7
        assert sum(score * score for score in scores) < 2 * len(scores)
    # The model finds the true deal likelier than hard evidence alone does.
    assert np.mean(gains) > 4 * np.std(gains) / len(gains) ** 0.5


def test_restricted_choice_is_seen_only_through_a_model_of_plays() -> None:
    state = full_states(12)[9]
    hard = Beliefs(view(state, Seat.NORTH)).posterior(np.random.default_rng(1))
    soft = Beliefs(view(state, Seat.NORTH), None, RandomPlays()).posterior(np.random.default_rng(1))
    assert hard.effective == pytest.approx(len(hard.deals))
    assert soft.effective < 0.9 * len(soft.deals)


def test_what_is_seen_is_certain_under_a_model_too() -> None:
    state = full_states(12)[9]
    soft = Beliefs(view(state, Seat.NORTH), None, RandomPlays()).posterior(np.random.default_rng(1))
    own = state.deal.hands[Seat.NORTH]
    for card in own:
        for hand in range(4):
            found = soft.holds(hand, card)
            assert (found.value, found.exact) == (float(hand == 0), True)
    length = soft.lengths(Seat.NORTH, Suit.SPADES)
    assert length.chances == {own.length(Suit.SPADES): Estimate(1.0)}
    assert not all(soft.holds(Seat.EAST, card).exact for card in Hand(own.mask ^ (1 << 52) - 1))


def test_a_bid_makes_the_cards_of_a_bidder_likelier() -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    ace = Card("CA")
    seat = next(s for s in Seat if ace not in table.deal.hands[s])
    other = seat.right
    table = new_table(deal(1, 0), other).apply(parse_call("1C"))
    rng = np.random.default_rng(4)
    soft = Beliefs(view(table, seat), AceCalls()).posterior(rng, 20_000)
    # One of three hidden hands has it; at the floor, bids are as frequent as over all three.
    one, none = ((1 - FLOOR) * x + FLOOR * (0.9 + 0.1 + 0.1) / 3 for x in (0.9, 0.1))
    want = one / (one + 2 * none)
    found = soft.holds(other, ace)
    assert found.value == pytest.approx(want, abs=5 * found.se)
    assert 0 < found.se < 0.02
    assert Beliefs(view(table, seat)).posterior(rng).holds(other, ace).value == 1 / 3


class _Never:
    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        return np.zeros(len(hands))


def test_what_a_model_holds_impossible_keeps_the_floor() -> None:
    never: CallModel = _Never()
    seen = view(new_table(deal(1, 0), Seat.NORTH).apply(parse_call("7NT")), Seat.SOUTH)
    posterior = Beliefs(seen, never, floor=0.01).posterior(np.random.default_rng(0), 50)
    assert posterior.effective == pytest.approx(50)
    with pytest.raises(SettingError, match="layout fits"):
        Beliefs(seen, never, floor=0).posterior(np.random.default_rng(0), 50)
    with pytest.raises(SettingError, match="floor must be"):
        Beliefs(seen, never, floor=2)


class _Forecast:
    """In notrump as many tricks as the two hands have spades, for certain; else none."""

    def from_hand(self, hands: U64) -> F64:
        return self.from_pair(hands, np.zeros_like(hands))

    def from_pair(self, hands: U64, dummies: U64) -> F64:
        result = np.zeros((len(hands), 5, 14))
        for at, (one, two) in enumerate(zip(hands.tolist(), dummies.tolist(), strict=True)):
            result[at, 4, min(Hand(one | two).length("S"), 13)] = 1
            result[at, :4, 0] = 1
        return result


def test_a_forecast_is_averaged_over_what_is_hidden() -> None:
    state = full_states(2)[0]
    assert state.contract is not None
    dummy, declarer = state.deal.hidden, state.contract.declarer
    rng = np.random.default_rng(1)
    own = Beliefs(view(state, declarer)).posterior(rng).forecast(_Forecast())
    spades = (dummy | state.deal.hands[declarer]).length("S")
    assert own[Strain.NOTRUMP].mean.exact
    assert own[Strain.NOTRUMP].mean.value == spades
    posterior = Beliefs(view(state, declarer.left)).posterior(rng)
    seen = posterior.forecast(_Forecast())[Strain.NOTRUMP]
    exact = posterior.rows()[3].c1
    assert not seen.mean.exact
    assert seen.mean.value == pytest.approx(
        exact.mean.value + dummy.length("S"), abs=4 * seen.mean.se
    )
    assert sum(chance.value for chance in seen.chances.values()) == pytest.approx(1)


def test_captures_from_the_auction_leave_the_dummy_open() -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    posterior = Beliefs(view(table, Seat.SOUTH)).posterior(np.random.default_rng(1), 500)
    found = posterior.captures()
    want = [
        algorithm2(Hand(masks[2]), Hand(masks[3])).captures for masks in posterior.deals.tolist()
    ]
    assert found.mean.value == pytest.approx(float(np.mean(want)))
    assert found.mean.se == pytest.approx(float(np.std(want, ddof=1) / 500**0.5))
    assert found.at_least(7) == pytest.approx(float(np.mean(np.array(want) >= 7)))


class _Rare:
    """A call that only hands with all four Aces would make; keeps how many hands it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        self.asked.append(len(hands))
        aces = np.uint64(sum(1 << 13 * suit for suit in range(4)))
        return np.asarray((hands & aces) == aces, dtype=np.float64)


def test_more_layouts_are_weighed_where_few_are_worth_anything() -> None:
    table = new_table(deal(2, 0), Seat.NORTH).apply(parse_call("1NT"))
    assert not any(card.rank == Rank.ACE for card in table.deal.hands[Seat.SOUTH])
    rare = _Rare()
    drawn = sample(view(table, Seat.SOUTH), 30, np.random.default_rng(1), calls=rare, floor=0.001)
    assert drawn.shape == (30, 4)
    assert rare.asked == [300, 1200]


def test_captures_are_none_where_a_condition_fails() -> None:
    # Leading gaps of 2, 2, 2 and 1: Condition B holds and Condition A does not.
    hand, dummy = parse_hand("KT9.QT9.QT9.QT98"), parse_hand("QJ8.J87.J876.J76")
    result = algorithm2(hand, dummy)
    assert (result.outcome, result.failing_rows) == (Conditions.A_FAILS, ())
    masks = deal_masks(1, 0, 300)[:, :2].tolist()
    pairs = np.array([[hand.mask, dummy.mask], *masks], dtype=np.uint64)
    want = [algorithm2(Hand(one), Hand(two)).captures for one, two in pairs.tolist()]
    assert pair(pairs[:, 0], pairs[:, 1]).captures.tolist() == want
    assert want[0] == 0
    assert max(want) > 7


def test_answers_depend_on_the_view_alone() -> None:
    for state in full_states(7)[::8]:
        for seat in Seat:
            seen = view(state, seat)
            masks = sample(seen, 1, np.random.default_rng(3))[0].tolist()
            other = view(with_deal(state, Deal.of([Hand(m) for m in masks])), seat)
            one, two = (
                Beliefs(each, None, RandomPlays()).posterior(np.random.default_rng(1), 100)
                for each in (seen, other)
            )
            assert np.array_equal(one.deals, two.deals)
            assert np.array_equal(one.weights, two.weights)
            assert one.captures() == two.captures()


def test_wins_refuses_what_cannot_be_played() -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    rng = np.random.default_rng(1)
    card = Card("S2")
    with pytest.raises(IllegalActionError, match="♠2 cannot win"):
        Beliefs(view(table, Seat.NORTH)).posterior(rng, 10).wins(card)
    state = full_states(1)[0]
    assert state.turn is not None
    assert state.position is not None
    lead = state.position.legal[0]
    posterior = Beliefs(view(state, state.turn.left)).posterior(rng, 10)
    with pytest.raises(IllegalActionError, match="hidden hand"):
        posterior.wins(lead)
    with pytest.raises(SettingError, match="unknown response 'worst'"):
        posterior.wins(lead, "worst")
    own = Beliefs(view(state, state.turn)).posterior(rng, 10)
    foreign = next(c for c in Hand(state.deal.deck.mask) if c not in state.deal.hands[state.turn])
    with pytest.raises(IllegalActionError, match="cannot be played"):
        own.wins(foreign)
    after = state.apply(lead)
    assert after.position is not None
    hand = Hand(after.position.hands[Chair.DUMMY])
    if hand.length(lead.suit):
        wrong = next(c for c in hand if c.suit != lead.suit)
        assert after.turn is not None
        seen = Beliefs(view(after, after.turn)).posterior(rng, 10)
        with pytest.raises(IllegalActionError, match="cannot be played"):
            seen.wins(wrong)


def test_hands_are_named_by_seat_chair_or_number() -> None:
    state = full_states(3)[0]
    posterior = Beliefs(view(state, Seat.NORTH)).posterior(np.random.default_rng(1), 10)
    card = Card("HA")
    assert posterior.holds(Chair.DUMMY, card) == posterior.holds(HIDDEN, card)
    assert state.contract is not None
    assert state.contract.declarer is Seat.SOUTH
    assert posterior.holds(Chair.DECLARER, card) == posterior.holds(Seat.SOUTH, card)
    assert posterior.holds(Chair.LEFT, card) == posterior.holds(Seat.NORTH, card)
    with pytest.raises(SettingError, match="no hand 4"):
        posterior.holds(4, card)
    early = Beliefs(view(new_table(deal(1, 0), Seat.NORTH), Seat.NORTH))
    with pytest.raises(SettingError, match="chairs until"):
        early.posterior(np.random.default_rng(1), 10).holds(Chair.LEFT, card)
    with pytest.raises(SettingError, match="not 1"):
        early.posterior(np.random.default_rng(1), 1)
    crowd = Beliefs(view(new_table(deal(1, 0, Deck(4, 2)), Seat.NORTH), None))
    with pytest.raises(SettingError, match="kibitzer must name"):
        crowd.posterior(np.random.default_rng(1)).captures()
