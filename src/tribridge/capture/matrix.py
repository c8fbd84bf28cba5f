"""The paper's state matrix and the quantities of its rows (Sections II-B to II-D).

Where a reader of the paper finds its symbols:

| paper     | here                  | meaning                                                     |
|-----------|-----------------------|-------------------------------------------------------------|
| D         | `Matrix.rows`         | 1 where Player 1 holds the card, 2 where Player 2 does, 0   |
| c1 c2 c0  | `Row.c1`, `.c2`, `.c0`| how many ones, twos and zeros in a row                      |
| delta     | `Row.leading_gap`     | column of the first card; the row's length if it is empty   |
| M         | `Row.limit`           | most captures in the suit: max(c1, c2) of the original row  |
| Delta     | `Matrix.total_gap`    | the sum of the leading gaps                                 |
| Z         | `budget` in a trace   | global zero budget: 6 minus the total leading gap           |
| Z_s       | `row_budget`          | zeros of the row still to be paid for, at first c0          |
| O         | `owned`               | columns of the row that hold a card, rebuilt as cards go    |
| pi        | `pointer`             | index into O of the card captured last                      |
| kappa     | `taken`               | captures in the suit so far                                 |
| g, g-hat  | `gap`, `effective`    | zeros up to the next card; 0 once Z_s is spent              |
| T         | `captures`            | captures in all                                             |
| chi       | `check`               | T + (6 - Z); the loop stops at 13                           |

Rows are suits in the order Clubs, Diamonds, Hearts, Spades; columns are ranks from the Ace (0)
down. On a general deck of n suits and m ranks the matrix is n x m.
"""

from __future__ import annotations

from dataclasses import dataclass

from tribridge.cards.cards import FULL_DECK, SUITS, Card, Deck, Hand, Suit

Grid = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What the algorithm knows of one suit before it starts."""

    suit: Suit
    c1: int
    c2: int
    c0: int
    leading_gap: int
    limit: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """The state matrix D: one row a suit, one column a rank."""

    rows: Grid

    def analyse(self) -> tuple[Row, ...]:
        """Step 2: the quantities of each row."""
        return tuple(_analyse(suit, row) for suit, row in zip(SUITS, self.rows, strict=False))

    @property
    def total_gap(self) -> int:
        """Delta, the sum of the leading gaps."""
        return sum(row.leading_gap for row in self.analyse())

    def holder(self, card: Card) -> int:
        """0, 1 or 2: who holds a card."""
        return self.rows[card.suit][card.rank]


def _analyse(suit: Suit, row: tuple[int, ...]) -> Row:
    c1, c2 = row.count(1), row.count(2)
    leading = next((column for column, value in enumerate(row) if value), len(row))
    return Row(suit, c1, c2, len(row) - c1 - c2, leading, max(c1, c2))


def matrix_of(hand: Hand, dummy: Hand | None = None, deck: Deck = FULL_DECK) -> Matrix:
    """Step 1: the state matrix of one hand, or of a hand and its dummy.

    Examples:
        >>> matrix_of(Hand(0b101), Hand(0b010), Deck(1, 4)).rows
        ((1, 2, 1, 0),)
    """
    other = Hand() if dummy is None else dummy
    return Matrix(
        tuple(
            tuple(
                (hand.row(suit) >> rank & 1) + 2 * (other.row(suit) >> rank & 1)
                for rank in range(deck.ranks)
            )
            for suit in range(deck.suits)
        )
    )
