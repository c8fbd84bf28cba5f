"""`tribridge advise`: which call to make, how safe it is and what it may cost."""

from __future__ import annotations

from typing import Annotated

from rich.console import Console

from tribridge.advice.calls import advise as advice_on
from tribridge.advice.calls import parse_auction
from tribridge.advice.rubber_payoffs import rubber_of
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
from tribridge.dealer import check_seed
from tribridge.errors import SettingError
from tribridge.game.scoring import find_scheme
from tribridge.report.advice_text import show

_MOST_LAYOUTS = 100_000


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
            "this many layouts; 0 uses the forecast instead."
        ),
    ] = 200,
    seed: LayoutSeed = 1,
    as_json: AsJson = False,
) -> None:
    """Advise on the next call: which one and why, with chances, average points and risk."""
    check_seed(seed)
    if not 0 <= defence <= _MOST_LAYOUTS:
        raise SettingError(f"--defence {defence} is out of range: 0 to {_MOST_LAYOUTS:,}")
    calls = parse_auction(auction, doubles=doubles)
    rubber = rubber_of(laws, standing, calls)
    chosen = find_scheme(scheme)
    deals = list(pairs(hand, dummy, files=True))
    if len(deals) != 1:
        raise SettingError(f"advise takes a single deal, but {hand} has {len(deals)}")
    _, own, other = deals[0]
    advice = advice_on(
        own,
        other,
        calls,
        scheme=chosen,
        kind=kind,
        caution=caution,
        seed=seed,
        defence=defence,
        rubber=rubber,
    )
    if as_json:
        print_json(advice.as_json())
        return
    show(advice, Console(highlight=False))
