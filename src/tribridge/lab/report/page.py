"""The pages of the reports: from studies and tables to HTML.

One page is one file: styles, the little script and the figures are in it. Folding and scrolling
need no script; sorting and searching do.
"""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib import resources
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tribridge import __version__
from tribridge.capture import READINGS
from tribridge.common.errors import need
from tribridge.common.tables import Cell, Column, Format, StudyTable, as_number
from tribridge.lab.report.abstract import findings, opening
from tribridge.lab.report.provenance import WORK, RunInfo, paper_command
from tribridge.lab.report.strips import strip
from tribridge.lab.studies.claims import DEPENDS, FAILS, HOLDS, VERDICTS, Claim, thresholds_table
from tribridge.lab.studies.plans import BORNE_OUT, CONTRADICTED
from tribridge.lab.studies.published import FAR, Comparison, compared_schemes
from tribridge.lab.studies.strains import PREMIUM
from tribridge.lab.studies.study import Figure, Outcome, Outcomes

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_KINDS: Final = {
    **dict.fromkeys(("holds", "agrees", BORNE_OUT), "good"),
    **dict.fromkeys(("fails", "differs", CONTRADICTED), "bad"),
}
_NARROW: Final = 500.0
"""Figures of fewer points fit a phone whole."""
_FOLDED: Final = 14
"""Tables with more rows are folded at first."""


def paper_page(
    outcomes: Outcomes,
    judged: Sequence[Claim],
    info: RunInfo,
    pictures: Mapping[str, str],
    kinds: Sequence[str],
    *,
    pdf: bool,
) -> str:
    """The page of the report; `pictures` are the figures as SVG, `kinds` the files of each."""
    environment = page_environment()
    numbers = count(1)
    shown = [
        {
            "name": name,
            "title": outcome.study.title,
            "parts": list(_parts(outcome, pictures, kinds, numbers)),
            "command": paper_command(info.seed, info.quick, [name]) if outcome.study.named else "",
        }
        for name, outcome in outcomes.items()
    ]
    schemes = [(name, scheme.note) for name, scheme in compared_schemes().items()]
    schemes.append((PREMIUM, "auction with 125 points for a contract worth 30 or more, bid"))
    return environment.get_template("paper.html").render(
        studies=shown,
        names=set(outcomes),
        claims=judged,
        thresholds=thresholds_table(judged),
        kinds=verdict_kind,
        opening=opening(outcomes),
        front=_front(shown),
        findings=[(finding, strip(finding)) for finding in findings(outcomes)],
        verdicts=[(v, sum(c.verdict == v for c in judged)) for v in VERDICTS],
        typeface=_typeface(),
        summary=_summary(outcomes, judged),
        readings=READINGS.values(),
        schemes=schemes,
        work=WORK,
        version=__version__,
        date=info.date,
        commit=info.commit,
        quick=info.quick,
        run=info.lines(),
        command=info.command,
        pdf=pdf,
        show=lambda table, alone: show_table(environment, table, alone),
    )


_FRONT: Final = "promised"
"""The figure of the first screen: tricks promised, and tricks made."""


def _front(shown: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The figure of the first screen, if its study was run."""
    figures = (part for study in shown for part in study["parts"] if part["figure"])
    return next((part for part in figures if part["figure"].name == _FRONT), None)


def _typeface() -> str:
    """The typeface of the headings, as the page carries it."""
    font = resources.files("tribridge.lab.report").joinpath("templates/fraunces.woff2")
    return b64encode(font.read_bytes()).decode("ascii")


def _parts(
    outcome: Outcome[Any], pictures: Mapping[str, str], kinds: Sequence[str], numbers: Iterator[int]
) -> Iterator[dict[str, Any]]:
    """Figures and tables in order: figures before the table that they are drawn from."""
    for table in outcome.tables:
        for figure in (f for f in outcome.study.figures if f.table == table.name):
            yield {
                "figure": figure,
                "number": next(numbers),
                "kinds": kinds,
                "narrow": _width(pictures[figure.name]) < _NARROW,
                "svg": _markup(described(pictures[figure.name], figure)),
            }
        yield {"figure": None, "table": table}


def _width(svg: str) -> float:
    """The width of a drawing, in points."""
    size = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    return math.inf if size is None else float(size[1])


def inline(svg: str) -> str:
    """The drawing without its XML header, to embed in a page."""
    return svg[svg.index("<svg") :]


def described(svg: str, figure: Figure) -> str:
    """A drawing with a title and a description for those who do not see it."""
    label = escape(f"{figure.title}. {figure.caption}".replace("`", ""), quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1).replace(
        ">", f"><title>{escape(figure.title)}</title>", 1
    )


def verdict_kind(verdict: str) -> str:
    """How a verdict is coloured."""
    undecided = verdict.startswith(("not determined", "undecided")) or verdict == DEPENDS
    return _KINDS.get(verdict, "open" if undecided else "")


def page_environment() -> Environment:
    """The templates of the pages."""
    jinja = need("jinja2")
    environment: Environment = jinja.Environment(
        loader=jinja.PackageLoader("tribridge.lab.report"),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment


def prose(text: str) -> Markup:
    """Text of a study as HTML: what is between backticks is code."""
    return _markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False)))


def show_table(environment: Environment, table: StudyTable, command: str) -> Markup:
    """A table as HTML, with the command that makes it; an interval stands beside its estimate."""
    ends = {name for column in table.columns for name in column.interval or ()}
    places = [at for at, column in enumerate(table.columns) if column.name not in ends]
    columns = [table.columns[at] for at in places]
    html = environment.get_template("table.html").render(
        table=table,
        columns=[
            {"name": _heading(column), "text": _is_text(table.column(column.name))}
            for column in columns
        ],
        rows=[
            [
                _cell(
                    column, row[at], [row[table.names.index(end)] for end in column.interval or ()]
                )
                for at, column in zip(places, columns, strict=True)
            ]
            for row in table.rows
        ],
        folded=len(table.rows) > _FOLDED,
        command=command,
    )
    return _markup(html)


def _heading(column: Column) -> str:
    """The name of a column, and of the interval in it."""
    if column.interval is None:
        return column.name
    low, high = column.interval
    of_chance = low.startswith("95%") or low.endswith(" from")
    return f"{column.name} [95%]" if of_chance else f"{column.name} [{low}, {high}]"


def _markup(html: str) -> Markup:
    from markupsafe import Markup

    return Markup(html)


def _is_text(values: list[Cell]) -> bool:
    """Whether a column holds text that is not all whole numbers."""
    texts = [value for value in values if isinstance(value, str)]
    whole = all(text.isdecimal() for text in texts)
    return len(texts) == sum(value is not None for value in values) and not whole


def _cell(column: Column, value: Cell, ends: Sequence[Cell] = ()) -> dict[str, str]:
    if value is None:
        return {"text": "", "kind": "", "ends": ""}
    if isinstance(value, str):
        grouped = f"{int(value):,}" if value.isdecimal() and len(value) > 4 else value
        kind = verdict_kind(value) if column.format is Format.VERDICT else ""
        if not kind and len(value) > 30:
            kind = "long"
        return {"text": grouped, "kind": kind or ("" if grouped != value else "text"), "ends": ""}
    far = column.format is Format.Z_SCORE and abs(value) > FAR
    kind = "bad" if far or not math.isfinite(value) else ""
    low, high = map(as_number, ends) if ends else (None, None)
    if low is None or high is None or not low < high:
        sampled = column.unit == "%" and not column.exact and not column.of
        alone = replace(column, digits=1) if sampled and column.digits is None else column
        return {"text": alone.text(value), "kind": kind, "ends": ""}
    written = replace(column, digits=_digits(high - low)) if column.digits is None else column
    text, *both = (written.text(float(number)) for number in (value, low, high))
    return {"text": text, "kind": kind, "ends": f"[{both[0]}, {both[1]}]"}


def _digits(width: float) -> int:
    """As many digits as an interval of this width leaves sure: it is some tens of the last one.

    More than four are of no use in tricks, points and bits.
    """
    return min(4, max(0, 1 - math.floor(math.log10(width / 2))))


def _summary(outcomes: Outcomes, judged: Sequence[Claim]) -> list[dict[str, str]]:
    titles = {
        "captures": "Table 1, captures",
        "conditions": "Table 2, conditions",
        "second hand": "Second-hand table",
        "headline": "Headline table",
    }
    cards = []
    compared: dict[str, list[Comparison]] = {}
    for outcome in outcomes.values():
        for figure in outcome.comparisons:
            compared.setdefault(figure.table, []).append(figure)
    for table in compared:
        comparisons = [figure for figure in compared[table] if not figure.follows]
        good = sum(figure.verdict == "agrees" for figure in comparisons)
        bad = sum(figure.verdict == "differs" for figure in comparisons)
        verdict, kind = ("agrees", "good") if good == len(comparisons) else ("differs", "bad")
        if len(comparisons) - good - bad > good + bad:
            verdict, kind = "not determined by the text", "open"
        elif good and good < len(comparisons):
            verdict, kind = "agrees in part", "open"
        worst = max(
            (abs(f.z) for f in comparisons if f.z is not None and math.isfinite(f.z)),
            default=0.0,
        )
        text = f"{good} of {len(comparisons)} published figures within 4 standard errors"
        if table in ("headline", "second hand"):
            text += f" under both readings, {len(comparisons) - good - bad} under one of them"
        else:
            text += f", the largest distance {worst:.1f}"
        if follow := len(compared[table]) - len(comparisons):
            text += f"; {follow} more follow from these"
        cards.append({"title": titles[table], "verdict": verdict, "kind": kind, "text": text})
    counts = {verdict: sum(c.verdict == verdict for c in judged) for verdict in (HOLDS, FAILS)}
    left = len(judged) - sum(counts.values())
    cards.append(
        {
            "title": "Claims in the text",
            "verdict": f"{counts[HOLDS]} hold, {counts[FAILS]} fail",
            "kind": "good" if not counts[FAILS] else "open",
            "text": f"{left} depend, are not determined by the text or undecided by the data",
        }
    )
    return cards
