"""The designs of the table that can be chosen: what is written on each can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tribridge.club import language

SHEETS = Path(language.__file__).parent / "static"
STYLE, BOARD = ((SHEETS / name).read_text("utf-8") for name in ("style.css", "board.css"))
INK = ("--felt-ink", "--felt-quiet")


def colours(sheet: str, rule: str) -> dict[str, tuple[str, str]]:
    """The colours that a rule sets: in light and dark."""
    body = sheet.split(f"{rule} {{\n", 1)[1].split("}\n", 1)[0]
    return {
        name: (light, dark)
        for name, light, dark in re.findall(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)", body)
    }


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as the guidelines for accessible content define it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("felt", re.findall(r'\[data-felt="(\w+)"\]', BOARD))
def test_what_is_written_on_a_table_can_be_read(felt: str) -> None:
    inks, table = colours(STYLE, ":root"), colours(BOARD, f'[data-felt="{felt}"]')
    assert table.keys() == {"--felt-1", "--felt-2"}
    for mode in (0, 1):
        for ink in INK:
            for part in table.values():
                assert contrast(inks[ink][mode], part[mode]) >= 4.5, (ink, part, mode)


def test_there_are_several_tables_and_the_usual_one_is_among_them() -> None:
    tables = re.findall(r'\[data-felt="(\w+)"\]', BOARD)
    assert len(tables) >= 5
    usual, green = colours(STYLE, ":root"), colours(BOARD, '[data-felt="green"]')
    assert {name: usual[name] for name in green} == green
