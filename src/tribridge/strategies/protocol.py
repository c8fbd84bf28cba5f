"""What a strategy is: given a view and randomness, a choice and the reason for it.

A caller chooses calls, a player chooses cards, a strategy is one of each. All of them are given a
`View` and nothing else, so a card that is hidden from a seat cannot reach them. The one exception
is a player marked `fair = False`: it implements `open_card` in place of `card`, is given the whole
table, and is there to measure how far the others are from the ceiling. `act` is the only way to
it; a strategy with such a player refuses a view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Protocol

from tribridge.cards import Card
from tribridge.deals import Seat
from tribridge.errors import TribridgeError, first_line
from tribridge.game.auction import Bid, Mark
from tribridge.game.position import Position
from tribridge.game.table import Action, Table
from tribridge.game.views import View, view

if TYPE_CHECKING:
    from numpy.random import Generator


class StrategyError(TribridgeError):
    """A strategy that raised, chose what is not allowed, or was asked for what it cannot do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A call or a card, and one sentence that tells a person why.

    Examples:
        >>> print(Choice(Card("SK"), "The king draws the last trump."))
        ♠K: The king draws the last trump.
    """

    action: Action
    reason: str
    details: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Figures of the decision, such as `layouts` and `seconds`; not part of its identity."""

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"


class Caller(Protocol):
    """Chooses calls."""

    def call(self, view: View, rng: Generator) -> Choice:
        """A call that is in `view.legal`."""
        ...


class Player(Protocol):
    """Chooses cards; the declarer's also for the dummy, when `view.chair` is the dummy's."""

    def card(self, view: View, rng: Generator) -> Choice:
        """A card that is in `view.legal`."""
        ...


class OpenPlayer(Protocol):
    """Chooses cards with all hands in sight: for measuring, never for a table of people."""

    def open_card(self, table: Table, rng: Generator) -> Choice:
        """A card that is in `table.legal`."""
        ...


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

    def choose(self, view: View, rng: Generator) -> Choice:
        """A call or a card, whichever is due."""
        if not view.legal:
            raise StrategyError(f"{self.name} was asked for a choice when none is due")
        if view.contract is None:
            return self.caller.call(view, rng)
        player = self.player
        if not hasattr(player, "card"):
            raise StrategyError(f"{self.name} needs to see all hands and does not play fair")
        return player.card(view, rng)


def act(strategy: Strategy, table: Table, rng: Generator) -> Choice:
    """The choice of a strategy at a table: from the view of the seat to act, if it is fair."""
    if table.position is not None and not strategy.fair:
        player = strategy.player
        assert hasattr(player, "open_card")
        choice: Choice = player.open_card(table, rng)
        return choice
    return strategy.choose(view(table, table.turn), rng)


def position_of(view: View) -> Position:
    """The play as a view shows it; a card must be due."""
    position = view.position
    if position is None or view.chair is None:
        raise StrategyError("no card is due in this view")
    return position


def guarded(strategy: Strategy, view: View, rng: Generator) -> Choice:
    """A choice that is allowed, or a `StrategyError` that names the strategy and what it did."""
    return checked(strategy, view.legal, lambda: strategy.choose(view, rng), view.turn)


def guarded_act(strategy: Strategy, table: Table, rng: Generator) -> Choice:
    """As `act`, with the promise of `guarded`."""
    return checked(strategy, table.legal, lambda: act(strategy, table, rng), table.turn)


def checked(
    strategy: Strategy,
    legal: tuple[Action, ...],
    choose: Callable[[], Choice],
    turn: Seat | None,
) -> Choice:
    """What `choose` returns, if it is a choice, allowed, and can be written to a record."""
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
    # A card is a number: 0 would equal False, so the kind is compared before.
    kinds = Card if isinstance(legal[0], Card) else (Bid, Mark)
    if not isinstance(action, kinds) or action not in legal:
        allowed = " ".join(str(option) for option in legal)
        chosen = " ".join(str(action).split())
        raise StrategyError(f"{where} chose {chosen}, which is not allowed: {allowed}")
    if not isinstance(choice.reason, str) or not choice.reason.strip():
        raise StrategyError(f"{where} chose {action} and gave no reason")
    details = choice.details
    if not isinstance(details, Mapping) or any(not isinstance(v, Real) for v in details.values()):
        raise StrategyError(f"{where} chose {action} and gave details that are no numbers")
    return choice
