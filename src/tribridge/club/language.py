"""The languages of the pages: English in the source, and a gettext catalogue for each other one.

The language of a request is kept in a context variable, so whatever runs for the request, its
stream of updates included, speaks the language of its visitor; `/api/` is always English.

    gettext, ngettext   for texts that are shown at once
    Text, counted       for texts that outlive a request or reach several visitors: the log of a
                        table, errors, hints. Such a text is its English wording, as everywhere
                        outside the pages, and `translated` says it in the current language.
    mark                for texts that are translated later, where they are shown

A language is a folder in `locales` with a `messages.po` and the `messages.mo` compiled from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import date
from enum import Enum
from fractions import Fraction
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import Any, Final, Self

from tribridge.cards.cards import Card, Rank, Suit
from tribridge.cards.deals import Seat
from tribridge.common.sentences import Sentence, Words
from tribridge.game import Bid, Mark, points_name
from tribridge.game.auction import said

DEFAULT: Final = "en"
COOKIE: Final = "language"
_WEB: Final = resources.files("tribridge.club")
_TEN: Final = re.compile(r"(?<=[♣♦♥♠])T\b")
_NEGATIVE: Final = re.compile(r"(?<![\w-])-(?=\d)")
_NOTHING: Final = re.compile(r"(?<![\w-])[+-](?=0(\.0+)?(?![\d.]))")
_FILE: Final = "LC_MESSAGES/messages.mo"
_current: ContextVar[str] = ContextVar("language", default=DEFAULT)


@cache
def _translations() -> Mapping[str, NullTranslations]:
    """The catalogues by language; that of English is empty."""
    catalogues: dict[str, NullTranslations] = {DEFAULT: NullTranslations()}
    for folder in sorted(_WEB.joinpath("locales").iterdir(), key=lambda path: path.name):
        if folder.joinpath(_FILE).is_file():
            with folder.joinpath(_FILE).open("rb") as file:
                catalogues[folder.name] = GNUTranslations(file)
    return catalogues


@cache
def texts(name: str) -> dict[str, Any]:
    """The data of a TOML file of the pages."""
    return tomllib.loads(_WEB.joinpath(name).read_text("utf-8"))


def languages() -> dict[str, str]:
    """The languages by code, each under its own name.

    >>> languages()
    {'en': 'English', 'de': 'Deutsch'}
    """
    return {code: catalogue.gettext(mark("English")) for code, catalogue in _translations().items()}


def current() -> str:
    """The code of the language that is spoken now."""
    return _current.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language for a while."""
    token = _current.set(language if language in _translations() else DEFAULT)
    try:
        yield
    finally:
        _current.reset(token)


def preferred(chosen: str, accepted: str) -> str:
    """The language for a visitor: the one they chose, or else the best that their browser accepts.

    >>> preferred("", "fr-CH, de-AT;q=0.8, en;q=0.5"), preferred("en", "de"), preferred("xx", "")
    ('de', 'en', 'en')
    """
    known = _translations()
    if chosen in known:
        return chosen
    wishes: list[tuple[float, int, str]] = []
    for part in accepted.split(","):
        tag, _, quality = part.strip().partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        code = tag.strip().lower().partition("-")[0]
        if code in known and weight > 0:
            wishes.append((-weight, len(wishes), code))
    return min(wishes)[2] if wishes else DEFAULT


def gettext(message: str) -> str:
    """A message in the current language."""
    return _translations()[current()].gettext(message) if message else ""


def ngettext(one: str, many: str, number: int) -> str:
    """A message in the current language, in the form for a number."""
    return _translations()[current()].ngettext(one, many, number)


def pgettext(context: str, message: str) -> str:
    """A message that needs its context to be understood, in the current language."""
    return _translations()[current()].pgettext(context, message)


def mark(message: str) -> str:
    """A message that is translated later: the catalogues have it."""
    return message


NAMED: Final[tuple[type[Enum], ...]] = (Mark, Seat, Suit, Rank)
"""Enumerations whose members have a name in every language."""


def english_name(value: object) -> str:
    """The English name of something that has one in every language; empty for all else.

    >>> english_name(Seat.EAST), english_name(Suit.HEARTS), english_name(Mark.DOUBLE)
    ('East', 'hearts', 'Double')
    """
    if isinstance(value, (Suit, Rank)):
        return value.name.lower()
    return str(value) if isinstance(value, NAMED) else ""


class Text(Words):
    """A text in English that can be said in other languages.

    Its fields are filled in with `str.format`. Those that have words of their own (texts, seats,
    suits, calls, days) are translated with it.

    >>> text = Text("{name} sits down as {seat}.", name="Ann", seat=Seat.EAST)
    >>> with speaking("de"):
    ...     text, translated(text)
    ('Ann sits down as East.', 'Ann setzt sich auf Ost.')
    """

    __slots__ = ()

    def __new__(cls, message: str, /, **fields: Any) -> Self:
        worded = {key: _worded(field) for key, field in fields.items()}
        return super().__new__(cls, Sentence(message, worded))


_WEEKDAYS: Final = (
    mark("Monday"),
    mark("Tuesday"),
    mark("Wednesday"),
    mark("Thursday"),
    mark("Friday"),
    mark("Saturday"),
    mark("Sunday"),
)
_MONTHS: Final = (
    mark("January"),
    mark("February"),
    mark("March"),
    mark("April"),
    mark("May"),
    mark("June"),
    mark("July"),
    mark("August"),
    mark("September"),
    mark("October"),
    mark("November"),
    mark("December"),
)


def _dated(day: date) -> Sentence:
    """A day as people write it."""
    fields: dict[str, Any] = {"day": day.day, "year": day.year}
    fields["weekday"] = Sentence(_WEEKDAYS[day.weekday()])
    fields["month"] = Sentence(_MONTHS[day.month - 1])
    return Sentence(mark("{weekday}, {day} {month} {year}"), fields)


def _worded(value: Any) -> Any:
    """A field of a text: what has words of its own in every language is a sentence."""
    if isinstance(value, Words):
        return value.sentence
    if isinstance(value, date):
        return _dated(value)
    name = english_name(value)
    return said(value) if isinstance(value, Bid) else Sentence(name) if name else value


def counted(one: str, many: str, number: int, /, **fields: Any) -> Words:
    """A text with a form for one and a form for several; `{number}` stands for the number."""
    text = Text(one, number=number, **fields)
    return Words(replace(text.sentence, plural=many, number=number))


def translated(value: object) -> str:
    """A text, or something with a name of its own, in the current language.

    >>> with speaking("de"):
    ...     [translated(one) for one in (Seat.EAST, Suit.HEARTS, Mark.DOUBLE, Bid("3NT"), "Ann")]
    ['Ost', 'Coeur', 'Kontra', '3SA', 'Ann']
    >>> translated(Card("HT"))  # as it stands on the card
    '♥10'
    >>> with speaking("de"):
    ...     translated(date(2026, 11, 22))
    'Sonntag, 22. November 2026'
    >>> translated(Sentence("It averages {points} points.", {"points": "-14.0"}))
    'It averages −14.0 points.'
    """
    worded = _worded(value)
    text = _TEN.sub("10", _spelled(worded))
    return _NEGATIVE.sub("−", text) if isinstance(worded, Sentence) else text


@cache
def in_every_language(value: object) -> frozenset[str]:
    """What something is called in the languages of the pages.

    >>> sorted(in_every_language(Seat.EAST))
    ['East', 'Ost']
    """
    names = set[str]()
    for language in languages():
        with speaking(language):
            names.add(translated(value))
    return frozenset(names)


def _spelled(value: object) -> str:
    if not isinstance(value, Sentence):
        return str(value)
    several = ngettext(value.text, value.plural, value.number) if value.plural else ""
    form, fields = several or gettext(value.text), value.fields.items()
    spelled = {
        key: _spelled(field) if isinstance(field, Sentence) else field for key, field in fields
    }
    return form.format(**spelled) if spelled else form


@cache
def spoken(card: Card) -> Text:
    """A card in words.

    >>> from tribridge.cards.cards import Card
    >>> with speaking("de"):
    ...     spoken(Card("SK")), translated(spoken(Card("SK")))
    ('king of spades', 'Pik-König')
    """
    return Text("{rank} of {suit}", rank=card.rank, suit=card.suit)


def formatted(pattern: str, *values: Any) -> str:
    """Numbers by a `printf` pattern, as they are written in the current language.

    A minus is a minus sign and not a hyphen, and nothing is neither more nor less than nothing.

    >>> with speaking("de"):
    ...     formatted("%+.1f", 0.25), formatted("%+.1f", -1.5), formatted("%+.0f", -0.3)
    ('+0,2', '−1,5', '0')
    """
    point = gettext("{whole}.{part}").format(whole="", part="")
    text = _NOTHING.sub("", pattern % values)
    written = _NEGATIVE.sub("−", text)
    written = written if point == "." else written.replace(".", point)
    return type(pattern)(written)  # markup stays markup


def ordinal(number: int) -> str:
    """A place in an order, as it is written in the current language.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    >>> with speaking("de"):
    ...     ordinal(1)
    '1.'
    """
    forms = {1: mark("{number}st"), 2: mark("{number}nd"), 3: mark("{number}rd")}
    last = 0 if number // 10 % 10 == 1 else number % 10
    return gettext(forms.get(last, mark("{number}th"))).format(number=number)


def points_text(points: Fraction | int, *, signed: bool = False) -> str:
    """Points as people write them; a settlement has its sign.

    >>> points_text(Fraction(-7, 2)), points_text(24, signed=True), points_text(0, signed=True)
    ('−3.5', '+24', '0')
    """
    plus = "+" if signed and points > 0 else ""
    return formatted("%s", plus + points_name(Fraction(points)))
