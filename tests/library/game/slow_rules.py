"""The rules a second time, slowly and by other means, to compare the game with.

Cards are their names ("SA"), hands are sets of names, calls are plain strings and an auction is
the tuple of them; who sits where is a word. Nothing here is imported from the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb

RANKS = "AKQJT98765432"
CHAIRS = ("declarer", "left", "dummy", "right")
"""In playing order."""

Calls = tuple[str, ...]


def slow_bids(suits: int, ranks: int) -> list[str]:
    """All bids of a deck, lowest first."""
    tricks = suits * ranks // 4
    levels = tricks - tricks // 2
    strains = [*"CDHS"[:suits], "NT"]
    return [f"{level}{strain}" for level in range(1, levels + 1) for strain in strains]


def slow_finished(calls: Calls) -> bool:
    """Two passes after a bid end the auction; three passes at the start pass the deal out."""
    if any(call[0].isdigit() for call in calls):
        return calls[-2:] == ("Pass", "Pass")
    return calls == ("Pass", "Pass", "Pass")


def slow_calls(calls: Calls, bids: Sequence[str], doubles: bool) -> set[str]:
    """The calls that may follow these calls."""
    if slow_finished(calls):
        return set()
    made = [at for at, call in enumerate(calls) if call in bids]
    if not made:
        return {"Pass", *bids}
    at = made[-1]
    legal = {"Pass", *bids[bids.index(calls[at]) + 1 :]}
    own = (len(calls) - at) % 3 == 0
    since = calls[at + 1 :]
    if doubles and not own and "X" not in since:
        legal.add("X")
    if doubles and own and "X" in since and "XX" not in since:
        legal.add("XX")
    return legal


def slow_auction_tree(bids: Sequence[str], doubles: bool) -> tuple[list[int], int]:
    """Auctions by number of calls, and how many of all are complete."""
    positions: list[int] = []
    complete = 0
    layer: list[Calls] = [()]
    while layer:
        positions.append(len(layer))
        complete += sum(slow_finished(calls) for calls in layer)
        layer = [(*calls, call) for calls in layer for call in slow_calls(calls, bids, doubles)]
    return positions, complete


def slow_contract(calls: Calls) -> tuple[str, int, int] | None:
    """The last bid, how many calls after the first it was made, and the factor on it."""
    made = [at for at, call in enumerate(calls) if call[0].isdigit()]
    if not made:
        return None
    since = calls[made[-1] + 1 :]
    return calls[made[-1]], made[-1], 4 if "XX" in since else 2 if "X" in since else 1


def auction_polynomial(bids: int, doubles: bool) -> list[int]:
    """Auctions by number of calls in closed form: coefficient n counts those of n calls.

    An auction is cut at its bids. Before the first bid stand 0, 1 or 2 passes: 1 + x + x^2 (and
    three passes end it: x^3). Choose k of the b bids, each worth x, in their order. Between two
    bids stands a stretch of other calls, counted by s(x); what follows the last bid is an
    unfinished stretch, s(x), or a finished one, e(x). Together

        1 + x + x^2 + x^3 + sum over k >= 1 of
        C(b, k) (1 + x + x^2) x (x s(x))^(k-1) (s(x) + e(x)).

    Without doubles s = 1 + x (no pass, or one) and e = x^2. With doubles there are in addition,
    after a double by the left neighbour, the stretches X, XP, XPR, XPRP (R: redouble) with the
    ends XPP, XPRPP; after one by the right neighbour PX, PXP, PXR, PXRP with the ends PXPP and
    PXRPP. So s = 1 + 2x + 2x^2 + 3x^3 + 2x^4 and e = x^2 + x^3 + x^4 + 2x^5.
    """
    stretch = [1, 2, 2, 3, 2] if doubles else [1, 1]
    ending = [0, 0, 1, 1, 1, 2] if doubles else [0, 0, 1]
    total = [1, 1, 1, 1]
    chain = _times([1, 1, 1], [0, 1])
    for k in range(1, bids + 1):
        found = _times(chain, _plus(stretch, ending))
        total = _plus(total, [comb(bids, k) * count for count in found])
        chain = _times(chain, [0, *stretch])
    return total


def complete_auctions(bids: int, doubles: bool) -> int:
    """The number of complete auctions, from the same derivation at x = 1.

    With k of b bids: 3 ways to reach the first, s(1) ways from each bid to the next, e(1) ways to
    end: 1 + 3 e (sum over k >= 1 of C(b, k) s^(k-1)) = 1 + 3 e ((1 + s)^b - 1) / s. Without
    doubles s = 2 and e = 1: 1 + 3 (3^b - 1) / 2. With doubles s = 10 and e = 5:
    1 + 3 (11^b - 1) / 2.
    """
    power: int = (11 if doubles else 3) ** bids
    return 1 + 3 * (power - 1) // 2


def _times(one: Sequence[int], two: Sequence[int]) -> list[int]:
    product = [0] * (len(one) + len(two) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            product[i + j] += a * b
    return product


def _plus(one: Sequence[int], two: Sequence[int]) -> list[int]:
    length = max(len(one), len(two))
    padded = [[*poly, *[0] * (length - len(poly))] for poly in (one, two)]
    return [a + b for a, b in zip(*padded, strict=True)]


def slow_cards(hand: Iterable[str], on_table: Sequence[str]) -> set[str]:
    """The cards of a hand that may be played to a trick."""
    held = set(hand)
    if on_table:
        led = on_table[0][0]
        return {card for card in held if card[0] == led} or held
    return held


def slow_best(cards: Sequence[str], trump: str | None) -> int:
    """The place of the card that wins: the highest trump, else the highest of the suit led."""
    led = cards[0][0]
    worth = [(card[0] == trump, card[0] == led, -RANKS.index(card[1])) for card in cards]
    return worth.index(max(worth))


def slow_history(
    hands: Mapping[str, Iterable[str]], history: Sequence[str], trump: str | None
) -> tuple[str, dict[str, set[str]], list[str], int]:
    """After these cards: the chair that is due, hands left, the open trick, tricks declarer won.

    Every card must be one that the chair whose turn it is may play.
    """
    left = {chair: set(cards) for chair, cards in hands.items()}
    turn, won = CHAIRS.index("left"), 0
    trick: list[str] = []
    for card in history:
        hand = left[CHAIRS[turn % 4]]
        assert card in slow_cards(hand, trick), f"{CHAIRS[turn % 4]} may not play {card}"
        hand.remove(card)
        trick.append(card)
        turn += 1
        if len(trick) == 4:
            turn = turn - 4 + slow_best(trick, trump)
            won += CHAIRS[turn % 4] in ("declarer", "dummy")
            trick = []
    return CHAIRS[turn % 4], left, trick, won


def slow_play_tree(
    hands: Mapping[str, Iterable[str]], trump: str | None
) -> tuple[list[int], Counter[int]]:
    """Positions by number of cards played, and complete plays by tricks the declarer won."""
    left = {chair: set(cards) for chair, cards in hands.items()}
    positions = [0] * (sum(len(cards) for cards in left.values()) + 1)
    ends: Counter[int] = Counter()

    def visit(turn: int, trick: tuple[str, ...], played: int, won: int) -> None:
        if len(trick) == 4:
            turn = (turn + slow_best(trick, trump)) % 4
            won += CHAIRS[turn] in ("declarer", "dummy")
            trick = ()
        positions[played] += 1
        if played == len(positions) - 1:
            ends[won] += 1
        hand = left[CHAIRS[turn]]
        for card in slow_cards(hand, trick):
            hand.remove(card)
            visit((turn + 1) % 4, (*trick, card), played + 1, won)
            hand.add(card)

    visit(CHAIRS.index("left"), (), 0, 0)
    return positions, ends
