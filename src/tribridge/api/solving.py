"""Double dummy: deals and positions solved, one or thousands at once; par."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, overload

from tribridge.api import as_whole
from tribridge.cards.cards import FULL_DECK, Card, Deck
from tribridge.cards.deals import BySeat, ByStrain, Deal, Seat
from tribridge.common.errors import IllegalActionError, SettingError, check_type, shown
from tribridge.common.waiting import Waiting
from tribridge.game.table import Table

if TYPE_CHECKING:
    from tribridge.double_dummy.par import DoubleDummyTable, Par

_PROGRESS: Final = "Callable[[int, int], None] | None"


@overload
def solve(  # type: ignore[overload-overlap]  # a text is iterable, too
    deal: Deal | Table | str, declarer: Seat | str, *, deck: Deck | str = ...
) -> ByStrain[int]: ...
@overload
def solve(  # type: ignore[overload-overlap]
    deal: Deal | str, *, deck: Deck | str = ...
) -> BySeat[ByStrain[int]]: ...
@overload
def solve(deal: Table) -> dict[Card, int]: ...
@overload
def solve(
    deal: Iterable[Deal | Table | str],
    declarer: Seat | str | None = ...,
    *,
    deck: Deck | str = ...,
    processes: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> list[Any]: ...
def solve(
    deal: Deal | Table | str | Iterable[Deal | Table | str],
    declarer: Seat | str | None = None,
    *,
    deck: Deck | str = FULL_DECK,
    processes: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Double dummy (all cards visible, best play): a position, a deal, or many of them at once.

    For a table in the play: declarer's tricks at the end of the deal, after each card that may be
    played now. For a deal: the tricks of a declarer in each strain with the hidden hand as dummy,
    or, without a declarer, of each player. A list is solved on all cores (`processes` limits
    them) and gives a list in the same order; `progress` is called with the number done and the
    number in all, in place of a line on the terminal or in the notebook.

    Examples:
        >>> import tribridge as tb
        >>> tricks = tb.solve(tb.deal(seed=1), declarer="S")
        >>> tricks["NT"], tricks
        (6, {C: 5, D: 6, H: 5, S: 8, NT: 6})
        >>> table = tb.new_table(seed=1, contract="1NT by S", play="D3 D4 D2")
        >>> tb.solve(table)  # South plays
        {Card('D6'): 8, Card('D9'): 8, Card('DK'): 7}
        >>> tb.solve([tb.deal(seed=1), table], declarer="S") == [tricks, tricks]
        True

    Raises:
        FormatError: the deal, the seat or the deck cannot be read.
        CardsError: a card is missing or in two hands.
        IllegalActionError: a table without a declarer is over.
        SettingError: no solver is installed for a deck of this size.
    """
    from tribridge.double_dummy.many import solve_all

    check_type(progress, "solve: progress", _PROGRESS, Callable, None)  # type: ignore[arg-type]
    pack, seat = Deck(deck), None if declarer is None else Seat(declarer)
    if isinstance(deal, (Deal, Table, str)):
        return _answer(deal, seat, pack, iter(_one(task) for task in _tasks(deal, seat, pack)))
    if not isinstance(deal, Iterable):
        raise SettingError(f"{shown(deal)} is neither a deal nor a table, nor a list of them")
    things = [given if isinstance(given, (Deal, Table)) else Deal(given, pack) for given in deal]
    tasks = [task for thing in things for task in _tasks(thing, seat, pack)]
    with Waiting("solving") as line:
        tell = progress or line.update
        answers = []
        for answer in solve_all(tasks, as_whole(processes, "processes")):
            answers.append(answer)
            tell(len(answers) * len(things) // len(tasks), len(things))
    in_turn = iter(answers)
    return [_answer(thing, seat, pack, in_turn) for thing in things]


def _one(task: Any) -> Any:
    return task.solve()


def _tasks(thing: Deal | Table | str, seat: Seat | None, pack: Deck) -> list[Any]:
    """What is to be solved for a deal or a table."""
    from tribridge.double_dummy.many import DealTask, PlayTask

    if isinstance(thing, Table):
        if seat is None and (thing.position is not None or thing.over):
            if thing.over or thing.position is None:
                raise IllegalActionError("the deal is over: there is no card to play")
            return [PlayTask(thing.deal.deck, thing.position)]
        thing = thing.deal
    whole = Deal(thing, pack)
    return [DealTask(whole, declarer) for declarer in (Seat if seat is None else [seat])]


def _answer(thing: Deal | Table | str, seat: Seat | None, pack: Deck, answers: Any) -> Any:
    if seat is None and not (isinstance(thing, Table) and thing.position is not None):
        return BySeat({declarer: next(answers) for declarer in Seat})
    return next(answers)


@overload
def solve_four(deals: Deal | Table | str) -> DoubleDummyTable: ...  # type: ignore[overload-overlap]
@overload
def solve_four(
    deals: Iterable[Deal | Table | str],
    *,
    processes: int = ...,
    progress: Callable[[int, int], None] | None = ...,
) -> list[DoubleDummyTable]: ...
def solve_four(
    deals: Deal | Table | str | Iterable[Deal | Table | str],
    *,
    processes: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> DoubleDummyTable | list[DoubleDummyTable]:
    """The double-dummy table of four players: the tricks of each declarer in each strain.

    West has the hidden hand. A list is solved on all cores and gives a list.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.solve_four(tb.deal(seed=1)))
              C   D   H   S  NT
        N    10   7   6   8   9
        E     3   5   7   5   3
        S    10   7   6   8   9
        W     3   5   6   5   3

    Raises:
        FormatError: a deal cannot be read.
        CardsError: a card is missing or in two hands.
    """
    from tribridge.double_dummy.many import FourTask, solve_all
    from tribridge.double_dummy.par import DoubleDummyTable

    kinds = "Deal | Table | str | Iterable[Deal | Table | str]"
    check_type(deals, "solve_four: deals", kinds, Deal, Table, Iterable)
    check_type(progress, "solve_four: progress", _PROGRESS, Callable, None)  # type: ignore[arg-type]
    if isinstance(deals, (Deal, Table, str)):
        return DoubleDummyTable(FourTask(four_hands(deals)).solve())
    tasks = [FourTask(four_hands(deal)) for deal in deals]
    with Waiting("solving") as line:
        tell = progress or line.update
        tables = []
        for tricks in solve_all(tasks, as_whole(processes, "processes")):
            tables.append(DoubleDummyTable(tricks))
            tell(len(tables), len(tasks))
    return tables


def four_hands(deal: Deal | Table | str) -> Deal:
    """A deal with North, East, South and West where they sat, if a table is from such a file."""
    if isinstance(deal, Table):
        if deal.tags.four_handed:
            return Deal(deal.tags["Deal"])
        return deal.deal
    return Deal(deal)


def par(
    deal: Deal | Table | str, *, vulnerable: str | None = None, dealer: Seat | str | None = None
) -> Par:
    """Par of a deal among four players: what the sides score who bid knowing all the cards.

    West has the hidden hand; contract bridge is scored. The dealer's side calls first. A table
    from a file of four players has its own vulnerability and dealer, unless others are given.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.par(tb.deal(seed=1)))
        NS 400: 3NT by N or S
        >>> par = tb.par(tb.deal(seed=1), vulnerable="NS")
        >>> par.score, str(par.contracts[0])  # nine tricks would score 600
        (500, '2Dx by E or W, 3 down')

    Raises:
        FormatError: the deal, the vulnerability or the dealer cannot be read.
        CardsError: a card is missing or in two hands.
    """
    from tribridge.double_dummy.many import FourTask
    from tribridge.double_dummy.par import DoubleDummyTable, par_of, parse_sides

    check_type(vulnerable, "par: vulnerable", "str | None", str, None)
    check_type(dealer, "par: dealer", "Seat | str | None", Seat, str, None)
    if isinstance(deal, Table) and deal.tags.four_handed:
        vulnerable = deal.tags.get("Vulnerable", "") if vulnerable is None else vulnerable
        dealer = deal.tags.get("Dealer") or None if dealer is None else dealer
    risk = parse_sides(vulnerable or "")
    first = dealer.letter if isinstance(dealer, Seat) else dealer or "N"
    return par_of(DoubleDummyTable(FourTask(four_hands(deal)).solve()), risk, first)
