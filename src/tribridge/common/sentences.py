"""Sentences as values: a pattern in English and what fills it in.

The text of a sentence is a rendering of it. Pages say it in other languages: they translate the
patterns, and the fields that are sentences themselves, as `Pass` and `{number} tricks` are. `Words`
are for those who want a text and need not know more: a `str` that keeps its sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

DECIMAL: Final = "{whole}.{part}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A pattern with its fields, and a form for several where there is a number.

    >>> print(Sentence("{call} averages {points}.", {"call": "1♣", "points": decimal(7.25, "+")}))
    1♣ averages +7.2.
    """

    text: str
    fields: Mapping[str, str | Sentence] = field(default_factory=dict, hash=False)
    plural: str = ""
    number: int = 1

    def __str__(self) -> str:
        form = self.plural if self.plural and self.number != 1 else self.text
        return form.format(**self.fields) if self.fields else form


class Words(str):
    """A sentence as its English text; `english` where that is not the sentence by itself."""

    __slots__ = ("sentence",)
    sentence: Sentence

    def __new__(cls, sentence: Sentence, english: str = "") -> Self:
        self = super().__new__(cls, english or str(sentence))
        self.sentence = sentence
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Words, (self.sentence, str(self))


def words(message: str, /, **fields: object) -> Words:
    """A pattern in words, with its fields.

    >>> words("The maxims decide: {maxim}", maxim=clause(words("{who} hand high.", who="Third")))
    'The maxims decide: third hand high.'
    """
    plain = {key: getattr(field, "sentence", field) for key, field in fields.items()}
    spelled = {
        key: field if isinstance(field, Sentence) else str(field) for key, field in plain.items()
    }
    return Words(Sentence(message, spelled), message.format(**fields) if fields else message)


def clause(reason: str, end: str = "") -> str:
    """A sentence as it reads after a colon, without its end; other languages keep it whole."""
    text = reason[:1].lower() + reason[1:].removesuffix(end)
    return Words(reason.sentence, text) if isinstance(reason, Words) else text


def joined(separator: str, parts: Iterable[str]) -> Words:
    """Parts of a sentence with the same sign between them in every language."""
    fields = {f"part{number}": part for number, part in enumerate(parts)}
    return words(separator.join(f"{{{key}}}" for key in fields), **fields)


def decimal(number: float, sign: str = "", digits: int = 1) -> str | Sentence:
    """A number with some digits after the decimal sign; with the sign "+", signed if not zero.

    >>> [str(decimal(number, "+", 0)) for number in (1.5, 0.4, -0.4)]
    ['+2', '0', '0']
    """
    written = f"{number:{sign}.{digits}f}"
    if not float(written):
        written = written.lstrip("+-")
    whole, _, part = written.partition(".")
    return Sentence(DECIMAL, {"whole": whole, "part": part}) if part else whole


def counted(one: str, many: str, number: int) -> Sentence:
    """A number of things, from the form for one and the form for several."""
    return Sentence(one, {"number": str(number)}, many, number)
