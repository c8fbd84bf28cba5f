"""The table: one deal from the first call to the last card, as a frozen state.

For an action (a call or a card) there are three methods: `check` raises an error that says why it
is illegal, `can` returns whether it is legal, `apply` checks it and returns the next state.
`apply_unchecked` skips the check, for simulation. A state never changes; `view` gives what one seat
may see of it.

`str` draws it: during the auction North, East and South sit clockwise and the hidden hand is on the
left; during the play declarer sits at the bottom and dummy at the top, as in newspaper columns.

Actions may be given as text. Ambiguous text such as `2C` is a bid while a call is due and a
card while a card is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tribridge.cards.cards import FULL_DECK, Card, Hand
from tribridge.cards.deals import BySeat, Deal, Seat
from tribridge.cards.diagram import Place, Places, svg_diagram, text_diagram
from tribridge.common.errors import (
    FormatError,
    IllegalActionError,
    TribridgeError,
    check_type,
    quantity,
    shown,
    unchanging,
)
from tribridge.game.auction import (
    Auction,
    Bid,
    Call,
    Contract,
    Mark,
    Outcome,
    call_name,
    parse_call,
    parse_calls,
)
from tribridge.game.laws import laws_text
from tribridge.game.position import Position, start_play
from tribridge.game.scoring import Points, Scheme, find_scheme, scheme_text, scores
from tribridge.game.standing import RubberState, rubber_points
from tribridge.game.tags import NO_TAGS, Tags
from tribridge.game.tricks import Chair, Trick, chair_hands

Action = Bid | Mark | Card
_AROUND: Final = (Chair.DUMMY, Chair.RIGHT, Chair.DECLARER, Chair.LEFT)
"""The chairs clockwise on the page, from the top."""
_COLUMN: Final = 8


class Course:
    """What follows from the auction and the play, for a table and for a view of it."""

    __slots__ = ()
    auction: Auction
    position: Position | None
    claimed: int | None

    @property
    def dealer(self) -> Seat:
        return self.auction.dealer

    @property
    def contract(self) -> Contract | None:
        return None if self.position is None else self.position.contract

    @property
    def turn(self) -> Seat | None:
        """Who must act; None when the deal is over."""
        if self.claimed is not None:
            return None
        return self.auction.turn if self.position is None else self.position.turn

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks that are complete."""
        return () if self.position is None else self.position.tricks

    @property
    def outcome(self) -> Outcome | None:
        """How the deal ended; None while it is in progress."""
        if self.claimed is not None:
            return Outcome(self.contract, self.claimed)
        if self.position is None:
            return Outcome(None) if self.auction.over else None
        return Outcome(self.contract, self.position.won) if self.position.over else None

    def _seen(self) -> Sequence[Hand | None]:
        """The hands in the order of the deal, or of the chairs in the play; None is face down."""
        raise NotImplementedError

    def __str__(self) -> str:
        places, rows, status = _picture(self, self._seen())
        calls = ("".join(f"{word:{_COLUMN}}" for word in row).rstrip() for row in rows)
        return "\n".join([text_diagram(places, self.auction.deck), "", *calls, "", status])

    def _repr_svg_(self) -> str:
        return svg_diagram(*_picture(self, self._seen()), self.auction.deck)


@unchanging
@dataclass(frozen=True, slots=True, repr=False)
class Table(Course):
    """One deal in progress.

    Examples:
        >>> from tribridge.cards.dealer import deal
        >>> table = new_table(deal(1, 0), Seat.NORTH)
        >>> table = table.call("1NT pass 2H pass pass")
        >>> str(table.contract), str(table.turn), len(table.legal)
        ('2♥ by South', 'North', 13)
        >>> str(table.play("CT").turn), table.play("CT").undo() == table, table.history[2]
        ('South', True, Bid('2H'))
        >>> table.scores("auction")  # nothing before the last card
        {N: 0, E: 0, S: 0}

    Raises:
        FormatError: text that is neither a call nor a card.
        IllegalActionError: a call or a card that is not allowed now.
        NotFoundError: a scoring scheme that does not exist.
    """

    deal: Deal
    auction: Auction
    position: Position | None = None
    """The play of the cards; None before the end of the auction."""
    rubber: RubberState | None = None
    """The laws and the standing of the rubber that the deal belongs to, if it does."""
    scheme: Scheme | None = None
    """How a deal outside a rubber is scored; None: nobody said, which means `auction`."""
    vulnerable: tuple[Seat, ...] = ()
    """Who is vulnerable outside a rubber."""
    claimed: int | None = None
    """Declarer's tricks, if a claim ended the play."""
    tags: Tags = field(default=NO_TAGS, compare=False)
    """What a file says about the game beside its play: names, event, four players' auction."""

    @property
    def over(self) -> bool:
        if self.claimed is not None:
            return True
        return self.auction.over if self.position is None else self.position.over

    @property
    def legal(self) -> tuple[Action, ...]:
        """All actions allowed now; none when the deal is over."""
        if self.claimed is not None:
            return ()
        return self.auction.legal if self.position is None else self.position.legal

    def scores(self, scheme: Scheme | str | None = None) -> BySeat[Points]:
        """What each player scores: nothing before the deal is over or if it is passed out.

        The scheme is one of `schemes()`, by name, or from a file: `friday.toml`. Without one it is
        the table's own, or else `auction`; a deal of a rubber scores by its laws, with honours and
        bonuses.
        """
        outcome, rubber = self.outcome or Outcome(None), self.rubber
        if rubber is not None and scheme is None:
            points = rubber_points(rubber, self.deal, outcome)
        else:
            scheme = find_scheme(self.scheme or "auction" if scheme is None else scheme)
            vulnerable = self.vulnerable if rubber is None else rubber.vulnerable
            points = scores(outcome, scheme, self.deal.deck, vulnerable=vulnerable)
        return BySeat(dict(zip(Seat, points, strict=True)))

    def claim(self, tricks: int) -> Table:
        """The end of the deal by a claim: declarer has so many tricks in all."""
        play = self.position
        if play is None or self.over:
            raise IllegalActionError("nobody can claim now: no card is due")
        check_type(tricks, "claim: tricks", "int", float)
        most = play.won + play.size - len(play.tricks)
        if not play.won <= tricks <= most:
            raise IllegalActionError(
                f"declarer cannot claim {quantity(tricks, 'trick')}: expected {play.won} to {most}"
            )
        return replace(self, claimed=int(tricks))

    def _seen(self) -> Sequence[Hand | None]:
        """All hands face up; once the deal is over, as they were dealt."""
        play = self.position
        if play is None:
            return self.deal.hands
        masks = chair_hands(self.deal, play.contract.declarer) if self.over else play.hands
        return [Hand(mask) for mask in masks]

    def check(self, action: Action | str, seat: Seat | str | None = None) -> None:
        """Raise an error if an action is not legal now (for this seat, if given)."""
        self._checked(action, seat)

    def can(self, action: Action | str, seat: Seat | str | None = None) -> bool:
        """Whether an action is legal now (for this seat, if given), so that `apply` accepts it."""
        try:
            self._checked(action, seat)
        except TribridgeError:
            return False
        return True

    def apply(self, action: Action | str, seat: Seat | str | None = None) -> Table:
        """Check an action and return the state after it."""
        return self.apply_unchecked(self._checked(action, seat))

    def call(self, call: Call | str | Iterable[Call | str]) -> Table:
        """The state after a call (`1NT`, `pass`, `X`, `XX`), or several: `1NT pass pass`."""
        table, calls = self, parse_calls(call if isinstance(call, Iterable) else [call])
        if isinstance(call, str) and not calls:
            raise FormatError(f"{shown(call)} has no call: expected a bid as in 1NT, Pass, X or XX")
        for each in calls:
            table = table.apply(each)
        return table

    def play(self, card: Card | str | Iterable[Card | str]) -> Table:
        """The state after a card (`SK`, `♥T`), or several: `HT H2 HK`."""
        table = self
        if isinstance(card, str):
            text, card = card, card.replace(",", " ").split()
            if not card:
                raise FormatError(
                    f"{shown(text)} has no card: expected a suit and a rank, as in SK"
                )
        for each in card if isinstance(card, Iterable) else [card]:
            table = table.apply(Card(each))
        return table

    @property
    def history(self) -> tuple[Action, ...]:
        """All calls and cards so far, in order."""
        plays = () if self.position is None else self.position.plays()
        return (*self.auction.calls, *(card for _, card in plays))

    def undo(self, actions: int = 1) -> Table:
        """The state before the last call or card, or before so many of them."""
        check_type(actions, "undo: actions", "int", int)
        history = self.history
        if not 0 <= actions <= len(history):
            raise IllegalActionError(f"cannot undo {actions} of {quantity(len(history), 'action')}")
        remaining = history[: len(history) - actions]
        calls = len(self.auction.calls)
        play = self.position
        if play is not None and len(remaining) >= calls:
            leader, _ = play.rounds()[0]
            start = Position(play.contract, play.dealt(), leader)
            table = self._after(self.auction, start)
            remaining = remaining[calls:]
        else:
            table = self._after(Auction(self.dealer, self.deal.deck, self.auction.doubles), None)
        for action in remaining:
            table = table.apply_unchecked(action)
        return table

    def states(self) -> Iterator[Table]:
        """The states from before the first call to the last call or card, without a claim."""
        for left in reversed(range(len(self.history) + 1)):
            yield self.undo(left)

    def __repr__(self) -> str:
        calls = " ".join(map(call_name, self.auction.calls))
        cards = " ".join(action.name for action in self.history if isinstance(action, Card))
        rubber = self.rubber and (
            f"Rubber({laws_text(self.rubber.laws)!r}, below={self.rubber.standing.below}, "
            f"games={self.rubber.standing.games})"
        )
        risk = self.vulnerable and repr("".join(seat.letter for seat in self.vulnerable))
        given = {
            "dealer": repr(self.dealer.letter),
            "auction": repr(calls) if calls else None,
            "play": repr(cards) if cards else None,
            "doubles": "True" if self.auction.doubles else None,
            "deck": None if self.deal.deck == FULL_DECK else repr(str(self.deal.deck)),
            "rubber": rubber,
            "scheme": self.scheme and repr(scheme_text(self.scheme)),
            "vulnerable": risk or None,
            "claimed": None if self.claimed is None else str(self.claimed),
        }
        options = "".join(f", {name}={text}" for name, text in given.items() if text is not None)
        return f"new_table({str(self.deal)!r}{options})"

    def _checked(self, given: object, by: object) -> Action:
        """The action as a value, if it is allowed now."""
        action, turn = self._read(given), self.turn
        if turn is None:
            raise IllegalActionError(f"{action} is not allowed: the deal is over")
        if by is not None and (seat := Seat(by)) is not turn:
            raise IllegalActionError(f"{seat} cannot act: it is {turn}'s turn")
        if isinstance(action, Card):
            if self.position is None:
                raise IllegalActionError(f"{turn} cannot play {action}: a call is due")
            self.position.check(action)
        elif self.position is not None:
            raise IllegalActionError(f"{turn} cannot call {action}: the auction is over")
        else:
            self.auction.check(action)
        return action

    def _read(self, given: object) -> Action:
        """An action from a value or from text, as a call or a card, whichever is due."""
        if isinstance(given, Card):
            return Card(given)
        if isinstance(given, (Bid, Mark)):
            return parse_call(given)
        if not isinstance(given, str):
            raise IllegalActionError(
                f"{shown(given)} is not an action: expected a Bid, a Mark, a Card, "
                "or text as in '1NT', 'pass' or 'SK'"
            )
        due, other = (parse_call, Card) if self.position is None else (Card, parse_call)
        try:
            return due(given)
        except FormatError as error:
            try:
                return other(given)
            except FormatError:
                raise error from None

    def apply_unchecked(self, action: Action) -> Table:
        """The state after an action that is known to be allowed."""
        if isinstance(action, Card):
            assert self.position is not None
            position = self.position.apply_unchecked(action)
            return self._after(self.auction, position)
        return self._call(action)

    def _call(self, call: Call) -> Table:
        auction = self.auction.apply_unchecked(call)
        contract = auction.contract
        position = start_play(self.deal, contract) if contract else None
        return self._after(auction, position)

    def _after(self, auction: Auction, position: Position | None) -> Table:
        # Not `replace`, which looks up every field by name: games make thousands of tables.
        return Table(
            self.deal, auction, position, self.rubber, self.scheme, self.vulnerable, None, self.tags
        )


def new_table(
    deal: Deal,
    dealer: Seat,
    *,
    doubles: bool = False,
    rubber: RubberState | None = None,
    scheme: Scheme | None = None,
    vulnerable: tuple[Seat, ...] = (),
    tags: Tags = NO_TAGS,
) -> Table:
    """A table before the first call; `rubber` is the state of the rubber, if one is played."""
    auction = Auction(dealer, deal.deck, doubles)
    return Table(deal, auction, None, rubber, scheme, vulnerable, None, tags)


def _picture(course: Course, hands: Sequence[Hand | None]) -> tuple[Places, list[list[str]], str]:
    """The hands around the table, the auction in rows below the players, and a sentence."""
    auction, play, over = course.auction, course.position, course.claimed is not None
    if play is None:
        titles = (*map(str, Seat), "Hidden hand")
        first, second, third, fourth = map(Place, titles, hands)
        places = first, second, third, fourth
        status = "Passed out." if auction.over else f"{auction.turn} to call."
    else:
        trick = () if over else play.trick
        cards = {Chair((play.leader + at) % 4): card for at, card in enumerate(trick)}
        declarer = play.contract.declarer
        dummy, right, bottom, left = (
            Place(_title(chair, declarer), hands[chair], cards.get(chair)) for chair in _AROUND
        )
        places, status = (dummy, right, bottom, left), status_of(play, course.claimed)
    players = [str(auction.dealer.after(at)) for at in range(3)]
    words = [*players, *map(str, auction.calls)]
    return places, [words[at : at + 3] for at in range(0, len(words), 3)], status


def _title(chair: Chair, declarer: Seat) -> str:
    if chair is Chair.DUMMY:
        return "Dummy"
    return f"{chair.player(declarer)}{' (declarer)' if chair is Chair.DECLARER else ''}"


def status_of(play: Position, claimed: int | None = None) -> str:
    """One sentence on the play."""
    contract, won, played = play.contract, play.won, len(play.tricks)
    if play.over or claimed is not None:
        made = won if claimed is None else claimed
        over = made - play.needed
        margin = "just made" if not over else f"made, {over} over" if over > 0 else f"{-over} down"
        how = "" if claimed is None else ", claimed"
        return f"{contract}: {margin} ({quantity(made, 'trick')}{how})."
    due = f"{play.turn} to {'play' if play.trick else 'lead'}"
    dummy = " from dummy" if play.chair is Chair.DUMMY else ""
    return f"{contract}: declarer {won}, defenders {played - won}. {due}{dummy}."
