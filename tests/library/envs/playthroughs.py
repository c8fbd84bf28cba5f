"""Golden playthroughs of the OpenSpiel game, replayed line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DATA: Final = Path(__file__).parent / "data"
PLAYTHROUGHS: Final = {
    "two-by-four.playthrough": ("tribridge(deck=2x4)", 3),
    "doubled.playthrough": ("tribridge(deck=2x4,doubles=true,scheme=new)", 5),
}
"""Files, the game of each and the seed of its random actions."""


def playthrough_text(name: str) -> str:
    """A playthrough, made by OpenSpiel."""
    from open_spiel.python.algorithms.generate_playthrough import playthrough

    from tribridge.envs import openspiel_game

    game, seed = PLAYTHROUGHS[name]
    assert openspiel_game.GAME_TYPE.short_name == game.partition("(")[0]  # registered by now
    text: str = playthrough(game, None, seed=seed)
    return text
