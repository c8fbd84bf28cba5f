"""A copy learns a caller's calls, and bidding can be trained against it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.errors import NotFoundError, SettingError  # noqa: E402
from tribridge.networks.auction import BIDS  # noqa: E402
from tribridge.training.bidders import (  # noqa: E402
    agreement,
    train_copy,
)
from tribridge.training.bidding import BiddingPiece, BiddingSize, train  # noqa: E402
from tribridge.training.calls import CallsOf  # noqa: E402
from tribridge.training.networks import load_network, make_bidder, save_network  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")


def quiet(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def rows() -> NDArray[np.int64]:
    return CallsOf("points", 3).run((0, 400))


def test_a_copy_makes_the_callers_calls(rows: NDArray[np.int64], tmp_path: Path) -> None:
    passes = float((rows[:, -1] == BIDS).mean())
    network, _ = train_copy(rows, steps=100, batch=256, rate=3e-3)
    share = agreement(network, torch.from_numpy(rows))
    assert share > passes + (1 - passes) / 4, "no better than passing"
    save_network(network, tmp_path / "copy.npz")
    loaded = load_network(make_bidder, tmp_path / "copy.npz", CPU)
    assert agreement(loaded, torch.from_numpy(rows)) == pytest.approx(share, abs=0.01)


def test_bidding_is_trained_against_a_copy(rows: NDArray[np.int64], tmp_path: Path) -> None:
    network, _ = train_copy(rows, steps=2, batch=64)
    save_network(network, tmp_path / "copy.npz")
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
    with pytest.raises(NotFoundError, match="train copy"):
        train(tmp_path / "run", copies={"auction": tmp_path / "copy.npz"})
    assert not (tmp_path / "run").exists(), "nothing is left of a training that was refused"
    save_network(make_bidder(8, 1), tmp_path / "copy.npz")
    with pytest.raises(SettingError, match="a copy that bids for contract has no part"):
        train(
            tmp_path / "run",
            BiddingSize(scheme="auction"),
            copies={"contract": tmp_path / "copy.npz"},
        )
    (tmp_path / "copy.npz").write_bytes(b"nothing")
    with pytest.raises(SettingError, match="not the weights"):
        load_network(make_bidder, tmp_path / "copy.npz", CPU)
