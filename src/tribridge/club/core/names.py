"""Names and messages: what may be written, and which names people would take for each other.

A letter that cannot be seen, or a tower of marks on one, is not legible. Names are compared in two
ways: `same_name` ignores case, width and spaces; `alike` also takes letters of Latin, Cyrillic,
Greek, Cherokee and other scripts for each other that look the same. As that list is never complete,
a new name has letters of one script in a word. Stored events were checked by `same_name` alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from tribridge.cards.deals import Seat
from tribridge.club.errors import WebError
from tribridge.club.language import gettext, in_every_language, translated

LONGEST_NAME: Final = 24
_LETTERS: Final = ("Lu", "Ll", "Lt", "Lo")
MOST_MARKS: Final = 3
"""Marks on one letter; languages that are written with marks need no more."""
_BLANK: Final = frozenset(
    map(
        chr,
        (
            0x034F,  # combining grapheme joiner
            *(0x115F, 0x1160, 0x3164, 0xFFA0),  # Hangul fillers
            *(0x17B4, 0x17B5),  # inherent vowels of Khmer
            *range(0x180B, 0x1810),  # Mongolian variation selectors
            0x2800,  # Braille without dots
            *range(0xFE00, 0xFE0F),  # variation selectors, except the one that emoji need
            *(0x13441, 0x13442, 0x16FE4, 0x1D159),  # blanks of old scripts and of music
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Characters that are letters, signs or marks by their category, and show nothing."""
_LOOKS: Final = (
    str.maketrans(  # Cyrillic, Greek and others
        "АВЕЅІЈКМНОРСТУХҮӀԌԚԜЁЇавеѕіјкмнорстухүӏһԁԛԝёїΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορυχɑɡı",
        "ABESIJKMHOPCTYXYIGQWËÏabesijkmhopctyxylhdqwëïABEZHIKMNOPTYXayikvopuxagi",
    )
    | str.maketrans("ᎪᏴᏏᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏒᏚᎢᏙᏔᎳᏤᎩᎽᏃ", "ABbCDEGHiJKLMPRRSTVWWVYYZ")  # Cherokee
    | str.maketrans("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "ABCDEFGHIJKLMNOPRSTUVWXYZ")  # Lisu
    | str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")  # small capitals
    | str.maketrans("օսհոցզյⲟⲣⲥⲭⲏⲕⲙⲛⲁⲉ", "ouhngqjopcxhkmnae")  # Armenian, Coptic
    | str.maketrans("ᗩᗅᗷᑕᗪᗞᖴᘜᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯ᙭", "AABCDDFGHJLMNPRSUVWX")  # Canadian syllabics
)
"""Letters that look like Latin ones."""
_TOGETHER: Final = frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"))
"""Scripts that people write in one word, and that nobody takes for each other."""
_STROKES: Final = str.maketrans("l1|0", "iiio")
RESERVED: Final = ("judge", "the judge", "Schiedsrichter", "der Schiedsrichter")
"""Who speaks at a table beside the people there."""


def clean_text(text: str, longest: int) -> str:
    """Text on one line: printable, trimmed, not too long."""
    words = "".join(c if c.isprintable() else " " for c in text).split()
    return " ".join(words)[:longest].rstrip()


def legible(text: str) -> str:
    """Text without characters that show nothing, and with few marks on a letter.

    >>> legible("Zoë"), len(legible("Zo" + 9 * chr(0x308))), legible(chr(0x3164))
    ('Zoë', 5, ' ')
    """
    characters, marks = [], MOST_MARKS  # a mark needs a letter to stand on
    for character in text:
        if character.isspace() or character in _BLANK:
            character, marks = " ", MOST_MARKS
        else:
            marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if character == " " or marks <= MOST_MARKS:
            characters.append(character)
    return "".join(characters)


def clean_name(text: str, seat: Seat | None) -> str:
    """The display name of a person in a seat, or of an onlooker: printable, trimmed, not too long.

    It is the seat's if none is given. One that is not legible is refused, and one that says that
    its owner is somebody else: the judge, or whoever sits in another seat.
    """
    name = clean_text(text, LONGEST_NAME)
    if legible(name) != name:
        raise WebError(
            "the name {name} has invisible characters, or more than {most} marks on a letter: "
            "choose another",
            name=ascii(name),
            most=MOST_MARKS,
        )
    if any(len(scripts(word)) > 1 for word in name.split()):
        raise WebError(
            "the name {name} mixes letters of several scripts in one word: choose another",
            name=ascii(name),
        )
    if any(alike(name, reserved) for reserved in RESERVED):
        raise WebError("{name} speaks for the table: choose another name", name=name)
    if seat_named(name) not in (None, seat):
        raise WebError("{name} is what another seat is called: choose another name", name=name)
    return name or (gettext("Onlooker") if seat is None else translated(seat))


@lru_cache(maxsize=1024)
def seat_named(name: str) -> Seat | None:
    """The seat that people would take a name for, in any language.

    >>> seat_named("n0rth"), seat_named("Süd"), seat_named("Norah")
    (Seat.NORTH, Seat.SOUTH, None)
    """
    called = ((seat, text) for seat in Seat for text in in_every_language(seat))
    return next((seat for seat, text in called if alike(name, text)), None)


def scripts(word: str) -> set[str]:
    """The scripts of the letters of a word, which tell the letters of one that look like another's.

    >>> sorted(scripts("Аnna")), scripts("Анна"), scripts("Ann太郎")
    (['CYRILLIC', 'LATIN'], {'CYRILLIC'}, {'LATIN'})
    """
    plain = unicodedata.normalize("NFKC", word)
    letters = (letter for letter in plain if unicodedata.category(letter) in _LETTERS)
    known = (unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    return {"LATIN" if script in _TOGETHER else script for script in known}


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().replace(" ", "")


def _look(name: str) -> str:
    letters = unicodedata.normalize("NFKC", name).translate(_LOOKS)
    return _key(_key(letters).translate(_LOOKS)).translate(_STROKES)


def same_name(name: str, other: str) -> bool:
    """Whether two names are the same but for case, width and spaces.

    >>> same_name("Ann", "ａｎｎ"), same_name("Ann", "Anna")
    (True, False)
    """
    return _key(name) == _key(other)


def alike(name: str, other: str) -> bool:
    """Whether people would take two names for the same.

    >>> alike("Steve", "Ѕtеνе"), alike("Άννα", "ΆΝΝΑ"), alike("Anna", "Анна")
    (True, True, False)
    >>> alike("Dave", "ᎠaᏙe"), alike("dave", "ꭰaꮩe"), alike("Ben", "ꓐen")
    (True, True, True)
    """
    return same_name(name, other) or _look(name) == _look(other)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with the lowest number that makes it different from all others.

    >>> free_name("Ann", ["ann", "Ben"]), free_name("Cleo", ["Ann"])
    ('Ann 2', 'Cleo')
    """
    others, number, free = list(taken), 1, name[:LONGEST_NAME].rstrip()
    while any(alike(free, other) for other in others):
        number += 1
        free = f"{name[: LONGEST_NAME - 3].rstrip()} {number}"
    return free


def initials(names: Sequence[str]) -> list[str]:
    """The shortest beginnings that tell names apart.

    >>> initials(["North", "East", "South"]), initials(["Maud", "Ann", "Max"])
    (['N', 'E', 'S'], ['Mau', 'Ann', 'Max'])
    """
    longest = max(map(len, names))
    lengths = (at for at in range(1, longest) if len({name[:at] for name in names}) == len(names))
    at = next(lengths, longest)
    return [name[:at] for name in names]
