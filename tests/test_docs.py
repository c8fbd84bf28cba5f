"""The documents: every code block runs or, of explanations, is read; links lead somewhere.

The blocks of a page run in order, in one folder and one Python namespace. What a block holds is
said by its language, and a comment in front of it can say more:

- `python`: a doctest where it has prompts, else a script;
- `sh`: commands, which must succeed;
- `console`: commands after `$`, and their output (`...` stands for any text);
- any other language is content: `<!-- file: NAME -->` writes it into the folder for the next
  blocks, and without that only `text` is allowed;
- `<!-- parsed only: WHY -->`: the commands are too long or too large to run here, so their
  options and arguments, or what the code imports, are checked; where small numbers make commands
  short, they also run with these (`SMALLEST`, and `NOT_EVEN_SMALL` for the others);
- `<!-- run by: FILE -->`: a test of its own runs the block.

Explanations show what other tests check: their blocks run in `make test-all`, and otherwise their
syntax, what they import and the options of their commands are checked.
"""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.library.cli.helpers import built, tribridge
from tribridge import __version__
from tribridge.cli import app
from tribridge.common.errors import MissingPackageError
from tribridge.strategies import callers, players
from tribridge.strategies.registry import Entry

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>[a-z ]+): (?P<about>[^\n]*) -->\n+)?"
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.M | re.S,
)
CHECK = doctest.OutputChecker()
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int
    note: str
    about: str


def blocks(document: Path) -> list[Block]:
    text = document.read_text("utf-8")
    return [
        Block(
            language=found["language"],
            text=re.sub(rf"^{found['indent']}", "", found["text"], flags=re.M),
            line=text[: found.start("language")].count("\n") + 1,
            note=found["note"] or "",
            about=found["about"] or "",
        )
        for found in BLOCK.finditer(text)
    ]


def names(path: Path) -> str:
    return str(path.relative_to(ROOT))


EXPLANATIONS = [d for d in DOCUMENTS if d.parent.name == "explanation" and blocks(d)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, marks=[pytest.mark.full] if document in EXPLANATIONS else [])
        for document in DOCUMENTS
        if blocks(document)
    ],
    ids=names,
)
def test_every_code_block_runs(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(document):
        try:
            run(block, namespace)
        except AssertionError as error:
            raise AssertionError(f"{names(document)}, line {block.line}: {error}") from None


def run(block: Block, namespace: dict[str, Any]) -> None:
    if block.note == "run by":
        assert (ROOT / block.about).exists(), f"{block.about} is missing"
    elif block.note == "file":
        Path(block.about).write_text(block.text, "utf-8")
    elif block.language == "python" and block.note == "parsed only":
        with suppress(MissingPackageError):
            check_imports(ast.parse(block.text))
    elif block.language == "python" and ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, namespace, "page", None, block.line)
        test.globs = namespace  # not a copy: names live on in the next block
        failures: list[str] = []
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append, clear_globs=False)
        assert not failures, "".join(failures)
    elif block.language == "python":
        exec(compile(block.text, f"line {block.line}", "exec"), namespace)
    elif block.language == "sh":
        for command in commands(block.text):
            if block.note == "parsed only":
                parse(command)
            else:
                answer(command)
    elif block.language == "console":
        for command, expected in sessions(block.text):
            output = answer(command)
            assert not expected.strip() or CHECK.check_output(expected, output, FLAGS), (
                f"{command}\n--- expected\n{expected}\n--- got\n{output}"
            )
    else:
        assert block.language == "text", f"a block of {block.language or 'no language'!r}"


@pytest.mark.parametrize("document", EXPLANATIONS, ids=names)
def test_code_blocks_of_explanations_can_be_read(document: Path) -> None:
    for block in blocks(document):
        if block.language == "python":
            lines = doctest.script_from_examples(block.text) if ">>>" in block.text else block.text
            check_imports(ast.parse(lines))
        elif block.language in ("sh", "console"):
            for command in written(block):
                parse(re.split(r"[|<>]", command)[0])


def written(block: Block) -> list[str]:
    """The commands of a block."""
    if block.language == "sh":
        return commands(block.text)
    return [command for command, _ in sessions(block.text)]


def check_imports(tree: ast.AST) -> None:
    """Import what a piece of code imports, and nothing else of it."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module(list(found), []), "imports", "exec"), {})


def commands(text: str) -> list[str]:
    """The commands of a shell block, without comments."""
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines) if line]


def sessions(text: str) -> list[tuple[str, str]]:
    """Commands with the output that follows each."""
    parts = re.split(r"^\$ ", text, flags=re.M)
    assert not parts[0].strip(), "output before the first command"
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts[1:]]


def words(command: str) -> list[str]:
    result = shlex.split(command)
    assert result[0] in {"tribridge", "python", "pip", "make", "printf", "git"}, command
    return result


def answer(command: str) -> str:
    """Run a command and give its output; set-up commands are run by other tests."""
    name, *arguments = words(command)
    if name in {"pip", "make", "git"}:
        return ""
    if name == "tribridge" and not re.search(r"[|<>]", command):
        result = tribridge(*arguments)
        assert result.returncode == 0, f"{command}: {result.stderr}"
        return result.stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert done.returncode == 0 or name == "printf", f"{command}: {done.stderr}"
    return done.stdout


def parse(command: str) -> None:
    """Check the options and arguments of a command without running it."""
    name, *arguments = words(command)
    if name == "python":
        assert arguments[0] == "-m" or (ROOT / arguments[0]).exists(), f"{arguments[0]} is missing"
        return
    if name != "tribridge":
        return
    group: Any = built(app)
    context = group.context_class(group)
    while hasattr(group, "get_command"):
        if group.invoke_without_command and arguments[0].startswith("-"):
            break  # the options of a command that has subcommands too
        name, *arguments = arguments
        found = group.get_command(context, name)
        assert found is not None, f"{command}: there is no command {name}"
        group = found
    try:
        group.make_context(name, arguments, resilient_parsing=False)
    except Exception as error:  # Typer's own copy of click has errors of its own
        raise AssertionError(f"{command}: {error}") from None


SMALLEST = {"--deals": "4", "--games": "1"}
"""For options that take a number, one that takes next to no time."""
PARALLEL = re.compile(r"tribridge (arena (contracts|match)|label(?! --player)|puzzles make) ")
"""Commands that start processes unless they are told not to."""
NOT_EVEN_SMALL = {
    r"tribridge (play|worker|bot)\b": "is a server, or needs one",
    r"tribridge train (?!curves)": "needs PyTorch or files",
    r"--(gpu|cluster)\b": "needs a GPU or a cluster",
    r"tribridge exact($| --joint)": "counts all deals",
    r"tribridge paper": "compiles what the studies need, or needs two reports",
    r"tribridge speed forecast --means|tribridge score|arena experts": "needs files",
    r" oracle": "solves every position",
    r"tribridge equilibrium": "compiles for seconds, or has too many nodes",
    r"tribridge benchmark": "has a fixed number of deals",
    r"tribridge puzzles solve": "asks questions",
    r"tribridge puzzles (make --boards|collect from-experts)": "needs boards of experts",
}
"""Commands that no number makes short, by a pattern, each with the reason."""
SHOWN = {
    document: [
        command
        for block in blocks(document)
        if block.note == "parsed only" and block.language == "sh"
        for command in commands(block.text)
        if command.startswith("tribridge ")
    ]
    for document in DOCUMENTS
}
"""Of each page, the commands that are only parsed as they stand."""


def smaller(command: str) -> str | None:
    """A command with the smallest numbers; None if even that would take long."""
    if any(re.search(pattern, command) for pattern in NOT_EVEN_SMALL):
        return None
    own, *found = shlex.split(command)
    for word in found:
        before = own.rpartition(" ")[2]
        word = str(ROOT / word) if word.startswith("src/") else word
        own += f" {shlex.quote(SMALLEST.get(before, word))}"
    return f"{own} --processes 1" if PARALLEL.match(own) else own


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [document for document, shown in SHOWN.items() if any(map(smaller, shown))],
    ids=names,
)
def test_long_commands_run_with_small_numbers(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in SHOWN[document]:
        if (short := smaller(command)) is not None:
            answer(short)


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    every = [command for shown in SHOWN.values() for command in shown]
    for pattern in NOT_EVEN_SMALL:
        assert any(re.search(pattern, command) for command in every), pattern


@pytest.mark.parametrize("document", DOCUMENTS, ids=names)
def test_code_is_fenced(document: Path) -> None:
    """Indented code has no language, so nothing would run it."""
    text = BLOCK.sub("", document.read_text("utf-8"))
    indented = re.findall(r"^\n {4}(?=tribridge|python|make|pip|\$|>>>)[^\n]*", text, re.M)
    assert not indented


@pytest.mark.parametrize("document", DOCUMENTS, ids=names)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_doctests_of_documented_modules_are_examples() -> None:
    """Outside an Examples section the site sets them as quotations, and their lists as links."""
    pages = "".join(document.read_text("utf-8") for document in DOCUMENTS)
    for module in sorted(set(re.findall(r"^::: (tribridge[\w.]*)", pages, re.M))):
        path = ROOT / "src" / module.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node) or ""
                assert not re.search(r"^>>>", text, re.M), f"{module}: {text.splitlines()[0]}"


@pytest.mark.parametrize(
    ("heading", "entries"), [("Callers", callers), ("Players", players)], ids=["callers", "players"]
)
def test_strategies_are_documented_with_their_parameters(
    heading: str, entries: Callable[[], Iterable[Entry]]
) -> None:
    page = (ROOT / "docs/explanation/strategies.md").read_text("utf-8")
    table = page.partition(f"\n### {heading}\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    known = {entry.name: entry for entry in entries()}
    for name, _, *parameters in rows:
        documented = re.findall(r"`(\w+=[^`]*)`", parameters[0] if parameters else "")
        assert documented == [one.text for one in known[name.strip("`")].parameters], name


def test_the_readme_says_what_it_is_and_then_shows_the_three_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    first, *_ = blocks(ROOT / "README.md")
    assert text.startswith("# Tribridge\n\nTribridge is ")
    assert text.index("three-player auction bridge") < text.index("```")
    assert commands(first.text) == ["make play", "make paper", "make test"]


def test_citations_name_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    page = (ROOT / "docs" / "reference" / "cite.md").read_text("utf-8")
    assert f"version = {{{__version__}}}" in page
