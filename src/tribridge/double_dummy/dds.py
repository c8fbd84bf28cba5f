"""DDS 2.9 from endplay, restricted to what it does correctly.

Known traps and their workarounds:

- importing endplay takes a second: only its bindings are loaded, without the package around them.
  They are private (`endplay._dds`), so pyproject.toml allows only versions known to have them;
- two threads in the library crash it or give wrong answers, since ctypes releases the interpreter
  lock: one lock for all calls of a process, one solver thread, and several processes for speed.
  Loading the bindings is such a call (they run `SetMaxThreads`, which frees the
  memory of a search under way), so they are loaded once, before the first solve of any thread;
- its table call is wrong for reduced decks: `SolveBoard` is used, which is right in endings too,
  and the table call only to verify labels of the full deck;
- inconsistent cards are silently dropped: `double_dummy` checks them first.

Encoding: suits Spades first, notrump 4; players clockwise, here the chairs; a rank is bit 2 for
the Two up to bit 14 for the Ace.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from typing import Any, Final

from tribridge.cards.cards import FULL_DECK, Card, Strain, card_at
from tribridge.common.errors import RunError, SettingError, first_line, installed, missing
from tribridge.common.once import once
from tribridge.game.tricks import Chair

_LOCK: Final = Lock()
_ROW: Final = 0x1FFF
_ANY_TARGET, _ALL_CARDS, _SEARCH = -1, 3, 1
_ONE_CARD: Final = 1


def available() -> bool:
    """Whether endplay is installed."""
    return installed("endplay")


@once
def bindings() -> Any:
    """The bindings alone; the package around them is slow to import and not needed."""
    if not available():
        raise missing("endplay")
    package = find_spec("endplay")
    assert package is not None and package.origin is not None  # noqa: PT018
    place = Path(package.origin).parent / "_dds" / "__init__.py"
    spec = spec_from_file_location("tribridge_endplay_dds", place)
    if spec is None or spec.loader is None:
        raise RunError(f"DDS cannot be loaded from {place}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (RuntimeError, OSError, ImportError) as error:
        raise RunError(f"DDS cannot be loaded: {first_line(error)}") from None
    module.SetMaxThreads(1)
    return module


@cache
def _mirrored() -> tuple[int, ...]:
    """A row of ours, Ace in bit 0, as DDS has it: Ace in bit 14."""
    return tuple(
        sum(1 << 14 - rank for rank in range(13) if row >> rank & 1) for row in range(1 << 13)
    )


def _strain_index(strain: Strain) -> int:
    return 4 if strain is Strain.NOTRUMP else 3 - strain.index


def _put(hands: Sequence[int], cards: Any) -> None:
    """Write the hands into a table of DDS, (chairs, suits)."""
    rows = _mirrored()
    for chair, mask in enumerate(hands):
        for suit in range(4):
            cards[chair][3 - suit] = rows[mask >> 13 * suit & _ROW]


def _solve(
    hands: Sequence[int], strain: Strain, leader: Chair, trick: Sequence[Card], solutions: int
) -> Any:
    library = bindings()
    position = library.deal()
    position.trump = _strain_index(strain)
    position.first = int(leader)
    _put(hands, position.remainCards)
    for at, card in enumerate(trick):
        position.currentTrickSuit[at] = 3 - card.row
        position.currentTrickRank[at] = 14 - card.column
    answer = library.futureTricks()
    with _LOCK:
        try:
            library.SolveBoard(position, _ANY_TARGET, solutions, _SEARCH, answer, 0)
        except library.DDSError as error:
            raise RunError(f"DDS rejects the position: {error}") from None
    return answer


def tricks(
    hands: Sequence[int],
    strain: Strain,
    leader: Chair = Chair.LEFT,
    trick: Sequence[Card] = (),
) -> int:
    """Tricks that the declarer's side takes from here on, with the one on the table."""
    answer = _solve(hands, strain, leader, trick, _ONE_CARD)
    return _ours(int(answer.score[0]), hands, leader, trick)


def cards(
    hands: Sequence[int], strain: Strain, leader: Chair, trick: Sequence[Card]
) -> dict[Card, int]:
    """The same for each legal card of the hand to play, once it is played."""
    answer = _solve(hands, strain, leader, trick, _ALL_CARDS)
    result = {}
    for at in range(answer.cards):
        ranks = answer.equals[at] | 1 << answer.rank[at]
        value = _ours(int(answer.score[at]), hands, leader, trick)
        for rank in range(13):
            if ranks >> 14 - rank & 1:
                result[card_at(3 - answer.suit[at], rank)] = value
    return dict(sorted(result.items()))


def table(hands: Sequence[int]) -> dict[Strain, int]:
    """Tricks of the declarer in each strain, by the table call; of the full deck only."""
    return tables(hands)[Chair.DECLARER]


def tables(hands: Sequence[int]) -> list[dict[Strain, int]]:
    """The same for each of the four chairs as declarer, with the chair opposite as dummy."""
    if sum(mask.bit_count() for mask in hands) != FULL_DECK.size:
        raise SettingError("the table call of DDS is only right for the full deck")
    library = bindings()
    deal, results = library.ddTableDeal(), library.ddTableResults()
    _put(hands, deal.cards)
    with _LOCK:
        try:
            library.CalcDDtable(deal, results)
        except library.DDSError as error:
            raise RunError(f"DDS rejects the deal: {error}") from None
    return [
        {strain: int(results.resTable[_strain_index(strain)][chair]) for strain in Strain}
        for chair in Chair
    ]


def _ours(score: int, hands: Sequence[int], leader: Chair, trick: Sequence[Card]) -> int:
    """DDS counts for the side to play; here tricks are the declarer's side's."""
    chair = (leader + len(trick)) % 4
    left = hands[leader].bit_count() + bool(trick)
    return score if chair % 2 == 0 else left - score
