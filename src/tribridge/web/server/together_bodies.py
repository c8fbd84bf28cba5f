"""The JSON of playing together: options of a table, chat, presence, rematch, challenges."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tribridge.deals import Seat
from tribridge.game import points_name
from tribridge.web.core.challenges import Challenge, Challenges
from tribridge.web.core.events import LONGEST_MESSAGE, PHRASES
from tribridge.web.core.names import LONGEST_NAME
from tribridge.web.core.room import Room, Timing
from tribridge.web.core.state import CHAT_RULES, TURN_SECONDS, Message, Options
from tribridge.web.pages.public import Public

_RULES: Final = "`free` (phrases and free text), `phrases` or `off`"


class Strict(BaseModel):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class TableOptions(Strict):
    """How a table is shared with others."""

    wait: bool = Field(
        default=False,
        description="Whether the match waits for the host to start it. By default it starts when "
        "every open seat is taken.",
    )
    hold: bool = Field(
        default=True,
        description="Whether a strategy plays at once for a person who leaves, until they come "
        "back. Otherwise the table waits for them.",
    )
    turn_seconds: int | None = Field(
        default=None,
        ge=TURN_SECONDS[0],
        le=TURN_SECONDS[1],
        description="The turn timer: when a person's time runs out, a pass or a card is chosen "
        "for that turn. By default there is none.",
    )
    chat: str = Field(default=CHAT_RULES[0], description=f"What can be written: {_RULES}.")
    onlooker_chat: bool = Field(default=False, description="Whether onlookers can write, too.")
    listed: bool = Field(
        default=False,
        description="Whether the table is in the list of tables, with the names of its players, "
        "for anyone to join or watch. Otherwise it is found by its name alone.",
    )

    def options(self) -> Options:
        """The same as the table has them."""
        return Options(
            waits=self.wait,
            hold=self.hold,
            turn_seconds=self.turn_seconds,
            chat=self.chat,
            onlooker_chat=self.onlooker_chat,
            listed=self.listed,
        )


class TogetherView(BaseModel):
    """What everyone may know about the people at a table."""

    host: str | None = Field(description="The seat that starts the match and the rematch.")
    waits: bool = Field(description="Whether the match begins only when the host starts it.")
    ready: list[str] = Field(description="Before the start: seats that are ready.")
    turn_seconds: float | None = Field(
        description="The turn timer; `presence` says how much time is left. Null without one."
    )
    chat: str = Field(description=f"What can be written: {_RULES}.")
    onlooker_chat: bool
    winners: list[str] = Field(description="Who has won, once the match is over.")
    rematch: list[str] = Field(description="Seats that would like to play again.")
    rematch_table: str | None = Field(description="Where the rematch is, once it has begun.")
    challenge: str | None = Field(description="The challenge that is played here.")


def together_fields(public: Public) -> dict[str, Any]:
    """The fields of a `TogetherView`."""
    options = public.options
    return {
        "host": None if public.host is None else public.host.letter,
        "waits": options.waits,
        "ready": letters(public.ready),
        "turn_seconds": options.turn_seconds,
        "chat": options.chat,
        "onlooker_chat": options.onlooker_chat,
        "winners": letters(frozenset(public.winners)),
        "rematch": letters(public.rematch),
        "rematch_table": public.rematch_table,
        "challenge": options.challenge,
    }


def letters(seats: frozenset[Seat]) -> list[str]:
    """The letters of some seats, North first."""
    return [seat.letter for seat in Seat if seat in seats]


class Ready(Strict):
    """Whether a person is ready to start."""

    ready: bool = True


class SeatBot(Strict):
    """The strategy for an open seat."""

    strategy: str


class Leaving(Strict):
    """How a person leaves."""

    for_good: bool = Field(
        default=True,
        description="Give up the seat, and the token with it. Otherwise the seat stays yours: "
        "come back with `back`.",
    )


class NewMessage(Strict):
    """A message to everyone at a table."""

    text: str = Field(
        description=f"One of `phrases`, or free text of up to {LONGEST_MESSAGE} characters."
    )
    name: str = Field(default="", description=f"An onlooker's name, up to {LONGEST_NAME} letters.")


class MessageView(BaseModel):
    """A message of the chat."""

    number: int = Field(description="The number of its event.")
    seat: str | None = Field(description="Null for an onlooker.")
    name: str
    text: str


class ChatView(BaseModel):
    """The last messages at a table, as your seat reads them."""

    messages: list[MessageView]
    muted: list[str] = Field(description="Whose messages you do not get: seats, `onlookers`.")
    phrases: list[str]


class Mute(Strict):
    """Whom a seat no longer reads."""

    whom: str = Field(description="A seat (N, E, S), or `onlookers`.")
    on: bool = True


class PresenceView(BaseModel):
    """Who is there. Changes are sent as `presence` in the stream of events."""

    here: list[str] = Field(description="Seats of people with a stream of the table open.")
    onlookers: int = Field(description="Streams open without a seat.")
    seconds_left: float | None = Field(
        description="How long the person to act has left; null without a turn timer."
    )


class RematchView(BaseModel):
    """A rematch: who has agreed and, once it has begun, your seat there."""

    agreed: list[str]
    table: str | None
    seat: str | None
    token: str | None


class NewRematch(Strict):
    """An offer to play again."""

    now: bool = Field(
        default=False,
        description="For the host: begin at once. Bots play for those who have not agreed.",
    )


class ChallengeName(BaseModel):
    """A challenge that was made."""

    challenge: str
    url: str | None = Field(
        description="The address of its page for others; null if they cannot open it."
    )


class ResultView(BaseModel):
    """One line of the results."""

    rank: int
    name: str
    scores: list[str] = Field(description="Points of each deal, as text.")
    total: str
    net: str = Field(description="The settlement with the two opponents, which decides the rank.")
    bot: bool
    origin: bool = Field(description="Whether it is the match that the challenge was made from.")
    you: bool


class ChallengeView(BaseModel):
    """A challenge. The results are shown once you have finished it, or after its day."""

    challenge: str
    day: str | None = Field(description="The date of a daily challenge.")
    by: str = Field(description="Whose match it was made from; empty for a daily challenge.")
    deals: int
    scheme: str
    known: bool = Field(description="Whether somebody may know the cards in advance.")
    seat: str
    strategies: list[str]
    players: int = Field(description="How many people have finished it.")
    table: str | None = Field(description="The table at which you play it.")
    finished: bool = Field(description="Whether you have finished it.")
    results: list[ResultView] | None
    computing: bool = Field(description="Whether more results of bots will follow.")


class NewPlayer(Strict):
    """Who plays a challenge."""

    name: str = ""


class ChallengeSeat(BaseModel):
    """Your seat in a challenge."""

    table: str
    seat: str
    token: str
    device: str = Field(description="Send this as `X-Device-Key` from now on.")


def message_views(messages: tuple[Message, ...]) -> list[MessageView]:
    """Messages of the chat."""
    return [
        MessageView(
            number=one.number,
            seat=None if one.seat is None else one.seat.letter,
            name=one.name,
            text=one.text,
        )
        for one in messages
    ]


def chat_view(room: Room, seat: Seat | None) -> ChatView:
    """The chat as a seat reads it."""
    return ChatView(
        messages=message_views(room.state.read_by(seat)),
        muted=sorted(whom for one, whom in room.state.muted if one is seat),
        phrases=list(PHRASES),
    )


def presence_view(room: Room, timing: Timing) -> PresenceView:
    """Who is there."""
    here = frozenset(seat for seat in room.state.people if room.presence.here(seat))
    return PresenceView(
        here=letters(here),
        onlookers=room.presence.onlookers,
        seconds_left=room.seconds_left(timing),
    )


async def challenge_view(
    challenges: Challenges, challenge: Challenge, player: str
) -> ChallengeView:
    """A challenge as a player sees it."""
    results = None
    if await challenges.may_see(challenge, player):
        results = [
            ResultView(
                rank=one.rank,
                name=one.name,
                scores=[points_name(score) for score in one.scores],
                total=points_name(one.total),
                net=points_name(one.net),
                bot=one.bot,
                origin=one.origin,
                you=one.player == player,
            )
            for one in challenges.results(challenge)
        ]
    state = challenge.state()
    return ChallengeView(
        challenge=challenge.id,
        day=None if challenge.day is None else challenge.day.isoformat(),
        by=challenge.by,
        deals=state.match.deals,
        scheme=state.match.scheme.name,
        known=state.plan.known,
        seat=challenge.seat.letter,
        strategies=list(challenge.strategies),
        players=challenges.count(challenge),
        table=await challenges.table_of(challenge, player),
        finished=await challenges.finished(challenge.id, player),
        results=results,
        computing=results is not None and challenges.computing(challenge),
    )
