"""Running the command line as a user does: its output and its exit code.

`tribridge` calls the command's own `main` in this process, with streams of its own. To start a
process takes half a second or more, and is left to the tests of what a process alone has: signals,
pipes, the installed script (`process`).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer.main

from tribridge.cli import main

built = cache(typer.main.get_command)
"""The command of an application, built once: that takes longer than most commands run."""
COMMAND = str(Path(sys.executable).with_name("tribridge"))


def tribridge(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """Run `tribridge` with arguments and standard input; text in and out is UTF-8."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = _stream(), _stream()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", built)
        patch.setattr(sys, "argv", ["tribridge", *arguments])
        patch.setattr(sys, "stdin", _stream(data))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", os.environ.get("COLUMNS", "80"))  # not those of a terminal here
        with pytest.raises(SystemExit) as end:
            main()
    code = end.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(["tribridge", *arguments], code, _text(out), _text(err))


def process(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """The same by the installed script, in another process."""
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


def _stream(data: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), "utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
