"""The core works without the packages of any extra, and names the extra where one is needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tribridge.common.errors import EXTRAS
from tribridge.double_dummy import dds

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

BLOCKED = f"""
import sys
for name in {sorted((*EXTRAS, "llvmlite", "pandas", "statsmodels"))}:
    sys.modules[name] = None
"""

SMOKE = """
from pathlib import Path
import tribridge as tb
from tribridge.common.errors import MissingPackageError
from tribridge.game import record, record_of

table = tb.new_table(seed=1).call("1NT").call("pass").call("pass")
assert str(table) and tb.view(table, "N").legal == ()
hand = "AKQ2.K93.A92.KQ5"
assert tb.estimate(hand, "743.AQ5.KT43.J93").captures == 12
for kind in ("net", "points", "capture"):
    assert 8 < tb.forecast_tricks(hand, kind=kind)["NT"].mean < 11
assert tb.advise(hand, auction="1H pass").call is not None
assert tb.simulate("game", deals=2_000, seed=1).deals == 2_000
game = tb.play_game("maxims", "learned", "points+random", seed=1)
assert record.loads(record.dumps([record_of(game)]))[0].replay() == game
assert tb.compare("maxims", "random", deals=2).summary()
assert tb.play_rubber("maxims", "random", "random", seed=1)
assert tb.exact("capture", deck="2x4", cache=False).both_hold == 36

for task, extra in (
    (lambda: tb.solve(tb.deal(seed=1), declarer="S"), "dd"),
    (lambda: tb.exact("capture", cache=False), "speed"),
):
    try:
        task()
    except MissingPackageError as error:
        assert f"[{extra}]'" in str(error), error
    else:
        raise AssertionError(extra)
print("well")
"""

MODULES = """
import importlib, pkgutil
import tribridge
from tribridge.common.errors import MissingPackageError
for module in pkgutil.walk_packages(tribridge.__path__, "tribridge."):
    if module.name == "tribridge.__main__" or module.name.startswith("tribridge.club."):
        continue
    try:
        importlib.import_module(module.name)
    except MissingPackageError as error:
        print(module.name, error)
"""

COMMANDS = """
from typer.testing import CliRunner
from tribridge.cli import app
for line in ("capture AKQ2.K93.A92.KQ5", "forecast AKQ2.K93.A92.KQ5 --json", "arena list",
             "advise AKQ2.K93.A92.KQ5 --json", "arena match maxims random --deals 2 --processes 1",
             "simulate game --deals 1000 --json"):
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code == 0, (line, done.output, done.exception)
print("well")
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BLOCKED + code], capture_output=True, text=True)


def test_the_library_needs_no_extra() -> None:
    done = run(SMOKE)
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr


def test_the_commands_need_no_extra() -> None:
    done = run(COMMANDS)
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr


def test_every_module_of_the_library_can_be_imported_or_says_what_is_missing() -> None:
    done = run(MODULES)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert "torch is not installed: pip install" in told["tribridge.lab.training.ppo"]
    assert "numba is not installed" in told["tribridge.capture.simulation.kernel"]


def test_speed_is_measured_without_the_packages_that_are_missing() -> None:
    command = "sys.argv = ['tribridge', 'speed', 'deals', '--seconds', '0.5', '--json']\n"
    done = run(f"{command}from tribridge.cli import main\nmain()")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    notes = {(row["work"], row["way"]): row["note"] for row in rows if "note" in row}
    assert notes["capture", "kernel, one core"].startswith("numba is not installed")
    assert notes["dealing", "endplay"].startswith("endplay is not installed")
    assert any(row["way"] == "NumPy" and row["deals a second"] > 0 for row in rows)


def test_a_command_names_the_extra_that_it_needs() -> None:
    done = run("sys.argv = ['tribridge', 'play']\nfrom tribridge.cli import main\nmain()")
    assert done.returncode == 1
    assert "fastapi is not installed: pip install" in done.stderr


def test_every_extra_that_is_named_exists() -> None:
    assert set(EXTRAS.values()) <= PROJECT["optional-dependencies"].keys()
    required = {re.split(r"[\W]", text)[0] for text in PROJECT["dependencies"]}
    assert not required & EXTRAS.keys()


def test_the_private_bindings_of_endplay_are_those_of_the_allowed_versions() -> None:
    (requirement,) = PROJECT["optional-dependencies"]["dd"]
    assert re.fullmatch(r"endplay>=[\d.]+,<[\d.]+", requirement)
    library = dds.bindings()
    for name in ("deal", "futureTricks", "ddTableDeal", "ddTableResults", "DDSError"):
        assert isinstance(getattr(library, name), type)
    for name in ("SolveBoard", "CalcDDtable", "SetMaxThreads"):
        assert callable(getattr(library, name))
