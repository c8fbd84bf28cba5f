"""Draw the annotated pictures of the documentation: `python -m tools.explained`.

A forecast with the sentence that reads it aloud, the table of an advice with what each column says,
and the steps of the search. The figures in them are computed here. Each picture has a background of
its own, so that it can be read whichever colours the page has.
"""

from __future__ import annotations

import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Final

import tribridge as tb

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
HAND: Final = "AKQ2.K93.A92.KQ5"
AUCTION: Final = "1H pass"
STYLE: Final = (
    ".page{fill:#fbfdfb;stroke:#d5e3da}.box{fill:#eef5f0;stroke:#b9cfc3}"
    "text{font:14px system-ui,sans-serif;fill:#25352d}.small{font-size:12.5px;fill:#51645a}"
    ".strong{font-weight:650}.say{font-style:italic;font-size:15px}"
    ".bar{fill:#b9cfc3}.mark{fill:#17845a}.line{stroke:#17845a;fill:none}.end{text-anchor:end}"
    ".mid{text-anchor:middle}.on{fill:#fff;font-weight:650;text-anchor:middle}"
    "@media(prefers-color-scheme:dark){.page{fill:#151d19;stroke:#33463c}.box{fill:#1f2c26;"
    "stroke:#3d5549}text{fill:#dbe6e0}.small{fill:#a9bbb1}.bar{fill:#4a6156}.mark{fill:#2fae7a}"
    ".line{stroke:#2fae7a}.on{fill:#06110c}}"
)


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


def rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A rectangle with round corners."""
    size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {size} rx="4" class="{kind}"/>'


def picture(title: str, width: int, height: int, parts: list[str]) -> str:
    """A whole picture."""
    view = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {view} role="img"><title>{title}</title>'
    page = rect(0.5, 0.5, width - 1, height - 1, "page")
    return "\n".join([start, f"<style>{STYLE}</style>", page, *parts, "</svg>", ""])


def forecast() -> str:
    """How many tricks a hand takes in notrump, and how to say it."""
    tricks = tb.forecast_tricks(HAND)["NT"]
    span, parts, base = tricks.interval(0.8), [], 210
    parts.append(text(24, 32, f"{tb.Hand(HAND)} in notrump: tribridge forecast {HAND}", "small"))
    for number, chance in enumerate(tricks.chances):
        x, height = 40 + 46 * number, 700 * float(chance)
        parts.append(rect(x, base - height, 34, height, "mark" if number >= 9 else "bar"))
        parts.append(text(x + 17, base + 18, str(number), "mid"))
        if chance >= 0.005:
            parts.append(text(x + 17, base - height - 6, f"{chance:.0%}", "small mid"))
    parts.append(text(40, base + 38, "tricks; the green ones make 3NT", "small"))
    lines = (
        f"“In notrump this hand takes {tricks.mean:.1f} tricks on average.",
        f"It takes nine or more, enough for 3NT, {tricks.at_least(9):.0%} of the time.",
        f"In {span.chance:.0%} of deals it takes {span.low} to {span.high}.”",
    )
    parts += [text(40, base + 68 + 22 * at, line, "say") for at, line in enumerate(lines)]
    return picture("A forecast, and how to read it aloud", 700, 345, parts)


COLUMNS: Final = (
    ("call", "the best bid of each strain, and a pass"),
    ("tricks", "what declarer takes on average"),
    ("makes", "how often the contract succeeds"),
    ("average", "points over the average opponent: the highest is the advice"),
    ("worst 5%", "the average of the worst deal in twenty"),
    ("up to", "how high the strain may go and still pay more than silence"),
    ("your hand", "what you hold for this call"),
)


def advice() -> str:
    """The table of an advice, and what its columns say."""
    command = [sys.executable, "-m", "tribridge", "advise", HAND, "--auction", AUCTION]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    head, *lines = done.stdout[done.stdout.index("call  tricks") :].splitlines()
    reason = head.index("your hand")
    parts = [text(24, 32, f'tribridge advise {HAND} --auction "{AUCTION}"', "small")]
    places = (60, 145, 220, 305, 400, 475, 620)
    for number, ((name, _), x) in enumerate(zip(COLUMNS, places, strict=True), 1):
        parts.append(f'<circle cx="{x - 8}" cy="60" r="10" class="mark"/>')
        parts.append(text(x - 8, 65, str(number), "on"))
        parts.append(text(x - 8, 92, name, "strong mid"))
    parts.append(rect(16, 102, 708, 26, "box"))
    rows = lines[: lines.index("")]
    for at, line in enumerate(rows):
        call, *figures = line[:reason].split()
        if call == "Pass":  # it has only points
            figures = ["", "", *figures, ""]
        for x, cell in zip(places, (call, *figures, line[reason:].strip()), strict=True):
            parts.append(text(x - 8, 120 + 26 * at, cell, "mid" if at else "mid strong"))
    base = 120 + 26 * len(rows) + 14
    for number, (name, meaning) in enumerate(COLUMNS, 1):
        y = base + 24 * (number - 1)
        parts.append(f'<circle cx="34" cy="{y - 5}" r="9" class="mark"/>')
        parts.append(text(34, y, str(number), "on"))
        parts.append(text(52, y, f"{name}: {meaning}"))
    return picture("The table of an advice, column by column", 740, base + 24 * len(COLUMNS), parts)


STEPS: Final = (
    ("1  Look", ("your hand, dummy,", "the calls and the", "cards played so far")),
    ("2  Imagine", ("hands that the others", "may hold; likely ones", "are drawn more often")),
    ("3  Play on", ("each legal card in", "each of these layouts,", "to the last trick")),
    ("4  Compare", ("the average of each", "card: only a clear lead", "overrules the network")),
)


def search() -> str:
    """The steps of a search, without figures."""
    parts = []
    for number, (name, lines) in enumerate(STEPS):
        x = 20 + 220 * number
        parts.append(rect(x, 20, 190, 240, "box"))
        parts.append(text(x + 14, 46, name, "strong"))
        parts += [text(x + 14, 200 + 20 * at, line, "small") for at, line in enumerate(lines)]
        if number < len(STEPS) - 1:
            path = f"M{x + 194} 110 h20 m-7 -6 l7 6 l-7 6"
            parts.append(f'<path d="{path}" class="line" stroke-width="2"/>')
    fan = [rect(36 + 22 * at, 90, 30, 44, "page") for at in range(5)]
    fan += [text(43 + 22 * at, 112, suit) for at, suit in enumerate("♠♠♥♦♣")]
    fan.append(text(36, 160, "hidden: ? ? ?", "small"))
    layouts = [rect(262 + 14 * at, 74 + 16 * at, 110, 50, "page") for at in range(4)]
    layouts += [text(312, 150, "North ?  East ?", "small")]
    grid = [
        text(505 + 50 * at, 68, card, "small mid") for at, card in enumerate(("♠K", "♥9", "♣4"))
    ]
    for row in range(4):
        for column, height in enumerate(
            ((18, 12, 6), (12, 18, 12), (18, 12, 12), (6, 18, 12))[row]
        ):
            x, y = 490 + 50 * column, 98 + 24 * row
            grid.append(rect(x, y - height, 30, height, "bar"))
    cards = [text(690, 88 + 34 * at, card, "small") for at, card in enumerate(("♠K", "♥9", "♣4"))]
    bars = [
        rect(716, 72 + 34 * at, width, 22, kind)
        for at, (width, kind) in enumerate(((96, "bar"), (124, "mark"), (78, "bar")))
    ]
    return picture(
        "The search in four steps", 900, 280, [*parts, *fan, *layouts, *grid, *cards, *bars]
    )


def main() -> None:
    """Draw all of them."""
    for name, drawn in (
        ("forecast-read", forecast()),
        ("advice-read", advice()),
        ("search", search()),
    ):
        (FOLDER / f"{name}.svg").write_text(drawn, "utf-8")


if __name__ == "__main__":
    main()
