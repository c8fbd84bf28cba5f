"""What decides a puzzle: predicates on the position and on its two lines, which prove them.

A theme is said only where the cards bear it out on the layout of the lines: a finesse is a trick
won while the others hold a higher card, of which the solver cannot know who has it; a card that is
held up wins a trick later; a throw-in is a lead that helps whoever leads it less than the other
side. What no predicate proves is a play without a name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, cards_of
from tribridge.game.auction import DOUBLE, PASS, REDOUBLE, Call
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.tricks import CHAIRS, Chair, beats
from tribridge.game.views import View
from tribridge.reviews.lines import PlayedLine, Step, higher_against, whole_hands
from tribridge.reviews.puzzles import Puzzle
from tribridge.reviews.themes import Theme
from tribridge.reviews.values import Key
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.players.suits import apart
from tribridge.strategies.protocol import position_of
from tribridge.strategies.reasons import Play

_COUNTED: Final = (Theme.FINESSE, Theme.DROP, Theme.TAKE, Theme.DUCK, Theme.PLAY, Theme.LEAD)
"""Themes that are counting where a hand has been counted."""
_OF_CALLS: Final = (Theme.OPENING, Theme.OVERCALL, Theme.DOUBLE, Theme.PASS)
_KNOWN: Final = 0.65
"""The chance from which the place of a card is taken to be counted."""


def theme_of(puzzle: Puzzle) -> Theme:
    """The theme of a puzzle; that of a signal is known from its book."""
    if puzzle.theme is Theme.SIGNAL:
        return puzzle.theme
    best, lines = puzzle.best.action, puzzle.lines()
    if not isinstance(best, Card):
        return call_theme(puzzle.view(), best)
    if lines is None:
        return Theme.PLAY
    return card_theme(position_of(puzzle.view()), *lines, puzzle.key)


def call_theme(view: View, best: Call) -> Theme:
    """The theme of a call."""
    if best in (DOUBLE, REDOUBLE):
        return Theme.DOUBLE
    if best is PASS:
        return Theme.PASS
    return Theme.OPENING if view.auction.last_bid is None else Theme.OVERCALL


def card_theme(
    position: Position, best: PlayedLine, other: PlayedLine, key: Key | None = None
) -> Theme:
    """The theme of a card in a position, proved by the line that wins and the line that fails."""
    case = Case(position, best, other)
    theme = next((theme for theme, proved in _RULES if proved(case)), Theme.PLAY)
    if theme in _COUNTED and position.tricks and key is not None and _shown_out(position):
        return Theme.COUNTING if key.chance >= _KNOWN else theme
    return theme


def may_be(view: View, theme: Theme) -> bool:
    """Whether the theme of the choice that is due can be this one."""
    if view.contract is None:
        return theme in _OF_CALLS
    if theme in _OF_CALLS:
        return False
    leads = not position_of(view).trick
    if theme in (Theme.LEAD, Theme.DRAW_TRUMPS):
        return leads
    return not leads or theme not in (
        Theme.DISCARD, Theme.HOLD_UP, Theme.TAKE, Theme.DUCK, Theme.ENTRY
    )  # fmt: skip


def _shown_out(position: Position) -> bool:
    """Whether a hand out of sight has shown out of a suit that is not exhausted."""
    hidden = _out_of_sight(position)
    left = [suit for suit in range(4) if position.row(position.unseen, suit)]
    return any(position.voids[chair] >> suit & 1 for chair in hidden for suit in left)


def _out_of_sight(position: Position) -> list[Chair]:
    return [chair for chair in CHAIRS if not position.hands[chair] and chair is not Chair.DUMMY]


@dataclass(frozen=True)
class Case:
    """A position with the line that wins and the line that fails."""

    position: Position
    winning: PlayedLine
    failing: PlayedLine

    @property
    def best(self) -> Card:
        return self.winning.cards[0]

    @property
    def tempting(self) -> Card:
        return self.failing.cards[0]

    @property
    def led(self) -> int | None:
        """The suit that was led."""
        trick = self.position.trick
        return trick[0].row if trick else None

    @cached_property
    def first(self) -> Step:
        """The trick of the best answer."""
        return self.winning.tricks[0]

    def ours(self, chair: int) -> bool:
        """Whether a chair is on the side that answers."""
        return chair % 2 == self.position.chair % 2


def _depends(case: Case, card: Card) -> bool:
    """Whether an opponent out of sight has yet to play who may beat a card in its suit, or may not.

    He may not have what beats it where another hand out of sight may have it as well.
    """
    position, play = case.position, Play(case.position, card)
    holders = [
        chair for chair in _out_of_sight(position) if play.held(chair, card.row, card.column)
    ]
    return len(holders) > 1 and any(chair in holders for chair in play.behind)


def _opening_lead(case: Case) -> bool:
    return not case.position.tricks and not case.position.trick


def _ruffs(case: Case) -> bool:
    """A suit is ruffed, not the first one of a trick in trumps."""
    return case.led not in (None, case.position.trump) and case.best.row == case.position.trump


def _discards(case: Case) -> bool:
    return case.led is not None and case.best.row not in (case.led, case.position.trump)


def _holds_up(case: Case) -> bool:
    """The trick is lost that the tempting card wins, and this card wins one later."""
    first, instead = case.first, case.failing.tricks[0]
    if case.led is None or case.ours(first.winner) or instead.winner != case.position.chair:
        return False
    same = case.best.row == case.tempting.row == case.led
    return same and any(
        step.winner == case.position.chair and _equal(case, _winning_card(step))
        for step in case.winning.tricks[1:]
    )


def _equal(case: Case, card: Card) -> bool:
    return len(apart(case.position, {case.tempting, card})) == 1


def _winning_card(step: Step) -> Card:
    return step.cards[(step.winner - step.leader) % 4]


def _entry(case: Case) -> bool:
    """The own side wins the trick with either card, but in different hands."""
    winner, other = case.first.winner, case.failing.tricks[0].winner
    return case.led is not None and case.ours(winner) and case.ours(other) and winner != other


def _unblocks(case: Case) -> bool:
    """A higher card than need be, in a suit in which the other hand wins a trick later on."""
    best, tempting, partner = case.best, case.tempting, case.position.partner
    later = case.winning.tricks[1:]
    if best.row != tempting.row or best < tempting:
        return False
    won = case.first.winner, case.failing.tricks[0].winner
    if won != (partner, partner):
        return False
    return any(step.winner == partner and _winning_card(step).row == best.row for step in later)


def _finesses(case: Case) -> bool:
    """The trick is won in the suit led while the others hold a higher card of it, perhaps behind.

    Whoever plays last, or before a hand that he sees, does not finesse: his card wins for certain.
    """
    if _finessed(case) is None or case.best.row != case.first.cards[0].row:
        return False
    return _depends(case, _winning_card(case.first))


def _finessed(case: Case) -> Card | None:
    """The higher card of the others, in the trick of the best answer."""
    step = case.first
    if not case.ours(step.winner):
        return None
    against = higher_against(whole_hands(step.before), step.leader, step.cards, step.winner)
    return None if against is None else against[1]


def _drops(case: Case) -> bool:
    """No finesse: of two cards the higher, which catches one between them, now or later.

    The lower one would be a finesse: it beats what is on the table, and in its line the card
    between them wins a trick.
    """
    best, tempting, start = case.best, case.tempting, case.winning.start
    if best.row != tempting.row or best < tempting or case.led not in (None, best.row):
        return False
    if start.trick and not beats(tempting.index, start.best()[1].index, start.trump):
        return False
    if not _depends(case, tempting):
        return False
    against = [start.hands[chair] for chair in CHAIRS if not case.ours(chair)]
    between = {card for hand in against for card in cards_of(hand) if tempting < card < best}
    between = {card for card in between if card.row == best.row}
    caught = {
        card
        for step in case.winning.tricks
        if case.ours(step.winner) and step.cards[0].row == best.row == _winning_card(step).row
        for card in step.cards
    }
    lost = {_winning_card(step) for step in case.failing.tricks if not case.ours(step.winner)}
    return bool(between & lost) and between <= caught


def _takes(case: Case) -> bool:
    """A trick is taken that the others win after the tempting card."""
    if case.led is None or case.first.winner != case.position.chair:
        return False
    return not case.ours(case.failing.tricks[0].winner)


def _ducks(case: Case) -> bool:
    """A trick is left to the others that the tempting card wins."""
    if case.led is None or case.failing.tricks[0].winner != case.position.chair:
        return False
    return not case.ours(case.first.winner)


def _draws_trumps(case: Case) -> bool:
    """A trump is led, and the others ruff less often than after the tempting card."""
    position = case.position
    if case.led is not None or case.best.row != position.trump or position.trump == NO_TRUMP:
        return False
    return len(_ruffs_of(case, case.failing, ours=False)) > len(
        _ruffs_of(case, case.winning, ours=False)
    )


def _ruffs_of(case: Case, line: PlayedLine, *, ours: bool) -> list[Step]:
    """The tricks of a line that one side wins by ruffing."""
    trump = case.position.trump
    return [
        step
        for step in line.tricks
        if case.ours(step.winner) == ours and _winning_card(step).row == trump != step.cards[0].row
    ]


def _leads_for_ruff(case: Case) -> bool:
    """A suit is led that the side ruffs, now or later, more often than after the tempting card."""
    if case.led is not None or case.position.trump in (NO_TRUMP, case.best.row):
        return False
    own = [
        step
        for step in _ruffs_of(case, case.winning, ours=True)
        if step.cards[0].row == case.best.row
    ]
    return bool(own) and len(own) > len(
        [s for s in _ruffs_of(case, case.failing, ours=True) if s.cards[0].row == case.best.row]
    )


def _cashes(case: Case) -> bool:
    """The side takes every trick from now on until the contract is decided, with the highest cards.

    After the tempting card the contract goes the other way.
    """
    if case.led is not None or case.winning.made == case.failing.made:
        return False
    for step in case.winning.tricks:
        card = _winning_card(step)
        if not case.ours(step.winner) or card.row != step.cards[0].row:
            return False
        if higher_against(whole_hands(step.before), step.leader, step.cards, step.winner):
            return False
        if step.after.won >= step.after.needed or step.after.to_defeat <= 0:
            return True
    return False


def _throws_in(case: Case) -> bool:
    """The others win the trick, and having to lead costs them: leading would cost less to us."""
    step = case.first
    if case.ours(step.winner) or step.after.over or case.position.trump == case.best.row:
        return False
    if case.led is not None and case.best.row != case.led:
        return False
    solver, strain = solver_of(FULL_DECK), step.after.contract.bid.strain
    hands, sign = step.after.hands, 1 if case.position.declaring else -1
    given = sign * solver.ending(hands, strain, step.winner)
    own = (chair for chair in CHAIRS if case.ours(chair))
    return given > max(sign * solver.ending(hands, strain, chair) for chair in own)


def _leads(case: Case) -> bool:
    return case.led is None and not case.position.declaring


_RULES: Final[tuple[tuple[Theme, Callable[[Case], bool]], ...]] = (
    (Theme.LEAD, _opening_lead),
    (Theme.DISCARD, _discards),
    (Theme.RUFF, _ruffs),
    (Theme.HOLD_UP, _holds_up),
    (Theme.FINESSE, _finesses),
    (Theme.DROP, _drops),
    (Theme.ENTRY, _entry),
    (Theme.UNBLOCK, _unblocks),
    (Theme.TAKE, _takes),
    (Theme.DUCK, _ducks),
    (Theme.CASH_OUT, _cashes),
    (Theme.DRAW_TRUMPS, _draws_trumps),
    (Theme.RUFF, _leads_for_ruff),
    (Theme.THROW_IN, _throws_in),
    (Theme.LEAD, _leads),
)
"""The predicates in their order."""
