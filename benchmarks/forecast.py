"""Write the measured parts of the pages on forecasts and advice, and their figures.

    python benchmarks/forecast.py [--means two_hands_val.csv]

Runs `tribridge bench forecast`, `tribridge forecast --table` and `tribridge advise` and puts what
they say between the marks `<!-- NAME -->` and `<!-- end -->` of `docs/explanation/forecast.md` and
`docs/explanation/advice.md`. Without `--means` the table of means stays as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"
LEAST = 500
SHORT = {
    "linear regression on cards": "linear",
    "Binky points, published": "Binky points (published)",
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


def accuracy(records: list[Record], bins: list[Record]) -> str:
    """Single deals: a row a forecast, and how far bins can be off by chance."""
    worst: dict[tuple[str, int, str], float] = {}
    reach = 0.0
    for one in bins:
        if one["contracts"] >= LEAST:
            key = one["forecast"], one["cards"], one["strains"]
            worst[key] = max(worst.get(key, 0.0), abs(one["difference"]))
            reach = max(reach, one["made to"] - one["% made"], one["% made"] - one["made from"])
    rows = []
    for one in records:
        if one["label"] != "single deal":
            continue
        error = number(one["absolute error"], 3)
        if one["error from"] is not None:
            error += f" [{one['error from']:.3f}, {one['error to']:.3f}]"
        rows.append(
            [
                str(one["cards"]),
                one["strains"],
                name(one),
                error,
                number(one["sd"], 2 if one["forecasts"] is None else 3),
                number(one["bias"], 3),
                number(one["log score"], 3),
                number(one["% in 80%"], 1, " %"),
                number(one["tricks wide"], 2),
                number(worst.get((one["forecast"], one["cards"], one["strains"])), 1),
            ]
        )
    head = ["cards", "strains", "forecast", "absolute error", "sd", "bias", "log score"]
    table = markdown([*head, "in 80 %", "tricks wide", "worst bin"], rows)
    return f"{table}\n\nThe 95 % intervals of the bins reach up to {reach:.1f} points."


def means(records: list[Record]) -> str:
    """Means of ten layouts: a row a forecast."""
    rows = [
        [
            str(one["cards"]),
            one["strains"],
            name(one),
            number(one["absolute error"], 2 if one["forecasts"] is None else 3),
            number(one["noise floor"], 3),
        ]
        for one in records
        if one["label"] != "single deal"
    ]
    return markdown(["cards", "strains", "forecast", "absolute error", "noise floor"], rows)


def speed() -> str:
    """The speed of the kinds."""
    rows = [
        [
            f"`{one['kind']}`",
            number(one["loading, ms"], 0),
            number(one["one forecast, ms"], 2),
            number(one["a million pairs, s"], 1),
        ]
        for one in json.loads(tribridge("bench", "forecast", "--speed", "--json"))
    ]
    return markdown(
        ["kind", "loading, ms", "one forecast, ms", "a million pairs of hands, s"], rows
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--means", type=Path)
    chosen = parser.parse_args()
    extra = [] if chosen.means is None else ["--means", str(chosen.means)]
    figure = str(DOCS / "pictures" / "forecast.svg")
    found = json.loads(tribridge("bench", "forecast", "--json", "--figure", figure, *extra))
    records = found["forecast-accuracy"]
    parts = {
        "accuracy": accuracy(records, found["forecast-calibration"]),
        "speed": speed(),
        "sheets": block(tribridge("forecast", "--table")),
    }
    if chosen.means is not None:
        parts["means"] = means(records)
    put(DOCS / "explanation" / "forecast.md", parts)
    picture = str(DOCS / "pictures" / "advice.svg")
    tribridge("advise", HAND, DUMMY, "--scheme", "old", "--figure", picture)
    said = tribridge("advise", HAND, "--auction", "1H pass", "--scheme", "old", columns=80)
    command = f'$ tribridge advise {HAND} --auction "1H pass" --scheme old\n'
    put(DOCS / "explanation" / "advice.md", {"example": block(command + said)})


if __name__ == "__main__":
    main()
