"""Three-player auction bridge: rules, estimators, strategies and a table to play at.

    import tribridge as tb

    table = tb.new_table(seed=1)
    print(table.call("1NT").call("pass").call("pass"))
    print(tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass").reason)

All names below are loaded on first use; the packages behind them are for specialists.
"""

from __future__ import annotations

__version__ = "0.2.0"

TYPE_CHECKING = False  # type checkers know this name; importing typing would take most of the time
if TYPE_CHECKING:
    from typing import Any, Final

    from tribridge.api.games import (
        choose,
        compare,
        list_strategies,
        play_game,
        play_rubber,
        player_stats,
        review,
    )
    from tribridge.api.hands import advise, estimate, exact, forecast_tricks, simulate, solve, worth
    from tribridge.api.tables import deal, load_pbn, new_table, to_pbn, view
    from tribridge.cards import Card, Deck, Hand, Rank, Strain, Suit
    from tribridge.deals import Deal, Seat
    from tribridge.errors import (
        CardsError,
        FormatError,
        IllegalActionError,
        MissingPackageError,
        NotFoundError,
        RecordError,
        RunError,
        SettingError,
        TribridgeError,
    )
    from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Bid, Contract
    from tribridge.game.rubber import Rubber
    from tribridge.game.table import Table
    from tribridge.game.views import View
    from tribridge.strategies import (
        Choice,
        Strategy,
        StrategyError,
        option,
        register_caller,
        register_player,
    )

__all__ = [
    "DOUBLE",
    "PASS",
    "REDOUBLE",
    "Bid",
    "Card",
    "CardsError",
    "Choice",
    "Contract",
    "Deal",
    "Deck",
    "FormatError",
    "Hand",
    "IllegalActionError",
    "MissingPackageError",
    "NotFoundError",
    "Rank",
    "RecordError",
    "Rubber",
    "RunError",
    "Seat",
    "SettingError",
    "Strain",
    "Strategy",
    "StrategyError",
    "Suit",
    "Table",
    "TribridgeError",
    "View",
    "__version__",
    "advise",
    "choose",
    "compare",
    "deal",
    "estimate",
    "exact",
    "forecast_tricks",
    "list_strategies",
    "load_pbn",
    "new_table",
    "option",
    "play_game",
    "play_rubber",
    "player_stats",
    "register_caller",
    "register_player",
    "review",
    "simulate",
    "solve",
    "to_pbn",
    "view",
    "worth",
]

_HOMES: Final = {
    "api.games": "choose compare list_strategies play_game play_rubber player_stats review",
    "api.hands": "advise estimate exact forecast_tricks simulate solve worth",
    "api.tables": "deal load_pbn new_table to_pbn view",
    "cards": "Card Deck Hand Rank Strain Suit",
    "deals": "Deal Seat",
    "errors": "CardsError FormatError IllegalActionError MissingPackageError NotFoundError "
    "RecordError RunError SettingError TribridgeError",
    "game.auction": "DOUBLE PASS REDOUBLE Bid Contract",
    "game.rubber": "Rubber",
    "game.table": "Table",
    "game.views": "View",
    "strategies": "Choice Strategy StrategyError register_caller register_player option",
}
"""Where each name is defined."""

_MODULES: Final = {name: home for home, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # a type checker that saw this would accept any name

    def __getattr__(name: str) -> Any:
        """Load a name when it is first used (PEP 562)."""
        from importlib import import_module

        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
