r"""BEN without its server: a copy of it loaded into this process, which talks to Tribridge itself.

    pip install "numpy>=2" onnxruntime endplay colorama psutil flask flask_cors flask_limiter \
        absl-py
    TRIBRIDGE_PROGRAM="python examples/opponents/ben_alone.py ben 50" \
        tribridge arena contracts learned:seconds=1 program --deals 20

with the folder of BEN and how many layouts it draws for a card. Any number of such processes run at
once, each on one thread. The double-dummy solver is that of endplay in place of `dds3`, since the
one that comes with BEN is for one version of Python (both are exact); networks are read from ONNX
files without TensorFlow. Its second opinion (PIMC) plays out as many layouts as were asked for, the
aces that a bidding program counts for it (BBA) are used, and so is its library for single suits
(SuitC) where there is one for the processor; that sometimes runs away, and is stopped after a
second. Nothing of BEN is here: see `ben.py` beside this file.
"""

import itertools
import json
import os
import platform
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import endplay._dds as dds
from ben import request

_SOLVERS = itertools.count()


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


def settings(layouts: int) -> dict[str, dict[str, object]]:
    """What differs from BEN's configuration, by section."""
    single = platform.machine() in ("x86_64", "AMD64")
    return {
        "cardplay": {
            "sample_hands_play": layouts,
            "sample_boards_for_play": 20 * layouts,
            "use_suitc": single,
            "force_suitc": single,
        },
        "sampling": {
            "sample_hands_opening_lead": layouts,
            "sample_boards_for_auction_opening_lead": 80 * layouts,
        },
        "pimc": {"pimc_max_playouts": layouts, "pimc_max_threads": 1},
        "dds": {"dds_max_threads": 1},
    }


def load(home: Path, layouts: int) -> Any:
    """BEN's application, as its server would run it."""
    os.environ["SUITC_TIMEOUT_SECONDS"] = "1"
    sys.path.insert(0, str(home / "src"))
    os.chdir(home / "src")
    solver = types.ModuleType("dds3")
    solver.__dict__.update(SolverContext=SolverContext, solve_board_pbn=solve_board_pbn)
    sys.modules["dds3"] = solver
    absent = MagicMock(name="TensorFlow, and the server")
    absent.__version__ = absent.keras.__version__ = "absent"
    for name in (
        "tensorflow", "tensorflow.keras", "tensorflow.keras.models",
        "gevent", "gevent.monkey", "gevent.pywsgi",
    ):  # fmt: skip
        sys.modules[name] = absent

    import conf  # type: ignore[import-not-found]  # BEN's

    read = conf.load

    def reduced(path: str) -> Any:
        found = read(path)
        for section, values in settings(layouts).items():
            if not found.has_section(section):
                found.add_section(section)
            found[section].update({name: str(value) for name, value in values.items()})
        return found

    conf.load = reduced
    sys.argv = ["gameapi.py", "--config", "config/onnx.conf", "--record", "False"]
    sys.argv += ["--nolimit", "True"]
    import gameapi  # type: ignore[import-not-found]  # BEN's

    return gameapi.app


def card_of(seen: dict[str, Any], client: Any) -> str:
    """The card that BEN plays."""
    if len(seen["legal"]) == 1:
        return str(seen["legal"][0])
    path, parameters = request(seen)
    answer = json.loads(client.get(f"/{path}", query_string=parameters).data)
    if "card" not in answer:
        sys.exit(f"BEN gave no card to {path} {parameters}: {answer}")
    return str(answer["card"])


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # BEN prints a lot
    client = load(Path(sys.argv[1]).resolve(), int(sys.argv[2])).test_client()
    for line in sys.stdin:
        view = json.loads(line)
        due = view["contract"] is not None
        print(card_of(view, client) if due else "Pass", file=answers, flush=True)
