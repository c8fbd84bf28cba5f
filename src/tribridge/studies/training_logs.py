"""The logs of training runs: those of the shipped networks, and any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from tribridge.errors import FormatError

Line = Mapping[str, Any]
"""What a training run logs every few seconds."""

SHIPPED: Final = ("bidding", "play")


def read_log(path: Path) -> list[Line]:
    """The lines of a training run's `log.jsonl`."""
    return _lines(path.read_text("utf-8"), str(path))


def shipped_log(name: str) -> list[Line]:
    """The log of the network for `bidding` or `play` that comes with the package."""
    file = resources.files("tribridge.training").joinpath(f"data/{name}-log.jsonl")
    return _lines(file.read_text("utf-8"), f"{name}-log.jsonl")


def measures_of(lines: list[Line]) -> list[str]:
    """The names of the results against fixed opponents."""
    return [name for name in lines[-1] if " over " in f" {name}" or " against " in name]


def _lines(text: str, source: str) -> list[Line]:
    try:
        lines = [json.loads(line) for line in text.splitlines()]
        if not lines or not all(isinstance(line["games"], int) for line in lines):
            raise FormatError("no games")
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{source}: not the log of a training run") from None
    return lines
