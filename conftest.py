"""Surroundings of the tests: what they find must not depend on who runs them, or where, or when.

Every test process has a home, caches and a working directory of its own, all empty at first.
Compiled kernels are kept between runs, apart for every state of the files with compiled functions
and of those that they import: Numba looks at the file of a function only. So is what Hypothesis
reads from the sources, which it keeps by their contents; it keeps no examples.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ["OPENBLAS_NUM_THREADS"] = "1"
"""NumPy's own threads wait for each other by running in circles: where cores are shared by several
test processes, a network then takes ten times the work. Set before anything imports NumPy."""
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
"""So do Numba's threads, between two steps of games in lockstep."""
sys.dont_write_bytecode = False
"""Every process would compile the whole package again, and the asserts of Hypothesis below."""
ROOT = Path(__file__).parent
UNSET = (
    "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PYTHONIOENCODING",
    "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "http_proxy", "https_proxy",
    "MPLBACKEND", "MPLCONFIGDIR", "PYTHONDONTWRITEBYTECODE", "TRIBRIDGE_CACHE",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip
"""Settings of the user that would change what a command prints, reads or writes."""

NEEDED = {
    "torch": [
        str(path.relative_to(ROOT))
        for path in (ROOT / "src").rglob("*.py")
        if re.search(
            r"^(from tribridge\.lab\.training\.pytorch|try:\n    import torch)\b",
            path.read_text("utf-8"),
            re.M,
        )
    ],
    "gymnasium": ["src/tribridge/envs/gymnasium_env.py"],
    "pettingzoo": ["src/tribridge/envs/pettingzoo_env.py"],
    "pyspiel": ["src/tribridge/envs/openspiel_game.py"],
}
"""Modules with examples that cannot be imported without an optional package."""
MISSING = re.compile(r"No module named '(?!tribridge|tests)\w+.*'")
"""What Python says about a package that is not installed."""
IGNORED = {
    path
    for package, patterns in NEEDED.items()
    if not find_spec(package)
    for pattern in patterns
    for path in ROOT.glob(pattern)
}
"""Not `collect_ignore`, a list that pytest makes paths of again for each file."""

if find_spec("hypothesis"):  # a machine with a GPU may not have it
    import hypothesis

    # How long an example takes says something about the machine, not about the code.
    for profile, examples in (("brief", 30), ("whole", 200)):
        hypothesis.settings.register_profile(
            profile,
            database=None,
            deadline=None,
            max_examples=examples,
            suppress_health_check=[hypothesis.HealthCheck.too_slow],
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """For `make test-gpu`, on machines where nothing can be installed."""
    parser.addoption(
        "--skip-missing", action="store_true", help="skip tests whose packages are not installed"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: in some tests timers and other processes are waited for."""
    return (os.cpu_count() or 1) + 1


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the examples of modules that cannot be imported."""
    return collection_path in IGNORED or None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """With `--skip-missing`, skip a file that imports a package which is not installed."""
    report = yield
    missing = MISSING.search(str(report.longrepr)) if report.failed else None
    if missing and collector.config.getoption("--skip-missing"):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, missing[0])
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in the modules of the package and of helpers that have any, not in tests.

    To go through all that a module defines takes a while, in every process.
    """
    collectors = yield
    if file_path.name.startswith("test_"):
        return [each for each in collectors if type(each) is pytest.Module]
    return collectors if collectors and ">>>" in file_path.read_text("utf-8") else []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for garbage seldom, and not among modules and tests, which stay.

    Python would go through all of them again and again.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """The same for a test that comes upon a missing package."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if item.config.getoption("--skip-missing") and MISSING.search(str(error)):
            pytest.skip(str(error))
        raise


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files, those with a browser first: no process is left alone with one.

    Each file runs in one process, and pytest-randomly has shuffled them before.
    """
    browser = {item.path for item in items if "chrome" in getattr(item, "fixturenames", ())}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    files = {path: at for at, path in enumerate(dict.fromkeys(item.path for item in items))}
    items.sort(
        key=lambda item: (
            item.path not in browser,
            item.path not in slow,
            files[item.path],
            "chrome" not in getattr(item, "fixturenames", ()),  # the browser closes after its tests
        )
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set the environment before anything of the package is imported."""
    if "hypothesis" in sys.modules:
        hypothesis.settings.load_profile("brief" if config.option.markexpr else "whole")
    own = tempfile.TemporaryDirectory(prefix="tribridge-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(own.cleanup)
    home = Path(own.name) / "home"
    home.mkdir()
    shared = Path(own.name) / "shared"
    shared.mkdir()
    # Started in the background by a script, this process and its children would ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    for name in UNSET:
        patch.delenv(name, raising=False)
    patch.setenv("HOME", str(home))
    if not hasattr(config, "workerinput"):  # the processes of a run share the folder of the first
        patch.setenv("TRIBRIDGE_TESTS", str(shared))
    patch.setenv(
        "HYPOTHESIS_STORAGE_DIRECTORY", str(_kept("hypothesis") or f"{own.name}/hypothesis")
    )
    patch.setenv("NUMBA_CACHE_DIR", str(_kept(f"kernels/{_kernels()}") or f"{own.name}/kernels"))
    if path := os.environ.get("PYTHONPATH"):  # commands are run in other folders
        patch.setenv(
            "PYTHONPATH", os.pathsep.join(str(Path(p).resolve()) for p in path.split(os.pathsep))
        )


def _kernels() -> str:
    """A name for the present sources of compiled kernels."""
    texts = {path: path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")}
    compiled = [text for text in texts.values() if "njit" in text]
    called = set(re.findall(r"^from (tribridge[\w.]*) import", "".join(compiled), re.M))
    digest = hashlib.sha256()
    for path, text in sorted(texts.items()):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if text in compiled or module.removesuffix(".__init__") in called:
            digest.update(text.encode())
    return digest.hexdigest()[:16]


def _kept(name: str) -> Path | None:
    """A folder that is kept between runs; None if it is read-only."""
    folder = ROOT / ".pytest_cache" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


@pytest.fixture(scope="session", autouse=True)
def _working_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The working directory of all tests; it is empty."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("empty")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(autouse=True)
def _strategies_of_a_test_are_its_own() -> Iterator[None]:
    """Forget what a test or an example registers: others go through all that is registered."""
    from tribridge.strategies import registry

    with registry.kept():
        yield


@pytest.fixture(autouse=True)
def _nothing_is_left_in_the_working_directory(_working_directory: Path) -> Iterator[None]:
    yield
    assert not list(_working_directory.iterdir())
