"""`tribridge paper --diff OLD NEW`: what changed between two reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tribridge.errors import TribridgeError

if TYPE_CHECKING:
    from tribridge.report.difference import Change

SAME: Final = 0
DIFFERENT: Final = 1
TROUBLE: Final = 2
_MOST: Final = 40
"""Changes of one kind that are printed; all are in the JSON."""


def show_difference(old: Path, new: Path, *, as_json: bool) -> int:
    """Print the changes; returns the exit code: 0 the same, 1 different, 2 unreadable."""
    from tribridge.report.difference import compare, load_report

    try:
        changes = compare(load_report(old), load_report(new))
    except TribridgeError as error:  # not 1, which means that they differ
        print(f"tribridge: {error}", file=sys.stderr)
        return TROUBLE
    if as_json:
        print(json.dumps({"same": not changes, "changes": [one.as_json() for one in changes]}))
        return DIFFERENT if changes else SAME
    if not changes:
        print("The reports are the same, apart from times.")
        return SAME
    for title, chosen in (
        ("Changed verdicts", [one for one in changes if one.kind == "verdict"]),
        ("Changed beyond noise", _figures(changes, False)),
        ("Changed, with no standard error to judge by", _figures(changes, None)),
        ("Changed within noise", _figures(changes, True)),
        ("Settings that differ", [one for one in changes if one.kind == "setting"]),
    ):
        print(f"{title}: {len(chosen)}")
        for change in chosen[:_MOST]:
            distance = "" if change.z is None else f"  ({change.z:+.1f} standard errors)"
            print(f"  {change.where}: {_text(change.old)} -> {_text(change.new)}{distance}")
        if len(chosen) > _MOST:
            print(f"  ... and {len(chosen) - _MOST} more, all with --json")
    return DIFFERENT


def _figures(changes: list[Change], noise: bool | None) -> list[Change]:
    return [one for one in changes if one.kind == "figure" and one.noise is noise]


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
