"""Running the command as a user does: another process, its output and its exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("tribridge"))


def tribridge(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """Run `tribridge` with arguments and standard input; text in and out is UTF-8."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([COMMAND, *arguments], input=data, capture_output=True, timeout=600)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def refusal(*arguments: str, stdin: str | bytes = "") -> str:
    """Run a command that must be refused: one line on standard error, exit code not 0."""
    done = tribridge(*arguments, stdin=stdin)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("tribridge: ")
    return done.stderr
