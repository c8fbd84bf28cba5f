"""Another program as a strategy: it reads views as JSON lines and answers with calls and cards.

For every choice the program gets one line on standard input, the view of its seat as `view_json`
writes it, with `seed` beside it, a number for its own randomness. It answers with one line on
standard output: a call or a card as text (`1NT`, `SA`), or `{"action": "SA", "reason": "..."}`. It
is started once in each process and may keep what it likes between choices. One that does not answer
within `seconds` is ended, and started again for the next choice.

The environment variable TRIBRIDGE_PROGRAM has the command, and without it there is no such
strategy: the name of a strategy may come from a stranger at a table, and must not start anything.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ClassVar, Final

from numpy.random import Generator

from tribridge.cards.cards import Card
from tribridge.common.errors import first_line, shown
from tribridge.common.once import once
from tribridge.game.auction import parse_call
from tribridge.game.view_json import view_fields
from tribridge.game.views import View
from tribridge.strategies.parameters import option
from tribridge.strategies.protocol import Choice, StrategyError

_ASKING: Final = Lock()
"""Held from a question to its answer: the program has one pair of streams for all threads."""
COMMAND: Final = "TRIBRIDGE_PROGRAM"
"""The environment variable with the command."""


@dataclass(frozen=True)
class ProgramStrategy:
    """Asks a program for every choice."""

    name: ClassVar[str] = "program"
    summary: ClassVar[str] = "asks another program, which reads and writes JSON lines"
    outside: ClassVar[bool] = True

    seconds: float = option(60.0, "seconds for an answer", min=0.01, max=3600)

    def call(self, view: View, rng: Generator) -> Choice:
        answer, reason = self._ask(view, rng)
        return Choice(parse_call(answer), reason)

    def card(self, view: View, rng: Generator) -> Choice:
        answer, reason = self._ask(view, rng)
        return Choice(Card(answer), reason)

    def _ask(self, view: View, rng: Generator) -> tuple[str, str]:
        return ask(view_fields(view) | {"seed": int(rng.integers(1 << 53))}, self.seconds)


def ask(question: Mapping[str, Any], seconds: float) -> tuple[str, str]:
    """The program's answer to a question, an action and a reason."""
    with _ASKING:
        program, lines = started(os.environ.get(COMMAND, ""))
        assert program.stdin is not None
        try:
            program.stdin.write(json.dumps(question) + "\n")
            program.stdin.flush()
            line = lines.get(timeout=seconds)
        except Empty:
            program.kill()
            started.cache_clear()
            raise StrategyError(f"the program gave no answer within {seconds:g} seconds") from None
        except BaseException:  # the answer to it must not be taken for the next one's
            program.kill()
            started.cache_clear()
            raise
        if not line:
            started.cache_clear()
            raise StrategyError("the program ended without an answer")
    return _read(line)


def _read(line: str) -> tuple[str, str]:
    """The action and the reason of an answer."""
    text, answer = line.strip(), None
    if text.startswith(("{", '"')):
        try:
            answer = json.loads(text)
        except ValueError:
            raise StrategyError(f"the program answered {shown(text)}, which is no JSON") from None
    fields: Any = answer if isinstance(answer, dict) else {"action": answer or text}
    if not isinstance(fields.get("action"), str):
        raise StrategyError(f"the program answered {shown(text)}, without an action")
    return fields["action"], str(fields.get("reason") or "The program chose it.")


@once
def started(command: str) -> tuple[subprocess.Popen[str], SimpleQueue[str]]:
    """A program, which runs until the end of this process, and the lines that it writes."""
    try:
        words = shlex.split(command)
        pipe = subprocess.PIPE
        program = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise StrategyError(f"cannot start {command!r}: {first_line(error, 'no reason')}") from None
    atexit.register(program.kill)
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read_lines, args=(program, lines), daemon=True).start()
    return program, lines


def _read_lines(program: subprocess.Popen[str], lines: SimpleQueue[str]) -> None:
    """Pass on what a program writes; an empty line when it has ended."""
    assert program.stdout is not None
    for line in program.stdout:
        lines.put(line)
    lines.put("")
