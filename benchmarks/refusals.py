"""What a program refuses, said in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tribridge.common.errors import TribridgeError


def in_one_line(program: Callable[[], object]) -> None:
    """Run a program; an error of Tribridge ends it with its message, without a traceback."""
    try:
        program()
    except TribridgeError as error:
        sys.exit(f"{Path(sys.argv[0]).stem}: {error}")
