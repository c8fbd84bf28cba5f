"""How long the first use of each public call takes, in a fresh process with empty caches.

    python benchmarks/first_use.py [--before CHECKOUT] [--only TEXT] [--out FILE]

Every call runs in a process of its own, on a terminal, with nothing compiled and nothing cached:
seconds until it answers, seconds of a processor until then (which is what it takes on a machine
that does nothing else), and seconds until it first writes something, for example that it is
compiling. With `--before`, the same calls run with the sources of another checkout in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent.parent
LIMIT = 1.5
HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"
TABLE = "tb.new_table(seed=1, auction='1NT pass 2H pass pass').play('CT')"
CALLS = {
    "deal": "tb.deal(seed=1)",
    "new_table": f"print({TABLE})",
    "view": f"tb.view({TABLE}, 'N')",
    "to_json, from_json": f"tb.from_json(tb.to_json({TABLE}))",
    "to_pbn": f"tb.to_pbn({TABLE})",
    "save_pbn, load_pbn": f"tb.save_pbn('a.pbn', {TABLE}); tb.load_pbn('a.pbn')",
    "estimate": f"tb.estimate('{HAND}', '{DUMMY}')",
    "exact('hand')": "tb.exact('hand')",
    "exact('capture')": "tb.exact('capture')",
    "exact, 2x4 deck": "tb.exact('capture', deck='2x4')",
    "simulate, 100,000 deals": "tb.simulate('game', deals=100_000, seed=1)",
    "simulate, 10,000,000 deals": "tb.simulate('game', deals=10_000_000, seed=1)",
    "simulate capture": "tb.simulate('capture', deals=100_000, seed=1)",
    "solve": "tb.solve(tb.deal(seed=1), declarer='S')",
    "solve, 4x5 deck": "tb.solve(tb.deal(seed=1, deck='4x5'), declarer='S', deck='4x5')",
    "solve, 2x4 deck": "tb.solve(tb.deal(seed=1, deck='2x4'), declarer='S', deck='2x4')",
    "forecast_tricks": f"tb.forecast_tricks('{HAND}')",
    "forecast_tricks, two hands": f"tb.forecast_tricks('{HAND}', '{DUMMY}')",
    "advise": f"tb.advise('{HAND}', auction='1H pass')",
    "worth": "tb.worth('N 1 game')",
    "list_strategies": "tb.list_strategies()",
    "choose": f"tb.choose('maxims', {TABLE})",
    "choose, learned": f"tb.choose('learned', {TABLE})",
    "play_game": "tb.play_game('points+maxims', 'points+random', 'capture', seed=1)",
    "play_rubber": "tb.play_rubber('points+maxims', 'points+random', 'capture', seed=1)",
    "compare": "tb.compare('maxims', 'random', deals=20, play_only=True).summary()",
    "compare, 2x4 deck": "tb.compare('maxims', 'random', deals=20, deck='2x4').summary()",
    "review": "tb.review(tb.play_game('points+maxims', 'points+maxims', 'random', seed=1))",
    "LockstepGames": "from tribridge.envs.lockstep import *; g = LockstepGames(256); "
    "g.step(g.random_actions(np.random.default_rng(1)))",
    "SelfPlayEnv": "from tribridge.envs.gymnasium_env import *; e = SelfPlayEnv(256); "
    "e.reset(seed=1); e.step(np.full(256, 35))",
    "PettingZoo": "from tribridge.envs import pettingzoo_env; e = pettingzoo_env.env(); "
    "e.reset(seed=1); e.last(); e.step(35)",
}
CHILD = """
import sys, time
begin = time.time()
import tribridge as tb
{call}
print(time.time() - begin, time.process_time(), begin, file=open("answer", "w"))
"""


class Times(NamedTuple):
    """Seconds of a call."""

    answer: float
    processor: float
    word: float | None
    """Until it first wrote something; None if it did not."""

    def __str__(self) -> str:
        silent = self.processor * min(1.0, (self.word or self.answer) / self.answer)
        word = "-" if self.word is None else f"{self.word:.1f}"
        note = "" if silent < LIMIT else "silent"
        return f"{self.answer:8.1f} {self.processor:9.1f} {word:>6} {note:7}"


def first_use(call: str, source: Path) -> Times:
    """The times of a call in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"NUMBA_CACHE_DIR": folder + "/numba", "TRIBRIDGE_CACHE": folder + "/tribridge"}
        environment = os.environ | caches | {"PYTHONPATH": str(source), "TERM": "xterm"}
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD.format(call=call)],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        spoke, text = None, b""
        while True:
            if select.select([ours], [], [], 0.01)[0]:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the terminal is closed
                    break
                spoke = spoke or time.time()
                text += part
            elif process.poll() is not None:
                break
        os.close(ours)
        if process.wait():
            raise SystemExit(f"{call}\n{text.decode(errors='replace')}")
        seconds, processor, begin = map(float, Path(folder, "answer").read_text().split())
    return Times(seconds, processor, spoke and spoke - begin)


def main() -> None:
    """Measure all calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--only", default="", help="only calls whose names contain this")
    parser.add_argument("--out", type=Path, help="a JSON file for the times")
    options = parser.parse_args()
    sources = {"now": HERE / "src"}
    if options.before:
        sources = {"before": options.before.resolve() / "src", **sources}
    print(f"{'seconds':28}" + "".join(f"   {name:31}" for name in sources))
    print(f"{'call':28}" + "   answer processor   word        " * len(sources))
    times: dict[str, dict[str, Times]] = {}
    for name, call in CALLS.items():
        if options.only in name:
            times[name] = {side: first_use(call, source) for side, source in sources.items()}
            row = "".join(f" {each}" for each in times[name].values())
            print(f"{name:28}{row}", flush=True)
    if options.out:
        rows = {name: {k: t._asdict() for k, t in each.items()} for name, each in times.items()}
        options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
