"""The report as the table serves it: every link answers, and the files can be downloaded."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.studies.helpers import kept_study
from tests.web.browsing import chromium, new_page
from tests.web.helpers import running
from tests.web.serving import serving
from tribridge.report.paper import write_report
from tribridge.report.provenance import RunInfo

pytestmark = pytest.mark.anyio


NAME = "second-hand"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of one study."""
    folder = tmp_path_factory.mktemp("paper")
    write_report({NAME: kept_study(NAME)}, RunInfo("tribridge paper", 1, {}, 1.0), folder)
    return folder


@pytest.mark.slow
async def test_every_link_of_the_served_report_answers(report: Path, tmp_path: Path) -> None:
    async with running(tmp_path, paper=report) as (_, client):
        answer = await client.get("/paper/")
        page, policy = answer.text, answer.headers["content-security-policy"]
        script = page[page.index("<script>") + 8 : page.index("</script>")]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2]
        assert "allow-same-origin" not in policy
        links = set(re.findall(r'(?:href|src)="(?!https?:|#)([^"]+)"', page))
        assert {Path(link).suffix for link in links} >= {".csv", ".parquet", ".pdf", ".json"}
        for link in sorted(links):
            answer = await client.get(f"/paper/{link}")
            assert answer.status_code == 200, link
            assert answer.content == (report / link).read_bytes(), link
            policy = answer.headers["content-security-policy"]
            assert "sandbox allow-popups allow-downloads" in policy
            assert "script-src" not in policy
            shown = link.endswith((".svg", ".png"))
            name = f'attachment; filename="{Path(link).name}"'
            assert answer.headers.get("content-disposition") == (None if shown else name), link


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
def test_a_click_downloads_a_table(report: Path, tmp_path: Path, chrome: Browser) -> None:
    blocked: list[str] = []
    with serving(tmp_path, paper=report) as (address, _):
        page = new_page(chrome, blocked, (1280, 860))
        page.goto(f"{address}/paper/")
        for kind in ("csv", "parquet", "json", "pdf"):
            link = page.locator(f'a[href$="{NAME}.{kind}"]').first
            with page.expect_download() as download:
                link.click()
            assert download.value.suggested_filename == f"{NAME}.{kind}"
        page.context.close()
    assert not _by_policy(blocked)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
def test_the_served_report_sorts_its_tables_and_runs_no_other_script(
    report: Path, tmp_path: Path, chrome: Browser
) -> None:
    injected = tmp_path / "report"
    shutil.copytree(report, injected)
    text = (injected / "index.html").read_text("utf-8")
    stranger = "<script>document.title = 'injected';</script></body>"
    (injected / "index.html").write_text(text.replace("</body>", stranger), "utf-8")
    blocked: list[str] = []
    with serving(tmp_path, paper=injected) as (address, _):
        page = new_page(chrome, blocked, (1280, 860))
        page.goto(f"{address}/paper/")
        head = page.locator(f"#table-{NAME} th").first
        head.locator("button").click()
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert page.title() != "injected"
        assert page.evaluate("origin") == "null"
        page.context.close()
    assert len(_by_policy(blocked)) == 1


def _by_policy(errors: list[str]) -> list[str]:
    """What the page's policy has blocked; `new_page` itself fails to reach a sandboxed storage."""
    return [error for error in errors if "Content Security Policy" in error]
