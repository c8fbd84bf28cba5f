"""The report: complete, self-contained, the same for the same seed, drawn without collisions."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from functools import partial
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib
import pyarrow.parquet as pq
import pytest
from markupsafe import escape
from matplotlib import pyplot

from tests.grids import thinned
from tests.lab.studies.helpers import kept_study, small_study
from tribridge import __version__
from tribridge.capture import READINGS
from tribridge.lab.report.page import prose
from tribridge.lab.report.paper import report, write_report
from tribridge.lab.report.provenance import WORK, RunInfo
from tribridge.lab.studies.drawing import STYLE, drawn
from tribridge.lab.studies.published import published
from tribridge.lab.studies.study import Outcome, Outcomes
from tribridge.lab.studies.suite import STUDIES, claims

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run

FIGURES = {figure.name: (name, figure.draw) for name, study in STUDIES.items()
           for figure in study.figures}  # fmt: skip
"""By name: the study, and what draws it."""
INFO = RunInfo("tribridge paper --quick", 1, {"deals": 1}, 1.0)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("conditions", "second-hand"), id="two studies"),
        pytest.param(tuple(STUDIES), id="all studies", marks=pytest.mark.full),
    ],
)
def outcomes(request: pytest.FixtureRequest) -> Outcomes:
    """The studies of a report: two of them, or all."""
    return {name: kept_study(name) for name in request.param}


@pytest.fixture(scope="module")
def folder(outcomes: Outcomes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_report(dict(outcomes), INFO, out)
    return out


def figures_of(outcomes: Outcomes) -> dict[str, tuple[str, Any]]:
    return {name: found for name, found in FIGURES.items() if found[0] in outcomes}


class Links(HTMLParser):
    """All addresses in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and tag != "use" and value:
                self.found.append(value)
            if name == "id" and value:
                self.ids.add(value)


def test_the_page_has_every_study_figure_and_table(folder: Path, outcomes: Outcomes) -> None:
    text = (folder / "index.html").read_text("utf-8")
    for name, study in outcomes.items():
        assert f'id="{name}"' in text
        for table in study.tables:
            assert f'id="table-{table.name}"' in text
            assert (folder / "tables" / f"{table.name}.csv").stat().st_size
    for name in figures_of(outcomes):
        assert f'id="figure-{name}"' in text
    assert text.count("<svg") == len(figures_of(outcomes))


def test_the_page_says_what_it_reproduces_and_how_it_was_made(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    for fact in (WORK.title, WORK.subtitle, WORK.authors, __version__, INFO.date, INFO.command):
        assert fact in text
    assert "Method, definitions" in text
    for reading in READINGS.values():
        assert str(escape(reading.note)) in text
    for section in files("tribridge.lab.report").joinpath("templates/sections").iterdir():
        assert section.name.removesuffix(".html") in STUDIES


def test_figures_have_a_text_and_stand_before_the_table_they_are_drawn_from(
    folder: Path, outcomes: Outcomes
) -> None:
    text = (folder / "index.html").read_text("utf-8")
    for name, study in outcomes.items():
        for figure in STUDIES[name].figures:
            assert figure.table in {table.name for table in study.tables}
            start = text.index(f'id="figure-{figure.name}"')
            part = text[start : text.index('id="table-', start) + 100]
            assert f'id="table-{figure.table}"' in part
            said = unescape(part)
            assert f'role="img" aria-label="{figure.title}.' in said
            assert f"<title>{figure.title}</title>" in said
            assert figure.caption in said


def test_each_claim_has_its_criterion_before_its_verdict(folder: Path, outcomes: Outcomes) -> None:
    text = (folder / "index.html").read_text("utf-8")
    part = text[text.index('id="claims"') : text.index('id="method"')]
    for claim in claims(outcomes):
        row = part[part.index(f'class="claim">{prose(claim.text)}<') :]
        row = row[: row.index("</tr>")]
        criterion = row.index(prose(claim.criterion))
        assert criterion < row.index(f">{claim.verdict}<") < row.index(prose(claim.evidence))


def test_no_text_is_printed_as_it_is_written_in_the_source(folder: Path) -> None:
    """Neither backticks nor lists of Python, nor long numbers without separators."""
    page = (folder / "index.html").read_text("utf-8")
    text = re.sub(r"<(style|script|svg)\b.*?</\1>", "", page, flags=re.S)
    text = unescape(re.sub(r"<[^>]*>", " ", text))
    assert "`" not in text
    assert not re.search(r"\[['\"]|\[\d+, \d+, \d+", text)
    run = text[text.rindex("How it was run") :]
    assert not re.search(r"(?<![\w.])\d{5,}(?![\w.])", run)


def test_the_page_works_without_its_script(folder: Path) -> None:
    """What only the script serves is made by the script; nothing is hidden until it runs."""
    text = (folder / "index.html").read_text("utf-8")
    page = text[: text.index("<script")]
    filters = re.findall(r'<input type="radio" name="verdict" value="([^"]+)"', page)
    assert len(re.findall("<input", page)) == len(filters) + 1  # all of them are there at first
    for verdict in filters:  # the style alone leaves out the others
        assert f'.claims:has([value="{verdict}"]:checked)' in page
    assert "<button" not in page
    bare = re.sub(r'"[^"]*"', '""', page)  # texts may speak of the hidden hand
    assert not re.search(r"<[a-z]+( [^>]*)? hidden[ >]", bare)
    assert text.count("<script") == 1
    script = text[text.index("<script") : text.index("</script")]
    assert len(script.splitlines()) <= 60


def test_the_page_needs_nothing_from_outside_and_its_links_lead_somewhere(folder: Path) -> None:
    links = Links()
    links.feed((folder / "index.html").read_text("utf-8"))
    for link in links.found:
        if link.startswith("#"):
            assert link[1:] in links.ids or re.match(r"#[A-Za-z]", link)
        else:
            assert "://" not in link
            assert (folder / link).exists(), link


def test_the_report_as_json_has_every_published_figure_once(folder: Path) -> None:
    data = json.loads((folder / "report.json").read_text("utf-8"), parse_constant=pytest.fail)
    keys = [(f["table"], f["row"], f["column"]) for f in data["figures"]]
    assert len(keys) == len(set(keys))
    told = {(f.table, f.row, f.column) for f in published()}
    derived = {(t, r, c) for t, r, c in keys if c == "mean" and t == "headline"}
    assert set(keys) - derived <= told
    for figure in data["figures"]:
        assert figure["verdict"]
        assert "published" in figure


def test_the_same_seed_gives_the_same_report_but_for_times() -> None:
    def made(study: Callable[[str], Outcome[Any]]) -> Any:
        studies = {name: study(name) for name in ("conditions", "headline", "budget")}
        data = report(studies, claims(studies), INFO)
        return {key: value for key, value in data.items() if key != "times"}

    assert made(small_study) == made(kept_study)


def test_tables_are_the_same_in_csv_parquet_and_json(folder: Path) -> None:
    for path in (folder / "tables").glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        table = pq.ParquetFile(path.with_suffix(".parquet")).read(use_threads=False)
        assert table.column_names == rows[0]
        assert table.num_rows == len(rows) - 1
        data = json.loads(path.with_suffix(".json").read_text("utf-8"))
        assert data["name"] == path.stem
        assert [list(row) for row in data["rows"]] == [rows[0]] * table.num_rows


def test_each_figure_and_table_has_its_data_and_its_command(
    folder: Path, outcomes: Outcomes
) -> None:
    text = (folder / "index.html").read_text("utf-8")
    for name, study in outcomes.items():
        places = [(f"figure-{one.name}", one.table) for one in STUDIES[name].figures]
        places += [(f"table-{table.name}", table.name) for table in study.tables]
        for place, table in places:
            part = text[text.index(f'id="{place}"') :]
            part = part[: part.index("command: <code>") + 60]
            assert f"command: <code>tribridge paper --only {name}</code>"[:60] in part
            for kind in ("csv", "parquet", "json"):
                assert f'href="tables/{table}.{kind}"' in part, place


def test_figures_are_reproducible(folder: Path, outcomes: Outcomes) -> None:
    for name, (study, draw) in figures_of(outcomes).items():
        again = drawn(partial(draw, outcomes[study].result))
        assert again.keys() == {"svg", "png", "pdf"}
        for kind, data in again.items():
            assert (folder / "figures" / f"{name}.{kind}").read_bytes() == data, (name, kind)


@pytest.mark.parametrize("name", thinned(FIGURES, 3))
def test_the_labels_of_a_figure_do_not_collide(name: str) -> None:
    study, draw = FIGURES[name]
    result = kept_study(study).result
    with matplotlib.rc_context(STYLE):
        figure = draw(result)
        figure.canvas.draw()
        for axes in figure.axes:
            boxes = [
                label.get_window_extent()
                for label in (axes.title, *axes.get_xticklabels(), axes.xaxis.label)
                if label.get_text() and label.get_visible()
            ]
            boxes += [t.get_window_extent() for t in axes.texts]
            for at, one in enumerate(boxes):
                for other in boxes[at + 1 :]:
                    overlap = one.intersection(one, other)
                    assert overlap is None or min(overlap.width, overlap.height) < 2, name
        pyplot.close(figure)


def test_the_summary_tells_agreement_in_part_from_difference(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    second = text[text.index("Second-hand table") :][:120]
    assert "agrees in part" in second
