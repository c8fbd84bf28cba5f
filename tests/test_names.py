"""What texts name exists: the library's names, modules, files, commands and their options.

Looked at are the pages, the docstrings and comments of the package and of the benchmarks, and the
templates of the report: whatever is between backticks or, in templates, in <code>. `CHANGELOG.md`
names what is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tribridge as tb
from tests.library.cli.helpers import built
from tests.test_docs import BLOCK, DOCUMENTS, ROOT, names
from tribridge.cli import app

PACKAGE = ROOT / "src" / "tribridge"
HOUSES = (PACKAGE, PACKAGE / "club", PACKAGE / "lab")
PLACES = (
    *(ROOT, ROOT / "benchmarks", *HOUSES),
    *(PACKAGE / "lab" / "studies", PACKAGE / "strategies"),
)
"""Where a file that a text names may lie."""
PAGES = [page for page in DOCUMENTS if page.name != "CHANGELOG.md"]
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])
LAB = PACKAGE / "lab"
TEMPLATES = sorted([*(LAB / "report").rglob("*.html"), LAB / "studies" / "claims.toml"])
KINDS = r"py|toml|csv|jsonl?|npz(?:\.split)?|parquet|md"
FILE = re.compile(rf"(?<![\w/.@:-])(?!out/)[\w@-]+(?:/[\w@.+-]+)+\.(?:{KINDS})\b")


def spans(path: Path) -> Iterator[str]:
    """The pieces of code in a text, each on one line."""
    text = path.read_text("utf-8")
    if path in PAGES:
        text = BLOCK.sub("", text)
    if path.suffix == ".html":
        found = re.findall(r"<code>(.*?)</code>", text, re.S)
    else:
        found = re.findall(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)", text)
    for span in found:
        yield re.sub(r"\s*\n[ #]*", " ", span)


def commands() -> dict[str, Any]:
    """All commands, by the words that call them."""
    known: dict[str, Any] = {}

    def add(group: Any, words: str) -> None:
        known[words] = group
        if hasattr(group, "commands"):
            context = group.context_class(group)
            for name in group.list_commands(context):
                add(group.get_command(context, name), f"{words} {name}".strip())

    add(built(app), "")
    return known


COMMANDS = commands()
GENERAL = {"--help", "--version"}
OPTIONS = {
    option
    for command in COMMANDS.values()
    for parameter in command.params
    for option in (*parameter.opts, *parameter.secondary_opts)
} | GENERAL


def missing(span: str, beside: Path = PACKAGE) -> str | None:
    """What a piece of code names that does not exist, in a text beside some files."""
    for name in re.findall(r"(?<![\w.])tb\.(\w+)", span):
        if not hasattr(tb, name):
            return f"tb.{name}"
    path: str
    for path in FILE.findall(span):
        if not Path(path).stem.isupper() and not any(
            (place / path).exists() for place in (*PLACES, beside)
        ):
            return path
    if dotted := re.fullmatch(rf"(?:tribridge\.)?([a-z_]+(?:\.(?!(?:{KINDS})\b)\w+)+)", span):
        first, *rest = dotted[1].split(".")
        there = [place / first for place in (PACKAGE, LAB, beside) if module(place / first)]
        return dotted[1] if there and not any(found(path, rest) for path in there) else None
    if span.startswith("tribridge "):
        return unknown_option(span.removeprefix("tribridge ").split())
    if program := re.match(r"python (?:-m )?(benchmarks[./][a-z_]+(?:\.py)?)(.*)", span):
        return unknown_of_program(*program.groups())
    if re.fullmatch(r"--[a-z-]+( [A-Z]+| \d+)?", span):
        option = span.split()[0]
        return None if option in OPTIONS or option in PROGRAM_OPTIONS else option
    return None


def module(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").exists()


def found(path: Path, rest: list[str]) -> bool:
    """Whether dotted names lead from a package or module to something that it has."""
    while rest and path.is_dir():
        step = path / rest[0]
        if not module(step):
            break
        path, rest = step, rest[1:]
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = source.read_text("utf-8")
    return not rest or bool(re.search(rf"\b{re.escape(rest[0])}\b", text))


def unknown_option(words: list[str]) -> str | None:
    """A subcommand or an option of a command that does not exist."""
    called = ""
    while words and f"{called} {words[0]}".strip() in COMMANDS:
        called = f"{called} {words.pop(0)}".strip()
    command = COMMANDS[called]
    if words and not called and re.fullmatch("[a-z][a-z-]*", words[0]):
        return f"tribridge {words[0]}"
    own = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | GENERAL
    for word in words:
        option = word.partition("=")[0].rstrip(",.")
        if re.fullmatch("--[a-z-]+", option) and option not in own:
            return f"tribridge {called} {option}"
    return None


def program_of(name: str) -> Path:
    path = ROOT / name.removesuffix(".py").replace(".", "/")
    return path.with_suffix(".py")


def unknown_of_program(name: str, rest: str) -> str | None:
    """A program that does not exist, or an option that it does not have."""
    path = program_of(name)
    if not path.exists():
        return name
    known = options_of(path)
    for option in re.findall(r"--[a-z-]+", rest):
        if option not in known:
            return f"{name} {option}"
    return None


def options_of(path: Path) -> set[str]:
    """The options that a program declares: as text, or as parameters of its commands."""
    text = path.read_text("utf-8")
    written = set(re.findall(r"\"(--[a-z-]+)\"", text))
    kinds = re.findall(r"^(\w+) = Annotated\[", text, re.M)
    parameters = re.findall(rf"^    (\w+): (?:{'|'.join(['Annotated', *kinds])})\b", text, re.M)
    return written | {f"--{name.replace('_', '-')}" for name in parameters}


PROGRAM_OPTIONS = {option for path in SOURCES for option in options_of(path)}


@pytest.mark.parametrize("path", [*PAGES, *SOURCES, *TEMPLATES], ids=names)
def test_what_a_text_names_exists(path: Path) -> None:
    assert not [gone for span in spans(path) if (gone := missing(span, path.parent))]


@pytest.mark.parametrize(
    "span",
    [
        "tb.nothing(1)",
        "game/nothing.toml",
        "strategies.learned.nothing",
        "tribridge nothing",
        "tribridge advise --nowhere 3",
        "python benchmarks/beliefs.py --nowhere",
        "python -m benchmarks.nothing",
        "--nowhere N",
    ],
)
def test_what_does_not_exist_is_noticed(span: str) -> None:
    assert missing(span)
