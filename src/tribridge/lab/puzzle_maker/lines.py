"""The lines of a puzzle: best and tempting answer played out double dummy on one layout.

The answer of a puzzle is right over all layouts; a line needs one. It is the deal as it lay if the
best answer is better there, double dummy, and otherwise a layout that the puzzle keeps because it
is. A layout in which the two answers decide the contract goes before one in which they do not.
"""

from __future__ import annotations

from dataclasses import replace

from tribridge.cards.cards import FULL_DECK, Card
from tribridge.game.position import Position
from tribridge.game.tricks import Hands
from tribridge.reviews.lines import Line, chairs_by_seat, play_line
from tribridge.reviews.puzzles import Example, Puzzle
from tribridge.strategies.players.search.evaluation import solver_of
from tribridge.strategies.protocol import position_of


def with_line(puzzle: Puzzle) -> Puzzle | None:
    """A puzzle with its lines, and double-dummy tricks in its examples.

    None if the best answer is not better, double dummy, in any layout that is at hand.
    """
    best, tempting = puzzle.best.action, puzzle.tempting
    if not isinstance(best, Card) or not isinstance(tempting, Card):
        return puzzle
    table, seen = puzzle.table(), position_of(puzzle.view())
    assert table.position is not None
    declarer = seen.contract.declarer
    layouts: list[tuple[Hands, bool]] = [(table.position.hands, True)]
    examples = []
    for example in puzzle.examples:
        hands = Line(example.hands, False, "", "").chairs(declarer)
        layouts.append((hands, False))
        examples.append(Example(example.hands, *_tricks(seen, hands, best, tempting)))
    ranked: list[tuple[bool, int, Hands, bool]] = []
    for hands, actual in layouts:
        first, second = _tricks(seen, hands, best, tempting)
        better = first > second if seen.declaring else first < second
        decides = (first >= seen.needed) != (second >= seen.needed)
        if better:
            ranked.append((not decides, len(ranked), hands, actual))
    if not ranked:
        return None
    _, _, hands, actual = min(ranked)
    start = seen.with_hands(hands)
    lines = (" ".join(c.name for c in play_line(start, card)) for card in (best, tempting))
    line = Line(chairs_by_seat(hands, declarer), actual, *lines)
    worse = [example for example in examples if (example.best < example.other) == seen.declaring]
    return replace(
        puzzle,
        line=line,
        examples=tuple(example for example in worse if example.best != example.other),
    )


def _tricks(seen: Position, hands: Hands, *cards: Card) -> tuple[int, ...]:
    """Declarer's tricks after each of the cards on a layout, double dummy."""
    values = solver_of(FULL_DECK).cards(seen.with_hands(hands))
    return tuple(values[card] for card in cards)
