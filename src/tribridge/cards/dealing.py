"""Deals that meet a condition, by rejection: deals of a seed in order, without those that do not.

Every deal that meets the condition is equally likely, as it is among all deals. Cards that the
condition fixes are dealt beforehand, so that no deal is rejected for them (`conditions`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, SupportsIndex, overload

from tribridge.cards.cards import Deck, Hand
from tribridge.cards.dealer import NONE_FIXED, Fixed, check_seed
from tribridge.cards.deals import Deal
from tribridge.common.errors import RunError, SettingError, quantity, shown, unchanging

if TYPE_CHECKING:
    from tribridge.cards.conditions import Condition
    from tribridge.cards.masks import U64

TRIES: Final = 5_000_000
"""Deals that are tried for the next one before the search ends: about 20 seconds."""
SECONDS: Final = 60.0
"""How long the next deal is looked for, where a function or double dummy takes its time."""
_FIRST, _MOST = 64, 1 << 16
_SLOW: Final = 0.5
"""Seconds that a batch of deals may take: then batches grow no more."""

Where = Callable[[Deal], object]
"""A condition as a function: true for the deals that are wanted."""


@unchanging
@dataclass(frozen=True, slots=True, repr=False)
class Deals(Sequence[Deal]):
    """Deals of a seed in order, and how many were tried to find them.

    Examples:
        >>> import tribridge as tb
        >>> deals = tb.deals(3, seed=1, where="hcp(N) >= 15 and balanced(N)")
        >>> deals, [deal.hands["N"].hcp for deal in deals], deals.tried, round(deals.rate, 2)
        (<3 deals of seed 1, 1 in 19.7 tried>, [15, 20, 20], 59, 0.05)
    """

    deals: tuple[Deal, ...]
    seed: int
    met: int
    """How many met the condition: these, and those of lower numbers."""
    tried: int

    @property
    def rate(self) -> float:
        """The share of the deals tried that met the condition."""
        return self.met / self.tried

    def __len__(self) -> int:
        return len(self.deals)

    @overload
    def __getitem__(self, at: SupportsIndex) -> Deal: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Deal, ...]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Deal | tuple[Deal, ...]:
        return self.deals[at]

    def __iter__(self) -> Iterator[Deal]:
        return iter(self.deals)

    def __str__(self) -> str:
        return "\n".join(map(str, self.deals))

    def __repr__(self) -> str:
        tried = "" if self.met == self.tried else f", {one_in(self.met, self.tried)} tried"
        return f"<{quantity(len(self.deals), 'deal')} of seed {self.seed}{tried}>"


def one_in(met: int, tried: int) -> str:
    """A rate in words: `1 in 7.7`, `1 in 1,234`."""
    every = tried / met
    return f"1 in {every:,.1f}" if every < 100 else f"1 in {every:,.0f}"


def deals_where(
    where: Condition | Where, seed: int, deck: Deck, tries: int = TRIES
) -> Iterator[tuple[Deal, int]]:
    """The deals of a seed that meet a condition, each with the number of deals tried so far.

    It ends with an error that names the rate when `tries` deals in a row, or those of a minute,
    have not met it.
    """
    from tribridge.cards.conditions import Condition

    if tries < 1:
        raise SettingError(f"the number of tries must be 1 or more, not {tries}")
    check_seed(seed)
    text = isinstance(where, Condition)
    met, tried, last, since, size = 0, 0, 0, time.monotonic(), _FIRST
    while True:
        size = min(size, last + tries - tried)
        began = time.monotonic()
        for at, deal in _batch(where, seed, tried, size, deck):
            if deal is not None:
                met, last = met + 1, at + 1
                yield deal, last
                since = time.monotonic()
            elif time.monotonic() - since > SECONDS:
                _give_up(where, met, at + 1, at + 1 - last, tries)
        tried += size
        now = time.monotonic()
        if tried - last >= tries or (text and now - since > SECONDS):
            _give_up(where, met, tried, tried - last, tries)
        size = min(size * 2, _MOST) if now - began < _SLOW else max(size // 2, 1)


def _batch(
    where: Condition | Where, seed: int, start: int, size: int, deck: Deck
) -> Iterator[tuple[int, Deal | None]]:
    """The deals of a batch that meet the condition; for a function also the others, as None."""
    from tribridge.cards.conditions import Condition
    from tribridge.cards.dealer_arrays import deal_masks

    fixed: Fixed = where.fixed if isinstance(where, Condition) else NONE_FIXED
    masks = deal_masks(seed, start, size, deck, fixed)
    if isinstance(where, Condition):
        for at in where.met(masks).nonzero()[0].tolist():
            yield start + at, deal_of(masks[at], deck)
        return
    for at, row in enumerate(masks):
        deal = deal_of(row, deck)
        yield start + at, deal if where(deal) else None


def deal_of(masks: U64, deck: Deck) -> Deal:
    """The deal of four masks."""
    north, east, south, hidden = map(Hand, masks.tolist())
    return Deal((north, east, south, hidden), deck)


def _give_up(where: Condition | Where, met: int, tried: int, vain: int, tries: int) -> None:
    text = getattr(where, "text", None)
    name = "the condition" if text is None else f"the condition {shown(text)}"
    so_far = (
        f"none of {quantity(tried, 'deal')} met {name}"
        if met == 0
        else f"{met:,} of {quantity(tried, 'deal')} met {name} ({one_in(met, tried)}), and none of "
        f"the last {vain:,}"
    )
    limit = f"the search ends after {tries:,} in a row, or {SECONDS:g} seconds, without one"
    raise RunError(f"{so_far}: {limit}; more tries would go on")
