"""Whole games of learned players in lockstep, for studies of many deals: bid, then played out.

The same code runs in NumPy and, on a PyTorch device, in batches of tens of thousands. Deals come
from a NumPy generator and are the same everywhere; on a GPU the networks work in bfloat16, so that
a close choice now and then differs from that of a CPU. Seats are counted from the dealer, doubles
are not played, and a deal is worth its points under one scheme.

- `Table.bid`: the networks of `learned` bid, or a player searches who may know cards of the hidden
  hand. The search draws layouts of the unseen cards, weighted by how likely the network makes the
  others' calls with them, lets the network bid on after each of a few candidate calls, pays the
  contracts by the forecast from declarer's and dummy's hands, and makes the best call on average.
- `Table.bid_alone`: bidders who look at their own hands alone, three of them or two pairs.
- `Table.play`: the network of `learned` plays the contracts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK
from tribridge.common.arrays import (
    Array,
    Rows,
    bits,
    cast,
    fetch,
    gather,
    namespace,
    put,
)
from tribridge.game.scoring import Scheme
from tribridge.lab.training.deals import chances, deal_hands
from tribridge.networks.auction import (
    BIDS,
    LEVELS,
    NOBODY,
    PASS,
    RANKS,
    SEATS,
    STAKES,
    STRAINS,
    SUITS,
    AuctionGames,
    Contracts,
    by_call,
    by_standing,
    expand,
    set_auction,
)
from tribridge.networks.play import (
    MASKS,
    SWING,
    PlayGames,
    by_card,
)
from tribridge.networks.play import expand as expand_play
from tribridge.networks.stakes import Game, features
from tribridge.strategies import learned

I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
CPU: Final = "cpu"
"""In place of a PyTorch device: NumPy."""
DRAWN: Final = 4
"""Layouts weighted for each one that is kept."""
FLOOR: Final = 0.02
"""The share of calls that ignore the cards, as for hints at the table."""
CONCEDED: Final = 0.25
"""What bidders who look at their own hands assume that passing over a bid costs, in units
(`networks.stakes`): 5 points under `auction`."""
CARDS: Final = 52
_LAST: Final = 48
"""Cards until the last trick, in which nobody has a choice."""


def deals(seed: int, batch: int, count: int) -> I64:
    """Hands (n, 4) of a batch of a seed, the hidden hand last; the same on every machine."""
    hands: I64 = deal_hands(count, FULL_DECK, np.random.default_rng((seed, batch)))
    return hands


def shown_cards(hidden: I64, count: int, seed: int, batch: int) -> I64:
    """Masks of `count` random cards of each hidden hand; more cards include those of fewer."""
    order = np.random.default_rng((seed, batch, 1)).random((len(hidden), CARDS))
    ranked = np.where(bits(hidden, CARDS), order, 2.0).argsort(1)[:, :count]
    masks: I64 = (1 << ranked).sum(1).astype(np.int64)
    return masks


@dataclass(frozen=True, eq=False)
class Outcomes(Rows):
    """How games ended."""

    bidder: Array
    """Who declares, counted from the dealer; `NOBODY` if the deal was passed out."""
    standing: Array
    """1 + the number of the contract's bid."""
    won: Array
    """Declarer's tricks."""

    def packed(self) -> NDArray[np.uint16]:
        """16 bits for each game."""
        bidder, standing, won = map(fetch, self.columns())
        code: NDArray[np.uint16] = (bidder | standing << 2 | won << 8).astype(np.uint16)
        return code

    @classmethod
    def unpacked(cls, codes: NDArray[np.uint16]) -> Outcomes:
        """What `packed` has packed."""
        code = codes.astype(np.int64)
        return cls(code & 3, code >> 2 & 63, code >> 8)

    def level(self) -> Array:
        """The level of each contract; 1 if there is none."""
        return (self.standing - 1).clip(min=0) // STRAINS + 1

    def made(self) -> Array:
        """Whether there was a contract and it made."""
        return (self.standing > 0) & (self.won >= self.level() + FULL_DECK.book)


def settled(outcomes: Outcomes, scheme: Scheme) -> NDArray[np.float64]:
    """Settlement points of the three players (n, 3): they add up to 0."""
    bid = (outcomes.standing - 1).clip(min=0)
    declarer = outcomes.bidder % SEATS
    worth = Game(scheme).worth().astype(np.float64)
    paid = 2 * worth[declarer, bid // STRAINS, bid % STRAINS, outcomes.won, 0]
    points: NDArray[np.float64] = np.where((outcomes.standing == 0)[:, None], 0.0, paid)
    return points


@dataclass(frozen=True, slots=True)
class Search:
    """Who searches in the auction, and what they know."""

    seats: I64
    """(n,): the seat that searches, counted from the dealer; `NOBODY`: all three."""
    known: I64
    """(n,): the cards of the hidden hand that a searching player knows, as masks."""
    seed: tuple[int, ...]
    layouts: int = 32
    calls: int = 5


class Table:
    """The learned players of the package at a table of one scheme, on the CPU or a device."""

    def __init__(self, scheme: Scheme, device: Any = CPU) -> None:
        self.device, self.xp = device, namespace(device)
        self.game = Game(scheme)
        self._bidder: Any = _network(learned.STAKES, device)
        self._player = _network(learned.POINTS, device)
        self._single, self._pair = chances("single", device), chances("pair", device)
        self._worth = self._put(self.game.worth()[0, :, :, :, 0, 0])  # (7, 5, 14)
        seen = np.zeros((STRAINS, STAKES), np.float32)
        seen[:, : STAKES - 2] = features(self.game, 0)  # alike in all seats; no honours
        self._stakes = self._put(seen)
        self._conceded = CONCEDED * self.game.unit()

    def _put(self, array: NDArray[Any]) -> Array:
        return put(np.ascontiguousarray(array), self.device)

    def wishes(self, seen: Array) -> Array:
        """How much the network prefers each call: (n, 38)."""
        kind = _precision(self.device)
        stakes = self.xp.broadcast_to(self._stakes, (len(seen), *self._stakes.shape))
        return by_call(self._bidder(*expand(seen, kind, stakes)))[0]

    def hand_wishes(self, seen: I64, hands: Array) -> Array:
        """The same for many hands (n,) in one situation: `seen` (15,) but for the hand."""
        if self.device != CPU:
            rest = self.xp.broadcast_to(self._put(seen[1:]), (len(hands), len(seen) - 1))
            return self.wishes(self.xp.concat([hands[:, None], rest], 1))
        empty = seen.copy()
        empty[0] = 0
        fixed, table = expand(empty[None], np.float32, self._stakes[None])
        suit = np.arange(SUITS)
        keys = (hands[:, None] >> RANKS * suit & (1 << RANKS) - 1) * SUITS + suit
        suits, places = np.unique(keys, return_inverse=True)
        features = fixed[0, suits % SUITS]
        features[:, :RANKS] = bits(suits // SUITS, RANKS)  # cards, the first features of a suit
        return by_call(self._bidder.in_one_situation(features, table[0], places))[0]

    def bid(self, hands: I64, search: Search | None = None) -> AuctionGames:
        """The auctions of deals (n, 4)."""
        xp, own = self.xp, self._put(hands)
        games = AuctionGames(len(hands), self.device)
        past: list[Array] = []
        rows = xp.arange(len(hands), device=own.device)
        while not bool(games.over.all()):
            calls = xp.full_like(games.standing, PASS)
            going = ~games.over
            if search is not None:
                seats = self._put(search.seats)
                mine = going & ((seats == games.caller) | (seats == NOBODY))
                if bool(mine.any()):
                    calls[mine] = self._searched(games, past, own, rows[mine], search)
                going = going & ~mine
            if bool(going.any()):
                calls[going] = self._preferred(games.take(going), own[going])
            past.append(calls)
            games.step(calls)
        return games

    def _preferred(self, games: AuctionGames, hands: Array) -> Array:
        """The calls that the network prefers."""
        wish = self.wishes(games.observe(hands))
        return self.xp.where(bits(games.legal(), wish.shape[1]), wish, -np.inf).argmax(1)

    def _searched(
        self, games: AuctionGames, past: list[Array], hands: Array, rows: Array, search: Search
    ) -> Array:
        """The best calls in some of the games, by a search of the player whose turn it is."""
        xp, caller, count = self.xp, games.caller, len(rows)
        mine, here = hands[rows, caller], games.take(rows)
        layouts = self._layouts(games, past, mine, rows, search)  # (n, k, 4)
        size = layouts.shape[1]
        calls = self._candidates(here, hands[rows], layouts, search.calls)  # (n, c)
        asked = calls.shape[1]
        at = xp.arange(count, device=rows.device)[:, None, None]
        at = xp.broadcast_to(at, (count, asked, size)).reshape(-1)
        deals = xp.broadcast_to(layouts[:, None], (count, asked, size, 4)).reshape(-1, 4)
        made = xp.broadcast_to(calls[:, :, None], (count, asked, size)).reshape(-1)
        ended = here.take(at)
        ended.step(made)
        while bool((going := ~ended.over).any()):
            made = xp.full_like(ended.standing, PASS)
            made[going] = self._preferred(ended.take(going), deals[going])
            ended.step(made)
        points = self._expected(ended, deals, caller).reshape(count, asked, size).mean(2)
        return gather(calls, points.argmax(1)[:, None])[:, 0]

    def _layouts(
        self, games: AuctionGames, past: list[Array], mine: Array, rows: Array, search: Search
    ) -> Array:
        """Layouts (n, k, 4) of what a caller does not see, by how well they explain the calls."""
        xp, caller, count = self.xp, games.caller, len(rows)
        size = DRAWN * search.layouts
        rng = np.random.default_rng((*search.seed, games.calls))
        known = self._put(search.known)[rows]
        layouts = around_hand(mine, caller, known, size, rng)
        likely = self._log_likelihood(past, layouts, rows, caller)
        weights = xp.exp(likely - xp.amax(likely, 1)[:, None])
        sums = xp.cumsum(weights, 1)
        start = self._put(rng.random(count))[:, None]
        even = (xp.arange(search.layouts, device=rows.device) + start) / search.layouts
        chosen = (sums[:, None] < (even * sums[:, -1:])[..., None]).sum(2).clip(max=size - 1)
        flat = layouts.reshape(-1, 4)
        base = size * xp.arange(count, device=rows.device)[:, None]
        return flat[(base + chosen).reshape(-1)].reshape(count, search.layouts, 4)

    def _log_likelihood(self, past: list[Array], layouts: Array, rows: Array, caller: int) -> Array:
        """How likely the network makes the others' calls with layouts (n, k, 4): (n, k)."""
        xp, (count, size, _) = self.xp, layouts.shape
        flat = layouts.reshape(-1, 4)
        replay = AuctionGames(len(flat), self.device)
        likely = xp.zeros((count, size), dtype=xp.float64, device=flat.device)
        for calls in past:
            made = xp.broadcast_to(calls[rows][:, None], (count, size)).reshape(-1)
            if replay.caller != caller:
                likely = likely + self._log_chances(replay, flat, made).reshape(count, size)
            replay.step(made)
        return likely

    def _log_chances(self, games: AuctionGames, hands: Array, calls: Array) -> Array:
        """The logarithms of the chances that the network makes these calls (n,)."""
        xp = self.xp
        wish = cast(self.wishes(games.observe(hands)), xp.float64)
        legal = bits(games.legal(), wish.shape[1])
        wish = xp.where(legal, wish, -np.inf)
        wish = xp.exp(wish - xp.amax(wish, 1)[:, None])
        chance = gather(wish, calls[:, None])[:, 0] / wish.sum(1)
        return xp.log(FLOOR / legal.sum(1) + (1 - FLOOR) * chance)

    def _candidates(self, games: AuctionGames, hands: Array, layouts: Array, count: int) -> Array:
        """Calls to try (n, c): pass, the network's first choices, and the best contract.

        The best contract is that by the forecast over the layouts; the lowest legal bid in its
        strain is tried, too.
        """
        xp, (n, size, _) = self.xp, layouts.shape
        wish = self.wishes(games.observe(hands))
        legal = bits(games.legal(), wish.shape[1])
        preferred = (-xp.where(legal, wish, -np.inf)).argsort(1)[:, : count - 3]
        own = xp.broadcast_to(hands[:, games.caller][:, None], (n, size)).reshape(-1)
        tricks = self._pair(own, layouts[..., 3].reshape(-1)).reshape(n, size, STRAINS, -1).mean(1)
        worth = cast(self._worth, tricks.dtype)
        values = (tricks[:, None] * worth).sum(3).reshape(n, BIDS)
        values = xp.where(legal[:, :BIDS], values, -np.inf)
        best = values.argmax(1)
        levels = xp.arange(LEVELS, device=best.device)
        same = STRAINS * levels + best[:, None] % STRAINS
        lowest = same[:, 0] + STRAINS * cast(gather(legal, same), xp.int64).argmax(1)
        passing = xp.full_like(best, PASS)
        over = ~legal[:, :BIDS].any(1)  # nothing can be bid over 7NT
        best, lowest = xp.where(over, PASS, best), xp.where(over, PASS, lowest)
        first = xp.where(gather(legal, preferred), preferred, PASS)
        return xp.concat([passing[:, None], first, best[:, None], lowest[:, None]], 1)

    def _expected(self, games: AuctionGames, hands: Array, seat: int) -> Array:
        """What a player expects of contracts by the forecast, in points: (n,)."""
        xp = self.xp
        bid, declarer = (games.standing - 1).clip(min=0), games.bidder % SEATS
        rows = xp.arange(len(bid), device=bid.device)
        tricks = self._pair(gather(hands, declarer[:, None])[:, 0], hands[:, 3])
        level, strain = bid // STRAINS, bid % STRAINS
        worth = cast(self._worth, tricks.dtype)[level, strain]
        points = (tricks[rows, strain] * worth).sum(1)
        points = xp.where(declarer == seat, points, -points / 2)
        return xp.where(games.bidder == NOBODY, 0.0, points)

    def calls(self, hands: I64) -> I64:
        """The calls (t, n) of auctions; -1 where one is over."""
        own, games, calls = self._put(hands), AuctionGames(len(hands), self.device), []
        while not bool(games.over.all()):
            chosen = self._preferred(games, own)
            calls.append(fetch(self.xp.where(games.over, -1, chosen)))
            games.step(chosen)
        return np.stack(calls)

    def said(self, hands: I64, layouts: int, seed: tuple[int, ...]) -> tuple[I64, F32]:
        """The calls (t, n) of auctions, and the bits that each says to the other two players.

        (t, n, 2, 4): to the next player and to the one after; about the caller's hand, the third
        player's, the hidden hand, and all three together. Bits are what the log score of the unseen
        cards gains by the call. Nothing is said where the auction is over (call -1).
        """
        xp, own = self.xp, self._put(hands)
        calls = self.calls(hands)
        over = [self._put(row < 0) for row in calls]
        past = [self._put(np.where(row < 0, PASS, row)) for row in calls]
        result = np.zeros((len(past), len(hands), 2, 4), np.float32)
        for seat in range(SEATS):
            rng = np.random.default_rng((*seed, seat))
            rows = xp.arange(len(hands), device=own.device)
            mine = own[:, seat]
            drawn = around_hand(mine, seat, xp.zeros_like(mine), layouts, rng)
            likely = xp.zeros((len(hands), layouts), dtype=xp.float64, device=own.device)
            replay = AuctionGames(len(hands) * layouts, self.device)
            before = missing_bits(drawn, likely, own, seat)
            for at, called in enumerate(past):
                on = ~over[at][rows]
                if not bool(on.all()):
                    flat = xp.broadcast_to(on[:, None], (len(rows), layouts)).reshape(-1)
                    replay, rows, drawn = replay.take(flat), rows[on], drawn[on]
                    likely, before = likely[on], before[on]
                made = xp.broadcast_to(called[rows][:, None], (len(rows), layouts)).reshape(-1)
                caller = replay.caller
                if caller != seat:
                    more = self._log_chances(replay, drawn.reshape(-1, 4), made)
                    likely = likely + more.reshape(len(rows), layouts)
                    after = missing_bits(drawn, likely, own[rows], seat)
                    told = fetch(before - after)
                    third = next(each for each in range(SEATS) if each not in (caller, seat))
                    listener = (seat - caller) % SEATS - 1
                    result[at, fetch(rows), listener] = told[:, [caller, third, 3, 4]]
                    before = after
                replay.step(made)
        return calls, result

    def bid_alone(self, hands: I64, seats: int) -> tuple[Array, Array]:
        """Declarer and 1 + bid of auctions among three players, or four in pairs.

        Every bidder makes the bid with the most expected points from their own hand, as if it were
        the contract, and passes partner's bid. With four, the seats are the columns of `hands`.
        """
        xp, own, count = self.xp, self._put(hands), len(hands)
        single = self._single(own[:, :seats].reshape(-1)).reshape(count, seats, 1, STRAINS, -1)
        values = (single * cast(self._worth, single.dtype)).sum(4).reshape(count, seats, BIDS)
        zero = xp.zeros_like(own[:, 0])
        standing, bidder, passed, caller = zero, zero - 1, zero, 0
        while True:
            over = passed == xp.where(standing == 0, seats, seats - 1)
            if bool(over.all()):
                break
            legal = bits(by_standing(standing), BIDS)
            mine = xp.where(legal, values[:, caller], -np.inf)
            best = mine.argmax(1)
            passing = xp.where(standing == 0, 0.0, -self._conceded)
            friend = (bidder >= 0) & ((bidder - caller) % seats == 2) & (seats == 4)
            bids = ~over & ~friend & (gather(mine, best[:, None])[:, 0] > passing)
            passed = xp.where(over, passed, xp.where(bids, 0, passed + 1))
            standing = xp.where(bids, best + 1, standing)
            bidder = xp.where(bids, caller, bidder)
            caller = (caller + 1) % seats
        return bidder, standing

    def set_contracts(self, chairs: I64, standing: Array) -> Contracts:
        """Contracts by bid (1 + its number), hands (n, 4) in chair order, with no other calls."""
        bid = (standing - 1).clip(min=0)
        level, strain = bid // STRAINS + 1, bid % STRAINS
        return Contracts(self._put(chairs), level, strain, 0 * level, *set_auction(level, strain))

    def outcomes(self, games: AuctionGames, hands: I64) -> Outcomes:
        """Play the contracts of auctions."""
        won = self.play(games.contracts(self._put(hands)))
        return Outcomes(games.bidder, games.standing, won)

    def play(self, contracts: Contracts) -> Array:
        """Declarer's tricks (n,)."""
        xp = self.xp
        worth = self._worth[contracts.level - 1, contracts.strain]
        steps = worth[:, 1:] - worth[:, :-1]
        swing = gather(steps, contracts.level[:, None] + FULL_DECK.book - 1)
        games = PlayGames(contracts, steps=cast((SWING * steps / swing).round(), xp.int64))
        while games.cards < _LAST:
            masks, numbers = games.observe()
            seen = expand_play(masks[:, :MASKS], numbers, _precision(self.device))
            wish = by_card(self._player(*seen))[0]
            card = xp.where(bits(games.legal(), CARDS), wish, -np.inf).argmax(1)
            games.step(card)
        games.finish()
        return games.won


def missing_bits(layouts: Array, likely: Array, hands: Array, seat: int) -> Array:
    """Bits still missing about each hand, 0 for the player's own, then about all: (n, 5).

    The sum over the unseen cards of -log2 of the chance given to what is true: that this hand has
    the card or has not, and for all hands together, who has it. Layouts (n, k, 4) have logarithms
    of weights (n, k); the sample counts as its effective size and one layout more, in which all is
    even.
    """
    xp = namespace(layouts)
    weights = xp.exp(likely - xp.amax(likely, 1)[:, None])
    size = (weights.sum(1) ** 2 / (weights**2).sum(1))[:, None]
    weights = cast(weights / weights.sum(1)[:, None], xp.float32)
    unseen = ~bits(hands[:, seat], CARDS)
    missing, whole = [], xp.zeros_like(size[:, 0])
    for at in range(4):
        held = cast(bits(layouts[..., at], CARDS), xp.float32)
        chance = (weights[:, None] @ held)[:, 0]
        chance = (size * chance + 1 / 3) / (size + 1)
        true = bits(hands[:, at], CARDS)
        bit = -xp.log2(xp.where(true, chance, 1 - chance))
        missing.append(xp.where(unseen & (at != seat), bit, 0.0).sum(1))
        whole = whole - xp.where(true & unseen, xp.log2(chance), 0.0).sum(1)
    return xp.stack([*missing, whole], 1)


def around_hand(mine: Array, seat: int, known: Array, size: int, rng: np.random.Generator) -> Array:
    """Random layouts (n, size, 4) around the hands of a seat and known cards of dummy."""
    xp, device = namespace(mine), mine.device
    drawn = rng.random((len(mine), size, CARDS), np.float32)
    keys = drawn if xp is np else xp.asarray(drawn, device=device)
    placed = bits(mine | known, CARDS)[:, None]
    cards = 1 << xp.where(placed, 2.0, keys).argsort(2)
    place = xp.arange(CARDS, device=device)
    free = 13 - bits(known, CARDS).sum(1)[:, None]  # what the hidden hand still draws
    hidden = (cards * (place < free)[:, None]).sum(2) + known[:, None]
    left = (cards * ((place >= free) & (place < free + 13))[:, None]).sum(2)
    right = (cards * ((place >= free + 13) & (place < free + 26))[:, None]).sum(2)
    own = xp.broadcast_to(mine[:, None], left.shape)
    by_seat = {seat: own, (seat + 1) % SEATS: left, (seat + 2) % SEATS: right}
    return xp.stack([*(by_seat[at] for at in range(SEATS)), hidden], 2)


def _precision(device: Any) -> Any:
    """The type in which a network reads features: bfloat16 on a GPU."""
    if device == CPU:
        return np.float32
    import torch

    return torch.bfloat16 if device.type == "cuda" else torch.float32


def _network(name: str, device: Any) -> Callable[[Array, Array], Array]:
    """A network of the package, from features to outputs."""
    if device == CPU:
        return learned.network(name)
    import torch

    from tribridge.lab.training import networks, ppo

    module = networks.shipped(name, device)

    def run(suits: Array, table: Array) -> Array:
        with torch.no_grad(), ppo.half(device):
            return module(suits, table).float()

    return run
