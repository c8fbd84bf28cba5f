"""Built deals: extreme hands that random dealing hardly ever produces, for training forecasts.

Examples are solid suits, thirteen-card suits, two-suiters, nine top tricks, a strong hand opposite
nothing, a dummy with or without an entry. Built deal `i` of seed `s` starts from the dealer's deal
with that seed and number. Its declarer is player `i % 3`, and one or two hands are rebuilt
(`rebuilt`):

* `i // 3` even: declarer's hand only. The other 39 cards are random, so the deal is an unbiased
  example for a forecast from declarer's 13 cards, and for one from 26.
* `i // 3` odd: declarer's hand and dummy together. The defenders' 26 cards are random, so the deal
  is an unbiased example for a forecast from 26 cards, but not for one from 13.

The defenders' hands are never built, or a forecast would learn that long running suits are in one
hand. If the defence has a suit to run, declarer and dummy lack its high cards, and the suit divides
at random. For the same reason a built deal is biased for the other two players as declarers.

A recipe (`_HAND_RECIPES`, `_PAIR_RECIPES`) names cards to hold and cards to avoid; the rest of the
hand is kept from the deal. Recipes draw their own sizes, and a third of them lose some of their
cards again (`_blurred`), so that the deals range from ordinary to extreme.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import cards_of
from tribridge.cards.dealer_arrays import deal_masks, philox_words
from tribridge.cards.deals import HIDDEN
from tribridge.cards.masks import U64

HELD_OUT: Final = 1 << 40
"""Built deals from this number on, of every seed, are for evaluation and never for training."""

_PACK: Final = (1 << 52) - 1
_ROW: Final = (1 << 13) - 1
_HONOURS: Final = sum(0b1111 << 13 * suit for suit in range(4))
_ATTEMPT: Final = 1 << 63
"""Far above any attempt number of the dealer, so that its words and ours are independent."""

T = TypeVar("T")

Wish = tuple[int, int]
"""Cards to hold (13 of them at random if there are more), and cards to avoid."""


def rebuilt(number: int) -> int:
    """How many hands of a built deal are built: 1 (declarer's) or 2 (dummy as well)."""
    return 1 + number // 3 % 2


def built_masks(seed: int, start: int, count: int) -> U64:
    """The hands of built deals `start` to `start + count - 1`: (count, 4), like `deal_masks`."""
    dealt = deal_masks(seed, start, count)
    words, _ = philox_words(seed, np.arange(count, dtype=np.uint64) + np.uint64(start), _ATTEMPT)
    result = np.empty_like(dealt)
    for at, (hands, word) in enumerate(zip(dealt.tolist(), words.tolist(), strict=True)):
        result[at] = _build(hands, start + at, Random(word))
    return result


def built_pairs(seed: int, start: int, count: int) -> tuple[U64, U64, NDArray[np.bool_]]:
    """Declarers' hands and dummies of built deals, and which dummies are random."""
    masks = built_masks(seed, start, count)
    numbers = range(start, start + count)
    declarers = np.array([number % 3 for number in numbers], np.int64)
    alone = np.array([rebuilt(number) == 1 for number in numbers], np.bool_)
    return masks[np.arange(count), declarers], masks[:, HIDDEN], alone


def _build(dealt: list[int], number: int, random: Random) -> list[int]:
    """One built deal from the dealer's four hands."""
    declarer = number % 3
    result = list(dealt)
    if rebuilt(number) == 1:
        own = _one_of(random, _HAND_RECIPES)(random)
        result[declarer] = _fill(random, *_blurred(random, own), dealt[declarer], 0)
    else:
        own, other = (_blurred(random, wish) for wish in _one_of(random, _PAIR_RECIPES)(random))
        result[declarer] = _fill(random, own[0], own[1] | other[0], dealt[declarer], 0)
        result[HIDDEN] = _fill(random, *other, dealt[HIDDEN], result[declarer])
    return _exchanged(dealt, result, [declarer, HIDDEN][: rebuilt(number)])


def _exchanged(dealt: list[int], built: list[int], changed: list[int]) -> list[int]:
    """The other hands exchange the cards taken from them, one for one, for those that became free.

    Which card replaces which depends only on the built hands, so the other cards remain as randomly
    distributed over the other hands as the dealer made them.
    """
    before = after = 0
    for hand in changed:
        before |= dealt[hand]
        after |= built[hand]
    swaps = list(zip(cards_of(after & ~before), cards_of(before & ~after), strict=True))
    result = list(built)
    for hand in range(4):
        if hand not in changed:
            for taken, freed in swaps:
                if dealt[hand] & taken.bit:
                    result[hand] ^= taken.bit | freed.bit
    return result


def _fill(random: Random, hold: int, avoid: int, dealt: int, gone: int) -> int:
    """Thirteen cards: those to hold, then dealt ones, then others; avoided ones if need be."""
    hold = _some(random, hold & ~gone, 13)
    for choice in (dealt & ~avoid, _PACK & ~avoid, _PACK):
        candidates = _shuffled(random, choice & ~gone & ~hold)
        hold |= _mask(candidates[: 13 - hold.bit_count()])
    return hold


def _blurred(random: Random, wish: Wish) -> Wish:
    """In one wish out of three, each card is dropped with a chance of one sixth."""
    hold, avoid = wish
    if random.random() < 1 / 3:
        hold = _mask([card.index for card in cards_of(hold) if random.random() >= 1 / 6])
        avoid = _mask([card.index for card in cards_of(avoid) if random.random() >= 1 / 6])
    return hold, avoid


# --- drawing; only `Random.random` is used, whose sequence Python promises never to change


def _below(random: Random, bound: int) -> int:
    return int(random.random() * bound)


def _between(random: Random, least: int, most: int) -> int:
    """An integer from `least` to `most`, both included."""
    return least + _below(random, most - least + 1)


def _one_of(random: Random, choices: tuple[T, ...]) -> T:
    return choices[_below(random, len(choices))]


def _shuffled(random: Random, hand: int) -> list[int]:
    return sorted((card.index for card in cards_of(hand)), key=lambda _: random.random())


def _suits(random: Random) -> list[int]:
    return sorted(range(4), key=lambda _: random.random())


def _mask(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


def _some(random: Random, hand: int, count: int) -> int:
    return _mask(_shuffled(random, hand)[:count])


def _suit(suit: int) -> int:
    return _ROW << 13 * suit


def _top(suit: int, count: int) -> int:
    """The highest cards of a suit."""
    return ((1 << count) - 1) << 13 * suit


# --- recipes for one hand


def _tops(random: Random, suits: list[int], count: int, stoppers: bool = False) -> int:
    """`count` top cards over some suits, without gaps; with `stoppers`, an ace in each suit."""
    counts = dict.fromkeys(suits, int(stoppers))
    while sum(counts.values()) < count:
        suit = suits[_below(random, len(suits))]
        counts[suit] = min(13, counts[suit] + 1)
    hold = 0
    for suit, tops in counts.items():
        hold |= _top(suit, tops)
    return hold


def _running(random: Random, suit: int, length: int) -> Wish:
    """A suit of exactly that length, headed by at least three top cards without a gap."""
    high = _top(suit, _between(random, min(3, length), length))
    hold = high | _some(random, _suit(suit) & ~high, length - high.bit_count())
    return hold, _suit(suit) & ~hold


def _honours(random: Random) -> Wish:
    """A random number of honours, from none to thirteen, and no others."""
    hold = _some(random, _HONOURS, _between(random, 0, 13))
    return hold, _HONOURS & ~hold


def _solid(random: Random) -> Wish:
    """A solid suit of any length; half of the time without honours elsewhere."""
    suit = _below(random, 4)
    hold, avoid = _running(random, suit, _between(random, 4, 13))
    return hold, avoid | _one_of(random, (0, _HONOURS & ~hold))


def _solid_and_tops(random: Random) -> Wish:
    """A solid suit with top cards in the other suits."""
    suit, *others = _suits(random)
    hold, avoid = _running(random, suit, _between(random, 3, 9))
    return hold | _tops(random, others, _between(random, 1, 13 - hold.bit_count())), avoid


def _spread(random: Random) -> Wish:
    """Top cards over all suits, up to thirteen; half of the time with an ace in each."""
    hold = _tops(random, _suits(random), _between(random, 4, 13), random.random() < 0.5)
    return hold, _one_of(random, (0, _HONOURS & ~hold))


def _long(random: Random) -> Wish:
    """A suit of seven to thirteen cards, whatever they are."""
    row = _suit(_below(random, 4))
    hold = _some(random, row, _between(random, 7, 13))
    return hold, row & ~hold


def _two_suiter(random: Random) -> Wish:
    """Two suits with ten to thirteen cards between them, solid or not."""
    first, second, *_ = _suits(random)
    total = _between(random, 10, 13)
    longer = _between(random, (total + 1) // 2, total - 3)
    hold = avoid = 0
    for suit, length in ((first, longer), (second, total - longer)):
        if random.random() < 0.5:
            cards = _some(random, _suit(suit), length)
        else:
            cards, _ = _running(random, suit, length)
        hold |= cards
        avoid |= _suit(suit) & ~cards
    return hold, avoid


_HAND_RECIPES: Final[tuple[Callable[[Random], Wish], ...]] = (
    _honours,
    _solid,
    _solid_and_tops,
    _spread,
    _long,
    _two_suiter,
)


# --- recipes for declarer and dummy


def _each_its_own(random: Random) -> tuple[Wish, Wish]:
    """A recipe for each of the two hands."""
    return _one_of(random, _HAND_RECIPES)(random), _one_of(random, _HAND_RECIPES)(random)


def _solid_dummy(random: Random) -> tuple[Wish, Wish]:
    """A solid suit in dummy, opposite up to three small cards, with or without an entry."""
    suit, *others = _suits(random)
    hold, avoid = _running(random, suit, _between(random, 4, 10))
    link = _some(random, avoid, _between(random, 0, 3))
    own = link | _tops(random, others, _between(random, 0, 9))
    high = _HONOURS & ~_suit(suit)
    entries = _one_of(random, (0, 0, _some(random, high & ~own, 1), _some(random, high & ~own, 2)))
    return (own, _suit(suit) & ~link), (hold | entries, avoid | high & ~entries)


def _split(random: Random) -> tuple[Wish, Wish]:
    """A solid suit divided between the hands; often the short hand has the top cards."""
    suit, *others = _suits(random)
    high = _top(suit, _between(random, 4, 10))
    short = _between(random, 1, 4)
    block = _one_of(random, (_top(suit, short), _some(random, high, short)))
    own, other = (block, high & ~block), _suit(suit) & ~high
    if random.random() < 0.5:
        own = own[1], own[0]
    tops = _tops(random, others, _between(random, 0, 8))
    mine = _some(random, tops, _between(random, 0, tops.bit_count()))
    return (own[0] | mine, other), (own[1] | tops & ~mine, other)


def _counted(random: Random) -> tuple[Wish, Wish]:
    """A random number of top tricks over the two hands, such as nine for 3NT, and no more."""
    hold = _tops(random, _suits(random), _between(random, 5, 13), random.random() < 0.7)
    share = _one_of(random, (0.0, 0.2, 0.5, 0.8, 1.0))
    own = _mask([card.index for card in cards_of(hold) if random.random() < share])
    return (own, _HONOURS & ~hold), (hold & ~own, _HONOURS & ~hold)


def _open_suit(random: Random) -> tuple[Wish, Wish]:
    """A suit for the defence to run, as they hold its high cards; strength in the others."""
    suit, *others = _suits(random)
    length = _between(random, 0, 7)
    cards = _some(random, _suit(suit) & ~_top(suit, _between(random, 3, 6)), length)
    own = _some(random, cards, _between(random, 0, length))
    tops = _tops(random, others, _between(random, 5, 13))
    share = _one_of(random, (0.2, 0.5, 0.8, 1.0))
    mine = _mask([card.index for card in cards_of(tops) if random.random() < share])
    gone = _suit(suit) & ~cards
    return (own | mine, gone | cards & ~own), (cards & ~own | tops & ~mine, gone | own)


def _strong_and_weak(random: Random) -> tuple[Wish, Wish]:
    """A random number of honours in one hand, few or none in the other."""
    hold, avoid = _honours(random)
    few = _some(random, avoid, _one_of(random, (0, 0, 1, 2, 4)))
    wishes = (hold, avoid), (few, _HONOURS & ~few)
    return wishes if random.random() < 0.5 else (wishes[1], wishes[0])


def _fit(random: Random) -> tuple[Wish, Wish]:
    """Eight to thirteen cards of a suit between the hands, divided at random."""
    row = _suit(_below(random, 4))
    cards = _some(random, row, _between(random, 8, 13))
    own = _some(random, cards, _between(random, 0, cards.bit_count()))
    return (own, row & ~own), (cards & ~own, row & ~cards | own)


_PAIR_RECIPES: Final[tuple[Callable[[Random], tuple[Wish, Wish]], ...]] = (
    _each_its_own,
    _solid_dummy,
    _split,
    _counted,
    _open_suit,
    _strong_and_weak,
    _fit,
)
