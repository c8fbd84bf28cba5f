"""`tribridge forecast`: the tricks a hand, or a hand and its dummy, will take."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer

from tribridge import forecast as room
from tribridge.cards import Hand
from tribridge.cli.hands import answer_lines, pairs
from tribridge.cli.options import AsJsonLines, Kind, argument, option, print_json
from tribridge.deals import ByStrain
from tribridge.errors import SettingError
from tribridge.forecast import Distribution
from tribridge.forecast.defence import find_defence, forecast_against, parse_opponent
from tribridge.forecast.points import Points, dumps_points

_BLOCK = 4096


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
    if table:
        if kind not in ("net", "points") or hand is not None:
            raise SettingError(
                "--table prints the tables of the points forecaster: no hand and no other --kind"
            )
        _print_table(as_json=as_json)
        return
    if hand is None:
        raise SettingError(
            "no hand given: expected cards as in AKQ.T98.KJ2.A543, or - for standard input"
        )
    forecast_all = _forecaster(kind, declarer)
    if hand == "-":
        if dummy is not None:
            raise SettingError("- reads all hands from standard input: leave out the dummy")

        def answers(hands: Sequence[tuple[Hand, Hand | None]]) -> Iterable[dict[str, Any]]:
            return (room.forecast_json(forecast) for forecast in forecast_all(hands))

        if not answer_lines(answers, block=_BLOCK):
            raise typer.Exit(1)
        return
    deals = list(pairs(hand, dummy, files=True))
    forecasts = forecast_all([(own, other) for _, own, other in deals])
    if as_json:
        for forecast in forecasts:
            print_json(room.forecast_json(forecast))
        return
    from rich.console import Console

    from tribridge.report import forecast_text

    console = Console(highlight=False)
    for (name, own, other), forecast in zip(deals, forecasts, strict=True):
        if len(deals) > 1:
            console.print(f"Board {name}", style="bold underline", markup=False)
        console.print(forecast_text.headline(own, other, kind, declarer), soft_wrap=True)
        console.print(forecast_text.forecast_table(forecast, console.width))


def _forecaster(
    kind: str, declarer: str | None
) -> Callable[[Sequence[tuple[Hand, Hand | None]]], list[ByStrain[Distribution]]]:
    """The forecast that was asked for; an unknown kind is refused before any input is read."""
    if declarer is None:
        room.find_forecaster(kind)
        return lambda hands: room.forecast_many(hands, kind)
    side = parse_opponent(declarer)
    find_defence(kind)

    def against(hands: Sequence[tuple[Hand, Hand | None]]) -> list[ByStrain[Distribution]]:
        if any(dummy is not None for _, dummy in hands):
            raise SettingError("with --declarer a hand defends: leave out the dummy")
        return forecast_against([hand for hand, _ in hands], side, kind)

    return against


def _print_table(*, as_json: bool) -> None:
    points = Points.load()
    if as_json:
        print_json(json.loads(dumps_points(points)))
        return
    from rich.console import Console

    from tribridge.report import forecast_text

    console = Console(highlight=False)
    for part in forecast_text.points_tables(points):
        console.print(part)
