"""`tribridge speed`: speed and accuracy beside the alternatives, on this machine.

Each measurement is a module of `lab.speed`, loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperGroup

from tribridge.cli.options import command_of

MEASUREMENTS: Final = ("deals", "forecast", "learning", "defence")


class _Measurements(TyperGroup):
    """The commands, each loaded with its module when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(MEASUREMENTS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in MEASUREMENTS:
            return None
        return command_of(cmd_name, import_module(f"tribridge.lab.speed.{cmd_name}"))


app = typer.Typer(cls=_Measurements, no_args_is_help=True, add_completion=False)


@app.callback()
def speed() -> None:
    """Measure speed and accuracy on this machine."""
