"""Strategies at work, and games that were played: choices, games, comparisons, reviews, figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count as counter
from typing import TYPE_CHECKING, Any, TypeAlias

from tribridge.api import as_whole
from tribridge.api.tables import new_table
from tribridge.arena.analysis import Contest, pairs_of
from tribridge.arena.analysis import compare as compare_pairs
from tribridge.arena.playing import play, rubber_of
from tribridge.arena.playing import play_rubber as arena_rubber
from tribridge.arena.results import result_of
from tribridge.arena.running import backend, run
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.dealer import check_seed
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import (
    IllegalActionError,
    SettingError,
    check_switches,
    check_type,
)
from tribridge.common.waiting import Waiting
from tribridge.game.laws import Laws, find_laws
from tribridge.game.record import Record
from tribridge.game.rubber import Rubber
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Table
from tribridge.game.views import View, view
from tribridge.reviews.judging import LAYOUTS
from tribridge.strategies import (
    Choice,
    Entries,
    OpenPlayer,
    Option,
    Strategy,
    StrategyError,
    as_strategy,
    bidding_for,
    decision_rng,
    guarded,
    guarded_act,
    strategies,
)
from tribridge.strategies import options as named_options
from tribridge.strategies.choices import explained
from tribridge.strategies.protocol import AnyCaller, AnyPlayer, actions_made

if TYPE_CHECKING:
    from tribridge.reviews import Judgement, Review

AnyStrategy: TypeAlias = Strategy | AnyCaller | AnyPlayer | OpenPlayer | str
"""A strategy, a caller, a player, or the name of one."""


def choose(
    strategy: AnyStrategy,
    table: Table | View,
    *,
    seed: int = 1,
    number: int = 0,
    alternatives: bool = False,
) -> Choice:
    """The call or the card that a strategy chooses, as `.action`, and why, as `.reason`.

    A fair strategy decides from the view of the player whose turn it is, and bids for the scheme
    of the table if it is one of the package. Its random choices depend only on `seed` and `number`
    (of the deal). What `learned` says is what `options` says of the same choice.

    With `alternatives`, the other `options` of the position are there as `.alternatives`, best
    first: what `learned` would do, if the strategy does something else, and how it values the rest.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1)
        >>> for call in "1NT pass pass".split():
        ...     table = table.call(call)
        >>> choice = tb.choose("maxims", table)
        >>> choice.action, choice.reason
        (Card('HT'), '♥T from the longest suit, to set it up.')
        >>> table = table.play(choice.action)

    Raises:
        NotFoundError: there is no such strategy.
        SettingError: a parameter of the strategy is out of range.
        IllegalActionError: the deal is over, or it is not this seat's turn.
        StrategyError: the strategy failed, or made an illegal choice.
    """
    check_type(table, "choose: table", "Table | View", Table, View)
    check_switches("choose", alternatives=alternatives)
    player = as_strategy(strategy)
    if table.rubber is None and table.scheme is not None:
        player = bidding_for(player, table.scheme)
    seat = table.turn
    if seat is None:
        raise IllegalActionError("the deal is over: there is nothing to choose")
    if isinstance(table, View) and table.seat is not seat:
        raise IllegalActionError(f"there is nothing to choose here: it is {seat}'s turn")
    seed, number = as_whole(seed, "seed"), as_whole(number, "number")
    rng = decision_rng(seed, number, seat, actions_made(table))
    if isinstance(table, View):
        choice = explained(player, table, guarded(player, table, rng))
    else:
        choice = explained(player, view(table, seat), guarded_act(player, table, rng))
    if not alternatives:
        return choice
    others = (
        option for option in options(table) if choice.action not in (option.action, *option.same)
    )
    return replace(choice, alternatives=tuple(others))


def options(table: Table | View) -> tuple[Option, ...]:
    """The choices worth naming of the player whose turn it is, best first.

    The first one is what the strategy `learned` does. Each has a `reason` that is true of the
    position, its `value` in points, the `chance` that the contract makes and, for a card, the
    `tricks` of the player's side and the `share` of experts who would play it, or a card that is
    equal to it.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, auction="1NT pass pass")
        >>> best = tb.options(table)[0]
        >>> best.action == tb.choose("learned", table).action
        True
        >>> print(best)
        ♥5: Through ♥A in dummy: the other defender plays after it.

    Raises:
        IllegalActionError: the deal is over, or it is not this seat's turn.
    """
    check_type(table, "options: table", "Table | View", Table, View)
    seat = table.turn
    if seat is None:
        raise IllegalActionError("the deal is over: there is nothing to choose")
    if isinstance(table, View) and table.seat is not seat:
        raise IllegalActionError(f"there is nothing to choose here: it is {seat}'s turn")
    return named_options(table if isinstance(table, View) else view(table, seat))


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
    check_switches("play_game", doubles=doubles)
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


def play_rubber(
    north: AnyStrategy,
    east: AnyStrategy,
    south: AnyStrategy,
    *,
    laws: Laws | str = "auction-rubber",
    seed: int = 1,
    number: int = 0,
    doubles: bool = False,
) -> Rubber:
    """Let three strategies play a rubber: deals `1000 * number` and following of `seed`.

    Examples:
        >>> import tribridge as tb
        >>> rubber = tb.play_rubber("points", "points", "points", seed=1)
        >>> rubber.over, sum(rubber.settlement().values())
        (True, 0)

    Raises:
        NotFoundError: there is no such strategy, or there are no such laws.
        SettingError: the seed is out of range.
        StrategyError: a strategy failed, or made an illegal choice.
    """
    check_switches("play_rubber", doubles=doubles)
    chosen = find_laws(laws)
    games = arena_rubber(
        [as_strategy(strategy) for strategy in (north, east, south)],
        chosen,
        seed=as_whole(seed, "seed"),
        number=as_whole(number, "number"),
        doubles=doubles,
        stop=True,
    )
    if games[-1].faults:
        raise StrategyError(games[-1].faults[0].message)
    return rubber_of(chosen, number, games)


def compare(
    first: AnyStrategy,
    second: AnyStrategy,
    *others: AnyStrategy,
    deals: float = 100,
    seed: int = 1,
    scheme: Scheme | str = "auction",
    laws: Laws | str | None = None,
    doubles: bool = False,
    play_only: bool = False,
    deck: Deck | str = FULL_DECK,
    processes: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Contest:
    """Which of some strategies is better, by how much and with what certainty: see `.summary()`.

    They are names or objects. On every deal each trio (two against one, if there are two) plays in
    every seating, with `doubles` or without, and points are compared. With `laws` they play
    rubbers, `deals` of them. With `play_only` they play cards in contracts set by a rule, as
    declarer and as defenders, and tricks are compared. The games run in this process;
    `processes=0` uses all cores, and `cluster` a Dask cluster, given by the address of its
    scheduler. An object goes there as `pickle` packs it: its class must be in a module that other
    processes can import. `progress` is called with the deals played and their number, in place of
    a line on the terminal or in the notebook.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.compare("capture", "random", deals=4, play_only=True).comparisons[0].first)
        capture
        >>> class Lowest:
        ...     def card(self, view, rng):
        ...         return min(view.legal_cards, key=lambda card: card.rank)
        >>> "Lowest" in tb.compare(Lowest(), "random", deals=4, play_only=True).summary()
        True

    Raises:
        NotFoundError: there is no such strategy or scheme, or there are no such laws.
        SettingError: a number is out of range, laws are given for card play alone, a strategy
            failed in a game, or one cannot be sent to other processes.
        FormatError: the deck cannot be read.
    """
    check_switches("compare", doubles=doubles, play_only=play_only)
    check_type(cluster, "compare: cluster", "str | None", str, None)
    shape = "Callable[[int, int], None] | None"
    check_type(progress, "compare: progress", shape, Callable, None)  # type: ignore[arg-type]
    strategies = (first, second, *others)
    if play_only and laws is not None:
        raise SettingError("play_only compares tricks in single contracts: laws have no part in it")
    count, processes = as_whole(deals, "deals"), as_whole(processes, "processes")
    if count < 2:
        raise SettingError(f"a comparison needs at least 2 deals, not {count}")
    where = backend(processes if cluster is None else 0, cluster)
    settings: dict[str, Any] = {"scheme": scheme, "deck": Deck(deck), "stop": True}
    settings["seed"] = as_whole(seed, "seed")
    with Waiting("comparing") as line:
        work: MatchWork | PlayWork = (
            PlayWork.of(strategies, strategies, **settings)
            if play_only
            else MatchWork.of(strategies, doubles=doubles, laws=laws, **settings)
        )
        tell = progress or line.update
        played = run(work, (0, count), where, progress=lambda before, made: tell(made, count))
        result = result_of(work, played.games)
        return Contest(result, tuple(compare_pairs(pairs_of(result))))


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


def review(
    table: Table | Record,
    *,
    layouts: int = LAYOUTS,
    seed: int = 1,
    scheme: Scheme | str | None = None,
    processes: int = 1,
    progress: Callable[[Judgement], None] | None = None,
) -> Review:
    """Judge every call and card of a deal by what its player could know.

    Each choice is valued over up to `layouts` layouts drawn from its player's beliefs, in points of
    the table's rubber or scheme (or of `scheme`), and compared with double dummy on the actual
    deal. The result depends only on the deal, `layouts` and `seed`. `progress` is called with each
    judgement as it is made, in place of a line on the terminal or in the notebook; `processes=0`
    uses all cores.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8")
        >>> for action in "2NT pass pass CQ C7 C9 CA DJ D8 DT DQ".split():
        ...     table = table.apply(action)
        >>> mistakes = [one for one in tb.review(table).cards if one.verdict.wrong]
        >>> print(mistakes[0].action, mistakes[0].verdict, mistakes[0].reason)
        ... # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
        ♦T mistake ♦K was certain to make the contract. ♦K averages 4.0 tricks and ... points per
        opponent over 10 layouts, ♦T 3.3 tricks and ... points; it gains most when South holds ♦Q
        (69% likely).

    Raises:
        SettingError: nothing has been called or played, or a number is out of range.
        NotFoundError: there is no such scheme.
    """
    from tribridge import reviews

    check_type(table, "review: table", "Table | Record", Table, Record)
    shape = "Callable[[Judgement], None] | None"
    check_type(progress, "review: progress", shape, Callable, None)  # type: ignore[arg-type]
    seed = as_whole(seed, "seed")
    check_seed(seed)
    processes = as_whole(processes, "processes")
    given = None if scheme is None else find_scheme(scheme)
    plan = reviews.Plan(as_whole(layouts, "layouts"), seed, given, processes=processes)
    if isinstance(table, Record):
        table = table.table() if scheme is None else table.replay()
    with Waiting("reviewing") as line:
        made, choices = counter(1), len(table.history)
        tell = progress or (lambda judgement: line.update(next(made), choices))
        return reviews.review(table, plan, tell)
