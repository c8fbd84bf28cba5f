"""Sentences as values: a pattern in English and what fills it in.

The text of a sentence is a rendering of it. Pages say it in other languages: they translate the
patterns, and the fields that are sentences themselves, as `Pass` and `{number} tricks` are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tribridge.cards import Strain
from tribridge.game.auction import Bid, Mark
from tribridge.game.table import Action

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


def said(action: Action) -> str | Sentence:
    """A call or a card; calls have words of their own in every language."""
    if isinstance(action, Mark):
        return Sentence(str(action))
    if isinstance(action, Bid) and action.strain is Strain.NOTRUMP:
        return Sentence("{level}{strain}", {"level": str(action.level), "strain": Sentence("NT")})
    return str(action)


def decimal(number: float, sign: str = "", digits: int = 1) -> str | Sentence:
    """A number with some digits after the decimal sign; with the sign "+", always signed."""
    whole, _, part = f"{number:{sign}.{digits}f}".partition(".")
    return Sentence(DECIMAL, {"whole": whole, "part": part}) if part else whole


def counted(forms: tuple[str, str], number: int) -> Sentence:
    """A number of things, from the form for one and the form for several."""
    return Sentence(forms[0], {"number": str(number)}, forms[1], number)
