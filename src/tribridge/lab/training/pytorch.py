"""PyTorch, which training needs; without it, the error says how to install it."""

from __future__ import annotations

from tribridge.common.errors import missing

try:
    import torch as torch
    from torch import Tensor as Tensor
    from torch import nn as nn
except ModuleNotFoundError:
    raise missing("torch") from None
