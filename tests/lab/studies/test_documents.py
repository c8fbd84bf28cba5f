"""The tables of the documents say what the stored results say, to the last digit that they show.

Prose is not checked: a result that was played again changes a table, and whoever changes the table
reads what is said about it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from pathlib import Path

import pytest

from tribridge.common.stats import Interval
from tribridge.lab.studies import calibration, card, closed, curves, listening, people, place
from tribridge.lab.studies.offence import right
from tribridge.lab.studies.study import stored

ROOT = Path(__file__).parents[3]
NUMBER = re.compile(r"(?<![\w.@/])-?\d[\d,]*(?:\.\d+)?")
PLACES, CURVES = "places-and-calls", "learning-curves"

Rows = Iterable[tuple[str, Sequence[float]]]
"""How rows begin, in their order, and their numbers."""


def lines(page: str) -> list[str]:
    text = (ROOT / f"docs/{page}.md").read_text("utf-8")
    return [line.replace("−", "-").replace("**", "") for line in text.splitlines()]


def differences(line: str, begins: str, values: Iterable[float]) -> list[str]:
    """The numbers after the beginning of a line that are not those values, as they are rounded."""
    written = NUMBER.findall(re.sub(r"\((\d+) deals\)", "", line[len(begins) :]))
    expected = list(values)
    if len(written) != len(expected):
        return [f"{len(written)} numbers in place of {len(expected)}: {line}"]
    wrong = []
    for text, value in zip(written, expected, strict=True):
        digits = len(text.partition(".")[2])
        if abs(float(text.replace(",", "")) - value) > 0.5 * 10**-digits + 1e-9:
            wrong.append(f"{text} in place of {value:.{digits + 2}f}: {line}")
    return wrong


def half(span: Interval) -> tuple[float, float]:
    """A number as it is written with a ±: the farther end counts."""
    return span.estimate, max(span.high - span.estimate, span.estimate - span.low)


def whole(span: Interval) -> tuple[float, float, float]:
    return span.estimate, span.low, span.high


def places() -> Rows:
    result = stored("place", place.Result)
    for scheme in (place.CONTRACT, place.AUCTION):
        spans = [result.place(scheme, name).points for name in place.PLACES]
        yield f"| `{scheme}` |", [number for span in spans for number in half(span)]


def known_cards() -> Rows:
    result = stored("place", place.Result)
    for scheme in (place.CONTRACT, place.AUCTION):
        spans = [result.known(scheme, cards).gained for cards in (1, 3, 6, 13)]
        yield f"| `{scheme}` |", [number for span in spans for number in half(span)]


def closed_dummy() -> Rows:
    begins = ("| dummy closed throughout |", "| by the lead |", "| by the later play |")
    gaps = [gap for gap in stored("closed", closed.Result).gaps if gap.contracts == "all"]
    for begin, gap in zip(begins, gaps, strict=True):
        yield begin, (*whole(gap.tricks), *whole(gap.points))


def listeners() -> Rows:
    result = stored("listening", listening.Result)
    for name, model in (
        ("knows which call the network prefers", "knows the preferred calls"),
        ("takes the network's chances at their word", "takes the chances at their word"),
        ("the table's model, calibrated", "the table's, calibrated"),
        ("the paper's bidder", "the paper's bidder"),
    ):
        spans = [result.model(scheme, model).bits for scheme in ("contract", "auction")]
        yield f"| {name} |", [number for span in spans for number in whole(span)]


def version_of(row: people.Beside) -> str:
    return "version " + row.version.split("@")[1][0]


def beside_experts() -> Rows:
    for row in stored("people", people.Result).players[:4]:
        sides = row.declaring, row.defending, row.leading
        version = f" ({version_of(row)})" if row.player == "learned" else ""
        yield f"| `{row.player}`{version} |", (*half(row.more), *sides, row.same, row.same_lead)


def searchers() -> Rows:
    for row in stored("people", people.Result).players[4:]:
        assert row.milliseconds is not None
        seconds = row.milliseconds / 1000
        ben = row.player.startswith("BEN")
        name = row.player.replace(" with PIMC", "") if ben else f"`{row.player}`, {version_of(row)}"
        yield f"| {name} |", (row.boards, seconds, *half(row.more), row.same)


def at_the_end(deck: str, begins: str, width: int) -> list[curves.Judged]:
    rows = stored("curves", curves.Result).of(deck, begins, width)
    return [row for row in rows if row.games == max(each.games for each in rows)]


def ends(values: Iterable[float | None]) -> tuple[float, float, float]:
    known = [value for value in values if value is not None]
    return sum(known) / len(known), min(known), max(known)


def small_curves() -> Rows:
    for name, begins in BEGINNINGS:
        rows = at_the_end(curves.TINY, begins, 32)
        yield f"| {name} |", (*ends(row.points for row in rows), *ends(row.gained for row in rows))


def large_curves() -> Rows:
    kinds = [(name, begins, 256) for name, begins in BEGINNINGS]
    for name, begins, width in kinds + [(*BEGINNINGS[1], width) for width in (64, 128, 576)]:
        rows = at_the_end(curves.FULL, begins, width)
        won, greedy, gained = (
            ends(map(attrgetter(name), rows)) for name in ("forecast", "points", "gained")
        )
        yield f"| {name} | {width} |", (*won, greedy[0], *gained)


BEGINNINGS = [
    ("from nothing", "nothing"),
    ("after the greedy bidder", "greedy"),
    ("after experts", "experts"),
]


def bidding_card() -> Rows:
    lost = {
        row.bidder: row.lost
        for row in stored("card", card.Result).scores
        if (row.scheme, row.others) == ("auction", "learned") and row.lost is not None
    }
    for name, bidder in (
        ("the card", "card"),
        ("`forecast` (600 deals)", "forecast"),
        ("`points`", "points"),
        ("the paper's Algorithm 1", "capture"),
    ):
        yield f"| {name} |", whole(lost[bidder])


def plays() -> Rows:
    text = (ROOT / "benchmarks/results/play_beliefs.json").read_text("utf-8")
    bits = {
        (row["side"], row["stage"], row["model"]): Interval(**row["bits"])
        for row in json.loads(text)["rows"]
        if row["model"] != "uniform"
    }
    models = ("belief of learned", "search", "plays of experts alone", "search, experts")
    stages = {1: "1 to 3", 4: "4 to 7", 8: "8 to 11", 16: "16 to 19", 24: "24 to 27", 0: "all"}
    for side in ("declarer", "defenders"):
        for stage, name in stages.items():
            begins = f"| {side}, {name} |" if stage < 4 else f"| {name} |"
            yield begins, [n for model in models for n in half(bits[side, stage, model])]


def trusted() -> Rows:
    scorings = stored("calibration", calibration.Result).scorings
    for raw, calibrated in zip(scorings[::2], scorings[1::2], strict=True):
        chances = (n for row in (raw, calibrated) for n in (row.mean, *whole(row.holds)))
        yield f"| `{raw.scoring}` |", (*chances, raw.saved.estimate, calibrated.saved.estimate)


TABLES: list[tuple[str, str, Callable[[], Rows]]] = [
    (f"explanation/{PLACES}", "## What a place is worth", places),
    (f"explanation/{PLACES}", "## What the hidden hand is worth", known_cards),
    (f"explanation/{PLACES}", "Open and closed in the play.", closed_dummy),
    (f"explanation/{PLACES}", "## To a listener who knows the bidders", listeners),
    ("explanation/training-people", "## Beside experts and other engines", beside_experts),
    ("explanation/training-people", "Other engines play through", searchers),
    (f"explanation/{CURVES}", "## On eight cards", small_curves),
    (f"explanation/{CURVES}", "## On the full deck", large_curves),
    ("explanation/beliefs", "### How far calls are trusted", trusted),
    ("explanation/beliefs", "## What the play tells", plays),
    ("tutorials/bidding-card", "## What it costs", bidding_card),
]


@pytest.mark.parametrize(
    ("page", "after", "rows"), TABLES, ids=[rows.__name__ for _, _, rows in TABLES]
)
def test_tables_of_the_documents_are_those_of_the_stored_results(
    page: str, after: str, rows: Callable[[], Rows]
) -> None:
    text = iter(lines(page))
    next(line for line in text if line.startswith(after))
    wrong = []
    for begins, values in rows():
        line = next((line for line in text if line.startswith(begins)), None)
        assert line is not None, f"{page} has no row {begins}"
        wrong += differences(line, begins, values)
    assert not wrong, "\n".join(wrong)


def test_the_counts_of_book_cards_are_those_of_the_stored_result() -> None:
    stored_cards = ROOT / "src/tribridge/lab/studies/textbook.json"
    cards: dict[str, dict[str, str]] = json.loads(stored_cards.read_text("utf-8"))
    text = " ".join(lines("explanation/strategies"))
    said = re.findall(r"`([\w@:=]+)`(?: plays it)? in (\d+)\b", text)
    assert len(said) >= len(cards) - 1, "all but `maxims`"
    assert said == [(name, str(right(cards[name]))) for name, _ in said]
