"""Reviews in words: a reason for each choice, and a sentence about each player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tribridge.deals import Seat
from tribridge.errors import quantity
from tribridge.game.auction import Contract
from tribridge.game.table import Table
from tribridge.game.tricks import Chair
from tribridge.reviews.values import ERRORS, Judgement, Key, Luck, Option, Verdict

Names = Sequence[str]
"""What to call North, East and South."""
SEATS: Final = tuple(str(seat) for seat in Seat)


def card_reason(
    judgement: Judgement, key: Key | None, contract: Contract | None, names: Names
) -> str:
    """Why a card is judged as it is, from what its player could know."""
    card, best, chosen = judgement.action, judgement.best, judgement.chosen
    if judgement.verdict is Verdict.FORCED:
        return f"{card} is the only legal card."
    assert best is not None
    assert chosen is not None
    over = f" over {judgement.layouts} layout{'s' if judgement.layouts != 1 else ''}"
    behind = next((one for one in judgement.options if one.points_loss > 1e-9), None)
    if behind is None and not judgement.verdict.wrong:
        return f"All legal cards average {chosen.expected:.1f} declarer tricks{over}."
    declaring = judgement.chair is not None and judgement.chair.declaring
    verb, link = ("averages", "") if declaring else ("holds declarer to", "to ")
    end = f"{'' if declaring else ' on average'}{over}"
    if judgement.verdict is Verdict.BEST and behind is not None:
        own, other = _apart(chosen, behind)
        return f"{card} {verb} {own}{end}; the next best, {behind.action}, {link}{other}."
    own, other = _apart(chosen, best)
    if judgement.verdict is Verdict.GOOD:
        text = f"{card} {verb} {own}{end}, {best.action} {link}{other}"
        close = chosen.points_loss <= ERRORS * chosen.points_error
        return f"{text}: a difference within the error." if close else f"{text}."
    text = f"{best.action} {verb} {other}{end}, {card} {link}{own}"
    if key is not None and contract is not None:
        text += f"; it gains most when {_holder(key, contract, names)} holds {key.card}"
        text += f" ({_percent(key.chance)} likely)"
    return f"{text}."


def certain(judgement: Judgement) -> str:
    """Why it was wrong not to play the best card, where that decides the contract."""
    assert judgement.best is not None
    declaring = judgement.chair is not None and judgement.chair.declaring
    verb = "make" if declaring else "defeat"
    return f"{judgement.best.action} was certain to {verb} the contract."


def card_luck(
    luck: Luck, cost: int, better: object, key: Key | None, contract: Contract, names: Names
) -> str:
    """What the actual deal adds to the reason."""
    if luck is Luck.LUCKY:
        return " It cost nothing on the actual deal."
    tricks = "a trick" if cost == 1 else f"{cost} tricks"
    if key is None:
        return f" On the actual deal {better} would have gained {tricks}."
    return (
        f" It cost {tricks} to {better} because {_holder(key, contract, names)} held {key.card}, "
        f"which was {_percent(key.chance)} likely."
    )


def call_reason(judgement: Judgement, best: Option, chosen: Option, why: str) -> str:
    """Why a call is judged as it is; `why` is the reason of the advice."""
    if chosen.action == best.action:
        return why
    if judgement.verdict is Verdict.BEST:
        return (
            f"{chosen.action} averages {chosen.expected:+.1f} points, "
            f"{best.action} {best.expected:+.1f}."
        )
    if judgement.verdict is Verdict.GOOD:
        return (
            f"{chosen.action} averages {chosen.expected:+.1f} points, close to the best: "
            f"{best.action}, {best.expected:+.1f}."
        )
    return f"{best.action} was better. {why}"


def call_luck(luck: Luck, cost: float, other: object) -> str:
    """The same for a call."""
    if luck is Luck.LUCKY:
        return " It cost nothing on the actual deal."
    return f" On the actual deal {other} would have gained {cost:.0f} points, double dummy."


def summary(judgements: Sequence[Judgement], seat: Seat, names: Names) -> str:
    """One sentence about a player."""
    own, name = [one for one in judgements if one.seat is seat], names[seat.index]
    judged = [one for one in own if one.verdict.right or one.verdict.wrong]
    decided = [
        one
        for one in judged
        if one.verdict.wrong or any(option.points_loss > 1e-9 for option in one.options)
    ]
    if not decided:
        return f"{name} had nothing to decide."
    wrong = [one for one in decided if one.verdict.wrong]
    parts = []
    if cards := [one for one in wrong if one.chair is not None]:
        tricks = _number(sum(one.loss for one in cards), "trick")
        parts.append(f"{_points(cards)} ({tricks}) in the play, {_most(cards)}")
    if calls := [one for one in wrong if one.chair is None]:
        parts.append(f"{_points(calls)} in the auction, {_most(calls)}")
    count = f"{len(decided)} decision{'s' if len(decided) != 1 else ''}"
    if parts:
        text = f"{name} got {len(wrong)} of {count} wrong and gave up {' and '.join(parts)}"
    else:
        text = f"{name} made no mistake in {count}"
    unlucky = int(
        sum(one.cost or 0 for one in own if one.luck is Luck.BAD and one.chair is not None)
    )
    if unlucky:
        text += f"; bad luck cost {unlucky} trick{'s' if unlucky != 1 else ''}"
    return f"{text}."


def summaries(judgements: Sequence[Judgement], names: Names = SEATS) -> dict[Seat, str]:
    """One sentence about each player."""
    return {seat: summary(judgements, seat, names) for seat in Seat}


def _most(judgements: Sequence[Judgement]) -> str:
    """The worst of some wrong choices."""
    worst = max(judgements, key=lambda one: one.points_loss)
    assert worst.best is not None
    most = "most of it " if len(judgements) > 1 else ""
    return f"{most}with {worst.action} (better: {worst.best.action})"


def heading(table: Table) -> str:
    """What a deal came to."""
    if table.contract is None:
        return "passed out" if table.over else "the auction is not over"
    outcome = table.outcome
    result = "not played to the end" if outcome is None else f"{outcome.tricks} tricks"
    return f"{table.contract}, {result}"


def line(judgement: Judgement) -> str:
    """One judgement as a line of text."""
    who = "dummy" if judgement.chair is Chair.DUMMY else str(judgement.seat)
    verdict = judgement.verdict.value
    if judgement.luck is not None:
        verdict += f", {judgement.luck.value}"
    return f"{judgement.number:3} {who:5} {judgement.action!s:4} {verdict:16} {judgement.reason}"


def _holder(key: Key, contract: Contract, names: Names) -> str:
    return names[key.chair.player(contract.declarer).index]


def _apart(option: Option, other: Option) -> tuple[str, str]:
    """Two averages, of tricks and points, with as few decimals as tell the points apart."""
    digits = int(f"{option.points:.0f}" == f"{other.points:.0f}")
    one, two = (
        f"{o.expected:.1f} tricks and {o.points:+.{digits}f} points" for o in (option, other)
    )
    return one, two


def _points(judgements: Sequence[Judgement]) -> str:
    points = round(sum(one.points_loss for one in judgements))
    return quantity(points, "point") if points else "less than a point"


def _number(value: float, word: str) -> str:
    return f"{value:.1f} {word}{'' if f'{value:.1f}' == '1.0' else 's'}"


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"
