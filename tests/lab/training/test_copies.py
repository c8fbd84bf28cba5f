"""Bidding against networks that bid like other callers."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.common.errors import FormatError, NotFoundError, SettingError  # noqa: E402
from tribridge.lab.training.bidding import BiddingPiece, BiddingSize, train  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork, save_network  # noqa: E402
from tribridge.networks.auction import KIND  # noqa: E402

torch.set_num_threads(1)


def test_bidding_is_trained_against_a_copy(tmp_path: Path) -> None:
    save_network(SuitNetwork(KIND, 8, 1), tmp_path / "copy.npz")
    size = BiddingSize(width=16, layers=1, critic_width=16, critic_layers=1, scheme="auction")
    for response in (0, 1):
        piece = BiddingPiece(
            batches=1,
            games=64,
            minibatch=32,
            compiled=False,
            measured=16,
            imitation=0,
            response=response,
        )
        lines: list[str] = []
        train(
            tmp_path / str(response),
            size,
            piece,
            copies={"auction": tmp_path / "copy.npz"},
            say=lines.append,
        )
        assert "over two copies" in lines[-1]


def test_what_is_no_copy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such file"):
        train(tmp_path / "run", copies={"auction": tmp_path / "copy.npz"})
    assert not (tmp_path / "run").exists(), "nothing is left of a training that was refused"
    save_network(SuitNetwork(KIND, 8, 1), tmp_path / "copy.npz")
    with pytest.raises(SettingError, match="a copy that bids for contract has no part"):
        train(
            tmp_path / "run",
            BiddingSize(scheme="auction"),
            copies={"contract": tmp_path / "copy.npz"},
        )
    (tmp_path / "copy.npz").write_bytes(b"nothing")
    with pytest.raises(FormatError, match="not the weights"):
        train(tmp_path / "run", copies={"auction": tmp_path / "copy.npz"})
