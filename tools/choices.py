"""A digest of what each version of a strategy chooses, on positions that are always the same.

A version is a number that rises when choices change. They depend on more than weights: on the rules
and the search around them. `digest` hashes the choices on seeded positions, and
`tests/library/strategies/data/choices.json` has that of every version. A test compares them, so
that no choice of a version changes without a new number. Add the digests of new versions by

    python -m tools.choices

which changes none that is there: a version that chooses differently needs a new number, or its line
is deleted by hand and its results are played again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.common.errors import TribridgeError
from tribridge.common.files import write_atomic
from tribridge.game import Table, new_table, view
from tribridge.game.auction import Bid, Call
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.strategies import decision_rng, find_caller, find_player
from tribridge.strategies.versions import caller_version, player_version

FILE: Final = (
    Path(__file__).parents[1] / "tests" / "library" / "strategies" / "data" / "choices.json"
)
SEED: Final = 77
_BID: Final = 0.6
"""How often a call is a bid, one of the lowest few."""
_LEGAL: Final = 4
"""Fewest cards to choose from."""


def _versions(find: Callable[[str], object]) -> Iterator[str]:
    """The versions of `learned` that the package has."""
    newest: int = find("learned").version  # type: ignore[attr-defined]
    for number in range(1, newest + 1):
        with suppress(TribridgeError):
            find(f"learned@{number}")
            yield f"learned@{number}"


CALLERS: Final[Mapping[str, int]] = {
    "capture": 300, "points": 300, "card": 300, "forecast": 6,
    **{name: 12 if name == "learned@1" else 300 for name in _versions(find_caller)},
}  # fmt: skip
"""How many positions each caller is asked about: fewer, where a call takes long."""
PLAYERS: Final[Mapping[str, int]] = {
    "capture": 200, "maxims": 200, "oracle": 10,
    **dict.fromkeys(_versions(find_player), 200),
    **{f"{name}:layouts=3": 10 for name in _versions(find_player)},
    "sampling:layouts=3": 10, "sampling:layouts=3,calls=true": 10,
    "ismcts:iterations=12": 6, "alphamu:worlds=3": 6,
}  # fmt: skip
"""The same for players, with the smallest searches."""


def new_game(number: int) -> Table:
    """A deal at a table of one of three kinds: two schemes, and a rubber at some standing."""
    rng = np.random.default_rng((SEED, number))
    dealt, dealer = deal(SEED, number), Seat(number % 3)
    if number % 3 < 2:
        scheme = find_scheme(("auction", "contract")[number % 3])
        at_risk = tuple(seat for seat in Seat if number % 2 and rng.random() < 0.5)
        return new_table(dealt, dealer, doubles=True, scheme=scheme, vulnerable=at_risk)
    below = rng.integers(0, 5, 3) * 6
    standing = Standing((int(below[0]), int(below[1]), int(below[2])), (number % 2, 0, 0))
    rubber = RubberState(all_laws()["auction-rubber"], standing)
    return new_table(dealt, dealer, doubles=True, rubber=rubber)


@cache
def auctions() -> tuple[Table, ...]:
    """Tables in the auction, each after some calls at random."""
    return tuple(_in_auction(number) for number in range(300))


def _in_auction(number: int) -> Table:
    rng = np.random.default_rng((SEED, number, 1))
    table = new_game(number)
    for _ in range(int(rng.integers(0, 6))):
        after = table.apply(_some_call(table, rng))
        if after.auction.over:
            break
        table = after
    return table


def _some_call(table: Table, rng: np.random.Generator) -> Call:
    legal = table.auction.legal
    bids = [call for call in legal if isinstance(call, Bid)]
    if bids and rng.random() < _BID:
        return sorted(bids)[int(rng.integers(0, min(4, len(bids))))]
    others = [call for call in legal if not isinstance(call, Bid)]
    return others[int(rng.integers(0, len(others)))]


@cache
def plays() -> tuple[Table, ...]:
    """Tables in the play, each after some cards at random, with several legal cards."""
    return tuple(table for number in range(900) if (table := _in_play(number)) is not None)


def _in_play(number: int) -> Table | None:
    rng = np.random.default_rng((SEED, number, 2))
    table = new_game(number)
    while not table.auction.over:
        table = table.apply(_some_call(table, rng))
    if table.contract is None:
        return None
    for _ in range(int(rng.integers(0, 40))):
        table = table.apply(table.legal[int(rng.integers(0, len(table.legal)))])
    return table if len(table.legal) >= _LEGAL else None


def choices(name: str, *, caller: bool) -> Iterator[str]:
    """What a caller or a player does in each of its positions, and what a search found it worth.

    Searches are slow, so their positions are few, and on few positions two searches may agree.
    """
    count = (CALLERS if caller else PLAYERS)[name]
    for number, table in enumerate((auctions() if caller else plays())[:count]):
        turn = table.turn
        assert turn is not None
        rng = decision_rng(SEED, number, turn, 0)
        if caller:
            yield str(find_caller(name).call(view(table, turn), rng).action)
            continue
        player: Any = find_player(name)
        is_open = hasattr(player, "open_card")
        asked = (player.open_card, table) if is_open else (player.card, view(table, turn))
        choice = asked[0](asked[1], rng)
        searched = {what: value for what, value in choice.details.items() if what != "seconds"}
        values = [f"{what}={value:.2f}" for what, value in searched.items()] if ":" in name else []
        yield " ".join([str(choice.action), *values])


def digest(name: str, *, caller: bool) -> str:
    """A hash of all choices."""
    text = " ".join(choices(name, caller=caller))
    return sha256(text.encode()).hexdigest()[:16]


def key(name: str, *, caller: bool) -> str:
    """The version of a caller or player, by which its digest is kept."""
    version = caller_version(name) if caller else player_version(name)
    return f"{'caller' if caller else 'player'} {version.version}"


def kept() -> dict[str, str]:
    """The digests in the file."""
    found: dict[str, str] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def main() -> None:
    """Add the digests of new versions; those that are there stay."""
    before = kept()
    wanted = [(name, True) for name in CALLERS] + [(name, False) for name in PLAYERS]
    after = {
        key(name, caller=caller): before.get(key(name, caller=caller))
        or digest(name, caller=caller)
        for name, caller in wanted
    }
    write_atomic(FILE, json.dumps(after, indent=1) + "\n")
    print(f"{len(after)} versions, {len(after.keys() - before.keys())} of them new")


if __name__ == "__main__":
    main()
