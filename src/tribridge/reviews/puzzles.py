"""The values of the puzzles: a position, what each answer is worth, and where it comes from.

A puzzle is judged by what its player could know. Its answers are valued twice over layouts drawn
from the player's beliefs: by the long computation (double dummy and playouts by the maxims) and by
the network's values. An answer is right if neither finds it worse than the best by more than the
difference of two equally good ones, and wrong if both find that it loses a stated margin. Nothing
between the two is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.cards.cards import Card, Hand
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import FormatError, IllegalActionError, TribridgeError, unchanging
from tribridge.common.sentences import Sentence
from tribridge.game.auction import PASS, Bid, parse_call, parse_calls, said
from tribridge.game.laws import all_laws
from tribridge.game.position import Position
from tribridge.game.record import Record
from tribridge.game.standing import RubberState, Standing
from tribridge.game.table import Action, Table
from tribridge.game.tricks import Chair
from tribridge.game.views import View, view
from tribridge.reviews import puzzle_wording as words
from tribridge.reviews.lines import Line, PlayedLine
from tribridge.reviews.themes import Theme
from tribridge.reviews.values import Key, NamedAction
from tribridge.strategies.reasons import Play, reason_for
from tribridge.strategies.versions import Version

START: Final = 1500.0
"""The rating of a puzzle, or of a person, of which nothing is known."""
WIDEST: Final = 350.0
"""The deviation of such a rating."""
SCALE: Final = 173.7178
"""Points of a rating in one unit of Glicko-2."""
MOST_LAYOUTS: Final = 1000
"""Layouts that are valued where there are more."""
_WORTH_SAYING: Final = 0.05
"""How far apart two chances of making the contract are if it is worth saying."""
_EQUAL: Final = 0.05
"""The loss, as a share of the stake, up to which the computations find no difference."""
_SURE: Final = 0.9
"""How likely a bot is to answer right if it is sure to."""
_NO_DOUBT: Final = 0.995
"""The share of layouts that is all of them."""
_NO_GAMES: Final = Standing()
_OF_THE_TEMPTING: Final = (Theme.HOLD_UP, Theme.DRAW_TRUMPS)
"""Themes whose title says something that is true of the tempting answer alone."""
_BESIDE_THE_TEMPTING: Final = (Theme.DROP, Theme.DUCK, Theme.ENTRY)
"""Themes whose idea says something that is true beside the tempting answer alone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, and what it is worth to the player's side."""

    action: NamedAction
    right: bool
    points: float
    """Points of the player's side, by the long computation."""
    loss: float
    """How much worse than the best answer, by the long computation."""
    error: float
    """The standard error of the loss; 0 if all layouts were valued."""
    network_loss: float
    """The same by the network's values."""
    network_error: float
    made: float
    """The chance that the contract is made: the one at the table, a bid, or the standing one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A layout, and declarer's tricks in it, or the caller's points, after two answers."""

    hands: tuple[Hand, Hand, Hand, Hand]
    """The cards left: North, East, South and the hidden hand."""
    best: float
    other: float


@dataclass(frozen=True, slots=True)
class Source:
    """Where a position comes from: a deal of the dealer and who played it, or a book."""

    seed: int = 0
    number: int = 0
    seats: tuple[str, ...] = ()
    """The strategies of North, East and South."""
    book: str = ""
    """The textbook that states the principle."""


@dataclass(frozen=True, slots=True)
class Experts:
    """What experts did with a position of one of their boards."""

    share: float
    """What the network that learned from experts gives to the right cards."""
    tables: int
    """The tables of the collection at which this very position arose."""
    found: int
    """At how many of them a right card was played."""
    expected: float = 0.0
    """The share of experts that find it: the network's, corrected over a collection."""


@unchanging
@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """A position with a question."""

    id: str
    theme: Theme = Theme.PLAY
    deal: Deal
    dealer: Seat
    doubles: bool = False
    scheme: str | None = None
    laws: str | None = None
    """The laws of the rubber that the deal belongs to, if it does, with its standing."""
    standing: Standing = _NO_GAMES
    auction: str
    """The calls so far."""
    play: str = ""
    """The cards so far."""
    answers: tuple[Answer, ...]
    """The best first."""
    tempting: NamedAction
    """The wrong answer that the best is compared with: what a bot chose, or the least bad."""
    stake: float
    """What making the contract earns over going one down, in points."""
    layouts: int
    """Layouts valued by each of the two computations: 1,000, or all."""
    gains: float
    """The share of layouts in which the best answer does better than the tempting one."""
    costs: float
    """The share of layouts in which it does worse."""
    key: Key | None = None
    """The hidden card that decides, if one does."""
    line: Line | None = None
    """The best answer and the tempting one played out, if these are cards."""
    examples: tuple[Example, ...] = ()
    """Of calls, layouts with the points of both; of cards, one in which the best is worse."""
    principle: str = ""
    """What the books say about the position."""
    bots: dict[str, float]
    """How likely each bot is to answer right."""
    rating: float = START
    deviation: float = WIDEST
    source: Source = Source()
    experts: Experts | None = None
    """Of a position from a board of experts, who found it."""

    @property
    def right(self) -> tuple[Action, ...]:
        """The answers that are accepted."""
        return tuple(answer.action for answer in self.answers if answer.right)

    @property
    def best(self) -> Answer:
        return self.answers[0]

    @property
    def margin(self) -> float:
        """The points that the least bad of the wrong answers loses."""
        return min((answer.loss for answer in self.answers if not answer.right), default=0.0)

    @property
    def share(self) -> float:
        """The margin as a share of what is at stake."""
        return self.margin / self.stake if self.stake else 0.0

    @property
    def trivial(self) -> bool:
        """Whether there is nothing to find: whoever looks is right, and in every layout."""
        lookers = [chance for name, chance in self.bots.items() if name != "random"]
        return self.gains >= _NO_DOUBT and min(lookers, default=0.0) > _SURE

    def answer(self, given: Action | str) -> Answer:
        """What the puzzle says to a card or a call, or text that names one."""
        kind = Card if isinstance(self.best.action, Card) else parse_call
        action = kind(given) if isinstance(given, str) else given
        for answer in self.answers:
            if answer.action == action:
                return answer
        offered = " ".join(str(answer.action) for answer in self.answers)
        raise IllegalActionError(f"{action} is not an answer here: choose one of {offered}")

    def record(self) -> Record:
        """The deal up to the question."""
        cards = tuple(Card(name) for name in self.play.split())
        rubber = None
        if self.laws is not None:
            rubber = RubberState(all_laws()[self.laws], self.standing)
        return Record(
            deal=self.deal,
            dealer=self.dealer,
            doubles=self.doubles,
            actions=(*parse_calls(self.auction), *cards),
            scheme=self.scheme,
            rubber=rubber,
        )

    def table(self) -> Table:
        """The table at which the question is asked."""
        return self.record().replay()

    def view(self) -> View:
        """What the player to act sees: all that may be shown before the answer."""
        table = self.table()
        return view(table, table.turn)

    @property
    def question(self) -> str:
        """What is asked."""
        return words.QUESTIONS[isinstance(self.best.action, Card)]

    @property
    def offered(self) -> tuple[Action, ...]:
        """The answers in the order of the table, which gives nothing away."""
        offered = {answer.action for answer in self.answers}
        return tuple(action for action in self.table().legal if action in offered)

    def __str__(self) -> str:
        seen, lines = self.view(), []
        for trick in seen.tricks:
            leader, winner = (self._player(chair) for chair in (trick.leader, trick.winner))
            lines.append(f"{leader} led {' '.join(map(str, trick.cards))}: {winner}")
        tricks = "\n".join(["Tricks so far, and who won them:", *lines, ""]) if lines else ""
        return f"{seen}\n{tricks}{self.question} {' '.join(map(str, self.offered))}"

    def _player(self, chair: Chair) -> str:
        """Who sits in a chair: a player, or dummy."""
        contract = self.view().contract
        assert contract is not None
        return "dummy" if chair is Chair.DUMMY else str(chair.player(contract.declarer))

    @property
    def explanation(self) -> str:
        """Why the best answer is best, in points and layouts."""
        return " ".join(map(str, self.sentences()))

    def sentences(self, given: Answer | None = None) -> list[Sentence]:
        """The explanation as patterns with fields, beside a wrong answer or the tempting one."""
        return [*self.idea(given), *self.figures(given)]

    def idea(self, given: Answer | None = None) -> list[Sentence]:
        """What to do and why, in the words of bridge."""
        other = self._beside(given)
        names: dict[str, str | Sentence] = {
            "best": said(self.best.action),
            "other": said(other.action),
        }
        sentences = self._titled(names, other.action)
        if self.principle:
            sentences.append(Sentence(words.BOOK, {"principle": Sentence(self.principle)}))
        if self.theme is Theme.SIGNAL and not self.told_apart(other):
            sentences.append(Sentence(words.SAME))
        return sentences

    def told_apart(self, answer: Answer) -> bool:
        """Whether a computation finds a difference between an answer and the best one.

        It may find none between signals: what a defender learns from them is not computed.
        """
        return max(answer.loss, answer.network_loss) > _EQUAL * self.stake

    def figures(self, given: Answer | None = None) -> list[Sentence]:
        """What it is worth, in points, layouts and experts.

        The layouts and the key compare the best answer with the tempting one alone.
        """
        best, other = self.best, self._beside(given)
        if self.theme is Theme.SIGNAL and not self.told_apart(other):
            return []
        fields: dict[str, str | Sentence] = {
            "best": said(best.action),
            "other": said(other.action),
            "points": f"{other.loss:.0f}",
            "layouts": self._counted,
        }
        sentences = [Sentence(words.EARNS, fields)]
        table, played = self.table(), isinstance(best.action, Card)
        if not played and best.action is not PASS:
            bid = best.action if isinstance(best.action, Bid) else table.auction.last_bid
            assert bid is not None, "only a bid is doubled"
            made = {"best": said(bid), "made": _percent(best.made)}
            sentences.append(Sentence(words.CALLS, made))
        elif played and abs(best.made - other.made) >= _WORTH_SAYING:
            made = {"best": _percent(best.made), "other": _percent(other.made)}
            sentences.append(Sentence(words.MADE, made))
        if other.action != self.tempting:
            return sentences + self._experts()
        shares = {"gains": _percent(self.gains), "costs": _percent(self.costs)}
        sentences.append(Sentence(words.LAYOUTS, shares))
        contract = table.contract
        if self.key is not None and contract is not None:
            seat, chance = self.key.chair.player(contract.declarer), _percent(self.key.chance)
            held = {"card": str(self.key.card), "chance": chance}
            sentences.append(Sentence(words.KEY, held | {"seat": Sentence(str(seat))}))
        return sentences + self._experts()

    def _beside(self, given: Answer | None) -> Answer:
        """The answer that the best is compared with."""
        return self.answer(self.tempting) if given is None or given.right else given

    def _titled(self, names: dict[str, str | Sentence], other: Action) -> list[Sentence]:
        """What to do, in the words of the theme, and why."""
        best, lines = self.best.action, self.lines()
        pattern, why = words.TITLES[self.theme], words.IDEAS.get(self.theme, "")
        if self.theme in _BESIDE_THE_TEMPTING and other != self.tempting:
            why = ""
        if self.theme in _OF_THE_TEMPTING:
            names, other = names | {"other": said(self.tempting)}, self.tempting
        if isinstance(best, Card) and isinstance(other, Card) and lines is not None:
            position = lines[0].start
            if self.theme is Theme.RUFF and not position.trick:
                pattern, why = words.FOR_RUFF, words.RUFF_SOON
            elif self.theme is Theme.RUFF and other.row != position.trump:
                pattern = words.RUFF_AT_ALL
            elif self.theme is Theme.DISCARD and other.row == position.trump:
                pattern, why = words.NO_RUFF, ""
            elif self.theme is Theme.FINESSE:
                first = lines[0].tricks[0]
                card = first.cards[(first.winner - first.leader) % 4]
                if card != best:
                    pattern = words.OTHER_CARD if position.trick else words.TOWARDS
                    names = names | {"card": str(card)}
            elif self.theme is Theme.DROP and why and self._risked(position):
                why = words.RISKED
        if why:
            return [Sentence(pattern, names), Sentence(why, names)]
        return [Sentence(pattern, names), *self._reason(names, other)]

    def _risked(self, position: Position) -> bool:
        """Whether declarer makes the contract less often after the tempting answer."""
        less = self.best.made - self.answer(self.tempting).made
        return position.declaring and less >= _WORTH_SAYING

    def _reason(self, names: dict[str, str | Sentence], other: Action) -> list[Sentence]:
        """What can be said for the best card and not for the other one."""
        best, position = self.best.action, self.view().position
        if not isinstance(best, Card) or not isinstance(other, Card) or position is None:
            return []
        if self.theme in (Theme.SIGNAL, Theme.THROW_IN):
            return []  # the principle and the title say why
        if said_for := reason_for(position, best, other):
            return [said_for.sentence]
        if self.theme is not Theme.RUFF or not best.row == other.row == position.trump:
            return []
        if best < other:
            return [Sentence(words.LOW_RUFF, names)]
        lower = Play(position, other)
        over = any(lower.held(chair, lower.suit, lower.rank) for chair in lower.behind)
        return [Sentence(words.HIGH_RUFF, names)] if over else []

    def _experts(self) -> list[Sentence]:
        """Who of the experts found it."""
        experts = self.experts
        if experts is None:
            return []
        told = [Sentence(words.EXPERTS, {"share": _percent(experts.expected)})]
        if experts.tables > 1:
            counts = {"tables": str(experts.tables), "found": str(experts.found)}
            return [*told, Sentence(words.SEVERAL, counts)]
        return [*told, Sentence(words.FOUND if experts.found else words.MISSED)]

    @property
    def _counted(self) -> Sentence:
        """The layouts that were valued, in words."""
        if self.layouts == MOST_LAYOUTS:
            return Sentence(words.SAMPLED)
        return Sentence(words.ALL, {"number": str(self.layouts)})

    @property
    def judged(self) -> Sentence:
        """What an answer is judged by, for the question."""
        return Sentence(words.JUDGED, {"layouts": self._counted})

    def lines(self) -> tuple[PlayedLine, PlayedLine] | None:
        """The best answer and the tempting one played out on the layout of the line."""
        line, seen = self.line, self.view()
        if line is None or seen.position is None:
            return None
        start = seen.position.with_hands(line.chairs(seen.position.contract.declarer))
        return PlayedLine.both(start, line)

    @property
    def layout(self) -> Sentence | None:
        """Whose cards the lines are played with."""
        if self.line is None:
            return None
        return Sentence(words.AS_IT_LAY if self.line.actual else words.ONE_LAYOUT)

    def elsewhere(self, best: PlayedLine, other: PlayedLine) -> Sentence | None:
        """That the contract depends on the answer, though it does not in the lines that are shown.

        None if it does in them, or hardly in other layouts.
        """
        card = other.cards[0]
        apart = abs(self.best.made - self.answer(card).made) >= _WORTH_SAYING
        return Sentence(words.ELSEWHERE) if apart and best.made == other.made else None

    def check(self) -> None:
        """Check that the answers can be given and that the margins are as they are stated."""
        try:
            table = self.table()
        except TribridgeError as error:
            raise FormatError(f"puzzle {self.id}: {error}") from None
        legal = set(table.legal)
        actions = [answer.action for answer in self.answers]
        if table.over or not set(actions) <= legal or len(set(actions)) < len(actions):
            raise FormatError(f"puzzle {self.id}: the answers are not those of its position")
        if not self.right or len(self.right) == len(actions) or not self.best.right:
            raise FormatError(f"puzzle {self.id}: it has no right answer, or no wrong one")
        self._check_line()

    def _check_line(self) -> None:
        """Check that both lines can be played to the end, and that the best one is better."""
        refusal = f"puzzle {self.id}: its line"
        try:
            lines = self.lines()
            if lines is None:
                return
            ends = [line.end for line in lines]
        except TribridgeError as error:
            raise FormatError(f"{refusal} cannot be played: {error}") from None
        first, second = (line.cards[0] for line in lines)
        if first != self.best.action or second != self.tempting:
            raise FormatError(f"{refusal} does not begin with its answers")
        best, other = (end.won for end in ends)
        if not all(end.over for end in ends) or best == other:
            raise FormatError(f"{refusal} stops early, or decides nothing")
        if (best > other) != lines[0].start.declaring:
            raise FormatError(f"{refusal} is worse than the one that should fail")


def _percent(chance: float) -> str:
    return str(round(100 * chance))


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Puzzles in one file, with what made them."""

    version: str
    """The version of the package."""
    made_by: tuple[Version, ...]
    """The strategies that played and whose networks judged."""
    digest: str = ""
    """A hash of the puzzles, so that a damaged file is noticed."""
    puzzles: tuple[Puzzle, ...]
