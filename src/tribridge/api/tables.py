"""Deals, tables and views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tribridge.api import as_whole
from tribridge.cards.cards import FULL_DECK, Card, Cards, Deck
from tribridge.cards.dealer import deal as deal_number
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import SettingError
from tribridge.game.auction import DOUBLE, Call, Contract, parse_calls
from tribridge.game.rubber import Rubber
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Table
from tribridge.game.table import new_table as start_table
from tribridge.game.views import View
from tribridge.game.views import view as view_of


def deal(seed: int, number: int = 0, *, deck: Deck | str = FULL_DECK) -> Deal:
    """Deal number `number` of seed `seed`, the same on every machine.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.deal(seed=1))
        N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64
        >>> tb.deal(seed=1, number=7, deck="2x4").hidden
        Hand('..A.A')

    Raises:
        SettingError: the seed or the number is negative, too large or not a whole number.
        FormatError: the deck cannot be read.
    """
    return deal_number(as_whole(seed, "seed"), as_whole(number, "number"), Deck(deck))


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
    return view_of(table, None if seat is None else Seat(seat))
