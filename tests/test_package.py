"""The wheel and the sdist hold all that the package needs, with no checkout around."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

LARGEST = 15_000_000
"""Bytes of the wheel."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel made from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*build, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as sdist:
        # Python has filters from 3.11.4 on, and from 3.12 on it warns where there is none.
        options: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        sdist.extractall(folder / "unpacked", **options)
    (unpacked,) = (folder / "unpacked").iterdir()
    subprocess.run([*build, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked where nothing else is."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder


def run(installed: Path, folder: Path, code: str, *arguments: str) -> str:
    """Run code with the wheel and the dependencies of this environment, in a folder of its own."""
    # Without site (-S) the environment's link to the checkout is not followed.
    paths = [str(installed), sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]]
    path = f"import sys; sys.path[:0] = {paths}"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{path}; {code}", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_library_answers(installed: Path, tmp_path: Path) -> None:
    code = (
        "import tribridge as tb; print(tb.__file__); "
        "print(tb.forecast_tricks('AKQ2.K93.A92.KQ5')['NT'].mean)"
    )
    where, mean = run(installed, tmp_path, code).split()
    assert Path(where).is_relative_to(installed)
    assert 9 < float(mean) < 10.5


@pytest.mark.full
def test_the_commands_run(installed: Path, tmp_path: Path) -> None:
    commands = [
        "--version",
        "arena list",
        "forecast AKQ2.K93.A92.KQ5 --json",
        "exact --deck 2x4",
        "arena contracts maxims learned --deals 2 --processes 1",
    ]
    code = (
        "from typer.testing import CliRunner; from tribridge.cli import app; "
        "done = [CliRunner().invoke(app, one.split()) for one in sys.argv[1:]]; "
        "print([(one.exit_code, bool(one.stdout.strip()), one.exception) for one in done])"
    )
    expected = str([(0, True, None)] * len(commands))
    assert run(installed, tmp_path, code, *commands).strip() == expected


LEFT_OUT = {"bidding-contract.npz.split", "messages.po"}


def test_all_files_of_the_package_are_in_the_wheel(installed: Path) -> None:
    """Templates, pictures, scripts, tables and weights, too."""
    source = ROOT / "src"
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    files = {path for path in files if path.parent.name != "__pycache__"}
    assert len({path.suffix for path in files}) > 10
    missing = files - {path.relative_to(installed) for path in installed.rglob("*")}
    assert {path.name for path in missing} == LEFT_OUT


def test_the_wheel_is_no_larger_than_it_was(built: Path) -> None:
    """Everybody who installs the package downloads it: what is added replaces something."""
    assert next(built.glob("*.whl")).stat().st_size < LARGEST


def test_weights_that_are_left_out_are_named(installed: Path, tmp_path: Path) -> None:
    code = (
        "import tribridge as tb; from tribridge.strategies import find_caller; "
        "from tribridge.strategies.versions import caller_version\n"
        "caller, table = find_caller('learned@1:scheme=contract'), tb.new_table(seed=1)\n"
        "for what in (lambda: caller_version('learned@1:scheme=contract'),\n"
        "             lambda: caller.call(tb.view(table, table.turn), None)):\n"
        "    try: print(what())\n"
        "    except tb.TribridgeError as error: print(error)"
    )
    said = run(installed, tmp_path, code).splitlines()
    assert len(said) == 2
    assert all(
        line.startswith("bidding-contract.npz.split: these weights are not in") for line in said
    )


@pytest.mark.full
def test_the_table_is_served(installed: Path, tmp_path: Path) -> None:
    """All templates, pictures and scripts are in the wheel: the pages answer without a server."""
    code = (
        "from pathlib import Path; from fastapi.testclient import TestClient; "
        "from tribridge.club.app import Settings, create_app; "
        "client = TestClient(create_app(Settings(Path('tables'))), base_url='http://localhost'); "
        "client.__enter__(); "
        "print([client.get(page).status_code for page in ('/', '/static/style.css')]); "
        "client.__exit__()"
    )
    assert run(installed, tmp_path, code).strip() == "[200, 200]"


def test_the_sdist_has_no_rubbish(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = [name.partition("/")[2] for name in sdist.getnames()]
    tops = {name.partition("/")[0] for name in names}
    assert {"src", "tests", "docs", "pyproject.toml", "README.md"} <= tops
    assert not tops & {"out", ".venv", ".git", "dist", "build"}
