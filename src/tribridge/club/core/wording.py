"""What the log of a table says, and how deals end, in words that pages translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.matches import decisive, lead
from tribridge.club.core.state import State
from tribridge.club.language import Text, counted, mark, spoken
from tribridge.common.sentences import Sentence, Words
from tribridge.game import Action, Chair, Contract, Mark, Outcome, points_name
from tribridge.reviews import puzzle_wording as words


def deal_words(number: int, deals: int | None, name: str) -> Text:
    """The beginning of a deal; `deals` is None in a rubber, and `name` calls first."""
    if deals is None:
        return Text("Deal {number} of the rubber: {name} calls.", number=number, name=name)
    return Text("Deal {number} of {deals}: {name} calls.", number=number, deals=deals, name=name)


def sentence(name: str, action: Action, chair: Chair | None) -> Text:
    """An action in words, for screen readers and the log."""
    if isinstance(action, Card):
        card = spoken(action)
        if chair is Chair.DUMMY:
            return Text("{name} plays {card} from dummy.", name=name, card=card)
        return Text("{name} plays {card}.", name=name, card=card)
    if action is Mark.PASS:
        return Text("{name} passes.", name=name)
    if action is Mark.DOUBLE:
        return Text("{name} doubles.", name=name)
    if action is Mark.REDOUBLE:
        return Text("{name} redoubles.", name=name)
    return Text("{name} calls {call}.", name=name, call=action)


def trick_words(name: str, winner: Chair) -> Text:
    """Who wins a trick, in words; `name` is that of the player."""
    if winner is Chair.DUMMY:
        return Text("{name}'s dummy wins the trick.", name=name)
    return Text("{name} wins the trick.", name=name)


def away_words(name: str, bot: str) -> Text:
    """What the log says when a bot begins to play for someone who is not there."""
    return Text("{name} is away; {bot} plays until they return.", name=name, bot=bot)


def declares_words(name: str, contract: Contract) -> Text:
    """The end of an auction."""
    forms = {1: mark("{bid}"), 2: mark("{bid} doubled"), 4: mark("{bid} redoubled")}
    words = Text(forms[contract.factor], bid=contract.bid)
    return Text("{name} declares {contract}. Dummy is face up.", name=name, contract=words)


def declared_words(contract: Contract, name: str, *, own: bool = False) -> Text:
    """A contract with its declarer, in words, as the beginning of a sentence."""
    if own:
        forms = {
            1: mark("Your {bid}"),
            2: mark("Your {bid}, doubled,"),
            4: mark("Your {bid}, redoubled,"),
        }
        return Text(forms[contract.factor], bid=contract.bid)
    forms = {
        1: mark("{bid} by {name}"),
        2: mark("{bid} by {name}, doubled,"),
        4: mark("{bid} by {name}, redoubled,"),
    }
    return Text(forms[contract.factor], bid=contract.bid, name=name)


def decisive_words(state: State, seat: Seat | None = None) -> tuple[int, Words] | None:
    """The deal, from 1, that did most for whoever finished ahead in a rubber, as a seat is told.

    It decided the rubber if without its points somebody else would have finished ahead. None until
    the rubber is over, if it had only one deal, or if nobody is ahead alone.
    """
    match, winners = state.match, state.winners
    if match.rubber is None or len(match.lines) == 1 or len(winners) != 1:
        return None
    (winner,), at = winners, decisive(match)
    line = None if at is None else match.lines[at]
    if at is None or line is None or line.outcome.contract is None:
        return None
    contract, names = line.outcome.contract, [place.name for place in state.places]
    by = contract.declarer
    over = line.outcome.tricks - contract.tricks_needed(match.deck)
    fields = {
        "number": at + 1,
        "points": points_name(line.scores[winner]),
        "name": names[winner],
        "result": ended_words(declared_words(contract, names[by], own=by is seat), over),
    }
    own = winner is seat
    if lead(match, winner, at) >= 0:
        return at + 1, Text(
            "Deal {number} counted most, with {points} to you: {result}"
            if own
            else "Deal {number} counted most, with {points} to {name}: {result}",
            **fields,
        )
    story = Text(
        "Deal {number} decided it, with {points} to you: {result}"
        if own
        else "Deal {number} decided it, with {points} to {name}: {result}",
        **fields,
    )
    ahead = max(Seat, key=lambda one: lead(match, one, at))
    return at + 1, Text(
        "{story} Without it you would have finished ahead."
        if ahead is seat
        else "{story} Without it {name} would have finished ahead.",
        story=story,
        name=names[ahead],
    )


def result_sentence(state: State, outcome: Outcome, seat: Seat | None = None) -> Words:
    """How a deal of a table ended, and what it changed in the rubber, as a seat is told."""
    contract, table = outcome.contract, state.table
    if contract is None:
        return Text("Passed out.")
    name = state.places[contract.declarer].name
    needed = contract.tricks_needed(state.match.deck)
    own = contract.declarer is seat
    declared = declared_words(contract, name, own=own)
    words = ended_words(declared, outcome.tricks - needed)
    rubber = state.match.rubber
    if rubber is None or table is None or table.rubber is None:
        return words
    before, after = table.rubber.standing, rubber.standing
    if rubber.winner is not None:
        change = Text("You win the rubber." if own else "{name} wins the rubber.", name=name)
    elif after.games != before.games:
        change = Text("You win a game." if own else "{name} wins a game.", name=name)
    elif after.below != before.below:
        change = Text(
            "You have {points} of {game} for game."
            if own
            else "{name} has {points} of {game} for game.",
            name=name,
            points=after.below[contract.declarer],
            game=rubber.laws.game,
        )
    else:
        return words
    return Text("{result} {change}", result=words, change=change)


def ended_words(contract: str, over: int) -> Words:
    """How a contract ended, with `over` tricks more than it needed, in words."""
    if over < 0:
        return Text("{contract} goes down {down}.", contract=contract, down=-over)
    if over == 0:
        return Text("{contract} makes.", contract=contract)
    return counted(
        "{contract} makes with {number} overtrick.",
        "{contract} makes with {number} overtricks.",
        over,
        contract=contract,
    )


def winner_words(state: State, seat: Seat | None = None) -> Words:
    """Who has won the match, in words; to a seat that has not, how far behind it is.

    Empty until the match is over.
    """
    names = [state.places[seat].name for seat in state.winners]
    if not names:
        return Text("")
    if len(names) == 3:
        return Text("All three finish level.")
    if len(names) == 2 and seat in state.winners:
        (other,) = (state.places[one].name for one in state.winners if one is not seat)
        return Text("You and {name} share the win.", name=other)
    if len(names) == 2:
        return Text("{name} and {other} share the win.", name=names[0], other=names[1])
    first, second = sorted(state.match.totals(), reverse=True)[:2]
    lead = first - second
    several = 1 if lead == 1 else 2  # half a point takes the plural
    rubber = state.match.rubber is not None  # who wins it need not have the most points
    if seat in state.winners:
        return counted(
            "You finish {points} point ahead." if rubber else "You win by {points} point.",
            "You finish {points} points ahead." if rubber else "You win by {points} points.",
            several,
            points=points_name(lead),
        )
    if seat is not None:
        behind = first - state.match.totals()[seat]
        return counted(
            "You finish {points} point behind {name}.",
            "You finish {points} points behind {name}.",
            1 if behind == 1 else 2,
            name=names[0],
            points=points_name(behind),
        )
    return counted(
        "{name} finishes {points} point ahead." if rubber else "{name} wins by {points} point.",
        "{name} finishes {points} points ahead." if rubber else "{name} wins by {points} points.",
        several,
        name=names[0],
        points=points_name(lead),
    )


SITS_DOWN: Final = mark("{name} sits down as {seat}.")
"""Of somebody who comes to a table."""
YOURS: Final = {
    "Deal {number} of the rubber: {name} calls.": mark("Deal {number} of the rubber: you call."),
    "Deal {number} of {deals}: {name} calls.": mark("Deal {number} of {deals}: you call."),
    "{name} passes.": mark("You pass."),
    "{name} doubles.": mark("You double."),
    "{name} redoubles.": mark("You redouble."),
    "{name} calls {call}.": mark("You call {call}."),
    "{name} declares {contract}. Dummy is face up.": mark(
        "You declare {contract}. Dummy is face up."
    ),
    "{name} plays {card}.": mark("You play {card}."),
    "{name} plays {card} from dummy.": mark("You play {card} from dummy."),
    "{name} wins the trick.": mark("You win the trick."),
    "{name}'s dummy wins the trick.": mark("Your dummy wins the trick."),
    "{name} undoes the last action.": mark("You undo the last action."),
    "{name} claims {tricks} of the {left} remaining tricks.": mark(
        "You claim {tricks} of the {left} remaining tricks."
    ),
    "{name} refuses the claim: play continues.": mark("You refuse the claim: play continues."),
    "{name} asks for advice.": mark("You ask for advice."),
    "{name} ran out of time: a pass was chosen for them.": mark(
        "You ran out of time: a pass was chosen for you."
    ),
    "{name} ran out of time: a card was chosen for them.": mark(
        "You ran out of time: a card was chosen for you."
    ),
    SITS_DOWN: mark("You sit down as {seat}."),
    "{name} is ready.": mark("You are ready."),
    "{name} is not ready yet.": mark("You are not ready yet."),
    "{name} is ready for the next deal.": mark("You are ready for the next deal."),
    "{name} is back.": mark("You are back."),
    "{bid} by {name}": mark("Your {bid}"),
    "{name}'s {bid}": mark("Your {bid}"),
    "{bid} by {name}, doubled,": mark("Your {bid}, doubled,"),
    "{bid} by {name}, redoubled,": mark("Your {bid}, redoubled,"),
    "{name} wins a game.": mark("You win a game."),
    "{name} wins the rubber.": mark("You win the rubber."),
    "{name} has {points} of {game} for game.": mark("You have {points} of {game} for game."),
    # Of a review
    "{name} had nothing to decide.": mark("You had nothing to decide."),
    "{name} made no mistake in {decisions}": mark("You made no mistake in {decisions}"),
    "{name} got {wrong} of {decisions} wrong and gave up {what}": mark(
        "You got {wrong} of {decisions} wrong and gave up {what}"
    ),
    "It cost {tricks} to {better} because {name} held {card}, which was {chance}% likely.": mark(
        "It cost {tricks} to {better} because you held {card}, which was {chance}% likely."
    ),
    "{text} By how the bots bid, it would have ended in {bid} by {name}.": mark(
        "{text} By how the bots bid, it would have ended in your {bid}."
    ),
    "{text}; it gains most when {name} holds {card} ({chance}% likely).": mark(
        "{text}; it gains most when you hold {card} ({chance}% likely)."
    ),
}
"""What is said of a player, as that player is told it."""
YOUR_PART: Final = {
    words.FIRST: {"seat": mark("{card} wins: you have {higher}, but had to play before it.")},
    words.KEPT: {"seat": mark("{card} wins, as you do not play {higher}.")},
    words.CASHED: {"seat": mark("You cash {card}.")},
    words.CASHED_OFF: {
        "seat": mark("You cash {card}, on which {other} discards {discard}."),
        "other": mark("{seat} cashes {card}, on which you discard {discard}."),
    },
    words.WON: {
        "leader": mark("You lead {led}, and {seat} wins with {card}."),
        "seat": mark("{leader} leads {led}, and you win with {card}."),
    },
    words.WON_OWN: {"seat": mark("You lead {card} and win the trick.")},
    words.RUFFED: {
        "leader": mark("You lead {led}, and {seat} ruffs with {card}."),
        "seat": mark("{leader} leads {led}, and you ruff with {card}."),
    },
    words.OVERRUFFED: {
        "leader": mark("You lead {led}, and {seat} overruffs with {card}."),
        "seat": mark("{leader} leads {led}, and you overruff with {card}."),
    },
}
"""The same of a trick, in which a player has one of several parts."""


def told(sentence: Sentence, name: str) -> Sentence:
    """A sentence as it is told to the player of a name, who is called `you`.

    >>> print(told(sentence("South", Card("SK"), None).sentence, "South"))
    You play king of spades.
    """
    fields = {
        key: told(field, name) if isinstance(field, Sentence) else field
        for key, field in sentence.fields.items()
    }
    parts = {"name": YOURS.get(sentence.text)} | YOUR_PART.get(sentence.text, {})
    text = next((told for part, told in parts.items() if fields.get(part) == name), None)
    return replace(sentence, text=text or sentence.text, fields=fields)


def with_guests(sentence: Sentence, guests: Mapping[str, Sentence]) -> Sentence:
    """A sentence that calls some players otherwise than they are called in its fields.

    >>> left = Text("{name} leaves.", name="North").sentence
    >>> print(with_guests(left, {"North": Sentence("Guest")}))
    Guest leaves.
    """
    fields = {
        key: with_guests(field, guests) if isinstance(field, Sentence) else guests.get(field, field)
        for key, field in sentence.fields.items()
    }
    return replace(sentence, fields=fields)


def called(sentence: Sentence, names: Sequence[str]) -> Sentence:
    """A sentence that says `North`, `East` and `South` of players with names.

    >>> print(called(Sentence("{name}'s turn", {"name": Sentence("East")}), ("Ann", "Bo", "Cy")))
    Bo's turn
    """
    if sentence.text == SITS_DOWN:  # there it is the seat
        return sentence
    seats = {Sentence(str(seat)): name for seat, name in zip(Seat, names, strict=True)}
    fields = {
        key: seats.get(field) or called(field, names) if isinstance(field, Sentence) else field
        for key, field in sentence.fields.items()
    }
    return replace(sentence, fields=fields)
