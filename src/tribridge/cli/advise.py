"""`tribridge advise`: which call to make, how safe it is and what it may cost."""

from __future__ import annotations

from typing import Annotated

from rich.console import Console

from tribridge.api.hands import advise as advice_on
from tribridge.cli.hands import pairs
from tribridge.cli.options import (
    AsJson,
    Kind,
    LawsIfAny,
    LayoutSeed,
    argument,
    option,
    print_json,
)
from tribridge.errors import SettingError
from tribridge.report.advice_text import show


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
            "Value a pass over an opponent's bid, or a double of it, by a network on "
            "this many layouts; 0 uses the forecast instead.",
            min=0,
            max=100_000,
        ),
    ] = 200,
    seed: LayoutSeed = 1,
    as_json: AsJson = False,
) -> None:
    """Advise on the next call: which one and why, with chances, average points and risk."""
    deals = list(pairs(hand, dummy, files=True))
    if len(deals) != 1:
        raise SettingError(f"advise takes a single deal, but {hand} has {len(deals)}")
    _, own, other = deals[0]
    advice = advice_on(
        own, other, auction=auction, doubles=doubles, scheme=scheme, laws=laws, standing=standing,
        kind=kind, caution=caution, defence=defence, seed=seed,
    )  # fmt: skip
    if as_json:
        print_json(advice.as_json())
        return
    show(advice, Console(highlight=False))
