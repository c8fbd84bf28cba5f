"""The message catalogues of the pages: `python -m tools.messages`, run by `make messages`.

It collects the texts from the templates, the Python code and the data files, brings the
`messages.po` of every language up to date and compiles them. To add a language, name it:
`python -m tools.messages fr`.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tribridge.advice import prospects
from tribridge.capture import Conditions, StopReason
from tribridge.club import errors
from tribridge.club import language as speech
from tribridge.club.pages import glossary
from tribridge.common.stats import RARE_SWINGS
from tribridge.game.scoring import Reason
from tribridge.game.textbook import positions
from tribridge.reviews import Luck, Verdict
from tribridge.reviews import puzzle_wording as puzzles
from tribridge.reviews import wording as reviews
from tribridge.strategies.players.maxims.defence import SIGNALS

WEB: Final = Path(errors.__file__).parent
LOCALES: Final = WEB / "locales"
_ENGLISH: Final = ("api.py", "client.py", "commands", "history", "puzzles")
"""Parts of the club that programs and terminals use."""
_TEMPLATES: Final = DEFAULT_KEYWORDS | {"term": None}
_BLOCKS: Final = ("trimmed", "trim_blocks", "lstrip_blocks", "newstyle_gettext")
_OPTIONS: Final = dict.fromkeys(_BLOCKS, "true") | {"silent": "false"}
_ERRORS: Final = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, errors.WebError)
}
_FORMS: Final = {
    "gettext": 1, "mark": 1, "Text": 1, "words": 1, "counted": 2, "ngettext": 2
} | dict.fromkeys(_ERRORS, 1)  # fmt: skip
"""How many of the first arguments are messages, by the name of the function."""
_REASONS: Final = (
    "advice/holdings.py", "capture/wording.py",
    "strategies/callers/points.py", "strategies/callers/card.py",
    "strategies/learned/[cp]*er.py", "strategies/human/*.py", "strategies/players/maxims/*.py",
    "strategies/players/simple.py",
    "strategies/choices.py", "strategies/reasons/*.py",
)  # fmt: skip
"""Where the reasons come from that pages show as they are."""
_FAULTS: Final = (
    "cards/cards.py", "cards/deals.py", "cards/formats/*.py", "game/position.py",
    "game/record/*.py", "club/history/played.py",
)  # fmt: skip
"""Where it comes from what pages say of a file that cannot be read."""
_PATTERN: Final = re.compile(r"\{[a-z]+\}")
_FIELD: Final = re.compile(r"%\(\w+\)[a-z]|%%|\{[^{}]*\}")
_TAG: Final = re.compile(r"<[^>]*>")

Message = tuple[str, str | tuple[str, ...], str | None]
"""Where it comes from, the message (with its plural), and its context."""


def po_of(language: str) -> Path:
    """The catalogue of a language, as people edit it."""
    return LOCALES / language / "LC_MESSAGES" / "messages.po"


def languages() -> list[str]:
    """The languages that have a catalogue."""
    return sorted(path.name for path in LOCALES.iterdir() if po_of(path.name).is_file())


def messages() -> Iterator[Message]:
    """All messages of the pages."""
    for path in sorted((WEB / "templates").glob("*.html")):
        with path.open("rb") as file:
            texts = extract("jinja2.ext:babel_extract", file, _TEMPLATES, (), _OPTIONS)
            for _, message, _, context in texts:
                yield _name(path), message, context
    for path in sorted(WEB.glob("**/*.py")):
        if path.relative_to(WEB).parts[0] in _ENGLISH:
            continue
        messages = in_source(path.read_text("utf-8"), _name(path))
        yield from ((_name(path), message, None) for message in messages)
    for path in _files(_REASONS):
        where = str(path.relative_to(WEB.parent))
        yield from ((where, message, None) for message in _reasons(path.read_text("utf-8"), where))
    for path in _files(_FAULTS):
        where = str(path.relative_to(WEB.parent))
        yield from ((where, found, None) for found in in_source(path.read_text("utf-8"), where))
    yield from _data()


def _files(parts: Iterable[str]) -> Iterator[Path]:
    """The files of each part; one that has none is refused, lest its messages vanish unseen."""
    for part in parts:
        if not (found := sorted(WEB.parent.glob(part))):
            raise FileNotFoundError(f"{part}: there is no such file to take messages from")
        yield from found


def _reasons(source: str, where: str) -> Iterator[str | tuple[str, str]]:
    """The patterns of reasons in Python code: texts with fields; some go on with a signal."""
    counts = [message for message in in_source(source, where) if not isinstance(message, str)]
    yield from in_source(source, where)
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and _PATTERN.search(text) and text not in chain(*counts):
            ends = SIGNALS if "maxims" in where and not text.endswith(".") else ("",)
            yield from (text + end for end in ends)


def in_source(source: str, where: str) -> Iterator[str | tuple[str, str]]:
    """The messages in Python code; an f-string where one should be is refused."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield from _in_call(node, where)


def _name(path: Path) -> str:
    return str(path.relative_to(WEB))


def _in_call(call: ast.Call, where: str) -> Iterator[str | tuple[str, str]]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    forms = _FORMS.get(name, 0)
    if not forms:
        return
    texts = [_strings(argument, where) for argument in call.args[:forms]]
    if forms == 1:
        yield from (text for text in texts[0] if text)
    else:
        yield from zip(*texts, strict=True)


def _strings(node: ast.expr, where: str) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _strings(node.body, where) + _strings(node.orelse, where)
    if isinstance(node, ast.JoinedStr):
        raise SyntaxError(f"{where}, line {node.lineno}: an f-string cannot be translated")
    return []


def _data() -> Iterator[Message]:
    """The texts of the data files."""
    for value in (member for kind in speech.NAMED for member in kind):
        yield "language.py", speech.english_name(value), None
    yield from (("reviews/values.py", verdict.value, None) for verdict in (*Verdict, *Luck))
    reasons = {*map(str, Reason), "rubber"} - {"contract"}
    ends = (*StopReason, Conditions.A_FAILS, Conditions.B_FAILS)
    yield from (("capture/algorithm.py", end.value, None) for end in ends)
    yield "stats.py", RARE_SWINGS, None
    yield from (("game/scoring.py", reason, None) for reason in sorted(reasons))
    for module in (prospects, puzzles, reviews):
        where = module.__name__.removeprefix("tribridge.").replace(".", "/") + ".py"
        for name, value in vars(module).items():
            if name.isupper():
                forms = value.values() if isinstance(value, dict) else [value]
                plurals = (str, tuple) if name.startswith("_") else str
                yield from ((where, form, None) for form in forms if isinstance(form, plurals))
    for diagram in positions():
        if diagram.signal:  # the principles of the other themes are in no puzzle
            yield "game/textbook.toml", diagram.principle, None
    for term in glossary.english_terms():
        yield "pages/glossary.toml", glossary.forms_of(term), glossary.CONTEXT
        yield "pages/glossary.toml", term.text, None
    tour = _toml(WEB / "pages/tour.toml")
    steps = (
        [s["title"], s["text"], s["task"], s["right"], *(s.get("fine", {}) | s["wrong"]).values()]
        for s in tour["steps"]
    )
    for texts in (tour["lessons"], tour["texts"].values(), *steps):
        yield from (("pages/tour.toml", text, None) for text in texts)
    for level in _toml(WEB / "core/bots.toml")["levels"]:
        lines = [character["line"] for character in level["characters"]]
        yield from (
            ("core/bots.toml", text, None) for text in (level["name"], level["note"], *lines)
        )
    for file in ("laws.toml", "schemes.toml"):
        for entry in _toml(WEB.parent / "game" / file).values():
            for key in entry.keys() & {"note", "title"}:
                yield f"game/{file}", entry[key], None


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


@cache
def template() -> Catalog:
    """All messages as a catalogue without translations."""
    catalog = Catalog(project="Tribridge", charset="utf-8")
    for where, message, context in messages():
        known = message if isinstance(message, str) else (message[0], message[1])
        catalog.add(known, locations=[(where, 1)], context=context)
    return catalog


def read(language: str) -> Catalog:
    """The catalogue of a language."""
    with po_of(language).open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalog: Catalog) -> bytes:
    """A catalogue as programs read it."""
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def to_do(catalog: Catalog) -> Iterator[str]:
    """What is left to translate or to remove; until then pages show the text in English."""
    wanted = {(message.id, message.context) for message in template() if message.id}
    known = {(message.id, message.context) for message in catalog if message.id}
    yield from (f"missing: {message!r}" for message, _ in wanted - known)
    yield from (f"no longer used: {message!r}" for message, _ in known - wanted)
    yield from (f"no longer used: {message!r}" for message in catalog.obsolete)
    yield from (
        f"not translated: {message.id!r}"
        for message in catalog
        if message.id and not all(_forms(message))
    )


def problems(catalog: Catalog) -> Iterator[str]:
    """What is wrong with the translations of a catalogue."""
    for message in catalog:
        if message.id:
            if message.fuzzy:
                yield f"to be checked (fuzzy): {message.id!r}"
            for form in filter(None, _forms(message)):
                yield from _differences(
                    message.id if isinstance(message.id, str) else message.id[-1], form
                )


def _forms(message: Any) -> list[str]:
    string = message.string
    return [string] if isinstance(string, str) else list(string or [""])


def _differences(source: str, form: str) -> Iterator[str]:
    for pattern, what in ((_FIELD, "fields"), (_TAG, "tags")):
        if sorted(pattern.findall(source)) != sorted(pattern.findall(form)):
            yield f"other {what} than in {source!r}: {form!r}"
    if '"' in _TAG.sub("", form):
        yield f'a " would end an attribute: {form!r}'


def update(language: str) -> list[str]:
    """Bring the catalogue of a language up to date and compile it; what is left to do."""
    path = po_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    catalog = read(language) if path.is_file() else Catalog(language, project="Tribridge")
    catalog.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    catalog.header_comment = f"# The texts of the pages, language: {language}."
    catalog.fuzzy = False
    with path.open("wb") as file:
        write_po(file, catalog, width=100, sort_output=True, include_lineno=False)
    catalog = read(language)
    path.with_suffix(".mo").write_bytes(compiled(catalog))
    return [*to_do(catalog), *problems(catalog)]


def main(new: Iterable[str]) -> int:
    """Update the catalogues, and say what is left to translate."""
    left = 0
    for language in sorted({*languages(), *new}):
        problems_left = update(language)
        print(f"{po_of(language)}: {len(template())} messages, {len(problems_left)} left")
        print(
            *(f"  {problem}" for problem in problems_left),
            sep="\n",
            end="\n" if problems_left else "",
        )
        left += len(problems_left)
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
