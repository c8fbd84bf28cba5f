"""`tribridge worth`: what games and part scores of a rubber are worth."""

from __future__ import annotations

from typing import Annotated

from tribridge.cli.options import AsJson, Laws, argument, print_json, print_tables


def worth(
    standing: Annotated[
        str,
        argument(
            'A standing, as in "N 20, E 1 game, S 1 game 15": points below the line and '
            "games won. Without it, tables of games and part scores are shown."
        ),
    ] = "",
    laws: Laws = "auction-rubber",
    as_json: AsJson = False,
) -> None:
    """What a standing in a rubber is worth: the settlement to expect from here on."""
    from tribridge.game.laws import find_laws
    from tribridge.game.standing import parse_standing

    chosen = find_laws(laws)
    if not standing.strip():
        from tribridge.studies.solved import worth_tables

        print_tables(worth_tables(chosen), as_json=as_json)
        return
    from tribridge.deals import Seat
    from tribridge.game.rubber_worth import rubber_worth

    read, known = parse_standing(standing, chosen), rubber_worth(chosen)
    settled, deals = known.settlement(read), known.deals(read)
    if as_json:
        by_seat = {seat.letter: round(settled[seat], 2) for seat in Seat}
        print_json({"laws": chosen.name, "settlement": by_seat, "deals": round(deals, 2)})
        return
    text = ", ".join(f"{seat} {settled[seat]:+.0f}" for seat in Seat)
    print(f"Expected settlement of what is still to be scored: {text}.")
    print(f"About {deals:.1f} more deals ({chosen.name}).")
