"""Write the measured parts of the pages on forecasts and advice, and their figures.

    python benchmarks/forecast.py

Runs `tribridge speed forecast`, `tribridge forecast --table` and `tribridge advise` and puts what
they say between the marks `<!-- NAME -->` and `<!-- end -->` of `docs/explanation/forecast.md` and
`docs/explanation/advice.md`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
HAND = "AKQ2.K93.A92.KQ5"
LEAST = 500
SHORT = {
    "constant (overall mean)": "constant",
    "BridgeHand2Vec network, published": "BridgeHand2Vec (published)",
}

Record = dict[str, Any]


def tribridge(*arguments: str, columns: int = 100) -> str:
    """What a command prints."""
    command = [sys.executable, "-c", "from tribridge.cli import main; main()", *arguments]
    environment = os.environ | {"COLUMNS": str(columns)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def number(value: float | None, digits: int, unit: str = "") -> str:
    """A number, 0 without a sign, nothing for nothing."""
    if value is None:
        return ""
    return f"{round(value, digits) + 0.0:.{digits}f}{unit}"


def name(record: Record) -> str:
    """A forecast's name."""
    found = str(record["forecast"])
    return f"`{found}`" if found in ("net", "points", "capture") else SHORT.get(found, found)


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def grid(records: list[Record], column: str, digits: int) -> str:
    """A row for each number of cards and kind of strain, a column for each forecast."""
    names = list(dict.fromkeys(name(one) for one in records if one[column] is not None))
    rows: dict[str, dict[str, str]] = {}
    for one in records:
        row = rows.setdefault(f"{one['cards']} cards, {one['strains']}", {})
        row[name(one)] = number(one[column], 2 if one["forecasts"] is None else digits)
    body = [[key, *(row.get(each, "") for each in names)] for key, row in rows.items()]
    return markdown([column, *names], body)


def accuracy(records: list[Record], bins: list[Record]) -> str:
    """Single deals: errors, worst bins, and how far bins can be off by chance."""
    records = [one for one in records if one["label"] == "single deal"]
    worst: dict[tuple[str, int, str], float] = {}
    reach = 0.0
    for one in bins:
        if one["contracts"] >= LEAST:
            key = one["forecast"], one["cards"], one["strains"]
            worst[key] = max(worst.get(key, 0.0), abs(one["difference"]))
            reach = max(reach, one["made to"] - one["% made"], one["% made"] - one["made from"])
    low, high = min(worst.values()), max(worst.values())
    covered = [one["% in 80%"] for one in records if one["% in 80%"] is not None]
    return (
        f"{grid(records, 'absolute error', 3)}\n\n"
        f"Worst bins: {low:.1f} to {high:.1f} percentage points, where the 95% intervals of the "
        f"bins reach up to {reach:.1f}.\n"
        f"Nominal 80% intervals cover {min(covered):.1f}% to {max(covered):.1f}%."
    )


def block(text: str) -> str:
    """Text as it stands in the terminal."""
    lines = "\n".join(line.rstrip() for line in text.rstrip().splitlines())
    return f"```{'console' if lines.startswith('$') else 'text'}\n{lines}\n```"


def put(path: Path, parts: dict[str, str]) -> None:
    """Replace the marked parts of a page."""
    text = path.read_text("utf-8")
    for mark, content in parts.items():
        pattern = re.compile(rf"(<!-- {mark} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise SystemExit(f"{path}: expected <!-- {mark} --> once")
        text = pattern.sub(lambda found, new=content: f"{found[1]}\n{new}\n{found[2]}", text)
    path.write_text(text, "utf-8")


def main() -> None:
    """Measure and write."""
    figure = str(DOCS / "pictures" / "forecast.svg")
    found = json.loads(tribridge("speed", "forecast", "--json", "--figure", figure))
    parts = {
        "accuracy": accuracy(found["forecast-accuracy"], found["forecast-calibration"]),
        "sheets": block(tribridge("forecast", "--table")),
    }
    put(DOCS / "explanation" / "forecast.md", parts)
    said = tribridge("advise", HAND, "--auction", "1H pass", "--scheme", "old", columns=80)
    command = f'$ tribridge advise {HAND} --auction "1H pass" --scheme old\n'
    put(DOCS / "explanation" / "advice.md", {"example": block(command + said)})


if __name__ == "__main__":
    main()
