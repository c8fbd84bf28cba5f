"""`tribridge play --terminal`: a table in the terminal, one person against two strategies.

It asks for one line at a time, so it works over any connection, with a screen reader and in a pipe.
On a terminal the table is drawn again after every call and card; elsewhere only when the person is
to act. Every action is saved, as records that `tribridge review` and `stats` read, and the next
start continues the deal that was left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from tribridge.api.games import choose, options
from tribridge.api.tables import new_table
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.common.errors import FormatError, IllegalActionError, SettingError, TribridgeError
from tribridge.common.files import write_atomic
from tribridge.common.sentences import decimal
from tribridge.forecast.distribution import percent
from tribridge.game.record import Record, dumps, load, record_of
from tribridge.game.scoring import Scheme, find_scheme
from tribridge.game.table import Action, Table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view
from tribridge.strategies import Strategy, StrategyError
from tribridge.strategies.choices import put_ahead

_RECENT: Final = 5
"""Actions of the others that are told."""
_HELP: Final = (
    "1nt, 2h, x, p  a call: a bid, double or pass",
    "sk, h10, k, s  a card; its rank or suit alone where only one card fits",
    "Enter          the card, where only one is legal",
    "hint, advice   what to do, and why; also ?",
    "undo or u      back to your last choice",
    "quit or q      leave; the deal continues next time",
)
_FIRST: Final = "Type help for what you can type, hint for advice, quit to leave."
LAYOUTS: Final = 40
"""For each choice of a review."""
_COLOURS: Final = {"♣": "green", "♦": "yellow", "♥": "red", "♠": "bold"}
_LETTERS: Final = str.maketrans("♣♦♥♠", "CDHS")
"""For terminals that cannot show the signs."""


class LeftError(Exception):
    """The person left the table."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Who plays, for what, and where it is kept."""

    seat: Seat
    against: tuple[Strategy, ...]
    """The strategies of the others: of both, or of the next player and the one after."""
    seed: int
    scheme: Scheme = field(default_factory=partial(find_scheme, "auction"))
    pace: float = 0.7
    """Seconds after the action of a strategy, on a terminal."""
    file: Path | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.against) <= 2:
            raise SettingError(f"name one or two opponents, not {len(self.against)}")
        for strategy in self.against:
            if not strategy.fair:
                raise SettingError(f"{strategy.name} sees all hands: it cannot play against people")

    def opponent(self, seat: Seat) -> Strategy:
        """The strategy in a seat."""
        return self.against[0] if seat is self.seat.after(1) else self.against[-1]


@dataclass(slots=True)
class Session:
    """A person at a table: deal after deal."""

    setup: Setup
    console: Console = field(default_factory=Console)
    read: Callable[[str], str] = input
    finished: list[Record] = field(default_factory=list)
    table: Table = field(init=False)
    number: int = 0
    seed: int = 0
    said: list[str] = field(default_factory=list)
    """What the others did since the last question."""

    def run(self) -> None:
        """Play until the person leaves."""
        self._begin()
        self.said.append(_FIRST)
        try:
            while True:
                self._play()
                self._end()
                self.number += 1
                self._deal()
        except (LeftError, EOFError, KeyboardInterrupt):
            self.console.print()
            if self.setup.file is not None:
                self.console.print(f"Saved in {self.setup.file}.", soft_wrap=True, highlight=False)

    def _begin(self) -> None:
        file = self.setup.file
        records = load(file) if file is not None and file.exists() else []
        self.seed = self.setup.seed
        if not records:
            return self._deal()
        last = records[-1]
        if last.seed is None or last.number is None:
            raise FormatError(f"{file} is not a file of deals from the terminal: choose another")
        self.seed, self.number = last.seed, last.number
        if last.replay().over:
            self.finished = records
            self.number += 1
            return self._deal()
        self.finished, self.table = records[:-1], last.replay()
        self.said.append("You continue the deal that you left.")
        return None

    def _deal(self) -> None:
        self.table = new_table(
            seed=self.seed,
            number=self.number,
            dealer=Seat(self.number % 3),
            scheme=self.setup.scheme,
        )

    def _save(self) -> None:
        if self.setup.file is not None:
            self.setup.file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.setup.file, dumps([*self.finished, self._record()]))

    def _record(self) -> Record:
        return record_of(self.table, seed=self.seed, number=self.number)

    def _play(self) -> None:
        """The deal from where it is to its end."""
        while (turn := self.table.turn) is not None:
            if turn is self.setup.seat:
                self._draw()
                self.said.clear()
                self._ask()
                self._save()
                continue
            action = self._choice(turn)
            chair = None if self.table.position is None else self.table.position.chair
            who = "dummy" if chair is Chair.DUMMY else str(turn)
            self.said.append(f"{who[0].upper()}{who[1:]}: {action}.")
            self.table = self.table.apply(action)
            if self.console.is_terminal and self.table.turn is not self.setup.seat:
                self._draw()
                time.sleep(self.setup.pace)
        self._save()
        self.finished.append(self._record())

    def _choice(self, seat: Seat) -> Action:
        """What the strategy in a seat does; the first legal action if it fails."""
        try:
            strategy = self.setup.opponent(seat)
            return choose(strategy, self.table, seed=self.seed, number=self.number).action
        except StrategyError as error:
            self.said.append(f"{error}.")
            return self.table.legal[0]

    def _ask(self) -> None:
        """Let the person act: one line after the other, until one is a legal action."""
        while True:
            position = self.table.position
            dummy = position is not None and position.chair is Chair.DUMMY
            what = "call" if position is None else "card from dummy" if dummy else "card"
            line = self._line(f"Your {what}: ")
            before = self.table
            try:
                if line in ("?", "hint", "advice"):
                    for text in hints(view(self.table, self.setup.seat)):
                        self._tell(text)
                elif line in ("u", "undo"):
                    self._undo()
                elif line == "help":
                    self._tell(*_HELP)
                else:
                    self.table = self.table.apply(read_action(line, self.table.legal))
            except TribridgeError as error:
                self._tell(f"{str(error)[:1].upper()}{str(error)[1:]}.")
            if self.table is not before:
                return

    def _line(self, question: str) -> str:
        line = self.read(question).strip().lower()
        if line in ("quit", "exit") or (line == "q" and not self._queens):
            raise LeftError
        return line

    @property
    def _queens(self) -> bool:
        """Whether q names a card that may be played now: it is quit otherwise."""
        return any(isinstance(card, Card) and card.rank.letter == "Q" for card in self.table.legal)

    def _undo(self) -> None:
        """Back to the person's last choice."""
        table = self.table
        for _ in range(len(table.history)):
            table = table.undo()
            if table.turn is self.setup.seat:
                self.table = table
                self.said.append("Taken back.")
                return
        raise IllegalActionError("you have made no choice to take back")

    def _end(self) -> None:
        """The result of a deal, and a review if wanted."""
        self._draw()
        self.said.clear()
        while line := self._line("Enter: next deal, review, quit: "):
            if line not in ("r", "review"):
                self._tell(f"Expected Enter, review or quit, not {line}.")
                continue
            self._tell("Your mistakes and bad luck, choice by choice:")
            for sentence in reviewed(self.table, self.setup.seat):
                self._tell(sentence)

    def _draw(self) -> None:
        """The table as the person sees it, and what the others did."""
        console, seat = self.console, self.setup.seat
        if console.is_terminal:
            console.clear()
        points = ", ".join(f"{place} {total:+g}" for place, total in self._totals())
        self._tell(f"Deal {self.number + 1}. You are {seat}. {points}")
        self._tell(drawn(self.table, seat))
        self._tell(" ".join(self.said[-_RECENT:]))

    def _tell(self, *lines: str) -> None:
        for line in lines:
            self.console.print(self._coloured(line))

    def _coloured(self, words: str) -> Text:
        """Text with its suits in colours, or as letters where there are no signs."""
        if not self.console.encoding.lower().startswith("utf"):
            return Text(words.translate(_LETTERS))
        text = Text(words)
        for sign, style in _COLOURS.items():
            text.highlight_regex(f"{sign}[2-9TJQKA]*", style)
        return text

    def _totals(self) -> Iterable[tuple[Seat, float]]:
        tables = [record.replay() for record in self.finished]
        points = [table.scores(self.setup.scheme) for table in tables]
        return [(seat, float(sum(each[seat] for each in points))) for seat in Seat]


def read_action(text: str, legal: Iterable[Action]) -> Action | str:
    """What a person typed: a call or card, or the rank or suit of the only card that fits."""
    options = list(legal)
    if not text:
        if len(options) == 1:
            return options[0]
        raise IllegalActionError("choose one: " + " ".join(map(str, options)))
    cards = [option for option in options if isinstance(option, Card)]
    if cards and len(text) == 1:
        fits = [card for card in cards if text.upper() in card.name]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise IllegalActionError("which one: " + " or ".join(map(str, fits)) + "?")
    return "pass" if text == "p" else text


def drawn(table: Table, seat: Seat) -> str:
    """What a seat sees of the table; everything, and the points, once the deal is over."""
    if not table.over:
        return str(view(table, seat))
    points = () if table.scheme is None else table.scores(table.scheme).items()
    return f"{table}\n" + " ".join(f"{seat} {float(won):+g}" for seat, won in points)


def hints(seen: View) -> Iterator[str]:
    """What to do from a view, and why: the choices worth naming, best first."""
    named = options(seen)
    for at, option in enumerate(named):
        worth = [] if option.value is None else [f"{decimal(option.value, '+', 0)} points"]
        if option.tricks is not None and option.chance is not None:
            worth += [f"{option.tricks:.1f} tricks", f"makes {percent(option.chance)}%"]
            if option.share is not None:
                worth.append(f"about {percent(option.share)}% of experts")
        said = [option.reason, f"({', '.join(worth)})" if worth else ""]
        yield f"{'Or' if at else 'Hint'}, {option.action}: {' '.join(filter(None, said))}"
    if (ahead := put_ahead(named)) is not None:
        yield ahead


def reviewed(table: Table, seat: Seat) -> Iterator[str]:
    """The mistakes and the bad luck of a seat, and a sentence about each player."""
    from tribridge.reviews import Luck, Plan, judgements
    from tribridge.reviews.wording import summaries

    judged = []
    for judgement in judgements(table, Plan(LAYOUTS)):
        judged.append(judgement)
        if judgement.seat is seat and (judgement.verdict.wrong or judgement.luck is Luck.BAD):
            verdict = ", ".join(
                each.value for each in (judgement.verdict, judgement.luck) if each is not None
            )
            yield f"{judgement.action} ({verdict}): {judgement.reason}"
    yield from map(str, summaries(judged).values())
