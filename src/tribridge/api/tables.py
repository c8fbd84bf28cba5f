"""Deals, tables and views; deals in files."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from tribridge.api.reading import as_whole
from tribridge.cards import FULL_DECK, Deck
from tribridge.dealer import deal as deal_number
from tribridge.deals import Deal, Seat
from tribridge.errors import SettingError, shown
from tribridge.game.record.pbn import dumps_deals, load_deals
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
    doubles: bool = False,
    deck: Deck | str = FULL_DECK,
    rubber: Rubber | None = None,
    scheme: Scheme | str | None = None,
) -> Table:
    """A table before the first call, with a given deal or with deal `number` of a seed.

    The deal may belong to a `rubber`, whose standing counts for the strategies at the table, or be
    scored by a `scheme`.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, dealer="E")
        >>> table.turn, table.call("1NT").call("pass").call("pass").contract
        (Seat.EAST, Contract('1NT', 'E'))

    Raises:
        SettingError: neither a deal nor a seed is given, or both are.
        FormatError: the deal, the dealer or the deck cannot be read.
        CardsError: a card of the deal is missing or in two hands.
    """
    if (deal is None) == (seed is None):
        raise SettingError("new_table needs either a deal or a seed, as in new_table(seed=1)")
    pack = Deck(deck)
    if deal is not None:
        dealt = Deal(deal, pack)
    else:
        assert seed is not None
        dealt = deal_number(as_whole(seed, "seed"), as_whole(number, "number"), pack)
    state = None if rubber is None else rubber.state
    scored = find_scheme(scheme) if isinstance(scheme, str) else scheme
    if not (scored is None or isinstance(scored, Scheme)):
        raise SettingError(
            f"scheme must be a name, as in 'contract', or a Scheme, not {shown(scored)}"
        )
    return start_table(dealt, Seat(dealer), doubles=doubles, rubber=state, scheme=scored)


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


def load_pbn(path: str | PathLike[str]) -> list[Deal]:
    """The deals of a PBN file, or of a LIN file.

    Examples:
        >>> import tempfile, pathlib
        >>> import tribridge as tb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "one.pbn")
        ...     size = path.write_text(tb.to_pbn(tb.deal(seed=1)))
        ...     tb.load_pbn(path) == [tb.deal(seed=1)]
        True

    Raises:
        FormatError: the file cannot be read as PBN or LIN, or has no deal in it.
        CardsError: a deal in it repeats a card or has too few cards.
        RecordError: a three-player record in it cannot be replayed.
        OSError: the file cannot be opened.
    """
    return load_deals(Path(path))


def to_pbn(*deals: Deal | Table | str) -> str:
    """Deals as the text of a PBN file; tables are written with their auction and play.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.to_pbn(tb.deal(seed=1)))  # doctest: +ELLIPSIS
        % PBN 2.1
        % EXPORT
        <BLANKLINE>
        [Board "1"]
        [Deal "N:J63.43.QT3.AQJT2 ...]
        <BLANKLINE>

    Raises:
        FormatError: a deal given as text cannot be read.
    """
    things: Iterable[Deal | Table] = (one if isinstance(one, Table) else Deal(one) for one in deals)
    return dumps_deals(things)
