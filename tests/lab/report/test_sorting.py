"""The page of the report in a browser: its one script sorts the tables."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.club.browsing import BROWSER_TESTS, browser, new_page
from tests.lab.studies.helpers import kept_study
from tribridge.lab.report.paper import write_report
from tribridge.lab.report.provenance import RunInfo

pytestmark = BROWSER_TESTS

NAME = "second-hand"


def test_a_click_on_a_heading_sorts_a_table(tmp_path: Path) -> None:
    write_report({NAME: kept_study(NAME)}, RunInfo("tribridge paper", 1, {}, 1.0), tmp_path)
    errors: list[str] = []
    with browser() as chrome:
        page = new_page(chrome, errors, (1280, 860))
        page.goto((tmp_path / "index.html").as_uri())
        head = page.locator(f"#table-{NAME} th").first
        head.locator("button").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
    assert not errors
