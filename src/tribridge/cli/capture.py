"""`tribridge capture`: Algorithm 1 on a hand, Algorithm 2 on a hand and its dummy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tribridge.capture import READINGS, Reading, Result, algorithm1, algorithm2, parse_reading
from tribridge.cards import Deck, Hand, parse_deck
from tribridge.cli.hands import answer_lines, pairs
from tribridge.errors import SettingError
from tribridge.files import write_atomic


def capture(
    hand: Annotated[
        str,
        typer.Argument(
            help="Thirteen cards as S.H.D.C (AKQ.T98.KJ2.A543) or with suit symbols (♠AKQ ♥T98 "
            "♦KJ2 ♣A543); or a PBN deal, a PBN or LIN file, a hand viewer link (the first or "
            "declaring hand, and the hand opposite as its dummy); or - for JSON Lines on standard "
            "input."
        ),
    ],
    dummy: Annotated[
        str | None, typer.Argument(help="The dummy's thirteen cards; runs Algorithm 2.")
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, one object per deal.")
    ] = False,
    svg: Annotated[Path | None, typer.Option(help="Draw the matrix to this SVG file.")] = None,
    reading: Annotated[
        str, typer.Option(help=f"Reading of Algorithm 1: {', '.join(READINGS)}.")
    ] = "natural",
    budget: Annotated[
        int | None,
        typer.Option(
            help="How many missing cards the hand may pay for.", show_default="6 of 13 tricks"
        ),
    ] = None,
    deck: Annotated[str, typer.Option(help="Deck, as suits x ranks.")] = "4x13",
) -> None:
    """Predict the captures of a hand (Algorithm 1), or of a hand and its dummy (Algorithm 2)."""
    settings = _Settings(parse_reading(reading), budget, parse_deck(deck), trace)
    if hand == "-":
        if dummy is not None or svg is not None:
            raise SettingError(
                "- reads all hands from standard input: leave out the dummy and --svg"
            )
        if not _batch(settings):
            raise typer.Exit(1)
        return
    hands = pairs(hand, dummy, settings.deck, files=True)
    results = [(name, settings.run(own, other)) for name, own, other in hands]
    if svg is not None:
        if len(results) != 1:
            raise SettingError(f"--svg draws a single deal, but {hand} has {len(results)}")
        from tribridge.report.capture_svg import svg as draw

        write_atomic(svg, draw(results[0][1]))
    _show(results, settings, as_json=as_json)


class _Settings:
    """How to run the algorithm on each hand."""

    def __init__(self, reading: Reading, budget: int | None, deck: Deck, trace: bool) -> None:
        self.reading = reading
        self.budget = budget
        self.deck = deck
        self.trace = trace

    def run(self, hand: Hand, dummy: Hand | None) -> Result:
        if dummy is None:
            return algorithm1(hand, self.deck, self.budget, self.reading)
        return algorithm2(hand, dummy, self.deck, self.budget)


def _show(results: list[tuple[str, Result]], settings: _Settings, *, as_json: bool) -> None:
    from tribridge.capture import wording
    from tribridge.report import capture_text

    if as_json:
        for _, result in results:
            print(json.dumps(capture_text.as_json(result, with_trace=settings.trace)))
        return
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for name, result in results:
        if len(results) > 1:
            console.print(f"Board {name}", style="bold underline", markup=False)
        if settings.trace:
            for text in capture_text.trace(result):
                console.print(text)
        console.print(wording.headline(result), style="bold", markup=False)
        if not settings.trace:
            console.print(capture_text.picture(result))
            if result.trace:
                console.print(capture_text.order_line(result), markup=False)
        console.print(capture_text.legend(result))


def _batch(settings: _Settings) -> bool:
    """Answer JSON Lines from standard input in order; returns whether every line was valid."""
    from tribridge.report.capture_text import as_json

    return answer_lines(
        lambda hands: [as_json(settings.run(*pair), with_trace=settings.trace) for pair in hands],
        settings.deck,
    )
