"""The rooms of each house as a picture: `python -m tools.rooms` draws docs/pictures/house-*.svg.

The rows are the layers of import-linter's contracts in `pyproject.toml`, the top one first: a room
imports only from rooms below it. The words in a room are the first sentence of its docstring.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs" / "pictures"
HOUSES: Final = {"library": "tribridge", "club": "tribridge.club", "laboratory": "tribridge.lab"}
_OTHERS: Final = frozenset({"club", "lab"})
_WIDTH, _GAP, _LINE, _ROOF, _LETTER = 960, 8, 17, 72, 6.9
_STYLE: Final = (
    "text{font:12.5px system-ui,sans-serif;fill:#334}"
    ".name{font-weight:650;font-size:14px;fill:#0b5d3b}"
    ".house{font-weight:650;font-size:18px;fill:#fff;text-anchor:middle}"
    "polygon{fill:#0b5d3b}rect{fill:#f3f7f4;stroke:#b9cfc3}"
    "@media(prefers-color-scheme:dark){text{fill:#c9d3cd}.name{fill:#7fd1a8}"
    "polygon{fill:#14734b}rect{fill:#1c2722;stroke:#3d5549}}"
)


def layers(house: str) -> list[list[str]]:
    """The rooms of a house, row by row, as the contract of its imports lists them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (found,) = (each for each in contracts if each.get("containers") == [HOUSES[house]])
    rows = [[*each.replace("|", ":").replace(" ", "").split(":")] for each in found["layers"]]
    return [row for row in rows if not set(row) <= _OTHERS]


def summary(package: str) -> str:
    """The first sentence of a room's docstring."""
    place = ROOT / "src" / Path(*package.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].replace("`", "").split()).rstrip(".")


def drawing(house: str) -> str:
    """The picture of a house as SVG: a roof with its name, and a floor for each layer."""
    middle = _WIDTH / 2
    parts = [
        f'<polygon points="0,{_ROOF} {middle:g},4 {_WIDTH},{_ROOF}"/>'
        f'<text class="house" x="{middle:g}" y="{_ROOF - 16}">the {house}</text>'
    ]
    top = _ROOF + _GAP
    for row in layers(house):
        width = (_WIDTH - _GAP * (len(row) - 1)) / len(row)
        texts = [
            wrap(summary(f"{HOUSES[house]}.{room}"), int((width - 24) / _LETTER)) for room in row
        ]
        height = 32 + _LINE * max(map(len, texts))
        for at, (room, lines) in enumerate(zip(row, texts, strict=True)):
            left = at * (width + _GAP)
            parts.append(
                f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{height}" rx="6"/>'
                f'<text class="name" x="{left + 12:g}" y="{top + 21}">{escape(room)}</text>'
            )
            parts += [
                f'<text x="{left + 12:g}" y="{top + 21 + _LINE * number}">{escape(line)}</text>'
                for number, line in enumerate(lines, 1)
            ]
        top += height + _GAP
    title = f"The rooms of the {house}; a room imports only from rooms below it"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top - _GAP}" role="img" '
        f'aria-label="{title}"><title>{title}</title><style>{_STYLE}</style>'
        f"{''.join(parts)}</svg>\n"
    )


def main() -> None:
    """Draw all houses."""
    for house in HOUSES:
        (PICTURES / f"house-{house}.svg").write_text(drawing(house), "utf-8")


if __name__ == "__main__":
    main()
