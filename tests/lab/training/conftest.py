"""Where lockstep games are tested: in NumPy everywhere, in PyTorch where it is installed."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from tribridge.common.arrays import Place

PLACES = ["numpy"]
if find_spec("torch"):
    import torch

    torch.set_num_threads(1)
    PLACES += ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """A NumPy generator, or a PyTorch device whose generator has been seeded."""
    if request.param == "numpy":
        return np.random.default_rng(2)
    torch.manual_seed(2)
    return torch.device(request.param)
