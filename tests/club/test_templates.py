"""Templates can be read: no line is longer than a screen is wide."""

from __future__ import annotations

from pathlib import Path

from tribridge.club import pages

TEMPLATES = Path(pages.__file__).parents[1] / "templates"
WIDEST = 140


def test_no_line_of_a_template_is_too_long() -> None:
    files = sorted(TEMPLATES.glob("*.html"))
    assert files
    long = [
        f"{file.name}:{number} has {len(line)} characters"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if len(line) > WIDEST
    ]
    assert not long
