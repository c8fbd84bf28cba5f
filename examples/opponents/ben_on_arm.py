r"""Start the server of a copy of BEN where BEN's own libraries do not run, as on an ARM machine.

    pip install "numpy<2.1" scipy colorama psutil onnxruntime endplay flask flask_cors \
        flask_limiter gevent absl-py
    python examples/opponents/ben_on_arm.py ben 50 8085

with the folder of BEN, how many layouts it solves for a card, and the port. The double-dummy solver
is that of endplay in place of `dds3`, networks are read from ONNX files without TensorFlow, and
what BEN does without are its library for single suits (SuitC), its second opinion (PIMC), and the
aces that a bidding program counts for it (BBA). See `ben.py` beside this file.
"""

import itertools
import os
import runpy
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import endplay._dds as dds

_SOLVERS = itertools.count()
OFF = {
    "models": ("use_bba", "consult_bba", "use_bba_rollout", "use_bba_to_count_aces"),
    "cardplay": ("use_suitc", "force_suitc", "claim"),
    "pimc": ("pimc_use_declaring", "pimc_use_defending"),
}
"""What is switched off, by section of BEN's configuration."""


class SolverContext:
    """What BEN's solver keeps for a thread: here the number of a thread of DDS."""

    def __init__(self) -> None:
        self.thread = next(_SOLVERS)


def solve_board_pbn(
    pbn: str,
    trump: int,
    first: int,
    current_trick_suit: Any,
    current_trick_rank: Any,
    target: int,
    solutions: int,
    mode: int,
    context: SolverContext,
) -> dict[str, Any]:
    """Solve a board as BEN asks its own library to."""
    board, found = dds.dealPBN(), dds.futureTricks()
    board.trump, board.first, board.remainCards = trump, first, pbn.encode()
    for at in range(3):
        board.currentTrickSuit[at] = current_trick_suit[at]
        board.currentTrickRank[at] = current_trick_rank[at]
    dds.SolveBoardPBN(board, target, solutions, mode, found, context.thread)
    lists = {name: list(getattr(found, name)) for name in ("suit", "rank", "equals", "score")}
    return {"cards": found.cards, **lists}


def start(home: Path, layouts: int, port: int) -> None:
    """Run BEN's server."""
    sys.path.insert(0, str(home / "src"))
    os.chdir(home / "src")
    solver = types.ModuleType("dds3")
    solver.__dict__.update(SolverContext=SolverContext, solve_board_pbn=solve_board_pbn)
    single = types.ModuleType("suitc.SuitC")
    single.__dict__.update(SuitCLib=lambda verbose: None)
    sys.modules |= {"dds3": solver, "suitc.SuitC": single}
    absent = MagicMock(name="TensorFlow")
    absent.__version__ = absent.keras.__version__ = "absent"
    for name in ("tensorflow", "tensorflow.keras", "tensorflow.keras.models"):
        sys.modules[name] = absent

    import conf  # type: ignore[import-not-found]  # BEN's

    load = conf.load

    def reduced(path: str) -> Any:
        settings = load(path)
        for section, names in OFF.items():
            for name in names:
                settings[section][name] = "False"
        settings["cardplay"]["sample_hands_play"] = str(layouts)
        settings["cardplay"]["sample_boards_for_play"] = str(20 * layouts)
        settings["sampling"]["sample_hands_opening_lead"] = str(layouts)
        settings["sampling"]["sample_boards_for_auction_opening_lead"] = str(80 * layouts)
        if not settings.has_section("dds"):
            settings.add_section("dds")
        settings["dds"]["dds_max_threads"] = "1"
        return settings

    conf.load = reduced
    sys.argv = [
        "gameapi.py", "--config", "config/onnx.conf", "--port", str(port), "--record", "False",
        "--nolimit", "True",
    ]  # fmt: skip
    runpy.run_path("gameapi.py", run_name="__main__")


if __name__ == "__main__":
    start(Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3]))
