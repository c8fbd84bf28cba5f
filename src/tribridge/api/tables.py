"""Deals, tables and views."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from tribridge.api import as_whole
from tribridge.cards.cards import FULL_DECK, Card, Cards, Deck, Hand, Strain
from tribridge.cards.dealer import check_deals, check_seed
from tribridge.cards.dealer import deal as deal_number
from tribridge.cards.dealing import TRIES, Deals, deals_where
from tribridge.cards.deals import ByStrain, Deal, Seat
from tribridge.common.errors import SettingError, check_switches, check_type, shown
from tribridge.common.waiting import Waiting
from tribridge.game.auction import DOUBLE, Call, Contract, parse_calls
from tribridge.game.rubber import Rubber
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Table
from tribridge.game.table import new_table as start_table
from tribridge.game.views import View
from tribridge.game.views import view as view_of

if TYPE_CHECKING:
    from tribridge.cards.conditions import Condition
    from tribridge.cards.masks import F64, U64


def deal(
    seed: int | None = None,
    number: int = 0,
    *,
    where: str | Callable[[Deal], object] | None = None,
    tries: int = TRIES,
    deck: Deck | str = FULL_DECK,
) -> Deal:
    """Deal number `number` of seed `seed`, the same on every machine; without a seed, any deal.

    `where` is a condition: text such as `hcp(N) >= 15 and balanced(N)`, or a function of the deal.
    `number` then counts the deals that meet it. `deals` says how rare they are; the search ends
    with an error after `tries` deals in a row that do not.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.deal(seed=1))
        N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64
        >>> tb.deal(seed=1, number=7, deck="2x4").hidden
        Hand('..A.A')
        >>> tb.deal(seed=1, where="hcp(N) >= 15 and balanced(N)").hands["N"]
        Hand('AQ.Q96.QJ863.A95')
        >>> tb.deal(seed=1, where=lambda deal: deal.hidden.length("S") >= 8).hidden
        Hand('KQ875432..AJ85.4')

    Raises:
        SettingError: the seed or the number is negative, too large or not a whole number.
        FormatError: the deck or the condition cannot be read.
        CardsError: the condition puts a card into two hands, or too many into one.
        RunError: too few deals meet the condition.
    """
    if where is None:
        return deal_number(_seed(seed), as_whole(number, "number"), Deck(deck))
    return deals(1, seed, number, where=where, tries=tries, deck=deck)[0]


def deals(
    count: int,
    seed: int | None = None,
    number: int = 0,
    *,
    where: str | Callable[[Deal], object] | None = None,
    tries: int = TRIES,
    deck: Deck | str = FULL_DECK,
) -> Deals:
    """So many deals from number `number` of a seed on, and how many were tried for them.

    Examples:
        >>> import tribridge as tb
        >>> deals = tb.deals(100, seed=1, where="has(N, 'SA') and spades(N) >= 5")
        >>> deals, deals[0].hands["N"]
        (<100 deals of seed 1, 1 in 3.8 tried>, Hand('A87642.852.KT3.K'))

    Raises:
        SettingError: a number is out of range or not a whole number.
        FormatError: the deck or the condition cannot be read.
        CardsError: the condition puts a card into two hands, or too many into one.
        RunError: too few deals meet the condition.
    """
    pack, seed = Deck(deck), _seed(seed)
    count, number = as_whole(count, "count"), as_whole(number, "number")
    check_deals(number, count)
    check_seed(seed)
    end = number + count
    if where is None:
        made = tuple(deal_number(seed, at, pack) for at in range(number, end))
        return Deals(made, seed, count, count)
    if not (isinstance(where, str) or callable(where)):
        raise SettingError(f"where must be a text or a function of a deal, not {shown(where)}")
    wanted = _condition(where, pack) if isinstance(where, str) else where
    suitable, tried = [], 0
    with Waiting("dealing") as line:
        each = deals_where(wanted, seed, pack, as_whole(tries, "tries"))
        for dealt, tried in islice(each, end):  # noqa: B007
            suitable.append(dealt)
            line.update(len(suitable), end)
    return Deals(tuple(suitable[number:]), seed, end, tried)


def _seed(seed: int | None) -> int:
    return secrets.randbits(32) if seed is None else as_whole(seed, "seed")


def _condition(text: str, deck: Deck) -> Condition:
    """A condition in which `tricks` are solved double dummy, each deal once."""
    from functools import lru_cache

    import numpy as np

    from tribridge.cards.conditions import Condition
    from tribridge.double_dummy.many import DealTask

    @lru_cache(1 << 16)
    def solved(hands: tuple[int, int, int, int], seat: Seat) -> ByStrain[int]:
        north, east, south, hidden = map(Hand, hands)
        return DealTask(Deal((north, east, south, hidden), deck), seat).solve()

    def tricks(deals: U64, seat: Seat, strain: Strain) -> F64:
        return np.array([solved(tuple(row), seat)[strain] for row in deals.tolist()], float)

    return Condition(text, deck, tricks)


def new_table(
    deal: Deal | str | None = None,
    *,
    seed: int | None = None,
    number: int = 0,
    dealer: Seat | str = "N",
    hands: Mapping[str, Cards] | Mapping[Seat, Cards] | None = None,
    auction: str | Iterable[Call | str] = (),
    contract: Contract | str | None = None,
    play: str | Iterable[Card | str] = (),
    doubles: bool = False,
    deck: Deck | str = FULL_DECK,
    rubber: Rubber | None = None,
    scheme: Scheme | str | None = None,
    vulnerable: str | Iterable[Seat | str] = (),
    claimed: int | None = None,
) -> Table:
    """A table with a given deal, with deal `number` of a seed, or with the `hands` of a diagram.

    It is before the first call, or after the calls of `auction` (or the shortest auction that ends
    in `contract`, as in `2H by S`) and the cards of `play`. Doubles are allowed if there is one
    among the calls. The deal may belong to a `rubber`, whose standing counts for the strategies at
    the table, or be scored by a `scheme`. A claim may have ended it, with so many tricks for the
    declarer.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, dealer="E")
        >>> table.turn, table.call("1NT").call("pass").call("pass").contract
        (Seat.EAST, Contract('1NT', 'E'))
        >>> table = tb.new_table(seed=1, auction="1NT pass 2H pass pass", play="CT")
        >>> table == tb.new_table(seed=1, auction="1NT pass 2H pass pass").play("CT")
        True
        >>> table
        new_table('N:J63.43.QT3.AQJT2 ...', dealer='N', auction='1NT Pass 2H Pass Pass', play='CT')
        >>> hands = {"N": "AKQ2.K93.A92.KQ5", "E": "J53.AQ5.KT43.J93", "S": "T984.842.J76.A74"}
        >>> tb.new_table(hands=hands, contract="1NT by N").deal.hidden
        Hand('76.JT76.Q85.T862')

    Raises:
        SettingError: neither a deal nor a seed is given, or both are; a scheme or a small deck in a
            rubber.
        FormatError: the deal, the dealer or the deck cannot be read.
        CardsError: a card of the deal is missing or in two hands.
    """
    check_type(auction, "new_table: auction", "str | Iterable[Call | str]", Iterable)
    check_type(contract, "new_table: contract", "Contract | str | None", Contract, str, None)
    check_type(rubber, "new_table: rubber", "Rubber | None", Rubber, None)
    check_type(vulnerable, "new_table: vulnerable", "str | Iterable[Seat | str]", Iterable)
    check_switches("new_table", doubles=doubles)
    if sum(given is not None for given in (deal, seed, hands)) != 1:
        raise SettingError("new_table needs either a deal or a seed, as in new_table(seed=1)")
    pack = Deck(deck)
    if deal is not None:
        dealt = Deal(deal, pack)
    elif hands is not None:
        dealt = Deal.from_hands(hands, pack)
    else:
        assert seed is not None
        dealt = deal_number(as_whole(seed, "seed"), as_whole(number, "number"), pack)
    state = None if rubber is None else rubber.state
    if state is not None and (scheme is not None or dealt.deck != FULL_DECK):
        raise SettingError("a deal of a rubber has the full deck and laws in place of a scheme")
    first, calls = Seat(dealer), parse_calls(auction)
    if contract is not None:
        if calls:
            raise SettingError("new_table takes either an auction or a contract")
        calls = (Contract(contract) if isinstance(contract, str) else contract).calls(first)
    table = start_table(
        dealt,
        first,
        doubles=doubles or DOUBLE in calls,
        rubber=state,
        scheme=None if scheme is None else find_scheme(scheme),
        vulnerable=tuple(seat for seat in Seat if seat in set(map(Seat, vulnerable))),
    )
    played = table.call(calls).play(play)
    return played if claimed is None else played.claim(claimed)


def view(table: Table, seat: Seat | str | None) -> View:
    """What one player may see of a table; for None, what a kibitzer without cards sees.

    Examples:
        >>> import tribridge as tb
        >>> seen = tb.view(tb.new_table(seed=1), "N")
        >>> seen.hand, seen.dummy, len(seen.legal)
        (Hand('J63.43.QT3.AQJT2'), None, 36)

    Raises:
        FormatError: the seat cannot be read.
    """
    check_type(table, "view: table", "Table", Table)
    return view_of(table, None if seat is None else Seat(seat))
