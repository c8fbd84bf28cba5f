"""Deals a second, each way there is on this machine: the figures of the README.

python benchmarks/speed.py [--seconds 5] [--json]
"""

from __future__ import annotations

import typer

from tribridge.cli.bench import module

if __name__ == "__main__":
    typer.run(module("speed").speed)
