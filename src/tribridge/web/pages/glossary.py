"""The glossary: terms in plain words (`glossary.toml`), explained where they stand on a page.

In a text each term becomes a button that opens its explanation. The explanations themselves are
at the end of every page, once each.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from markupsafe import Markup, escape

from tribridge.errors import NotFoundError


@dataclass(frozen=True, slots=True)
class Term:
    """A term and what it means."""

    name: str
    text: str
    also: tuple[str, ...] = ()
    """Other forms of it."""

    @property
    def id(self) -> str:
        """The id of its explanation on a page."""
        return f"term-{self.name.replace(' ', '-')}"


@cache
def terms() -> tuple[Term, ...]:
    """All terms, in alphabetical order."""
    text = resources.files(__package__).joinpath("glossary.toml").read_text("utf-8")
    entries = tomllib.loads(text).items()
    return tuple(
        Term(name, entry["text"], tuple(entry.get("also", ()))) for name, entry in sorted(entries)
    )


@cache
def _forms() -> dict[str, Term]:
    return {form.lower(): term for term in terms() for form in (term.name, *term.also)}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_forms(), key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


def term(words: str) -> Markup:
    """Words that stand for a term, as a button that explains it.

    >>> print(term("Trumps"))  # doctest: +ELLIPSIS
    <button type="button" class="term" popovertarget="term-trump" title="A card ...">Trumps</button>
    """
    try:
        known = _forms()[words.lower()]
    except KeyError:
        raise NotFoundError(f"{words!r} is not in the glossary: add it to glossary.toml") from None
    return Markup(
        '<button type="button" class="term" popovertarget="{}" title="{}">{}</button>'
    ).format(known.id, known.text, words)


def explained(text: str) -> Markup:
    """A text with the first mention of each term as a button that explains it."""
    parts, seen, at = [], set(), 0
    for match in _pattern().finditer(text):
        known = _forms()[match[0].lower()]
        if known not in seen:
            seen.add(known)
            parts += [escape(text[at : match.start()]), term(match[0])]
            at = match.end()
    return Markup("").join([*parts, escape(text[at:])])
