"""The core suite on every supported Python of this machine, with the lowest and newest versions.

`make test-matrix` runs this module; it needs nothing but a Python and pip's package index. The
supported Pythons are the classifiers in `pyproject.toml`. One is looked for on the path, then
among those that pyenv has installed. Each gets two fresh environments in `.matrix/`:

    lowest   every requirement in pyproject.toml at its lower bound, the rest as pip chooses
    newest   the newest versions that the requirements allow

The core suite is that of `make test` without the browser, which checks pages rather than versions.
`python -m tools.matrix 3.11-lowest -- -x tests/game` runs part of it: names of environments, then
options for pytest.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".matrix"
KINDS = ("lowest", "newest")
WHICH = ("-m", "not browser and not full")
CORE = ("-q", *WHICH, "-n", "auto", "--dist", "loadfile", "-p", "no:cacheprovider")

OLD = ("-W", "default::DeprecationWarning", "-W", "default::PendingDeprecationWarning")
"""An old release may use what the newest release of another package warns about."""


def supported(project: dict[str, Any]) -> list[str]:
    """The Python versions that the package says it supports, such as "3.11"."""
    found = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text)
        for text in project["classifiers"]
    )
    return [match[1] for match in found if match]


def lowest(project: dict[str, Any]) -> list[str]:
    """A pip constraint for every requirement that has a lower bound: exactly that version.

    >>> extras = {"web": ["uvicorn[standard]>=0.30"]}
    >>> lowest({"dependencies": ["numpy>=2.1", "rich"], "optional-dependencies": extras})
    ['numpy==2.1', 'uvicorn==0.30']
    """
    extras = project["optional-dependencies"].values()
    every = {*project["dependencies"], *(one for extra in extras for one in extra)}
    found = (
        re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)(?:,<[\w.]+)?", text) for text in every
    )
    return sorted(f"{match[1]}=={match[2]}" for match in found if match)


def interpreter(version: str) -> str | None:
    """A Python of this version that starts; None if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python")]
    for place in places:
        if place and _starts(str(place)):
            return str(place)
    return None


def _starts(python: str) -> bool:
    # A pyenv shim is on the path even where no such Python is selected.
    return subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0


def check(python: str, name: str, constraints: list[str], options: list[str]) -> str:
    """Run the core suite in a new environment; the last line of pytest, or what went wrong."""
    folder = FOLDER / name
    environment = {k: v for k, v in os.environ.items() if k not in ("PIP_CONSTRAINT", "PYTHONPATH")}
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True, env=environment)
    pip = [str(folder / "bin" / "pip"), "install", "-q", "-e", f"{ROOT}[dev]"]
    if constraints:
        file = folder / "constraints.txt"
        file.write_text("\n".join(constraints) + "\n")
        pip += ["-c", str(file)]
    if subprocess.run(pip, env=environment).returncode:
        return "FAILED to install"
    tests = [str(folder / "bin" / "python"), "-m", "pytest", *CORE, *options]
    if constraints:
        tests += OLD
    last = ""
    with subprocess.Popen(
        tests, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout
        for line in running.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return last if running.returncode == 0 else f"FAILED: {last}"


def main(arguments: list[str]) -> int:
    """Check what is asked for, or everything; 1 if something failed or nothing was checked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = [f"{version}-{kind}" for version in supported(project) for kind in KINDS]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    wanted, options = arguments[:cut] or known, arguments[cut + 1 :]
    if unknown := set(wanted) - set(known):
        sys.exit(f"unknown environment {unknown.pop()!r}: expected one of {', '.join(known)}")
    results = {}
    for name in wanted:
        version, kind = name.split("-")
        python = interpreter(version)
        print(f"== {name}: {python or 'no such Python on this machine'}", flush=True)
        if python:
            results[name] = check(
                python, name, lowest(project) if kind == "lowest" else [], options
            )
    for name in wanted:
        print(f"{name:12} {results.get(name, 'no such Python on this machine')}")
    return int(not results or any(text.startswith("FAILED") for text in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
