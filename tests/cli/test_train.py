"""`tribridge train`: what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.helpers import refusal


def test_bad_input_gets_one_line(tmp_path: Path) -> None:
    out = ("train", "play", "--out", str(tmp_path / "training"))
    assert "--minutes 0 is too short" in refusal(*out, "--minutes", "0")
    assert "unknown preset 'huge'" in refusal(*out, "--preset", "huge")
    pytest.importorskip("torch", reason="PyTorch is missing: pip install 'tribridge[learn]'")
    assert "expected two numbers" in refusal(*out, "--device", "cpu", "--rate", "1e-3")
    assert "no device 'tpu' here" in refusal(*out, "--device", "tpu")
