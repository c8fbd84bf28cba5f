"""Three-player auction bridge: rules, estimators, strategies and a table to play at.

    import tribridge as tb

    table = tb.new_table(seed=1)
    print(table.call("1NT").call("pass").call("pass"))
    print(tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass").reason)

All names below are loaded on first use; the packages behind them are for specialists.
"""

from __future__ import annotations

__version__ = "0.5.0"

_HOMES = {
    "advice.calls": "Advice",
    "api.games": "AnyStrategy choose compare list_strategies options play_game play_rubber review",
    "api.hands": "CaptureEstimate advise estimate exact forecast_tricks simulate worth",
    "api.records": "from_json iter_pbn load_lin load_pbn save_lin save_pbn to_json to_lin to_link "
    "to_pbn",
    "api.solving": "par solve solve_four",
    "api.tables": "deal deals new_table view",
    "arena.analysis": "Contest",
    "capture": "Reading",
    "capture.exact": "ExactDistribution",
    "cards.cards": "Card Cards Deck Hand Rank Strain Suit",
    "cards.dealing": "Deals",
    "cards.deals": "BySeat ByStrain Deal Hands Seat",
    "double_dummy.par": "DoubleDummyTable Par ParContract",
    "common.errors": "CardsError FormatError IllegalActionError MissingPackageError NotFoundError "
    "RecordError RecordWarning RunError SettingError TribridgeError",
    "forecast": "Distribution",
    "game.auction": "Auction Bid Call Contract DOUBLE Mark Outcome PASS REDOUBLE",
    "game.laws": "Laws Line",
    "game.position": "Position",
    "game.record": "Record",
    "game.rubber": "Result Rubber",
    "game.scoring": "Points Scheme",
    "game.standing": "RubberState Standing",
    "game.table": "Action Table",
    "game.tags": "Tags",
    "game.tricks": "Chair Trick",
    "game.views": "View",
    "club.api": "daily_puzzle find_puzzle list_puzzles player_stats",
    "club.history": "PlayedDeal PlayerStats",
    "reviews.puzzles": "Puzzle",
    "reviews": "Judgement Review",
    "strategies": "Caller Choice Entries OpenPlayer Option Player Strategy StrategyError option "
    "register_caller register_player",
    "capture.simulation.results": "CaptureResult GameResult",
}
"""Where each name is defined; `__init__.pyi` tells type checkers."""

_MODULES = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [*sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> object:
    """Load a name when it is first used (PEP 562)."""
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
