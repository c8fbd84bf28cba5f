"""What a hand is worth: the paper's estimate, exact counts, simulation, double dummy, advice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from tribridge.api import as_whole
from tribridge.capture import Reading, Result, algorithm1, algorithm2, parse_reading
from tribridge.cards.cards import FULL_DECK, Deck, Hand, parse_hand
from tribridge.cards.deals import BySeat, Seat
from tribridge.common.errors import SettingError, check_switches, check_type, shown
from tribridge.common.houses import from_house
from tribridge.common.waiting import Waiting

if TYPE_CHECKING:
    from tribridge.advice.calls import Advice
    from tribridge.capture.exact import ExactDistribution
    from tribridge.capture.simulation.results import CaptureResult, GameResult
    from tribridge.cards.deals import ByStrain
    from tribridge.forecast import Distribution
    from tribridge.game import Auction, Laws, Rubber, Scheme
    from tribridge.game.auction import Call
    from tribridge.game.standing import Standing


CaptureEstimate = Result
"""What `estimate` returns."""
_FEWEST = 20
"""Layouts at least for what the others bid after a pass."""
_NO_READING = "readings belong to Algorithm 1: leave the reading out with a dummy"


def estimate(
    hand: Hand | str,
    dummy: Hand | str | None = None,
    *,
    deck: Deck | str = FULL_DECK,
    budget: int | None = None,
    reading: Reading | str = "natural",
) -> CaptureEstimate:
    """The paper's estimate: how many tricks a hand captures, alone or with its dummy.

    A single hand runs Algorithm 1, in one of its readings; a hand with its dummy runs
    Algorithm 2. The result records every step.

    Examples:
        >>> import tribridge as tb
        >>> both = tb.estimate("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93")
        >>> both.captures, both.outcome.value
        (12, 'both hold')
        >>> tb.estimate("AKQ2.AK3.A92.KQJ").captures
        10

    Raises:
        FormatError: a hand or the deck cannot be read.
        CardsError: a hand does not have 13 cards, or the two share a card.
        NotFoundError: there is no such reading.
        SettingError: the budget is negative, or a reading is given for two hands.
    """
    check_type(reading, "estimate: reading", "Reading | str", Reading, str)
    pack = Deck(deck)
    own = parse_hand(hand, pack)
    chosen = parse_reading(reading) if isinstance(reading, str) else reading
    budget = None if budget is None else as_whole(budget, "budget")
    if dummy is None:
        return algorithm1(own, pack, budget, chosen)
    if chosen.name != "natural":
        raise SettingError(_NO_READING)
    return algorithm2(own, parse_hand(dummy, pack, "the dummy"), pack, budget)


def exact(
    what: Literal["capture", "hand"] = "capture",
    *,
    deck: Deck | str = FULL_DECK,
    budget: int | None = None,
    reading: Reading | str = "natural",
    cache: bool = True,
) -> ExactDistribution:
    """Exact counts of the paper's estimate over every deal of a deck.

    `capture` is Algorithm 2 on all hands with all dummies, `hand` Algorithm 1 on all hands. A deck
    given as text may have up to eight suits. The full deck takes a few seconds; the counts are
    cached in the user's cache folder unless `cache` is False.

    Examples:
        >>> import tribridge as tb
        >>> small = tb.exact("capture", deck="2x4", cache=False)
        >>> small.total, small.both_hold, small.captures[2]
        (420, 36, 36)

    Raises:
        NotFoundError: there is no such reading.
        SettingError: `what` is neither of the two, the budget is negative, or a reading is given
            for `capture`.
        FormatError: the deck cannot be read.
    """
    from tribridge.capture import exact as counting

    check_type(reading, "exact: reading", "Reading | str", Reading, str)
    check_type(budget, "exact: budget", "int | None", int, None)
    check_switches("exact", cache=cache)
    pack = counting.CountedDeck(deck)
    chosen = parse_reading(reading) if isinstance(reading, str) else reading
    if what not in ("capture", "hand"):
        raise SettingError(f"unknown count {shown(what)}: expected 'capture' or 'hand'")
    if what == "capture" and chosen.name != "natural":
        raise SettingError(_NO_READING)
    with Waiting("counting every deal") as line:
        if what == "hand":
            return counting.algorithm1(pack, budget, chosen, progress=line.update, cache=cache)
        return counting.algorithm2(pack, budget, progress=line.update, cache=cache)


@overload
def simulate(
    study: Literal["game"],
    *,
    deals: float | None = ...,
    seed: int = ...,
    reading: str | None = ...,
    threads: int = ...,
) -> GameResult: ...
@overload
def simulate(
    study: Literal["capture"], *, deals: float | None = ..., seed: int = ..., threads: int = ...
) -> CaptureResult: ...
@overload
def simulate(
    study: str, *, deals: float | None = ..., seed: int = ..., threads: int = ...
) -> Any: ...
def simulate(
    study: str,
    *,
    deals: float | None = None,
    seed: int = 1,
    reading: str | None = None,
    threads: int = 0,
) -> Any:
    """Simulate the paper on many deals (a million), on all cores (`threads` for fewer).

    `game` is the paper's game: three bidders with Algorithm 1, the hidden hand as dummy,
    Algorithm 2 for the tricks. `capture` is Algorithm 2 on two hands of each deal. The first time,
    more than 100,000 deals wait a few seconds for kernels to be compiled. Any other name is a study
    of the report, as for `tribridge study`, or one of yours: its `tables` are as in the report,
    by default with as many deals.

    Examples:
        >>> import tribridge as tb
        >>> game = tb.simulate("game", deals=10_000, seed=1)
        >>> game.deals, game.passed_out, game.count(made=True)
        (10000, 8893, 789)
        >>> tb.simulate("paid")
        <Outcome of the study paid: paid-bidders, paid-bidding>

    Raises:
        NotFoundError: there is no such study or reading.
        SettingError: deals, seed or threads are out of range.
    """
    from tribridge.capture.simulation.counts import CELLS, Tally, Work, run
    from tribridge.capture.simulation.results import result_of
    from tribridge.cards.dealer import check_deals
    from tribridge.common.parallel import Cores

    check_type(reading, "simulate: reading", "str | None", str, None)
    cores, number = Cores(as_whole(threads, "threads")), as_whole(seed, "seed")
    if study not in CELLS:
        if reading is not None:
            raise SettingError(f"study {study} takes no reading: it has all of them, or none")
        size = None if deals is None else as_whole(deals, "deals")
        return from_house("lab.commands.study").run_study(study, size, number, cores, CELLS)
    work = Work(study, number, reading)
    wanted = check_deals(0, as_whole(1_000_000 if deals is None else deals, "deals"))
    with Waiting("simulating") as line:
        count = wanted[1] - wanted[0]
        tally = run(Tally.empty(work), wanted, cores, progress=lambda n: line.update(n, count))
    return result_of(tally)


def forecast_tricks(
    hand: Hand | str,
    dummy: Hand | str | None = None,
    *,
    kind: str = "net",
    declarer: Literal["left", "right"] | None = None,
) -> ByStrain[Distribution]:
    """The chances of 0 to 13 tricks in each strain, for a declarer's hand alone or with its dummy.

    With `declarer` the hand defends, and the tricks are those of the opponent on its left or right.

    Examples:
        >>> import tribridge as tb
        >>> forecast = tb.forecast_tricks("AKQ2.K93.A92.KQ5")
        >>> round(forecast["NT"].at_least(9), 1), round(forecast["S"].mean, 1)
        (0.7, 9.5)
        >>> tb.forecast_tricks("AKQJ2.43.9432.52", declarer="left")["S"].at_least(10)
        0.0

    Raises:
        FormatError: a hand or a strain cannot be read.
        CardsError: a hand does not have 13 cards, or the two share a card.
        NotFoundError: the kind is not one of `net`, `points` and `capture`.
        SettingError: the declarer is neither `left` nor `right`, or a defender is given a dummy.
    """
    from tribridge.forecast import forecast

    if declarer is not None:
        from tribridge.forecast.defence import forecast_against

        if dummy is not None:
            raise SettingError("a defender's forecast is from 13 cards: leave out the dummy")
        return forecast_against([parse_hand(hand)], declarer, kind)[0]
    other = None if dummy is None else parse_hand(dummy, name="the dummy")
    return forecast(parse_hand(hand), other, kind)


def advise(
    hand: Hand | str,
    dummy: Hand | str | None = None,
    *,
    auction: Auction | str | Iterable[Call | str] = "",
    doubles: bool = False,
    scheme: Scheme | str = "auction",
    laws: Laws | str | None = None,
    standing: Standing | str | None = None,
    kind: str = "net",
    caution: float = 0.3,
    defence: int = 200,
    seed: int = 1,
    vulnerable: bool | str | Iterable[Seat] = False,
) -> Advice:
    """Which call to make with a hand: `.call`, `.reason`, how high to go, the value of every bid.

    In a rubber, give its `laws` (by default `auction-rubber`), which replace the scheme, and its
    `standing`: in your words, as in `"me 20, left 1 game"`, or that of a `Rubber`, by seat. Doubles
    are played if `doubles` is True or if the text of the auction has one (`1NT X`). `caution` is
    the weight of the worst 5% of outcomes for the cautious player; `defence` is the number of
    layouts that value a pass (half as many for the others' further bids). `vulnerable` is True if
    you are, or names players: `"me, left"`, `"all"`.

    `.ceiling` has the highest bid of each strain that is worth more than staying silent, and
    `.because(call)` what your hand has for a call.

    Examples:
        >>> import tribridge as tb
        >>> advice = tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass")
        >>> advice.call, round(advice.bids[tb.Bid("1NT")].chance, 1)
        (Bid('1NT'), 0.9)
        >>> tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass", standing="left 1 game 20").call
        Bid('1NT')
        >>> print(advice.ceiling["S"], advice.because("1S"), sep=": ")
        2♠: 4 spades with A K Q

    Raises:
        FormatError: a hand, a call, the vulnerable players or the standing cannot be read.
        CardsError: a hand does not have 13 cards, or the two share a card.
        IllegalActionError: the auction is impossible, or over.
        NotFoundError: there is no such scheme, kind of forecast, or laws.
        SettingError: the seed is out of range, or the standing is impossible.
    """
    import numpy as np

    from tribridge.advice import calls
    from tribridge.advice.counsel import counsel
    from tribridge.advice.rubber_payoffs import rubber_of
    from tribridge.cards.dealer import check_seed
    from tribridge.game.auction import Auction
    from tribridge.game.scoring import find_scheme
    from tribridge.game.views import View
    from tribridge.networks.stakes import Game
    from tribridge.strategies.learned.auctions import value_silence

    texts = "Auction | str | Iterable[Call | str]"
    check_type(auction, "advise: auction", texts, Auction, Iterable)
    check_type(standing, "advise: standing", "Standing | str | None", tuple, str, None)
    check_type(caution, "advise: caution", "float", float)
    check_switches("advise", doubles=doubles)
    check_seed(as_whole(seed, "seed"))
    if not isinstance(auction, Auction):
        auction = calls.parse_auction(auction, doubles=doubles)
    scored, defence = find_scheme(scheme), as_whole(defence, "defence")
    rubber = rubber_of(laws, standing, auction)
    if rubber is not None and vulnerable:
        raise SettingError("in a rubber the standing says who is vulnerable: leave out vulnerable")
    risk = calls.parse_vulnerable(vulnerable, auction, scored)
    own, other = parse_hand(hand), None if dummy is None else parse_hand(dummy, name="the dummy")
    advice = calls.advise(
        own, other, auction, scheme=scored, kind=kind, caution=caution, seed=seed, defence=defence,
        rubber=rubber, vulnerable=risk,
    )  # fmt: skip
    if other is not None or defence == 0:
        return counsel(advice, None)
    game = Game(scored, None, risk) if rubber is None else Game(rubber.laws.scheme, rubber)
    view = View(seat=auction.turn, auction=auction, dealt=own)
    layouts, rng = max(_FEWEST, defence // 2), np.random.default_rng(seed)
    return counsel(advice, value_silence(view, game, layouts, rng))


def worth(
    standing: Rubber | Standing | str = "", *, laws: Laws | str = "auction-rubber"
) -> BySeat[float]:
    """The settlement that each player can expect for what is still to be scored in a rubber.

    The standing is that of a rubber, with its laws, or text: points below the line and games won
    of players. It is computed by dynamic programming from the results of typical deals.

    Examples:
        >>> import tribridge as tb
        >>> {seat.letter: round(points) for seat, points in tb.worth("N 1 game").items()}
        {'N': 222, 'E': -111, 'S': -111}
        >>> rubber = tb.Rubber("contract-rubber", below=(60, 0, 0))
        >>> tb.worth(rubber)["N"] > tb.worth("N 40", laws="contract-rubber")["N"] > 0
        True

    Raises:
        NotFoundError: there are no such laws.
        FormatError: the standing cannot be read.
        SettingError: the standing is impossible, or there are too many part scores under the laws.
    """
    from tribridge.game.laws import find_laws
    from tribridge.game.rubber import Rubber
    from tribridge.game.rubber_worth import rubber_worth
    from tribridge.game.standing import Standing, check_standing, parse_standing

    kinds = Rubber, Standing, str
    check_type(standing, "worth: standing", "Rubber | Standing | str", *kinds)
    if isinstance(standing, Rubber):
        laws, standing = standing.laws, standing.standing
    chosen = find_laws(laws)
    if isinstance(standing, str):
        standing = parse_standing(standing, chosen)
    elif 2 not in standing.games:  # a rubber that is over is worth nothing more
        standing = check_standing(chosen, *standing)
    return BySeat(dict(zip(Seat, rubber_worth(chosen).settlement(standing), strict=True)))
