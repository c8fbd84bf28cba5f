"""`tribridge train`: a short training of bidding, and what is refused."""

from __future__ import annotations

import json
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.lab.training.test_lin_boards import board
from tests.library.cli.helpers import refusal
from tribridge.cli import app
from tribridge.common.errors import FormatError, NotFoundError, SettingError
from tribridge.common.files import load_arrays
from tribridge.networks.auction import STAKES_KIND
from tribridge.networks.boards import load_boards
from tribridge.networks.network import full_size, load_network


def test_bad_input_gets_one_line(tmp_path: Path) -> None:
    out = ("train", "play", "--out", str(tmp_path / "training"))
    assert "--minutes" in refusal(*out, "--minutes", "0")
    assert "unknown preset 'huge'" in refusal(*out, "--preset", "huge")
    pytest.importorskip("torch", reason="PyTorch is missing: pip install '.[learn]'")
    assert "expected two numbers" in refusal(*out, "--device", "cpu", "--rate", "1e-3")
    assert "device 'tpu'" in refusal(*out, "--device", "tpu")


def test_weights_are_packed(tmp_path: Path) -> None:
    """In 8 bits, rounded further, from 8 bits, or in 16; compressed or not."""
    rng = np.random.default_rng(1)
    arrays: dict[str, Any] = {
        "a.weight": rng.normal(0, 1, (30, 500)).astype(np.float16),
        "b": np.ones(3),
    }
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    source = tmp_path / "a.npz"
    source.write_bytes(buffer.getvalue())

    def pack(out: str, *more: str, of: Path = source) -> dict[str, Any]:
        words = ["train", "pack", str(of), "--out", str(tmp_path / out), *more]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        data = (tmp_path / out).read_bytes()
        assert done.stdout.startswith(f"{tmp_path / out}: {len(data):,} bytes, ")
        return load_arrays(BytesIO(data), out)

    eight, coarse = pack("8.npz"), pack("coarse.npz", "--step", "0.3")
    assert eight["a.weight"].dtype == coarse["a.weight"].dtype == np.int8
    assert np.abs(eight["a.weight"]).max(1).tolist() == [127] * 30
    for packed in (eight, coarse, pack("again.npz", "--step", "0.3", of=tmp_path / "8.npz")):
        away = np.abs(full_size(packed)["a.weight"] - arrays["a.weight"])
        assert away.max() <= 0.55 * packed["a.weight.scale"].max()
    assert np.abs(coarse["a.weight"]).max() < 20
    assert "--bits 7: expected 8 or 16" in refusal(
        "train", "pack", str(source), "--out", str(tmp_path / "7.npz"), "--bits", "7"
    )
    halves = pack("a.npz.split", "--bits", "16")
    assert {name: array.tolist() for name, array in halves.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }
    pack("coarse.npz.split", "--step", "0.3")
    sizes = [(tmp_path / f"{name}.npz.split").stat().st_size for name in ("coarse", "a")]
    assert sizes[0] < 0.4 * sizes[1] < 0.4 * 0.95 * source.stat().st_size


def test_boards_are_read_and_learned_from(tmp_path: Path) -> None:
    files, boards = tmp_path / "lin", tmp_path / "boards.npz"
    assert "no such folder" in refusal("train", "boards", str(files), "--out", str(boards))
    files.mkdir()
    assert "no LIN file" in refusal("train", "boards", str(files), "--out", str(boards))
    (files / "a.lin").write_text(board() + board() + board(play="pc|h3|"))
    done = CliRunner().invoke(app, ["train", "boards", str(files), "--out", str(boards)])
    assert done.stdout == f"{boards}: 1 board of 1 file; left out: 1 cut off, 1 doubled in a file\n"
    assert len(load_boards(boards)) == 1
    nothing = ("train", "experts", str(tmp_path / "none.npz"), "--out", str(tmp_path / "out"))
    pytest.importorskip("torch", reason="PyTorch is missing: pip install 'tribridge[learn]'")
    small = ("--preset", "small", "--device", "cpu")
    assert "no such file" in refusal(*nothing, *small)
    few = ("train", "experts", str(boards), "--out", str(tmp_path / "out"))
    assert "too few boards (1)" in refusal(*few, *small)
    assert not (tmp_path / "out").exists()
    assert "the full deck" in refusal(
        "train", "play", "--out", str(tmp_path / "out"), *small, "--boards", str(boards)
    )


def test_self_play_near_people_gets_what_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install 'tribridge[learn]'")
    (tmp_path / "a.lin").write_text(board())
    given: dict[str, Any] = {}

    def train(out: Path, size: Any, piece: Any, **options: Any) -> None:
        given.update(options, size=size, piece=piece)

    monkeypatch.setattr("tribridge.lab.training.play.train", train)
    near = ["--people", "p.npz", "--hold", "0.2,0.1", "--boards", str(tmp_path), "--width", "40"]
    words = ["train", "play", "--out", str(tmp_path / "out"), "--device", "cpu", *near]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    piece = given["piece"]
    assert (piece.hold, piece.people, piece.conventional) == ((0.2, 0.1), 0.2, False)
    assert (given["size"].width, given["people"], len(given["boards"])) == (40, Path("p.npz"), 1)
    assert CliRunner().invoke(app, words[:6], catch_exceptions=False).exit_code == 0
    assert (given["piece"].people, given["piece"].conventional, given["boards"]) == (0, True, None)
    assert CliRunner().invoke(app, [*words, "--rivals", "1"], catch_exceptions=False).exit_code == 0
    assert (piece.rivals, given["piece"].rivals) == (0.2, 1)


def test_bidding_is_trained_and_started_from(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install '.[learn]'")
    out = tmp_path / "training"

    def train(out: Path, *words: str) -> str:
        """Run the command in this process: importing PyTorch takes longer than the training."""
        small = ("--preset", "small", "--device", "cpu", "--minutes", "0.001")
        scheme = () if "--scheme" in words else ("--scheme", "auction")
        arguments = ["train", "bidding", "--out", str(out), *small, *scheme, *words]
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    assert train(out).splitlines()[-1] == f"{out / 'bidding.npz'}: the policy that bids"
    assert json.loads((out / "log.jsonl").read_text().splitlines()[-1])["games"] > 0
    with (out / "bidding.npz").open("rb") as file:
        load_network(file, "bidding.npz", STAKES_KIND)  # what the caller runs
    with pytest.raises(SettingError, match="already holds a training run"):
        train(out)

    start = tmp_path / "start"
    start.mkdir()
    with pytest.raises(OSError, match=r"bidding.npz"):
        train(tmp_path / "again", "--start", str(start))
    with pytest.raises(NotFoundError, match="scoring scheme 'nope'"):
        train(tmp_path / "again", "--scheme", "nope")
    assert not (tmp_path / "again").exists()
    shutil.copy(out / "critic.npz", start / "bidding.npz")
    with pytest.raises(FormatError, match="not the weights"):
        train(tmp_path / "again", "--start", str(start))
    for name in ("bidding.npz", "critic.npz"):
        shutil.copy(out / name, start)
    train(tmp_path / "again", "--start", str(start))
