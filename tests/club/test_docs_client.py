"""The example client of the documentation plays a deal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.club.serving import serving
from tribridge.cards.dealer import deal
from tribridge.club.core.matches import seal

DOCS = Path(__file__).parents[2] / "docs"


def python_blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_example_client_plays_a_deal(tmp_path: Path) -> None:
    blocks = python_blocks("how-to/write-a-bot.md")
    client = next(block for block in blocks if "sys.argv" in block)
    (tmp_path / "client.py").write_text(client)
    with serving(tmp_path) as (address, _):
        done = subprocess.run(
            [sys.executable, str(tmp_path / "client.py"), address],
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr
    assert "points" in done.stdout


def test_the_example_check_proves_a_deal(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = python_blocks("explanation/table.md")
    exec(next(block for block in blocks if "sha256" in block), {})
    sealed = seal("00" * 32, 0)
    assert str(deal(sealed.seed, 0)) in capsys.readouterr().out
