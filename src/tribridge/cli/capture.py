"""`tribridge capture`: Algorithm 1 on a hand, Algorithm 2 on a hand and its dummy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tribridge.capture import READINGS, Result, algorithm1, algorithm2, parse_reading, wording
from tribridge.cards import Deck, Hand
from tribridge.cli.hands import answer_lines, pairs
from tribridge.cli.options import AsJsonLines, Budget, DeckText, argument, option, print_json
from tribridge.errors import SettingError
from tribridge.files import write_atomic
from tribridge.report import capture_text


def capture(
    hand: Annotated[
        str,
        argument(
            "Thirteen cards as S.H.D.C (AKQ.T98.KJ2.A543) or with suit symbols (♠AKQ "
            "♥T98 ♦KJ2 ♣A543); or a PBN deal, a PBN or LIN file, a hand viewer link (the "
            "first or declaring hand, and the hand opposite as its dummy); or - for JSON "
            "Lines on standard input."
        ),
    ],
    dummy: Annotated[str | None, argument("The dummy's thirteen cards; runs Algorithm 2.")] = None,
    trace: Annotated[bool, option("Show every step.", "--trace")] = False,
    as_json: AsJsonLines = False,
    svg: Annotated[Path | None, option("Draw the matrix to this SVG file.")] = None,
    reading: Annotated[str, option(f"Reading of Algorithm 1: {', '.join(READINGS)}.")] = "natural",
    budget: Budget = None,
    deck: DeckText = "4x13",
) -> None:
    """Predict the captures of a hand (Algorithm 1), or of a hand and its dummy (Algorithm 2)."""
    chosen, pack = parse_reading(reading), Deck(deck)

    def run(own: Hand, other: Hand | None) -> Result:
        if other is None:
            return algorithm1(own, pack, budget, chosen)
        return algorithm2(own, other, pack, budget)

    def answer(result: Result) -> dict[str, Any]:
        return capture_text.as_json(result, with_trace=trace)

    if hand == "-":
        if dummy is not None or svg is not None:
            raise SettingError(
                "- reads all hands from standard input: leave out the dummy and --svg"
            )
        if not answer_lines(lambda hands: [answer(run(*pair)) for pair in hands], pack):
            raise typer.Exit(1)
        return
    named = pairs(hand, dummy, pack, files=True)
    results = [(name, run(own, other)) for name, own, other in named]
    if svg is not None:
        if len(results) != 1:
            raise SettingError(f"--svg draws a single deal, but {hand} has {len(results)}")
        from tribridge.report.capture_svg import svg as draw

        write_atomic(svg, draw(results[0][1]))
    if as_json:
        for _, result in results:
            print_json(answer(result))
        return
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for name, result in results:
        if len(results) > 1:
            console.print(f"Board {name}", style="bold underline", markup=False)
        if trace:
            for text in capture_text.trace(result):
                console.print(text)
        console.print(wording.headline(result), style="bold", markup=False)
        if not trace:
            console.print(capture_text.picture(result))
            if result.trace:
                console.print(capture_text.order_line(result), markup=False)
        console.print(capture_text.legend(result))
