"""The device that PyTorch uses, for commands that need it."""

from __future__ import annotations

from typing import Annotated

import typer

from tribridge.errors import SettingError, missing

Device = Annotated[str, typer.Option(help="cuda or cpu; auto uses a GPU if there is one.")]


def find_device(name: str, *, numpy: bool = False) -> str:
    """Check that there is such a device for PyTorch; `auto` is the GPU if there is one.

    With `numpy`, the processor needs no PyTorch.
    """
    try:
        from torch.cuda import is_available
    except ImportError:
        if not numpy:
            raise missing("torch") from None
        gpu = False
    else:
        gpu = is_available()
    if name == "auto":
        name = "cuda" if gpu else "cpu"
    if name not in ("cpu", "cuda") or (name == "cuda" and not gpu):
        raise SettingError(
            f"device {name!r} is not available: cpu always works, cuda needs a GPU and PyTorch"
        )
    return name
