"""Commands about hands: `tribridge capture`, `forecast` and `advise`.

Hands are given as an argument, a file of deals, or JSON Lines on standard input.
"""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer

from tribridge.capture import READINGS, Result, algorithm1, algorithm2, parse_reading, wording
from tribridge.cards.cards import FULL_DECK, Deck, Hand, check_pair, parse_hand
from tribridge.cli.options import (
    AsJson,
    AsJsonLines,
    Budget,
    DeckText,
    Kind,
    LawsIfAny,
    LayoutSeed,
    argument,
    option,
    print_json,
)
from tribridge.common import codec
from tribridge.common.errors import FormatError, SettingError, TribridgeError
from tribridge.common.files import write_atomic

if TYPE_CHECKING:
    from rich.console import Console

    from tribridge.cards.deals import ByStrain
    from tribridge.forecast import Distribution

HandPair = tuple[Hand, Hand | None]
"""A hand, and its dummy if known."""
Named = tuple[str, Hand, Hand | None]
"""The same with the name of a board (empty for a plain hand)."""

Answer = dict[str, Any]
_EXPECTED: Final = 'expected {"hand": "AKQ.T98.KJ2.A543"}'
_BLOCK: Final = 4096
_ADVICE_DIGITS: Final = 4
"""Lines of hands that are forecast together."""


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
    """Estimate the tricks of a hand, alone (Algorithm 1) or with its dummy (Algorithm 2)."""
    from tribridge.cli import capture_text

    chosen, pack = parse_reading(reading), Deck(deck)
    if dummy is not None and chosen.name != "natural":
        raise SettingError("--reading is for Algorithm 1: leave it out with a dummy")

    def run(own: Hand, other: Hand | None) -> Result:
        if other is None:
            return algorithm1(own, pack, budget, chosen)
        return algorithm2(own, other, pack, budget)

    def answer(result: Result) -> Answer:
        return capture_text.as_json(result, with_trace=trace)

    if hand == "-":
        if dummy is not None or svg is not None:
            raise SettingError(
                "- reads all hands from standard input: leave out the dummy and --svg"
            )
        answer_lines(lambda hands: [answer(run(*pair)) for pair in hands], pack)
        return
    results = [(name, run(own, other)) for name, own, other in named_hands(hand, dummy, pack)]
    if svg is not None:
        if len(results) != 1:
            raise SettingError(f"--svg draws a single deal, but {hand} has {len(results)}")
        from tribridge.cli.capture_svg import svg as draw

        write_atomic(svg, draw(results[0][1]))
    if as_json:
        for _, result in results:
            print_json(answer(result))
        return
    for console, (_, result) in _boards(results, soft_wrap=True):
        if trace:
            for text in capture_text.trace(result):
                console.print(text)
        console.print(wording.headline(result), style="bold", markup=False)
        if not trace:
            console.print(capture_text.picture(result))
            if result.trace:
                console.print(capture_text.order_line(result), markup=False)
        console.print(capture_text.legend(result))


def forecast(
    hand: Annotated[
        str | None,
        argument(
            "The declarer's thirteen cards (a defender's, with --declarer) as S.H.D.C "
            "(AKQ.T98.KJ2.A543) or with suit symbols; or a PBN deal, a PBN or LIN file, "
            "a hand viewer link; or - for JSON Lines on standard input.",
            show_default=False,
        ),
    ] = None,
    dummy: Annotated[str | None, argument("The dummy's thirteen cards.")] = None,
    kind: Kind = "net",
    declarer: Annotated[
        str | None,
        option(
            "left or right: the hand is a defender's, and the forecast is for a declarer "
            "on that side.",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        bool,
        option("Print the point tables of the points forecaster, to add up by hand.", "--table"),
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Forecast the tricks in each strain, from a hand alone or together with its dummy."""
    from tribridge.forecast import forecast_json

    if table:
        if kind not in ("net", "points") or hand is not None:
            raise SettingError(
                "--table prints the tables of the points forecaster: no hand and no other --kind"
            )
        _print_sheets(as_json=as_json)
        return
    if hand is None:
        raise SettingError(
            "no hand given: expected cards as in AKQ.T98.KJ2.A543, or - for standard input"
        )
    forecast_all = _forecaster(kind, declarer)
    if hand == "-":
        if dummy is not None:
            raise SettingError("- reads all hands from standard input: leave out the dummy")
        answer_lines(lambda hands: map(forecast_json, forecast_all(hands)), block=_BLOCK)
        return
    deals = list(named_hands(hand, dummy))
    forecasts = forecast_all([(own, other) for _, own, other in deals])
    if as_json:
        for tricks in forecasts:
            print_json(forecast_json(tricks))
        return
    from tribridge.cli import forecast_text

    for (console, (_, own, other)), tricks in zip(_boards(deals), forecasts, strict=True):
        console.print(forecast_text.headline(own, other, kind, declarer), soft_wrap=True)
        console.print(forecast_text.forecast_table(tricks, console.width))


def _forecaster(
    kind: str, declarer: str | None
) -> Callable[[Sequence[HandPair]], list[ByStrain[Distribution]]]:
    """The forecast that was asked for; an unknown kind is refused before any input is read."""
    from tribridge.forecast import find_forecaster, forecast_many
    from tribridge.forecast.defence import find_defence, forecast_against, parse_opponent

    if declarer is None:
        find_forecaster(kind)
        return lambda hands: forecast_many(hands, kind)
    side = parse_opponent(declarer)
    find_defence(kind)

    def against(hands: Sequence[HandPair]) -> list[ByStrain[Distribution]]:
        if any(dummy is not None for _, dummy in hands):
            raise SettingError("with --declarer a hand defends: leave out the dummy")
        return forecast_against([hand for hand, _ in hands], side, kind)

    return against


def _print_sheets(*, as_json: bool) -> None:
    from tribridge.forecast.points import Points, dumps_points

    points = Points.load()
    if as_json:
        print_json(json.loads(dumps_points(points)))
        return
    from rich.console import Console

    from tribridge.cli.forecast_text import points_tables

    console = Console(highlight=False)
    for part in points_tables(points):
        console.print(part)


def advise(
    hand: Annotated[
        str,
        argument(
            "Your thirteen cards as S.H.D.C (AKQ.T98.KJ2.A543) or with suit symbols; or "
            "a PBN deal, or a hand viewer link."
        ),
    ],
    dummy: Annotated[
        str | None, argument("The hidden hand's thirteen cards, if you know them.")
    ] = None,
    auction: Annotated[
        str, option('The calls so far, as in "1H pass" or "1NT X"; you are next to call.')
    ] = "",
    doubles: Annotated[
        bool, option("Doubles are played; implied by X or XX in the auction.", "--doubles")
    ] = False,
    scheme: Annotated[
        str,
        option("Scoring scheme: auction-tricks (or auction), old, new, contract, or a TOML file."),
    ] = "auction",
    laws: LawsIfAny = None,
    standing: Annotated[
        str,
        option(
            'Standing of the rubber, as in "me 20, left 1 game, right 1 game 15": points '
            "below the line and games won. The laws are auction-rubber unless --laws is "
            "given."
        ),
    ] = "",
    kind: Kind = "net",
    caution: Annotated[
        float, option("Weight of the worst 5% of outcomes for the cautious player, 0 to 1.")
    ] = 0.3,
    defence: Annotated[
        int,
        option(
            "Value a double and what others bid after a pass on so many "
            "layouts; 0 is quicker: a pass leaves what stands.",
            min=0,
            max=100_000,
        ),
    ] = 200,
    vulnerable: Annotated[
        str, option("Who is vulnerable: me, left, right, all or none; several with commas.")
    ] = "none",
    seed: LayoutSeed = 1,
    as_json: AsJson = False,
) -> None:
    """Advise on the next call: which one, why, and how high each strain may go."""
    from rich.console import Console

    from tribridge.api.hands import advise as advice_on
    from tribridge.cli.advice_text import show

    deals = list(named_hands(hand, dummy))
    if len(deals) != 1:
        raise SettingError(f"advise takes a single deal, but {hand} has {len(deals)}")
    _, own, other = deals[0]
    advice = advice_on(
        own, other, auction=auction, doubles=doubles, scheme=scheme, laws=laws, standing=standing,
        kind=kind, caution=caution, defence=defence, seed=seed,
        vulnerable=False if vulnerable.strip().lower() == "none" else vulnerable,
    )  # fmt: skip
    if as_json:
        print_json(codec.plain(advice, digits=_ADVICE_DIGITS))
        return
    show(advice, Console(highlight=False))


def named_hands(
    hand: str, dummy: str | None, deck: Deck = FULL_DECK, *, files: bool = True
) -> Iterator[Named]:
    """The hands an argument names; for a deal, the declaring hand and the one opposite."""
    from tribridge.cards.formats import boards_of, is_board_text

    if deck == FULL_DECK and is_board_text(hand, files=files):
        if dummy is not None:
            raise FormatError("a deal includes its dummy: leave out the second hand")
        for board in boards_of(hand):
            hands = board.deal.hands
            yield board.name, hands[board.declarer], hands[(board.declarer + 2) % 4]
        return
    own = parse_hand(hand, deck)
    yield "", own, None if dummy is None else parse_hand(dummy, deck, "the dummy")


def _boards(
    named: Sequence[tuple[str, *tuple[Any, ...]]], **settings: Any
) -> Iterator[tuple[Console, tuple[str, *tuple[Any, ...]]]]:
    """What is shown of each board, below its name if there are several."""
    from rich.console import Console

    console = Console(highlight=False, **settings)
    for each in named:
        if len(named) > 1:
            console.print(f"Board {each[0]}", style="bold underline", markup=False)
        yield console, each


@dataclass(frozen=True)
class _Line:
    """What a line of standard input holds."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    hand: str
    dummy: str | None = None


def answer_lines(
    answers: Callable[[Sequence[HandPair]], Iterable[Answer]],
    deck: Deck = FULL_DECK,
    *,
    block: int = 1,
) -> None:
    """Answer JSON Lines from standard input in order; the exit code is 1 if a line was bad.

    A bad line is answered with `{"line": 7, "error": "..."}` and the rest continues. Lines are
    answered `block` at a time, but one by one at a terminal.
    """
    good = True
    size = 1 if sys.stdin.isatty() else block
    numbered = enumerate(sys.stdin.buffer, 1)
    while lines := list(islice(numbered, size)):
        inputs = [_read(number, line, deck) for number, line in lines]
        right = iter(answers([given for given in inputs if isinstance(given, tuple)]))
        for given in inputs:
            good = good and isinstance(given, tuple)
            answer = next(right) if isinstance(given, tuple) else given
            print(json.dumps(answer, ensure_ascii=False))
    if not good:
        raise typer.Exit(1)


def _read(number: int, line: bytes, deck: Deck) -> HandPair | Answer:
    try:
        given = codec.loads(line.removeprefix(BOM_UTF8), _Line, _EXPECTED)
        ((_, own, other),) = named_hands(given.hand, given.dummy, deck, files=False)
        check_pair(own, other, deck)
    except TribridgeError as error:
        return {"line": number, "error": str(error)}
    return own, other
