"""The glossary: terms in plain words (`glossary.toml`), explained where they stand on a page.

In a text each term becomes a button that opens its explanation. The explanations themselves are
at the end of every page, once each. In another language a term has the forms that the catalogue
gives it, as `name | other form | ...` in the context `glossary`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from markupsafe import Markup, escape

from tribridge.club.language import current, gettext, pgettext, texts, translated
from tribridge.common.errors import NotFoundError
from tribridge.common.sentences import Sentence, Words

CONTEXT: Final = "glossary"
_BETWEEN: Final = " | "


@dataclass(frozen=True, slots=True)
class Term:
    """A term and what it means."""

    key: str
    """Its English name."""
    name: str
    text: str
    also: tuple[str, ...] = ()
    """Other forms of it."""

    @property
    def id(self) -> str:
        """The id of its explanation on a page."""
        return f"term-{self.key.replace(' ', '-')}"


@cache
def english_terms() -> tuple[Term, ...]:
    """All terms as the source has them."""
    return tuple(
        Term(name, name, entry["text"], tuple(entry.get("also", ())))
        for name, entry in texts("pages/glossary.toml").items()
    )


def forms_of(term: Term) -> str:
    """All forms of a term in one text, as catalogues have them."""
    return _BETWEEN.join((term.name, *term.also))


def terms() -> tuple[Term, ...]:
    """All terms in the current language, in alphabetical order."""
    return _terms(current())


@cache
def _terms(language: str) -> tuple[Term, ...]:
    named = []
    for english in english_terms():
        name, *also = pgettext(CONTEXT, forms_of(english)).split(_BETWEEN)
        named.append(Term(english.key, name, gettext(english.text), tuple(also)))
    return tuple(sorted(named, key=lambda term: unicodedata.normalize("NFKD", term.name).lower()))


@cache
def _forms(language: str) -> dict[str, Term]:
    return {form.lower(): term for term in _terms(language) for form in (term.name, *term.also)}


@cache
def _keys() -> dict[str, str]:
    return {
        form.lower(): known.key for known in english_terms() for form in (known.name, *known.also)
    }


@cache
def _pattern(language: str) -> re.Pattern[str]:
    longest_first = sorted(_forms(language), key=len, reverse=True)
    forms = "|".join(map(re.escape, longest_first))
    return re.compile(rf"\b({forms})\b([.,;:!?)]*)", re.IGNORECASE)


def term(words: str) -> Markup:
    """English words that stand for a term, translated, as a button that explains it.

    >>> print(term("Trumps"))  # doctest: +ELLIPSIS
    <button type="button" class="term" popovertarget="term-trump" title="A card ...">Trumps</button>
    """
    try:
        key = _keys()[words.lower()]
    except KeyError:
        raise NotFoundError(f"{words!r} is not in the glossary: add it to glossary.toml") from None
    return _button(next(known for known in terms() if known.key == key), gettext(words))


@lru_cache(maxsize=2048)
def _button(known: Term, words: str) -> Markup:
    return Markup(
        '<button type="button" class="term" popovertarget="{}" title="{}">{}</button>'
    ).format(known.id, known.text, words)


def _marked(button: Markup, mark: str) -> Markup:
    """A button with the mark after it, which a browser would put on a line of its own."""
    return Markup('<span class="marked">{}{}</span>').format(button, mark) if mark else button


def explained(said: str | Sentence) -> Markup:
    """A text with the first mention of each term as a button that explains it."""
    text = translated(said) if isinstance(said, Words | Sentence) else said
    parts, seen, at = [], set(), 0
    for match in _pattern(current()).finditer(text):
        known = _forms(current())[match[1].lower()]
        if known not in seen:
            seen.add(known)
            button = _marked(_button(known, match[1]), match[2])
            parts += [escape(text[at : match.start()]), button]
            at = match.end()
    return Markup("").join([*parts, escape(text[at:])])
