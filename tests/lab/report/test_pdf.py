"""The PDF: printed where Chromium is, and a reason where it is not."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from tribridge.lab.report import pdf
from tribridge.lab.report.pdf import BROWSERS, print_page


def test_without_chromium_there_is_a_reason_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    reason = print_page("<p>text</p>", tmp_path / "paper.pdf")
    assert "apt install chromium" in reason
    assert "\n" not in reason
    assert not list(tmp_path.iterdir())


def test_a_chromium_that_fails_is_a_reason_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(pdf, "BROWSERS", (str(broken),))
    reason = print_page("<p>text</p>", tmp_path / "paper.pdf")
    assert f"{broken} failed" in reason
    assert not (tmp_path / "paper.pdf").exists()


def test_what_is_printed_is_unfolded_and_has_no_scripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buttons to sort by would keep the heading of a table from being repeated on every page."""
    copying = tmp_path / "chromium"
    copying.write_text(
        "#!/bin/sh\n"
        'for word; do case "$word" in --print-to-pdf=*) to="${word#*=}";; '
        'file://*) from="${word#file://}";; esac; done\n'
        'cp "$from" "$to"\n'
    )
    copying.chmod(copying.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(pdf, "BROWSERS", (str(copying),))
    page = '<details class="table">T</details><script>\nsort();\n</script><p>end</p>'
    assert print_page(page, tmp_path / "paper.pdf") == ""
    printed = (tmp_path / "paper.pdf").read_text()
    assert printed == '<details open class="table">T</details><p>end</p>'


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no Chromium")
def test_folded_tables_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    lines = "".join(f"<p>{number}</p>" for number in range(300))
    page = f'<!doctype html><details class="table"><summary>T</summary>{lines}</details>'
    assert print_page(page, path) == ""
    data = path.read_bytes()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") > 5
