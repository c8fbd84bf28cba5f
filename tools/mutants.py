"""A check of the tests themselves: small errors put into the source, and the test that finds each.

`python -m tools.mutants [--near] [HOW_MANY [SEED]]` draws errors over all packages: a comparison
turned round, a number off by one, a condition negated or left out, a value not returned, + in place
of -. Each is put into a copy of the checkout, where these run until one fails: the tests that
mirror the file and its own examples, those that import it, those of the package, and then, without
`--near`, all that `make test` runs. It prints a row of a table for each; one that survives needs a
test, or changes nothing that anyone could see.
"""

from __future__ import annotations

import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain, cycle, islice
from pathlib import Path
from typing import NamedTuple

from conftest import IGNORED

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/tribridge"
LIMIT = 1800
"""Seconds after which a run counts as failed: the error made a loop without end."""
TURNED: dict[type[ast.AST], ast.cmpop | ast.operator | ast.boolop] = {
    ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt(),
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(), ast.Is: ast.IsNot(), ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(), ast.NotIn: ast.In(), ast.Add: ast.Sub(), ast.Sub: ast.Add(),
    ast.And: ast.Or(), ast.Or: ast.And(),
}  # fmt: skip


class Mutant(NamedTuple):
    """A piece of a file, and what stands in its place."""

    path: Path
    line: int
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """The file with the error in it."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def __str__(self) -> str:
        was = self.path.read_bytes()[self.start : self.end].decode()
        change = (re.sub(r"\s+", " ", text).replace("|", "\\|") for text in (was, self.text))
        return f"`{self.path.relative_to(SOURCE)}:{self.line}`: " + " → ".join(
            f"`{text if len(text) < 60 else text[:56] + ' ...'}`" for text in change
        )


def changed(node: ast.AST) -> Iterator[ast.expr]:
    """What may stand in place of a piece of code."""
    match node:
        case ast.Compare(left, [op], [right]):
            yield ast.Compare(left, [TURNED[type(op)]], [right])  # type: ignore[list-item]
        case ast.BoolOp(op, values):
            yield ast.BoolOp(TURNED[type(op)], values)  # type: ignore[arg-type]
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            yield ast.BinOp(left, TURNED[type(op)], right)  # type: ignore[arg-type]
        case ast.Constant(int(value)) if not isinstance(value, bool):
            yield ast.Constant(value + 1)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)


def mutants(path: Path) -> Iterator[Mutant]:
    """Every error that can be put into a file; annotations have none."""
    source = path.read_bytes()
    begins = [0, *(found.end() for found in re.finditer(rb"\n", source))]

    def mutant(old: ast.expr, new: ast.expr) -> Mutant:
        assert old.end_lineno is not None
        assert old.end_col_offset is not None
        start = begins[old.lineno - 1] + old.col_offset
        end = begins[old.end_lineno - 1] + old.end_col_offset
        return Mutant(path, old.lineno, start, end, f"({ast.unparse(new)})")

    def walk(node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.JoinedStr):  # before Python 3.12 its parts have no places
            return
        if isinstance(node, ast.expr):
            yield from (mutant(node, new) for new in changed(node))
        if isinstance(node, ast.If | ast.IfExp):
            yield mutant(node.test, ast.UnaryOp(ast.Not(), node.test))
            yield mutant(node.test, ast.Constant(True))
        if isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
            assert node.value is not None
            yield mutant(node.value, ast.Constant(None))
        for name, child in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                for part in child if isinstance(child, list) else [child]:
                    if isinstance(part, ast.AST):
                        yield from walk(part)

    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from chain.from_iterable(map(walk, function.body))


def drawn(how_many: int, seed: int) -> list[Mutant]:
    """So many errors, from one package after another; the modules beside them are one of these."""
    draw, packages = random.Random(seed), dict[str, list[Mutant]]()
    for path in sorted(SOURCE.rglob("*.py")):
        if path not in IGNORED:
            package = path.relative_to(SOURCE).parts[0].removesuffix(path.name)
            packages.setdefault(package, []).extend(mutants(path))
    rounds = cycle(sorted(name for name, found in packages.items() if found))
    return [draw.choice(packages[name]) for name in islice(rounds, how_many)]


def runs(path: Path, copy: Path, *, near_only: bool) -> Iterator[list[str]]:
    """The commands that may find an error in a file, the nearest first."""
    module = path.relative_to(SOURCE)
    package = module.parts[0] if len(module.parts) > 1 else ""
    near = ["-m", "not full and not browser", "-n", "0"]
    stems = {path.parent.name} if path.stem == "__init__" else {path.stem, path.parent.name}
    named = {
        test
        for stem in stems - {package, SOURCE.name}
        for test in (copy / "tests" / _tests_of(package)).glob(f"**/test_*{stem}*.py")
    }
    mirrored = sorted(map(str, named))
    yield ["pytest", *near, f"src/tribridge/{module}", *mirrored]
    if importing := sorted({str(test) for test in importers(module, copy)} - {*mirrored}):
        yield ["pytest", *near, *importing]
    if package:
        yield ["pytest", *near, f"src/tribridge/{package}", f"tests/{_tests_of(package)}"]
    yield ["mypy"]
    if not near_only:
        yield ["pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]


def _tests_of(package: str) -> str:
    """Where the tests of a package of the source are: houses mirror houses, rooms mirror rooms."""
    return package if package in ("club", "lab") else f"library/{package}"


def importers(module: Path, copy: Path) -> Iterator[Path]:
    """The files of tests that import a module by its name."""
    *parents, name = ("tribridge", *module.with_suffix("").parts)
    package = re.escape(".".join(parents))
    imported = re.compile(
        rf"from {package}\.{name} import|from {package} import [^\n]*\b{name}\b", re.M
    )
    for path in (copy / "tests").rglob("test_*.py"):
        if imported.search(path.read_text("utf-8")):
            yield path


def caught(mutant: Mutant, copy: Path, *, near_only: bool = False) -> str:
    """What finds an error; an empty text if nothing does."""
    target = copy / mutant.path.relative_to(ROOT)
    source = target.read_bytes()
    target.write_bytes(mutant.apply(source))
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "MYPYPATH": str(copy / "src")}
    try:
        for command in runs(mutant.path, copy, near_only=near_only):
            options = ["-q", "-x", "-p", "no:randomly"] if command[0] == "pytest" else []
            run = subprocess.Popen(
                [sys.executable, "-m", *command, *options], cwd=copy, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                output, _ = run.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                return f"{command[0]} that does not end"
            if run.returncode < 0:
                return f"{command[0]} that ends by signal {-run.returncode}"
            if run.returncode not in (0, 5):  # 5: no such tests
                found = re.search(r"^(?:FAILED|ERROR) (\S+)|^src\S+: error: (.*)", output, re.M)
                return f"`{found[1] or found[2]}`" if found else output[-300:]
    finally:
        target.write_bytes(source)
    return ""


def main() -> None:
    """Print the table."""
    numbers = [word for word in sys.argv[1:] if word != "--near"]
    how_many, seed = (int(text) for text in (numbers + ["40", "1"][len(numbers) :])[:2])
    with tempfile.TemporaryDirectory(prefix="tribridge-mutants-") as folder:
        copy = Path(folder)
        listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
        for name in listed.splitlines():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        print("| error | found by |\n| --- | --- |")
        for mutant in drawn(how_many, seed):
            found = caught(mutant, copy, near_only="--near" in sys.argv)
            print(f"| {mutant} | {found or '**nothing**'} |", flush=True)


if __name__ == "__main__":
    main()
