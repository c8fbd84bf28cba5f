"""The small network for search learns to prefer the teacher's cards."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.lab.training.networks import SuitNetwork  # noqa: E402
from tribridge.lab.training.play import PointsDeals, train_small  # noqa: E402
from tribridge.networks.play import KIND  # noqa: E402

torch.set_num_threads(1)


def test_it_learns_from_the_teacher() -> None:
    torch.manual_seed(3)
    teacher = SuitNetwork(KIND, 16, 1)
    torch.nn.init.normal_(teacher.out.weight)
    dealing = PointsDeals(torch.device("cpu"))
    shares = [
        train_small(teacher, dealing, batches=3, games=32, steps=steps, minibatch=256)[1]
        for steps in (1, 60)
    ]
    assert shares[1] > shares[0] + 0.05
    assert shares[1] > 0.5
