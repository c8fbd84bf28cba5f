"""`tribridge arena experts`: players beside people, from a file or a folder of LIN files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.lab.training.test_lin_boards import board
from tests.library.cli.helpers import refusal
from tribridge.cli import app
from tribridge.common.errors import SettingError
from tribridge.double_dummy import dds


def test_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    assert "no such file" in refusal("arena", "experts", str(tmp_path / "none"), "maxims")
    assert "no LIN file" in refusal("arena", "experts", str(tmp_path), "maxims")
    (tmp_path / "a.lin").write_text(board())
    few = CliRunner().invoke(app, ["arena", "experts", str(tmp_path), "maxims", "--all"])
    assert isinstance(few.exception, SettingError)
    assert "1 such board: at least 2 needed" in str(few.exception)


@pytest.mark.skipif(not dds.available(), reason="endplay is not installed")
def test_boards_are_read_from_lin_files(tmp_path: Path) -> None:
    for name in ("a", "b"):  # the same board at two tables
        (tmp_path / f"{name}.lin").write_text(board())
    done = CliRunner().invoke(app, ["arena", "experts", str(tmp_path), "maxims", "--all", "--json"])
    assert done.exit_code == 0
    assert "2 boards of 2 files; left out: none" in done.stderr
    table = json.loads(done.stdout)
    assert "maxims" in json.dumps(table)
