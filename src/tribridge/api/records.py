"""Games in files: those of this package, and records of other programs (PBN, LIN, links)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from tribridge.cards.deals import Deal, looks_like_deal
from tribridge.cards.formats.sources import sound
from tribridge.common.errors import SettingError, check_switches, check_type, shown
from tribridge.common.files import write_atomic
from tribridge.game.record import dumps_table, loads_table
from tribridge.game.record.pbn import dumps_lin, dumps_pbn, link_of, tables_from
from tribridge.game.table import Table


def load_pbn(source: str | PathLike[str], *, strict: bool = False) -> list[Table]:
    r"""The tables of a PBN file, of all such files in a folder, or of the text of one.

    A game that this package wrote comes back as it was played. A game of four players is a table
    seated around its declarer, who is North, with contract, play, result and vulnerability; its
    tags (names, event, the four players' auction) are in `table.tags`. A deal without a contract
    is a table before the first call, with West's hand hidden. What is not sound is left out with a
    warning that names file, board, line and reason; `strict=True` makes it an error.

    Examples:
        >>> import tribridge as tb
        >>> table, = tb.load_pbn('''
        ... [Event "Club night"]
        ... [Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]
        ... [Declarer "S"]
        ... [Contract "3NT"]
        ... [Result "9"]
        ... ''')
        >>> table.contract, table.outcome.tricks, table.tags["Event"], table.tags["Declarer"]
        (Contract('3NT', 'N'), 9, 'Club night', 'S')

    Raises:
        FormatError: this is not a text file, or there is no game in it.
        RecordError: with `strict`, a game is not sound.
        OSError: the file cannot be opened.
    """
    return list(_tables("load_pbn", source, ".pbn", strict=strict))


def iter_pbn(source: str | PathLike[str], *, strict: bool = False) -> Iterator[Table]:
    """The tables of a PBN file one at a time, in memory that does not grow with the file.

    Everything else is as in `load_pbn`.

    Examples:
        >>> import tribridge as tb
        >>> text = tb.to_pbn(*(tb.deal(seed=1, number=number) for number in range(3)))
        >>> sum(table.deal.hands["N"].hcp >= 10 for table in tb.iter_pbn(text))
        2

    Raises:
        FormatError: this is not a text file, or there is no game in it.
        RecordError: with `strict`, a game is not sound.
        OSError: the file cannot be opened.
    """
    return _tables("iter_pbn", source, ".pbn", strict=strict)


def load_lin(source: str | PathLike[str], *, strict: bool = False) -> list[Table]:
    """The tables of a LIN file of Bridge Base Online, of a folder, of a text, or of a link.

    Everything else is as in `load_pbn`, and the tags have the names of PBN.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, contract="1NT by N", play="HT")
        >>> tb.load_lin(tb.to_link(table))[0].contract
        Contract('1NT', 'N')

    Raises:
        FormatError: this is not a text file, or there is no game in it.
        RecordError: with `strict`, a game is not sound.
        OSError: the file cannot be opened.
    """
    return list(_tables("load_lin", source, ".lin", strict=strict))


def save_pbn(
    deals: Deal | Table | Iterable[Deal | Table | str] | str | PathLike[str],
    path: str | PathLike[str] | Deal | Table,
    *more: Deal | Table | str,
) -> None:
    """Write a PBN file of what `to_pbn` takes; an old file is replaced only by a whole one.

    The path may also come first, as in `save_pbn("file.pbn", table, table)`.

    Examples:
        >>> import tempfile, pathlib
        >>> import tribridge as tb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "two.pbn")
        ...     tb.save_pbn([tb.deal(seed=1), tb.deal(seed=2)], path)
        ...     len(tb.load_pbn(path))
        2

    Raises:
        FormatError: a deal given as text cannot be read.
        OSError: the file cannot be written.
    """
    place, things = _saved(deals, path, more)
    write_atomic(place, to_pbn(*things))


def save_lin(
    deals: Deal | Table | Iterable[Deal | Table | str] | str | PathLike[str],
    path: str | PathLike[str] | Deal | Table,
    *more: Deal | Table | str,
) -> None:
    """Write a LIN file of what `to_lin` takes; an old file is replaced only by a whole one.

    Examples:
        >>> import tempfile, pathlib
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, contract="1NT by N", play="HT")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "one.lin")
        ...     tb.save_lin(table, path)
        ...     tb.load_lin(path)[0].history[-1]
        Card('HT')

    Raises:
        FormatError: a deal given as text cannot be read.
        CardsError: the deck is not the full one.
        OSError: the file cannot be written.
    """
    place, things = _saved(deals, path, more)
    write_atomic(place, to_lin(*things))


def to_pbn(*deals: Deal | Table | str) -> str:
    """Deals and tables as the text of a PBN file, with all tags that PBN requires.

    A game of four players that was loaded is written as it was, with what was played since; any
    other table with its auction of three, the dummy seated opposite its declarer.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.to_pbn(tb.deal(seed=1)))  # doctest: +ELLIPSIS
        % PBN 2.1
        % EXPORT
        <BLANKLINE>
        [Event "?"]
        ...
        [Deal "N:J63.43.QT3.AQJT2 ...]
        ...

    Raises:
        FormatError: a deal given as text cannot be read.
    """
    return dumps_pbn(_read(deals))


def to_lin(*deals: Deal | Table | str) -> str:
    r"""Deals and tables as the text of a LIN file, a board a line.

    LIN has room for four players' calls only: a table of three gets the shortest auction that ends
    in its contract.

    Examples:
        >>> import tribridge as tb
        >>> tb.to_lin(tb.new_table(seed=1, contract="1NT by E"))  # doctest: +ELLIPSIS
        'pn|South,hidden,North,East|st||md|...|mb|p|mb|1N|mb|p|mb|p|mb|p|pg||\n'

    Raises:
        FormatError: a deal given as text cannot be read.
        CardsError: the deck is not the full one.
    """
    return dumps_lin(_read(deals))


def to_link(deal: Deal | Table | str) -> str:
    """A link that shows a deal or a table in the hand viewer of Bridge Base Online.

    Examples:
        >>> import tribridge as tb
        >>> tb.to_link(tb.new_table(seed=1, contract="1NT by N"))  # doctest: +ELLIPSIS
        'https://www.bridgebase.com/tools/handviewer.html?n=SJ63H43DQT3CAQJT2&e=...&a=1Nppp'

    Raises:
        FormatError: a deal given as text cannot be read.
        CardsError: the deck is not the full one.
    """
    (thing,) = _read([deal])
    return link_of(thing)


def to_json(table: Table) -> str:
    """A table as JSON: the events of its record, in a list.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, auction="1NT pass pass", play="HT")
        >>> tb.from_json(tb.to_json(table)) == table
        True

    Raises:
        SettingError: this is not a table.
        RecordError: it is an end position from a file, which is no whole game.
    """
    check_type(table, "to_json: table", "Table", Table)
    return dumps_table(table)


def from_json(text: str) -> Table:
    """The table that `to_json` wrote.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, auction="1NT pass pass")
        >>> tb.from_json(tb.to_json(table)).contract
        Contract('1NT', 'N')

    Raises:
        RecordError: the text is not the JSON of a table, or cannot be replayed.
    """
    check_type(text, "from_json: text", "str", str)
    return loads_table(text)


def _tables(
    function: str, source: str | PathLike[str], suffix: str, *, strict: bool
) -> Iterator[Table]:
    """The sound games of a file, a folder or a text, for one of the functions above."""
    check_type(source, f"{function}: source", "str | PathLike[str]", str, PathLike)
    check_switches(function, strict=strict)
    return sound(tables_from(source, (suffix,)), fspath(source), strict=strict)


def _read(deals: Iterable[Deal | Table | str]) -> Iterator[Deal | Table]:
    return (thing if isinstance(thing, Table) else Deal(thing) for thing in deals)


def _saved(
    first: object, second: object, more: tuple[Deal | Table | str, ...]
) -> tuple[Path, list[Deal | Table | str]]:
    """Where to write, and what: `(deals, path)`, or `(path, deal, deal, ...)`."""
    named = isinstance(first, PathLike) or (isinstance(first, str) and not looks_like_deal(first))
    place, things = (first, (second, *more)) if named else (second, (first, *more))
    if not isinstance(place, (str, PathLike)) or (not named and more):
        raise SettingError(f"expected deals and then a path, not {shown(place)} as the path")
    deals: list[Any] = []
    for thing in things:
        many = isinstance(thing, Iterable) and not isinstance(thing, str)
        deals += cast("Iterable[Any]", thing) if many else [thing]
    return Path(place), deals
