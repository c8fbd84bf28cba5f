"""The report: complete, self-contained, the same for the same seed, drawn without collisions."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import pyarrow.parquet as pq
import pytest

from tests.studies.helpers import small_study, small_suite
from tribridge.report.drawing import STYLE, render
from tribridge.report.figures import DRAWINGS
from tribridge.report.paper import RunInfo, number_text, report, write_report
from tribridge.studies.published import published
from tribridge.studies.suite import STUDIES, claims

pytestmark = pytest.mark.slow  # all look at the studies, which take a while to run

INFO = RunInfo("tribridge paper --quick", 1, {"deals": 1}, 1.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_report(small_suite(), INFO, out)
    return out


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


def test_the_page_has_every_study_figure_and_table(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    for study in small_suite().values():
        assert f'id="{study.name}"' in text
        for table in study.tables:
            assert f'id="table-{table.name}"' in text
            assert (folder / "tables" / f"{table.name}.csv").stat().st_size
    for name in DRAWINGS:
        assert f'id="figure-{name}"' in text
    assert text.count("<svg") == len(DRAWINGS)


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
    def made() -> Any:
        studies = {name: small_study(name) for name in ("conditions", "headline", "budget")}
        data = report(studies, claims(studies), INFO)
        return {key: value for key, value in data.items() if key != "times"}

    assert made() == made()


def test_tables_are_the_same_in_csv_and_parquet(folder: Path) -> None:
    for path in (folder / "tables").glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        table = pq.ParquetFile(path.with_suffix(".parquet")).read(use_threads=False)
        assert table.column_names == rows[0]
        assert table.num_rows == len(rows) - 1


def test_every_figure_is_declared_by_one_study_and_can_be_drawn() -> None:
    declared = [one.name for study in STUDIES.values() for one in study.figures]
    assert sorted(declared) == sorted(DRAWINGS)


@pytest.mark.parametrize("name", DRAWINGS)
def test_figures_are_reproducible_and_their_labels_do_not_collide(folder: Path, name: str) -> None:
    sources = {one.name: study.name for study in STUDIES.values() for one in study.figures}
    draw, study = DRAWINGS[name], small_suite()[sources[name]]
    again = render(draw, study)
    assert again.keys() == {"svg", "png", "pdf"}
    for kind, data in again.items():
        assert (folder / "figures" / f"{name}.{kind}").read_bytes() == data, kind
    with matplotlib.rc_context(STYLE):
        figure = draw(study)
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
        matplotlib.pyplot.close(figure)


def test_the_summary_tells_agreement_in_part_from_difference(folder: Path) -> None:
    text = (folder / "index.html").read_text("utf-8")
    second = text[text.index("Second-hand table") :][:120]
    assert "agrees in part" in second


def test_numbers_are_written_for_readers() -> None:
    assert number_text("z ours", 1.234) == "+1.23"
    assert number_text("p", 0.00001) == "< 0.0001"
    assert number_text("bias", -1e-16) == "0.000"
    assert number_text("points", -65.04) == "-65.040"
    assert number_text("deals", 1234567) == "1,234,567"
    assert number_text("z natural", float("inf")) == "beyond chance"
