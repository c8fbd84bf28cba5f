"""Events, and the state of a table as their fold.

An event is a small dictionary with a `kind`:

    opened   match (secret, or seed and first; known, deals, scheme or laws, doubles, deck, hints),
             places, dice (the seed of the strategies' randomness, unrelated to that of the cards)
    sat      seat, name                  a person takes an open seat
    started  [actions]                   strategies fill the seats that are still open; the first
                                         deal begins after these calls and cards
    act      seat, action                a call or a card, as files write it
    undo     seat, keep                  only the first `keep` actions of the deal stand
    claim    seat, tricks                the seat's side claims that many of the remaining tricks
    answer   seat, agree                 a person answers a claim, or `judge` does for strategies
    lapsed                               a claim expired without an answer
    next                                 the next deal of the match
    advised  seat                        a person has asked for advice
    left     seat                        a person gives up the seat to a strategy
    away     seat                        its strategy plays for a person who has gone silent
    back     seat                        that person is there again
    replaced seat, strategy, why         another strategy takes a strategy's place

Those of `company` (chat, readiness, rematch and so on) are described there. The events of a table
with a turn timer have a `time`. `after` checks an event against the rules of the game before it
applies it, so stored events always replay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tribridge.cards import parse_card
from tribridge.deals import Seat
from tribridge.errors import FormatError
from tribridge.game import (
    Action,
    Outcome,
    Table,
    parse_call,
    record_of,
)
from tribridge.game.view_json import action_name as action_name
from tribridge.web.core import company, wording
from tribridge.web.core.bots import bot_for
from tribridge.web.core.company import Company, Options
from tribridge.web.core.company import seat_in as _seat
from tribridge.web.core.company import with_place as _with_place
from tribridge.web.core.matches import match_of, rubber_of
from tribridge.web.core.state import (
    KEPT_CHANGES,
    Claim,
    Finished,
    Place,
    State,
    last_action_of,
    needed_answers,
)
from tribridge.web.core.store import Event
from tribridge.web.errors import NotNowError, NotYoursError
from tribridge.web.language import Text


def opened(event: Event) -> State:
    """The state after a table's first event."""
    if event.get("kind") != "opened":
        raise FormatError("the first event of a table must be an opened event")
    match = event["match"]
    places = tuple(
        Place(
            p["name"],
            p["strategy"],
            p.get("person", False),
            p.get("open", False),
            int(p.get("person", False) or p.get("away", False)),
            p.get("away", False),
        )
        for p in event["places"]
    )
    return State(
        number=1,
        match=match_of(match),
        places=(places[0], places[1], places[2]),
        strategy_seed=event["dice"],
        secret=match.get("secret"),
        known=match.get("known", True),
        hints=match.get("hints", True),
        since=1,
        options=Options(**event.get("options", {})),
        company=Company(host=next((s for s in Seat if places[s].person), None)),
        turn_since=event.get("time", 0.0),
        recent=((1, requested(event)),),
    )


def after(state: State, event: Event) -> State:
    """Check an event and return the state after it."""
    return counted(fold(state, event), event)


def fold(state: State, event: Event) -> State:
    """Check an event and return what it makes of a state: the state itself if nothing changes."""
    made = _FOLDS.get(str(event.get("kind")))
    if made is None:
        raise FormatError(f"unknown event {event.get('kind')!r}")
    return made(state, event)


def counted(state: State, event: Event) -> State:
    """The state into which an event was folded, after counting that event."""
    number = state.number + 1
    state = company.with_change(state, event)
    if event["kind"] in ASIDE:
        drawn = state.drawn if event["kind"] in company.UNDRAWN else number
        return replace(state, number=number, drawn=drawn)
    return replace(
        state,
        number=number,
        since=number,
        drawn=number,
        turn_since=event.get("time", 0.0),
        recent=(*state.recent[1 - KEPT_CHANGES :], (number, requested(event))),
    )


def requested(event: Event) -> Event:
    """An event as it was asked for, without what the table adds to it."""
    return {key: value for key, value in event.items() if key not in ("time", "keep")}


def repeated(state: State, event: Event, at: int | None) -> bool:
    """Whether an event is already the first that followed `at`: its answer was lost."""
    if at is None or at < state.recent[0][0] - 1:
        return False
    later = (one for number, one in state.recent if number > at)
    return next(later, None) == requested(event)


def replay(events: Iterable[Event]) -> State | None:
    """The state that events lead to; None for no events."""
    state: State | None = None
    for event in events:
        state = opened(event) if state is None else after(state, event)
    return state


def parse_action(text: str, table: Table) -> Action:
    """Read a call or a card, whichever is due."""
    return parse_call(text) if table.position is None else parse_card(text)


def _sat(state: State, event: Event) -> State:
    seat, name = _seat(event), str(event["name"])
    place = state.places[seat]
    if not place.open:
        raise NotNowError("{seat} is taken by {name}", seat=seat, name=place.name)
    company.check_name(state, name, seat)
    taken = replace(place, name=name, person=True, open=False, serial=place.serial + 1)
    words = Text("{name} sits down as {seat}.", name=name, seat=seat)
    sitting = _with_place(state, seat, taken).say(words)
    return company.seated(sitting, seat)


def _started(state: State, event: Event) -> State:
    if state.started:
        raise NotNowError("the match has already begun")
    company.check_host(state, event)
    for seat in Seat:
        place = state.places[seat]
        if place.open:
            name = _bot_name(state, seat)
            state = _with_place(state, seat, replace(place, name=name, open=False))
    state = _deal(state)
    for action in event.get("actions", ()):
        turn = _playing(state).turn
        assert turn is not None
        state = _act(state, {"seat": turn.letter, "action": action})
    return state


def _bot_name(state: State, seat: Seat) -> str:
    one_name = state.options.one_name
    return company.bot_name(state.places, state.places[seat].strategy, seat, one_name=one_name)


def _deal(state: State) -> State:
    fresh = replace(
        state,
        table=state.match.table(),
        closed=False,
        claim=None,
        refused_at=None,
        advice=(),
        said=(),
        notes=(),
    )
    table = fresh.table
    assert table is not None
    deals = None if table.rubber is not None else state.match.deals
    name = state.places[table.dealer].name
    return fresh.say(wording.deal_words(fresh.deal + 1, deals, name))


def _act(state: State, event: Event) -> State:
    table = _playing(state)
    if state.claim is not None:
        raise NotNowError("a claim is waiting for an answer")
    seat = _seat(event)
    if table.turn is not seat:
        turn = table.turn
        raise NotYoursError("{seat} cannot act: it is {turn}'s turn", seat=seat, turn=turn)
    action = parse_action(str(event.get("action")), table)
    chair = None if table.position is None else table.position.chair
    after = table.apply(action, seat)
    words = wording.sentence(state.places[seat].name, action, chair)
    state = company.in_time(replace(state, table=after).say(words), seat)
    if after.position is not None and table.position is None:
        contract = after.contract
        assert contract is not None
        name = state.places[contract.declarer].name
        state = state.say(wording.declares_words(name, contract))
    elif after.position is not None and chair is not None and not after.position.trick:
        assert after.contract is not None
        winner = after.position.tricks[-1].winner
        name = state.places[winner.player(after.contract.declarer)].name
        state = state.say(wording.trick_words(name, winner))
    outcome = after.outcome
    return state if outcome is None else _close(state, outcome, claimed=False)


def _close(state: State, outcome: Outcome, *, claimed: bool) -> State:
    table = state.table
    assert table is not None
    number = state.match.first + state.deal
    record = record_of(
        table,
        number=number,
        scheme=state.match.scheme.name if table.rubber is None else None,
        vulnerable=() if table.rubber is None else table.rubber.vulnerable,
    )
    finished = Finished(record, outcome, claimed, tuple(seat for seat, _ in state.advice))
    closed = replace(
        state,
        match=state.match.add(outcome),
        finished=(*state.finished, finished),
        closed=True,
        claim=None,
    )
    return closed.say(result_sentence(closed, outcome))


def result_sentence(state: State, outcome: Outcome) -> Text:
    """How a deal ended, in words."""
    contract = outcome.contract
    if contract is None:
        return wording.result_words("", outcome, 0)
    name = state.places[contract.declarer].name
    words = wording.result_words(name, outcome, contract.tricks_needed(state.match.deck))
    rubber, table = rubber_of(state.match), state.table
    if rubber is None or table is None or table.rubber is None:
        return words
    change = wording.rubber_words(rubber, table.rubber.standing, name)
    return Text("{result} {change}", result=words, change=change) if change else words


def _playing(state: State) -> Table:
    if state.table is None:
        raise NotNowError("the match has not begun")
    if state.closed:
        raise NotNowError("the deal is over")
    return state.table


def _undo(state: State, event: Event) -> State:
    table, seat = _playing(state), _seat(event)
    if state.people != (seat,) or last_action_of(table, seat) != event.get("keep"):
        raise NotNowError(
            "nothing to undo: only your own last action can be undone, against strategies"
        )
    record = record_of(table)
    kept = replace(record, actions=record.actions[: event["keep"]]).replay()
    name = state.places[seat].name
    return replace(state, table=kept).say(Text("{name} undoes the last action.", name=name))


def _claim(state: State, event: Event) -> State:
    table, seat, tricks = _playing(state), _seat(event), event.get("tricks")
    play = table.position
    if play is None or not state.may_claim(seat):
        raise NotNowError("claim on your turn, between tricks, and at most once per trick")
    left = table.deal.deck.hand_size - len(play.tricks)
    if not isinstance(tricks, int) or not 0 <= tricks <= left:
        raise NotNowError("a claim must be for 0 to {left} of the remaining tricks", left=left)
    words = Text(
        "{name} claims {tricks} of the {left} remaining tricks.",
        name=state.places[seat].name,
        tricks=tricks,
        left=left,
    )
    return replace(state, claim=Claim(seat, tricks)).say(words)


def _answer(state: State, event: Event) -> State:
    table, claim = _playing(state), state.claim
    if claim is None or table.position is None or table.contract is None:
        raise NotNowError("there is no claim to answer")
    judge = event.get("seat") == "judge"
    seat = claim.seat if judge else _seat(event)
    if not judge and (seat is claim.seat or not state.places[seat].person):
        raise NotYoursError("only the other people at the table can answer a claim")
    if not event.get("agree"):
        who = Text("The judge") if judge else state.places[seat].name
        words = Text("{name} refuses the claim: play continues.", name=who)
        return replace(state, claim=None, refused_at=len(state.actions)).say(words)
    return _settled(replace(state, claim=replace(claim, agreed=claim.agreed | {seat})))


def _lapsed(state: State, event: Event) -> State:
    if state.claim is None:
        raise NotNowError("there is no claim to answer")
    words = Text("Nobody answered the claim: play continues.")
    return replace(state, claim=None, refused_at=len(state.actions)).say(words)


def _settled(state: State) -> State:
    """The deal closed by its claim, once all who must agree have done so."""
    claim, table = state.claim, state.table
    if claim is None or not needed_answers(state) <= claim.agreed:
        return state
    assert table is not None
    assert table.position is not None
    assert table.contract is not None
    left = table.deal.deck.hand_size - len(table.position.tricks)
    declaring = claim.seat is table.contract.declarer
    won = table.position.won + (claim.tricks if declaring else left - claim.tricks)
    state = state.say(Text("The claim stands."))
    return _close(state, Outcome(table.contract, won), claimed=True)


def _next(state: State, event: Event) -> State:
    if not state.closed or state.over:
        raise NotNowError("the next deal cannot be dealt now")
    return _deal(state)


def _advised(state: State, event: Event) -> State:
    _playing(state)
    seat = _seat(event)
    asked = (seat, len(state.actions))
    if asked in state.advice:
        raise NotNowError("{seat} has already asked for advice here", seat=seat)
    words = Text("{name} asks for advice.", name=state.places[seat].name)
    return replace(state, advice=(*state.advice, asked)).say(words)


def _left(state: State, event: Event) -> State:
    seat = _seat(event)
    place = state.places[seat]
    if not place.person:
        raise NotNowError("nobody sits there: {name} plays {seat}", name=place.name, seat=seat)
    state = company.unseated(state, seat)
    if not state.started:
        open_again = replace(place, name="", person=False, open=True, serial=place.serial + 1)
        words = Text("{name} leaves.", name=place.name)
        return _with_place(state, seat, open_again).say(words)
    name = _bot_name(state, seat)
    gone = replace(place, name=name, person=False, serial=place.serial + 1)
    words = Text("{name} leaves; {bot} takes the seat.", name=place.name, bot=name)
    return _settled(_with_place(state, seat, gone).note(words))


def _away(state: State, event: Event) -> State:
    seat = _seat(event)
    place = state.places[seat]
    if not place.person or not state.started or state.over:
        raise NotNowError("the table is not waiting for anyone at {seat}", seat=seat)
    gone = _with_place(state, seat, replace(place, person=False, away=True))
    bot = bot_for(place.strategy, seat).name
    words = wording.away_words(place.name, bot)
    if event.get("left"):
        words = Text("{name} leaves; {bot} plays until they return.", name=place.name, bot=bot)
    return _settled(gone.note(words))


def _back(state: State, event: Event) -> State:
    seat = _seat(event)
    place = state.places[seat]
    if not place.away:
        raise NotNowError("no strategy is playing for {name}", name=place.name)
    here = _with_place(state, seat, replace(place, person=True, away=False))
    here = company.in_time(here, seat)
    return here.note(Text("{name} is back.", name=place.name))


def _replaced(state: State, event: Event) -> State:
    seat, strategy = _seat(event), str(event["strategy"])
    place = state.places[seat]
    if place.person:
        raise NotNowError("{seat} is a person", seat=seat)
    bot = bot_for(strategy, seat)
    late = re.fullmatch(r"took longer than (\S+) seconds", str(event["why"]))
    words = Text(
        "{name} took longer than {seconds} seconds: {bot} plays for {seat} now."
        if late
        else "{name} failed: {bot} plays for {seat} now.",
        name=place.name,
        seconds=late[1] if late else "",
        bot=bot.name,
        seat=seat,
    )
    return _with_place(state, seat, replace(place, name=bot.name, strategy=strategy)).note(words)


def _timeout(state: State, event: Event) -> State:
    seat = _seat(event)
    if state.options.turn_seconds is None or not state.places[seat].person:
        raise NotNowError("there is no turn of {seat} to run out", seat=seat)
    calling = _playing(state).position is None
    late = state.company.late[seat] + 1
    return company.timed_out(_act(state, event), seat, late, calling=calling)


ASIDE: Final = frozenset({"advised"}) | company.ASIDE
"""Events that do not invalidate an action chosen before them."""
_FOLDS: Final = {
    "sat": _sat,
    "started": _started,
    "act": _act,
    "undo": _undo,
    "claim": _claim,
    "answer": _answer,
    "lapsed": _lapsed,
    "next": _next,
    "advised": _advised,
    "left": _left,
    "away": _away,
    "back": _back,
    "replaced": _replaced,
    "timeout": _timeout,
} | company.FOLDS
