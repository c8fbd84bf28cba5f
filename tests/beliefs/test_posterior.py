"""The posterior: Bayes' rule by brute force, standard errors, calibration, bad input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from tests.beliefs.brute import Masks, consistent
from tests.game.playing import walk
from tribridge.beliefs import Beliefs, CallModel, Posterior, RandomPlays, Variable, sample
from tribridge.beliefs.bits import U64
from tribridge.beliefs.models import F64
from tribridge.capture.algorithm import algorithm2
from tribridge.capture.matrix import matrix_of
from tribridge.cards import Card, Deck, Hand, Strain, Suit, parse_card
from tribridge.dealer import deal
from tribridge.deals import HIDDEN, Deal, Seat
from tribridge.errors import IllegalActionError, SettingError
from tribridge.game.auction import Auction, Bid, Call, parse_call
from tribridge.game.table import Table, new_table
from tribridge.game.tricks import Chair
from tribridge.game.view import view

FLOOR = 0.1


@dataclass(frozen=True)
class AceCalls:
    """A player who is nine times as likely to bid when holding the Ace of Clubs."""

    def likelihood(self, hands: U64, seat: Seat, auction: Auction, call: Call) -> F64:
        ace = (hands & np.uint64(1)).astype(np.float64)
        bids = len(auction.legal()) - 1
        bid = 0.1 + 0.8 * ace
        return np.asarray(bid / bids if isinstance(call, Bid) else 1 - bid)


def _slow_weight(table: Table, masks: Masks, seat: Seat | None, calls: bool, plays: bool) -> float:
    """The chance of all that the others did on a deal, action by action under the rules."""
    state = new_table(
        Deal.of([Hand(m) for m in masks], table.deal.deck), table.dealer,
        doubles=table.auction.doubles,
    )  # fmt: skip
    weight = 1.0
    for call in table.auction.calls:
        who, options = state.turn, len(state.legal())
        assert who is not None
        if calls and who is not seat:
            bid = 0.9 if parse_card("CA") in state.deal.hands[who] else 0.1
            chance = bid / (options - 1) if isinstance(call, Bid) else 1 - bid
            weight *= (1 - FLOOR) * chance + FLOOR / options
        state = state.apply(call)
    for trick in table.play.tricks if table.play else ():
        for card in trick.cards:
            weight *= _slow_play(state, seat) if plays else 1
            state = state.apply(card)
    for card in table.play.trick if table.play else ():
        weight *= _slow_play(state, seat) if plays else 1
        state = state.apply(card)
    return weight


def _slow_play(state: Table, seat: Seat | None) -> float:
    assert state.play is not None
    ours = state.play.chair is Chair.DUMMY or state.turn is seat
    return 1.0 if ours else 1 / len(state.legal())


def _slow_wins(state: Table, card: Card, chair: Chair, best: bool) -> float:
    """The chance that a card on the table wins, by playing the trick out in every way."""
    assert state.play is not None
    play = state.play
    if not play.trick or card not in play.trick:
        return float(play.tricks[-1].winner is chair)
    values = [_slow_wins(state.apply(next_), card, chair, best) for next_ in play.legal()]
    if not best:
        return sum(values) / len(values)
    assert play.chair is not None
    return (max if play.chair.declaring == chair.declaring else min)(values)


@dataclass(frozen=True)
class Slow:
    """All consistent deals with their weights."""

    deals: list[Masks]
    weights: list[float]

    def mean(self, values: Sequence[float]) -> float:
        pairs = zip(self.weights, values, strict=True)
        return sum(weight * value for weight, value in pairs) / sum(self.weights)

    def check(self, variable: Variable, values: Sequence[int]) -> None:
        """Hold a variable against its value in every deal."""
        want = {each: self.mean([value == each for value in values]) for each in set(values)}
        found = {value: chance.value for value, chance in variable.chances.items()}
        assert found == pytest.approx(want)
        assert variable.mean.value == pytest.approx(self.mean(values))
        assert variable.mean.exact
        assert all(chance.exact for chance in variable.chances.values())


@pytest.mark.parametrize("models", ["", "calls", "plays", "calls plays"])
@pytest.mark.parametrize("deck", [Deck(4, 2), Deck(2, 4), Deck(4, 3), Deck(2, 6)], ids=str)
def test_answers_are_those_of_brute_force_at_states_of_random_games(
    deck: Deck, models: str
) -> None:
    random = Random(f"{deck} {models}")
    for number in range(2):
        table = new_table(deal(21, number, deck), Seat(number), doubles=True)
        for state in walk(table, random, quiet=0.4):
            if state.play is None and (deck.size > 8 or random.random() < 0.7):
                continue
            for seat in Seat:
                if random.random() < 0.5:
                    _check_answers(state, seat, "calls" in models, "plays" in models)


def _check_answers(state: Table, seat: Seat, calls: bool, plays: bool) -> None:
    deck = state.deal.deck
    beliefs = Beliefs(
        view(state, seat), AceCalls() if calls else None, RandomPlays() if plays else None, FLOOR
    )
    posterior = beliefs.posterior(np.random.default_rng(0))
    deals = consistent(state, seat)
    slow = Slow(deals, [_slow_weight(state, masks, seat, calls, plays) for masks in deals])
    for hand in range(4):
        for suit in range(deck.suits):
            lengths = [Hand(masks[hand]).length(suit) for masks in deals]
            slow.check(posterior.lengths(hand, Suit(suit)), lengths)
        for card in Hand(deck.mask):
            want = slow.mean([masks[hand] >> card & 1 for masks in deals])
            assert posterior.holds(hand, card).value == pytest.approx(want)
    declarer = state.contract.declarer if state.contract else seat
    pairs = [(Hand(masks[declarer]), Hand(masks[HIDDEN])) for masks in deals]
    for row in posterior.rows():
        of = [matrix_of(one, two, deck).analyse()[row.suit] for one, two in pairs]
        slow.check(row.c1, [each.c1 for each in of])
        slow.check(row.c2, [each.c2 for each in of])
        slow.check(row.leading_gap, [each.leading_gap for each in of])
    slow.check(posterior.captures(), [algorithm2(*pair, deck).captures for pair in pairs])
    if state.play is not None and state.turn is not None:
        _check_wins(state, seat, posterior, slow)


def _check_wins(state: Table, seat: Seat, posterior: Posterior, slow: Slow) -> None:
    play = state.play
    assert play is not None
    assert play.chair is not None
    tries = [(card, Chair((play.leader + at) % 4), state) for at, card in enumerate(play.trick)]
    if state.turn is seat:
        tries += [(card, play.chair, state.apply(card)) for card in play.legal()]
    for card, chair, after in tries:
        others = [
            after.with_deal(Deal.of([Hand(m) for m in masks], after.deal.deck))
            for masks in slow.deals
        ]
        for response in ("best", "random"):
            values = [_slow_wins(other, card, chair, response == "best") for other in others]
            found = posterior.wins(card, response)
            assert found.value == pytest.approx(slow.mean(values))
            assert found.exact


def full_states(seed: int) -> list[Table]:
    table = new_table(deal(seed, 0), Seat.NORTH)
    for call in ("1H", "pass", "2NT", "pass", "pass"):
        table = table.apply(parse_call(call))
    return list(walk(table, Random(seed)))


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
            held = float(np.mean(drawn[:, hand] >> np.uint64(card) & np.uint64(1)))
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
        assert state.play is not None
        if state.play.trick:
            chance = posterior.wins(state.play.trick[0], "random")
            last = states[at + 4 - len(state.play.trick)].play
            assert last is not None
            tricks.append((chance.value, last.tricks[-1].winner is state.play.leader))
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


def test_a_bid_makes_the_cards_of_a_bidder_likelier() -> None:
    table = new_table(deal(1, 0), Seat.NORTH)
    ace = parse_card("CA")
    seat = next(s for s in Seat if ace not in table.deal.hands[s])
    other = seat.right
    table = new_table(deal(1, 0), other).apply(parse_call("1C"))
    rng = np.random.default_rng(4)
    soft = Beliefs(view(table, seat), AceCalls()).posterior(rng, 20_000)
    # One of three hidden hands has it; the chances of this bid are those of the model and floor.
    bids = 35
    one, none = (0.95 * x / bids + 0.05 / 36 for x in (0.9, 0.1))
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
    with pytest.raises(SettingError, match="no layout fits what was called and played"):
        Beliefs(seen, never, floor=0).posterior(np.random.default_rng(0), 50)
    with pytest.raises(SettingError, match="a floor of 2 is out of range: 0 to 1"):
        Beliefs(seen, never, floor=2)


class _Forecast:
    """In No Trump as many tricks as the two hands have spades, for certain; else none."""

    def two(self, hands: U64, dummies: U64) -> F64:
        result = np.zeros((len(hands), 5, 14))
        for at, (one, two) in enumerate(zip(hands.tolist(), dummies.tolist(), strict=True)):
            result[at, 4, min(Hand(one | two).length(3), 13)] = 1
            result[at, :4, 0] = 1
        return result


def test_a_forecast_is_averaged_over_what_is_hidden() -> None:
    state = full_states(2)[0]
    assert state.contract is not None
    dummy, declarer = state.deal.hidden, state.contract.declarer
    rng = np.random.default_rng(1)
    own = Beliefs(view(state, declarer)).posterior(rng).forecast(_Forecast())
    spades = (dummy | state.deal.hands[declarer]).length(3)
    assert own[Strain.NOTRUMP].mean.exact
    assert own[Strain.NOTRUMP].mean.value == spades
    posterior = Beliefs(view(state, declarer.left)).posterior(rng)
    seen = posterior.forecast(_Forecast())[Strain.NOTRUMP]
    exact = posterior.rows()[3].c1
    assert not seen.mean.exact
    assert seen.mean.value == pytest.approx(
        exact.mean.value + dummy.length(3), abs=4 * seen.mean.se
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


def test_answers_depend_on_the_view_alone() -> None:
    for state in full_states(7)[::8]:
        for seat in Seat:
            seen = view(state, seat)
            masks = sample(seen, 1, np.random.default_rng(3))[0].tolist()
            other = view(state.with_deal(Deal.of([Hand(m) for m in masks])), seat)
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
    card = parse_card("S2")
    with pytest.raises(IllegalActionError, match="♠2 cannot win a trick now: no card is due"):
        Beliefs(view(table, Seat.NORTH)).posterior(rng, 10).wins(card)
    state = full_states(1)[0]
    assert state.turn is not None
    assert state.play is not None
    lead = state.play.legal()[0]
    posterior = Beliefs(view(state, state.turn.left)).posterior(rng, 10)
    with pytest.raises(IllegalActionError, match="who is to play, is hidden"):
        posterior.wins(lead)
    with pytest.raises(SettingError, match="unknown response 'worst': expected best or random"):
        posterior.wins(lead, "worst")
    own = Beliefs(view(state, state.turn)).posterior(rng, 10)
    foreign = next(c for c in Hand(state.deal.deck.mask) if c not in state.deal.hands[state.turn])
    with pytest.raises(IllegalActionError, match="cannot be played now from"):
        own.wins(foreign)
    after = state.apply(lead)
    assert after.play is not None
    hand = Hand(after.play.hands[Chair.DUMMY])
    if hand.length(lead.suit):
        wrong = next(c for c in hand if c.suit != lead.suit)
        assert after.turn is not None
        seen = Beliefs(view(after, after.turn)).posterior(rng, 10)
        with pytest.raises(IllegalActionError, match="cannot be played now from"):
            seen.wins(wrong)


def test_hands_are_named_by_seat_chair_or_number() -> None:
    state = full_states(3)[0]
    posterior = Beliefs(view(state, Seat.NORTH)).posterior(np.random.default_rng(1), 10)
    card = parse_card("HA")
    assert posterior.holds(Chair.DUMMY, card) == posterior.holds(HIDDEN, card)
    assert state.contract is not None
    assert state.contract.declarer is Seat.SOUTH
    assert posterior.holds(Chair.DECLARER, card) == posterior.holds(Seat.SOUTH, card)
    assert posterior.holds(Chair.LEFT, card) == posterior.holds(Seat.NORTH, card)
    with pytest.raises(SettingError, match="no hand 4"):
        posterior.holds(4, card)
    early = Beliefs(view(new_table(deal(1, 0), Seat.NORTH), Seat.NORTH))
    with pytest.raises(SettingError, match="chairs are not known"):
        early.posterior(np.random.default_rng(1), 10).holds(Chair.LEFT, card)
    with pytest.raises(SettingError, match="1 draws are too few"):
        early.posterior(np.random.default_rng(1), 1)
    crowd = Beliefs(view(new_table(deal(1, 0, Deck(4, 2)), Seat.NORTH), None))
    with pytest.raises(SettingError, match="an onlooker must say whose hand is meant"):
        crowd.posterior(np.random.default_rng(1)).captures()
