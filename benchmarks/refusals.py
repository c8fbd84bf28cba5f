"""What a program refuses, said in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tribridge.common.errors import TribridgeError


def in_one_line(program: Callable[[], object]) -> None:
    """Run a program; an error of Tribridge, or of a file, ends it in one line."""
    name = Path(sys.argv[0]).stem
    try:
        program()
    except TribridgeError as error:
        sys.exit(f"{name}: {error}")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        sys.exit(f"{name}: {place}{error.strerror or error}")
