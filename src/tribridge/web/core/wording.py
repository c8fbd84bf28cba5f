"""What the log of a table says, and how deals end, in words that pages translate."""

from __future__ import annotations

from tribridge.cards import Card
from tribridge.game import Action, Chair, Contract, Mark, Outcome, Rubber
from tribridge.game.standing import Standing
from tribridge.web.language import Text, counted, spoken


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
    words = contract_words(contract)
    return Text("{name} declares {contract}. Dummy is face up.", name=name, contract=words)


def contract_words(contract: Contract) -> Text:
    """A contract in words, without its declarer."""
    if contract.factor == 1:
        return Text("{bid}", bid=contract.bid)
    if contract.factor == 2:
        return Text("{bid} doubled", bid=contract.bid)
    return Text("{bid} redoubled", bid=contract.bid)


def declared_words(contract: Contract, name: str) -> Text:
    """A contract with its declarer, in words, as the beginning of a sentence."""
    if contract.factor == 1:
        return Text("{bid} by {name}", bid=contract.bid, name=name)
    if contract.factor == 2:
        return Text("{bid} by {name}, doubled,", bid=contract.bid, name=name)
    return Text("{bid} by {name}, redoubled,", bid=contract.bid, name=name)


def result_words(name: str, outcome: Outcome, needed: int) -> Text:
    """How a deal ended, in words; `name` is declarer's."""
    contract = outcome.contract
    if contract is None:
        return Text("Passed out.")
    return ended_words(declared_words(contract, name), outcome.tricks - needed)


def ended_words(contract: str, over: int) -> Text:
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


def rubber_words(rubber: Rubber, before: Standing, declarer: str) -> Text:
    """What a deal changed in a rubber, in words; empty if nothing."""
    if rubber.winner is not None:
        return Text("{name} wins the rubber.", name=declarer)
    if rubber.standing.games != before.games:
        return Text("{name} wins a game.", name=declarer)
    scored = [at for at, now in enumerate(rubber.standing.below) if now != before.below[at]]
    if not scored:
        return Text("")
    return Text(
        "{name} has {points} of {game} for game.",
        name=declarer,
        points=rubber.standing.below[scored[0]],
        game=rubber.laws.game,
    )
