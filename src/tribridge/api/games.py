"""Strategies at work: one choice, one game, many games."""

from __future__ import annotations

from tribridge.api.reading import as_deck, as_whole
from tribridge.api.tables import new_table
from tribridge.arena.contest import Contest, hold
from tribridge.arena.playing import play
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards import FULL_DECK, Deck
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError, NotFoundError, SettingError, shown
from tribridge.game.table import Table
from tribridge.game.views import View
from tribridge.strategies import (
    Caller,
    Choice,
    Entries,
    OpenPlayer,
    Player,
    Strategy,
    StrategyError,
    as_strategy,
    decision_rng,
    find_strategy,
    guarded,
    guarded_act,
    strategies,
)

AnyStrategy = Strategy | Caller | Player | OpenPlayer | str
"""A strategy, a caller, a player, or the name of one."""


def choose(strategy: AnyStrategy, table: Table | View, *, seed: int = 1, number: int = 0) -> Choice:
    """The call or the card that a strategy chooses, as `.action`, and why, as `.reason`.

    A fair strategy decides from the view of the player whose turn it is. Its
    random choices depend only on `seed` and `number` (of the deal).

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1)
        >>> for call in "1NT pass pass".split():
        ...     table = table.call(call)
        >>> choice = tb.choose("maxims", table)
        >>> choice.action, choice.reason
        (Card('HT'), '♥T from the longest suit, to set it up.')
        >>> table = table.play(choice.action)

    Raises: NotFoundError: there is no such strategy. SettingError: a parameter of the strategy is
    out of range. IllegalActionError: there is nothing to choose: the deal is over, or it is not
    this seat's turn.
        StrategyError: the strategy failed, or made an illegal choice.
    """
    player = as_strategy(strategy)
    if not isinstance(table, (Table, View)):
        raise SettingError(f"{shown(table)} is neither a table nor a view")
    seat = table.turn
    if seat is None:
        raise IllegalActionError("the deal is over: there is nothing to choose")
    if isinstance(table, View) and table.seat is not seat:
        raise IllegalActionError(f"there is nothing to choose here: it is {seat}'s turn")
    rng = decision_rng(as_whole(seed, "seed"), as_whole(number, "number"), seat, _actions(table))
    return (
        guarded_act(player, table, rng) if isinstance(table, Table) else guarded(player, table, rng)
    )


def _actions(table: Table | View) -> int:
    """How many calls and cards have been made so far."""
    play = table.position if isinstance(table, Table) else table
    cards = 0 if play is None else 4 * len(play.tricks) + len(play.trick)
    return len(table.auction.calls) + cards


def play_game(
    north: AnyStrategy,
    east: AnyStrategy,
    south: AnyStrategy,
    *,
    deal: Deal | str | None = None,
    seed: int = 1,
    number: int = 0,
    dealer: Seat | str = "N",
    doubles: bool = False,
    deck: Deck | str = FULL_DECK,
) -> Table:
    """Let three strategies play a deal: the given one, or deal `number` of `seed`.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.play_game("points+maxims", "points+random", "capture", seed=1, number=2)
        >>> table.contract, table.outcome.tricks, table.scores("auction")
        (Contract('1D', 'N'), 10, {N: 28, E: 0, S: 0})

    Raises:
        NotFoundError: there is no such strategy.
        SettingError: the seed is out of range.
        FormatError: the deal, the dealer or the deck cannot be read.
        CardsError: a card of the deal is missing or in two hands.
        StrategyError: a strategy failed, or made an illegal choice.
    """
    seats = [as_strategy(strategy) for strategy in (north, east, south)]
    start = (
        new_table(seed=seed, number=number, dealer=dealer, doubles=doubles, deck=deck)
        if deal is None
        else new_table(deal, dealer=dealer, doubles=doubles, deck=deck)
    )
    seed, number = as_whole(seed, "seed"), as_whole(number, "number")
    game = play(start, seats, seed=seed, number=number, stop=True)
    if game.faults:
        raise StrategyError(game.faults[0].message)
    return game.table


def compare(
    first: AnyStrategy,
    second: AnyStrategy,
    *,
    deals: float = 100,
    seed: int = 1,
    scheme: str = "auction",
    laws: str | None = None,
    doubles: bool = False,
    play_only: bool = False,
    deck: Deck | str = FULL_DECK,
    processes: int = 1,
    cluster: str | None = None,
) -> Contest:
    """Which of two strategies is better, by how much and with what certainty: see `.summary()`.

    On every deal the two play all seatings of two against one, with `doubles` or without, and
    points are compared. With `laws` they play rubbers, `deals` of them. With `play_only` they play
    cards in contracts set by a rule, as declarer and as defenders, and tricks are compared. The
    games run in this process; `processes=0` uses all cores, and `cluster` a Dask cluster, given by
    the address of its scheduler. Other processes know the strategies of installed packages, but not
    those registered in this one.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.compare("capture", "random", deals=4, play_only=True).comparisons[0].first)
        capture

    Raises:
        NotFoundError: there is no such strategy or scheme, or there are no such laws.
        SettingError: a number is out of range, laws are given for card play alone, or a strategy
            failed in a game.
        FormatError: the deck cannot be read.
    """
    names = _name(first), _name(second)
    if play_only and laws is not None:
        raise SettingError("play_only compares tricks in single contracts: laws have no part in it")
    if play_only:
        work: MatchWork | PlayWork = PlayWork(
            names, names, as_whole(seed, "seed"), scheme=scheme, deck=as_deck(deck)
        )
    else:
        work = MatchWork(
            names, as_whole(seed, "seed"), scheme, as_deck(deck), doubles=doubles, laws=laws
        )
    return hold(work, as_whole(deals, "deals"), as_whole(processes, "processes"), cluster)


def _name(given: AnyStrategy) -> str:
    """The name of a strategy; an object must be the registered strategy of that name."""
    if isinstance(given, str):
        return given
    strategy = as_strategy(given)
    try:
        same = find_strategy(strategy.name)
    except NotFoundError:
        same = None
    if same is None or (same.caller, same.player) != (strategy.caller, strategy.player):
        raise SettingError(
            f"{strategy.name} is not what its name stands for in the list of strategies: "
            "register its class and compare it by name"
        )
    return strategy.name


def list_strategies() -> Entries:
    """All strategies, with their parameters; print the result to read it.

    Callers and players can be combined as well: `points+maxims`. Raises nothing: a strategy
    from another package that cannot be loaded is left out with a warning.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.list_strategies()[0])  # doctest: +ELLIPSIS
        pass  calls: always passes; cards: ...
        >>> names = [entry.name for entry in tb.list_strategies()]
        >>> "maxims" in names, "sampling" in names
        (True, True)
    """
    return strategies()
