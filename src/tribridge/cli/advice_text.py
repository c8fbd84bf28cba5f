"""Advice for the terminal: the call and why, and the best bid in each strain."""

from __future__ import annotations

import re
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tribridge.advice.calls import Advice, Recommendation, players_named
from tribridge.advice.layouts import caller
from tribridge.advice.rubber_payoffs import rubber_name
from tribridge.capture import Conditions
from tribridge.cards.cards import hand_signs
from tribridge.cards.deals import ByStrain
from tribridge.cli.forecast_text import bare_table, chance_style
from tribridge.common.errors import quantity
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, Bid, Call, call_name

_WORDS: Final = 79
"""Columns that the table of calls needs with what the hand has for each of them."""
_BROAD: Final = 45
"""Columns that it needs with the ceilings."""


def show(advice: Advice, console: Console) -> None:
    """Print the call with its reason and the table of calls."""
    console.print(_sentence(advice.neutral, "bold reverse"))
    console.print()
    console.print(_call_table(advice, console.width))
    console.print()
    for text in _notes(advice):
        console.print(text)


def _sentence(recommendation: Recommendation, style: str, start: str = "") -> Text:
    """The call and the reason in one sentence."""
    call, reason = recommendation.call, recommendation.reason
    name = f"Bid {call}" if isinstance(call, Bid) else str(call)
    name = name[0].lower() + name[1:] if start else name
    text = Text(start).append(name, style)
    return text.append(f": {reason[:1].lower()}{reason[1:]}")


def _call_table(advice: Advice, width: int) -> Table:
    """Pass and the best bid in each strain, highest average first.

    A narrow table has fewer columns.
    """
    ceiling = advice.ceiling if width >= _BROAD else None
    shown = ["tricks", "makes", "average", "worst 5%", *["up to"] * (ceiling is not None)]
    words = width >= _WORDS
    lines = []
    for call, prospect in advice.compared.items():
        cells = {
            "tricks": Text(),
            "makes": Text(),
            "average": Text(f"{prospect.expected:+.1f}" if prospect.expected else "0"),
            "worst 5%": Text(f"{prospect.worst:+.0f}" if round(prospect.worst) else "0"),
            "up to": Text(),
        }
        if isinstance(call, Bid):
            cells["tricks"] = Text(f"{advice.forecasts[call.strain].mean:.1f}")
            chance = prospect.chance or 0.0
            cells["makes"] = Text(f"{percent(chance)}%", chance_style(chance))
            if ceiling is not None:
                highest = ceiling[call.strain]
                cells["up to"] = Text("-" if highest is None else str(highest))
        lines.append([Text(str(call), _mark(advice, call)), *(cells[name] for name in shown)])
        if words:
            held = re.sub("high-card points?", "HCP", advice.because(call).text)
            lines[-1].append(Text(held, "dim"))
    table = bare_table(["call", *shown, *["your hand"] * words], lines)
    if words:
        table.columns[-1].justify = "left"
    return table


def _mark(advice: Advice, call: Call) -> str:
    """The style of the recommended calls."""
    neutral, cautious = call == advice.neutral.call, call == advice.cautious.call
    return " ".join(["bold reverse"] * neutral + ["underline"] * cautious)


def _notes(advice: Advice) -> list[Text]:
    """The cautious player's call, the paper's, what a pass leaves, and the setting."""
    if advice.cautious.call == advice.neutral.call:
        cautious = Text(f"A cautious player ({advice.caution:g}) makes the same call.")
    else:
        start = f"A cautious player ({advice.caution:g}) would "
        cautious = _sentence(advice.cautious, "bold underline", start)
    paper = advice.paper
    verb = "passes" if advice.paper_call is PASS else f"bids {advice.paper_call}"
    why = (
        f"both conditions hold, with {quantity(paper.captures, 'capture')}"
        if paper.outcome is Conditions.BOTH_HOLD
        else f"condition {paper.outcome.value}"
    )
    texts = [cautious, Text(f"Algorithm {2 if paper.dummy else 1} {verb}: {why}.")]
    if advice.passing.chance is not None:
        over = f" ({quantity(advice.defended, 'layout')})" if advice.defended else ""
        texts.append(
            Text(
                f"A pass leaves {advice.auction.last_bid}, which makes "
                f"{percent(advice.passing.chance)}% of the time{over}."
            )
        )
    if advice.ceiling is not None:
        texts.append(Text(_how_high(advice.ceiling)))
    lesson = advice.because(advice.neutral.call).lesson
    texts.append(Text(f"Lesson: {lesson} (Learn the game)"))
    return [*texts, _basis(advice)]


def _how_high(ceiling: ByStrain[Bid | None]) -> str:
    """How high one may go, in a sentence."""
    highest = [str(bid) for bid in reversed(list(ceiling.values())) if bid is not None]
    if not highest:
        return "No bid is worth more than staying silent."
    return f"Worth more than staying silent: up to {', '.join(highest)}."


def _basis(advice: Advice) -> Text:
    text = Text(hand_signs(advice.hand), "dim")
    if advice.dummy is not None:
        text.append(f" with {hand_signs(advice.dummy)}")
    calls = " ".join(call_name(call) for call in advice.auction.calls) or "no call yet"
    text.append(f"; auction: {calls}; ")
    if advice.rubber is None:
        text.append(f"scheme {advice.scheme.name}")
        if advice.vulnerable:
            who = players_named(advice.vulnerable, caller(advice.auction))
            text.append(f"; vulnerable: {', '.join(who)}")
    else:
        text.append(f"laws {rubber_name(advice.rubber, caller(advice.auction))}")
    text.append(f"; forecast {advice.kind}")
    if advice.effective is not None:
        text.append(f"; {advice.effective:,.0f} layouts fit the calls")
    return text
