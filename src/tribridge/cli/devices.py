"""The device that PyTorch uses, for commands that need it."""

from __future__ import annotations

from typing import Annotated

import typer

from tribridge.errors import MissingPackageError, SettingError

Device = Annotated[str, typer.Option(help="cuda or cpu; auto uses a GPU if there is one.")]


def find_device(name: str) -> str:
    """Check that PyTorch is installed and has this device; `auto` is the GPU if there is one."""
    try:
        import torch
    except ImportError:
        raise MissingPackageError("PyTorch is missing: pip install 'tribridge[learn]'") from None
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda") or (name == "cuda" and not torch.cuda.is_available()):
        raise SettingError(f"device {name!r} is not available: cpu always works, cuda needs a GPU")
    return name
