"""What a strategy is: a function from a view and randomness to a choice with its reason.

A caller chooses calls, a player chooses cards, and a strategy is one of each. They see a `View` and
nothing else, so cards hidden from a seat cannot reach them. The one exception is an `OpenPlayer`:
it has `open_card` in place of `card`, sees the whole table, and measures how far the fair players
are from the ceiling. Only `act` lets it play; a strategy with such a player is not `fair`, and
`choose` raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from operator import index
from typing import Any, Protocol, SupportsIndex

from numpy.random import PCG64, Generator, SeedSequence

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.common.errors import SettingError, TribridgeError, first_line, unchanging
from tribridge.game.auction import Bid, Call, Mark, parse_call
from tribridge.game.position import Position
from tribridge.game.table import Action, Table
from tribridge.game.views import View, view


class StrategyError(TribridgeError):
    """A strategy raised an exception, chose illegally, or was asked for what it cannot do."""


@unchanging
@dataclass(frozen=True, slots=True)
class Option:
    """A call or a card worth naming, what it is worth, and one sentence that is true of it.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.Option(tb.Card("SK"), "Draws trumps: 2 are still out.", value=30, chance=0.7))
        ♠K: Draws trumps: 2 are still out.
    """

    action: Action
    reason: str
    value: float | None = None
    """Points on average, less those of the average opponent; None where nothing can be valued."""
    chance: float | None = None
    """The chance that a contract makes: the bid, or the one that stands or is played."""
    tricks: float | None = None
    """For a card, tricks of the player's side on average."""
    share: float | None = None
    """The share of experts who would choose it, by the network that learned from them.

    None if it is not known."""
    same: tuple[Card, ...] = ()
    """Cards of the same hand that are equal to it in play."""

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"


@unchanging
@dataclass(frozen=True, slots=True)
class Choice:
    """A call or a card, and one sentence that says why.

    Examples:
        >>> import tribridge as tb
        >>> print(tb.Choice(tb.Card("SK"), "The king draws the last trump."))
        ♠K: The king draws the last trump.
    """

    action: Action
    reason: str
    details: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Figures of the decision, such as `layouts` and `seconds`; not part of its identity."""
    alternatives: tuple[Option, ...] = field(default=(), compare=False)
    """What else was worth naming, best first, if somebody asked."""

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"


class Caller(Protocol):
    """Chooses calls."""

    def call(self, view: View, rng: Generator) -> Choice:
        """A call that is in `view.legal`."""
        ...


class Player(Protocol):
    """Chooses cards; as declarer also for the dummy, when `view.chair` is the dummy."""

    def card(self, view: View, rng: Generator) -> Choice:
        """A card that is in `view.legal`."""
        ...


class AnyCaller(Protocol):
    """An object that chooses calls, with a reason or without."""

    def call(self, view: View, rng: Generator) -> Choice | Call | str:
        """A call that is in `view.legal_calls`, or text that names one."""
        ...


class AnyPlayer(Protocol):
    """An object that chooses cards, with a reason or without."""

    def card(self, view: View, rng: Generator) -> Choice | Card | str:
        """A card that is in `view.legal_cards`, or text that names one."""
        ...


class OpenPlayer(Protocol):
    """Chooses cards seeing all hands: for measurements, never at a table of people."""

    def open_card(self, table: Table, rng: Generator) -> Choice:
        """A card that is in `table.legal`."""
        ...


@unchanging
@dataclass(frozen=True, slots=True)
class Strategy:
    """A caller and a player under one name.

    Examples:
        >>> from tribridge.strategies import find_caller, find_player
        >>> Strategy("careful", find_caller("points:margin=2"), find_player("maxims")).fair
        True
    """

    name: str
    caller: Caller
    player: Player | OpenPlayer

    @property
    def fair(self) -> bool:
        """Whether it plays from a view alone."""
        return hasattr(self.player, "card")

    @property
    def outside(self) -> bool:
        """Whether a part of it says that it computes in another process (`outside = True`)."""
        return any(getattr(part, "outside", False) for part in (self.caller, self.player))

    def choose(self, view: View, rng: Generator) -> Choice:
        """Choose a call or a card, whichever is due."""
        if not view.legal:
            raise StrategyError(
                f"{self.name} was asked for a choice when there is nothing to choose"
            )
        if view.contract is None:
            return as_choice(self.caller.call(view, rng), parse_call, self.name)
        player = self.player
        if not hasattr(player, "card"):
            raise StrategyError(f"{self.name} needs to see all hands: it cannot choose from a view")
        return as_choice(player.card(view, rng), Card, self.name)

    def start(self, seat: Seat, view: View) -> None:
        """Tell those parts that want to know that a deal begins: their method `start`."""
        for part in {id(part): part for part in (self.caller, self.player)}.values():
            if hasattr(part, "start"):
                part.start(seat, view)


def as_choice(given: object, read: Callable[[Any], Action], name: str) -> Choice:
    """What a strategy returned as a choice: an action, or text that names one, is enough."""
    if isinstance(given, Choice):
        return replace(given, action=read(given.action)) if isinstance(given.action, str) else given
    if isinstance(given, (str, Bid, Mark, Card)):
        action = read(given) if isinstance(given, str) else given
        return Choice(action, f"{name} chose {action}.")
    return given  # type: ignore[return-value]  # `checked` refuses it


def act(strategy: Strategy, table: Table, rng: Generator) -> Choice:
    """The choice of a strategy at a table; a fair one decides from the view of the seat to act."""
    if table.position is not None and not strategy.fair:
        player = strategy.player
        assert hasattr(player, "open_card")
        return as_choice(player.open_card(table, rng), Card, strategy.name)
    return strategy.choose(view(table, table.turn), rng)


def position_of(view: View) -> Position:
    """The play as a view shows it; a card must be due."""
    position = view.position
    if position is None or view.chair is None:
        raise StrategyError("no card is due in this view")
    return position


def guarded(strategy: Strategy, view: View, rng: Generator) -> Choice:
    """A legal choice, or a `StrategyError` that names the strategy and what it did."""
    return checked(strategy, view.legal, lambda: strategy.choose(view, rng), view.turn)


def guarded_act(strategy: Strategy, table: Table, rng: Generator) -> Choice:
    """Like `act`, with the guarantee of `guarded`."""
    return checked(strategy, table.legal, lambda: act(strategy, table, rng), table.turn)


def checked(
    strategy: Strategy,
    legal: tuple[Action, ...],
    choose: Callable[[], Choice],
    turn: Seat | None,
) -> Choice:
    """What `choose` returns, checked: a legal `Choice` that can be written to a record."""
    where = f"{strategy.name} at {turn}" if turn is not None else strategy.name
    try:
        choice = choose()
    except StrategyError:
        raise
    except Exception as error:
        message = first_line(error, "no message")
        raise StrategyError(f"{where} raised {type(error).__name__}: {message}") from error
    if not isinstance(choice, Choice):
        raise StrategyError(f"{where} returned {choice!r}, not a choice")
    action = choice.action
    if not isinstance(action, (Bid, Mark, Card)) or action not in legal:
        allowed = " ".join(str(option) for option in legal)
        chosen = " ".join(str(action).split())
        raise StrategyError(f"{where} chose {chosen}, which is not allowed: expected {allowed}")
    if not isinstance(choice.reason, str) or not choice.reason.strip():
        raise StrategyError(f"{where} chose {action} without a reason")
    details = choice.details
    if not isinstance(details, Mapping) or any(not isinstance(v, Real) for v in details.values()):
        raise StrategyError(f"{where} chose {action} with details that are not numbers")
    return choice


def decision_rng(seed: int, deal: int, seat: SupportsIndex, actions: int) -> Generator:
    """The generator of one decision, after `actions` calls and cards on this deal."""
    place = index(seat)
    if min(seed, deal, place, actions) < 0:
        raise SettingError(
            f"no randomness for seed {seed}, deal {deal}, seat {place}, action {actions}: "
            "all must be 0 or more"
        )
    # Words of fixed width: no two decisions share a key.
    key = (deal & 0xFFFFFFFF, deal >> 32, place, actions)
    bits = PCG64(0)
    # Copy the state only: a generator that knew its seed would reveal it, and with it the deal.
    bits.state = PCG64(SeedSequence(seed, spawn_key=key)).state
    return Generator(bits)


def actions_made(table: Table | View) -> int:
    """How many calls and cards have been made on a deal so far."""
    play = table.position
    cards = 0 if play is None else 4 * len(play.tricks) + len(play.trick)
    return len(table.auction.calls) + cards
