"""Double dummy behind one interface: the tricks of the declarer's side with all cards visible.

Hands come in the order of the chairs: declarer, left defender, dummy, right defender; the left
defender leads unless another leader is named. `chair_hands` of the game puts a deal in that order.

The full deck is solved by DDS; small decks by our own solver once it is compiled, which also
handles short endings if DDS is not installed. All cards are checked here before a solver sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from tribridge.cards.cards import FULL_DECK, HANDS, Card, Deck, Hand, Strain, cards_of
from tribridge.cards.deals import ByStrain
from tribridge.common.compiled import ready
from tribridge.common.errors import (
    CardsError,
    IllegalActionError,
    MissingPackageError,
    NotFoundError,
    SettingError,
    missing,
    quantity,
)
from tribridge.common.parallel import cores, worker_pool
from tribridge.double_dummy import dds
from tribridge.game.position import Position
from tribridge.game.tricks import Chair

if TYPE_CHECKING:
    from tribridge.double_dummy.solver import Solver

SOLVERS: Final = ("auto", "dds", "own")
OWN_LIMIT: Final = 10
"""Cards per hand up to which our own solver answers in a fraction of a second."""

_NAMES: Final = ("the declarer", "the left defender", "the dummy", "the right defender")
_BATCH: Final = 8
_FEW: Final = 40
"""Results that take about as long as starting a worker process."""

ChairHands = Sequence[int | Hand]
"""Four hands in the order of the chairs, as masks or hands."""


@dataclass(slots=True)
class DoubleDummy:
    """Solves deals and positions of one deck.

    >>> from tribridge.cards.cards import Deck
    >>> hands = (0b0001, 0b0100, 0b1000, 0b0010)  # A, Q, J and K of Clubs
    >>> DoubleDummy(Deck("1x4")).tricks(hands, Strain.NOTRUMP)
    1
    """

    deck: Deck = FULL_DECK
    solver: str = "auto"
    _own: Solver | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise NotFoundError(
                f"unknown solver {self.solver!r}: expected {', '.join(SOLVERS[:-1])} or own"
            )
        if self.solver == "dds" and not dds.available():
            raise missing("endplay")

    def tricks(self, hands: ChairHands, strain: Strain, leader: Chair = Chair.LEFT) -> int:
        """Tricks of the declarer's side on a whole deal."""
        return self._tricks(self._whole(hands), self._strain(strain), Chair(leader), ())

    def strains(
        self,
        hands: ChairHands,
        strains: Iterable[Strain] | None = None,
        leader: Chair = Chair.LEFT,
    ) -> ByStrain[int]:
        """The same in each strain: all that the deck has, or those named."""
        masks = self._whole(hands)
        chosen = self.deck.strains if strains is None else [self._strain(s) for s in strains]
        tricks = {strain: self._tricks(masks, strain, Chair(leader), ()) for strain in chosen}
        return ByStrain(tricks)

    def ending(
        self,
        hands: ChairHands,
        strain: Strain,
        leader: Chair = Chair.LEFT,
        trick: Sequence[Card] = (),
    ) -> int:
        """Tricks of the declarer's side from a position on, with the trick on the table."""
        masks = self._position(hands, Chair(leader), trick)
        return self._tricks(masks, self._strain(strain), Chair(leader), tuple(trick))

    def cards(self, position: Position) -> dict[Card, int]:
        """For each card that may be played now, the declarer's tricks at the end of the deal.

        Tricks already won count too, so every value can be compared with the contract.
        """
        if position.over:
            raise IllegalActionError("the play is over: there is no card to play")
        masks = self._position(position.hands, position.leader, position.trick)
        strain = self._strain(position.contract.bid.strain)
        if self._use_dds(len(cards_left(masks))):
            values = dds.cards(masks, strain, position.leader, position.trick)
            if self.deck != FULL_DECK:  # as our own solver lists them
                values = {card: values[card] for card in cards_of(position.legal_mask())}
        else:
            values = self._solver().cards(
                masks, strain, position.leader, position.trick, position.legal_mask()
            )
        return {card: position.won + tricks for card, tricks in values.items()}

    def batch(
        self,
        deals: Iterable[ChairHands],
        strains: Iterable[Strain] | None = None,
        processes: int = 0,
    ) -> Iterator[tuple[int, ...]]:
        """Tricks in each strain for many deals, in their order, on worker processes.

        With `processes` 1 the work is done here; with 0 on all cores, unless there is so little
        that it is done before a process has started.
        """
        chosen = self.deck.strains if strains is None else tuple(self._strain(s) for s in strains)
        if processes < 0:
            raise SettingError(
                f"the number of processes must be 0 (all cores) or more, not {processes}"
            )
        checked: Iterator[tuple[int, ...]] = (self._whole(hands) for hands in deals)
        workers = processes or cores()
        if not processes:
            few = list(islice(checked, _FEW // max(1, len(chosen)) + 1))
            workers = 1 if len(few) * len(chosen) <= _FEW else workers
            checked = chain(few, checked)
        if workers == 1:
            for hands in checked:
                yield tuple(self._tricks(hands, strain, Chair.LEFT, ()) for strain in chosen)
            return
        with worker_pool(workers) as pool:
            pending = []
            groups = iter(lambda: list(islice(checked, _BATCH)), [])
            for group in groups:
                pending.append(pool.submit(_solve_group, self.deck, self.solver, group, chosen))
                if len(pending) > 2 * workers:
                    yield from pending.pop(0).result()
            for future in pending:
                yield from future.result()

    def _tricks(
        self, masks: tuple[int, ...], strain: Strain, leader: Chair, trick: tuple[Card, ...]
    ) -> int:
        size = len(cards_left(masks))
        if not size:
            return 0
        if self._use_dds(size):
            return dds.tricks(masks, strain, leader, trick)
        return self._solver().tricks(masks, strain, leader, trick)

    def _use_dds(self, cards: int) -> bool:
        if self.solver != "auto":
            return self.solver == "dds"
        small = cards <= HANDS * OWN_LIMIT
        if dds.available():
            return self.deck == FULL_DECK or not small or not _own_is_compiled()
        if not small:
            raise MissingPackageError(
                f"{cards} cards are too many for the solver of this package (up to "
                f"{HANDS * OWN_LIMIT}): {missing('endplay')}"
            )
        return False

    def _solver(self) -> Solver:
        if self._own is None:
            from tribridge.double_dummy.solver import Solver

            self._own = Solver()
        return self._own

    def _strain(self, strain: Strain) -> Strain:
        try:
            checked = Strain(strain)
        except ValueError:
            raise SettingError(f"no strain {strain!r}: expected C, D, H, S or NT") from None
        if checked not in self.deck.strains:
            raise SettingError(f"{checked.letter} cannot be trumps in a deck of {self.deck}")
        return checked

    def _whole(self, hands: ChairHands) -> tuple[int, ...]:
        """Checked masks of a whole deal: every card of the deck, once, in equal hands."""
        masks = self._position(hands, Chair.LEFT, ())
        missing = self.deck.mask & ~(masks[0] | masks[1] | masks[2] | masks[3])
        if missing:
            raise CardsError(
                f"{next(cards_of(missing))} is in no hand: a deal has all {self.deck.size} cards"
            )
        return masks

    def _position(self, hands: ChairHands, leader: Chair, trick: Sequence[Card]) -> tuple[int, ...]:
        """Checked masks of a position: no card twice, hands as long as the trick allows."""
        if len(hands) != HANDS:
            raise CardsError(f"a position has {HANDS} hands, not {len(hands)}")
        if len(trick) >= HANDS:
            raise CardsError(
                f"{len(trick)} cards are on the table: an unfinished trick has at most 3"
            )
        masks = tuple(hand.mask if isinstance(hand, Hand) else int(hand) for hand in hands)
        seen: dict[Card, str] = {}
        for name, mask in zip((*_NAMES, "the table"), (*masks, _mask(trick)), strict=True):
            if mask < 0 or mask & ~self.deck.mask:
                raise CardsError(f"{name} has a card that is not in a deck of {self.deck}")
            for card in cards_of(mask):
                if card in seen:
                    raise CardsError(f"{card} is in two places: {seen[card]} and {name}")
                seen[card] = name
        played = {(leader + at) % HANDS for at in range(len(trick))}
        sizes = [mask.bit_count() + (at in played) for at, mask in enumerate(masks)]
        for name, size in zip(_NAMES, sizes, strict=True):
            if size != sizes[0]:
                raise CardsError(
                    f"{name} has {quantity(size, 'card')} where {_NAMES[0]} has {sizes[0]}: "
                    "all hands must have as many"
                )
        return masks


@cache
def _own_is_compiled() -> bool:
    """Whether our own solver can start at once; DDS is as fast where it can not."""
    from tribridge.double_dummy import solver

    return ready(solver._value)


def cards_left(masks: Sequence[int]) -> Hand:
    """All cards of four hands together."""
    return Hand(masks[0] | masks[1] | masks[2] | masks[3])


def _mask(trick: Sequence[Card]) -> int:
    return Hand(trick).mask


@cache
def _of_worker(deck: Deck, solver: str) -> DoubleDummy:
    return DoubleDummy(deck, solver)


def _solve_group(
    deck: Deck, solver: str, deals: list[tuple[int, ...]], strains: tuple[Strain, ...]
) -> list[tuple[int, ...]]:
    """A few deals, in a worker process."""
    truth = _of_worker(deck, solver)
    return [
        tuple(truth._tricks(hands, strain, Chair.LEFT, ()) for strain in strains) for hands in deals
    ]
