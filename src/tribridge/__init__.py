"""Three-player auction bridge: rules, estimators, strategies and a table to play at."""

from __future__ import annotations

__version__ = "0.1.0"
