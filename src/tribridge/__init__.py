"""Three-player auction bridge: rules, estimators, strategies and a table to play at.

    import tribridge as tb

    table = tb.new_table(seed=1)
    print(table.call("1NT").call("pass").call("pass"))
    print(tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass").reason)

All names below are loaded on first use; the packages behind them are for specialists.
"""

from __future__ import annotations

__version__ = "0.3.0"

TYPE_CHECKING = False  # type checkers know this name; importing typing would take most of the time
if TYPE_CHECKING:
    from typing import Any, Final

    from tribridge.advice.calls import Advice
    from tribridge.api.games import (
        AnyStrategy,
        choose,
        compare,
        daily_puzzle,
        find_puzzle,
        list_puzzles,
        list_strategies,
        play_game,
        play_rubber,
        player_stats,
        review,
    )
    from tribridge.api.hands import (
        CaptureEstimate,
        advise,
        estimate,
        exact,
        forecast_tricks,
        simulate,
        solve,
        worth,
    )
    from tribridge.api.tables import (
        deal,
        from_json,
        load_pbn,
        new_table,
        save_pbn,
        to_json,
        to_pbn,
        view,
    )
    from tribridge.arena.analysis import Contest
    from tribridge.capture import Reading
    from tribridge.capture.exact import ExactDistribution
    from tribridge.cards import Card, Cards, Deck, Hand, Rank, Strain, Suit
    from tribridge.deals import BySeat, ByStrain, Deal, Hands, Seat
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
    from tribridge.forecast import Distribution
    from tribridge.game.auction import (
        DOUBLE,
        PASS,
        REDOUBLE,
        Auction,
        Bid,
        Call,
        Contract,
        Mark,
        Outcome,
    )
    from tribridge.game.laws import Laws, Line
    from tribridge.game.position import Position
    from tribridge.game.record import Record
    from tribridge.game.rubber import Result, Rubber
    from tribridge.game.scoring import Points, Scheme
    from tribridge.game.standing import RubberState, Standing
    from tribridge.game.table import Action, Table
    from tribridge.game.tricks import Chair, Trick
    from tribridge.game.views import View
    from tribridge.history import PlayedDeal, PlayerStats
    from tribridge.puzzles.values import Puzzle
    from tribridge.reviews import Judgement, Review
    from tribridge.strategies import (
        Caller,
        Choice,
        Entries,
        OpenPlayer,
        Player,
        Strategy,
        StrategyError,
        option,
        register_caller,
        register_player,
    )
    from tribridge.studies.simulation import CaptureResult, GameResult

__all__ = [
    "DOUBLE",
    "PASS",
    "REDOUBLE",
    "Action",
    "Advice",
    "AnyStrategy",
    "Auction",
    "Bid",
    "BySeat",
    "ByStrain",
    "Call",
    "Caller",
    "CaptureEstimate",
    "CaptureResult",
    "Card",
    "Cards",
    "CardsError",
    "Chair",
    "Choice",
    "Contest",
    "Contract",
    "Deal",
    "Deck",
    "Distribution",
    "Entries",
    "ExactDistribution",
    "FormatError",
    "GameResult",
    "Hand",
    "Hands",
    "IllegalActionError",
    "Judgement",
    "Laws",
    "Line",
    "Mark",
    "MissingPackageError",
    "NotFoundError",
    "OpenPlayer",
    "Outcome",
    "PlayedDeal",
    "Player",
    "PlayerStats",
    "Points",
    "Position",
    "Puzzle",
    "Rank",
    "Reading",
    "Record",
    "RecordError",
    "Result",
    "Review",
    "Rubber",
    "RubberState",
    "RunError",
    "Scheme",
    "Seat",
    "SettingError",
    "Standing",
    "Strain",
    "Strategy",
    "StrategyError",
    "Suit",
    "Table",
    "TribridgeError",
    "Trick",
    "View",
    "__version__",
    "advise",
    "choose",
    "compare",
    "daily_puzzle",
    "deal",
    "estimate",
    "exact",
    "find_puzzle",
    "forecast_tricks",
    "from_json",
    "list_puzzles",
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
    "save_pbn",
    "simulate",
    "solve",
    "to_json",
    "to_pbn",
    "view",
    "worth",
]

_HOMES: Final = {
    "advice.calls": "Advice",
    "api.games": "AnyStrategy choose compare daily_puzzle find_puzzle list_puzzles list_strategies "
    "play_game play_rubber player_stats review",
    "api.hands": "CaptureEstimate advise estimate exact forecast_tricks simulate solve worth",
    "api.tables": "deal from_json load_pbn new_table save_pbn to_json to_pbn view",
    "arena.analysis": "Contest",
    "capture": "Reading",
    "capture.exact": "ExactDistribution",
    "cards": "Card Cards Deck Hand Rank Strain Suit",
    "deals": "BySeat ByStrain Deal Hands Seat",
    "errors": "CardsError FormatError IllegalActionError MissingPackageError NotFoundError "
    "RecordError RunError SettingError TribridgeError",
    "forecast": "Distribution",
    "game.auction": "Auction Bid Call Contract DOUBLE Mark Outcome PASS REDOUBLE",
    "game.laws": "Laws Line",
    "game.position": "Position",
    "game.record": "Record",
    "game.rubber": "Result Rubber",
    "game.scoring": "Points Scheme",
    "game.standing": "RubberState Standing",
    "game.table": "Action Table",
    "game.tricks": "Chair Trick",
    "game.views": "View",
    "history": "PlayedDeal PlayerStats",
    "puzzles.values": "Puzzle",
    "reviews": "Judgement Review",
    "strategies": "Caller Choice Entries OpenPlayer Player Strategy StrategyError option "
    "register_caller register_player",
    "studies.simulation": "CaptureResult GameResult",
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
