"""A position of the play: the cards left, the trick on the table, the tricks won."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tribridge.cards import Card, Hand, cards_of
from tribridge.deals import Deal, Seat
from tribridge.errors import IllegalActionError
from tribridge.game.auction import Contract
from tribridge.game.tricks import CHAIRS, Chair, Trick, as_card, chair_hands, winner

_SUIT_MASKS: Final = tuple(0x1FFF << 13 * suit for suit in range(4))


@dataclass(frozen=True, slots=True)
class Position:
    """The cards so far: hands left by chair, finished tricks, the trick on the table."""

    contract: Contract
    hands: tuple[int, int, int, int]
    leader: Chair = Chair.LEFT
    trick: tuple[Card, ...] = ()
    tricks: tuple[Trick, ...] = ()
    won: int = 0
    """Tricks won by the declarer's side."""

    @property
    def over(self) -> bool:
        return not self.trick and not self.hands[self.leader]

    @property
    def chair(self) -> Chair | None:
        """The chair whose card is due; None when all cards are played."""
        return None if self.over else CHAIRS[(self.leader + len(self.trick)) % 4]

    @property
    def turn(self) -> Seat | None:
        """The player who must play; the declarer for the dummy."""
        chair = self.chair
        return None if chair is None else chair.player(self.contract.declarer)

    def legal_mask(self) -> int:
        """The cards that may be played now."""
        chair = self.chair
        if chair is None:
            return 0
        held = self.hands[chair]
        if self.trick:
            following = held & _SUIT_MASKS[self.trick[0].suit]
            if following:
                return following
        return held

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now, Clubs first, Aces first."""
        return tuple(cards_of(self.legal_mask()))

    def check(self, card: Card) -> None:
        """Refuse a card that may not be played now, saying why."""
        card = as_card(card)
        chair = self.chair
        if chair is None:
            raise IllegalActionError(f"no card is due: {card} comes after the last trick")
        legal = self.legal_mask()
        if legal >> card & 1:
            return
        player = chair.player(self.contract.declarer)
        who = f"{player} cannot play {card}" + (" from dummy" if chair is Chair.DUMMY else "")
        if not self.hands[chair] >> card & 1:
            holder = "dummy" if chair is Chair.DUMMY else str(player)
            raise IllegalActionError(f"{who}: {holder} does not hold it")
        options = " ".join(str(option) for option in cards_of(legal))
        led = self.trick[0].suit.word
        raise IllegalActionError(f"{who}: {led} were led and must be followed with {options}")

    def apply_unchecked(self, card: Card) -> Position:
        """The play after a card that is known to be allowed."""
        chair = (self.leader + len(self.trick)) % 4
        left = list(self.hands)
        left[chair] ^= card.bit
        hands = (left[0], left[1], left[2], left[3])
        trick = (*self.trick, card)
        if len(trick) < 4:
            return Position(self.contract, hands, self.leader, trick, self.tricks, self.won)
        taker = winner(self.leader, trick, self.contract.bid.strain.trump)
        tricks = (*self.tricks, Trick(self.leader, trick, taker))
        return Position(self.contract, hands, taker, (), tricks, self.won + taker.declaring)

    def dealt(self, chair: Chair) -> Hand:
        """The cards that a chair was dealt: those left and those played."""
        mask = self.hands[chair]
        for leader, cards in (
            *((t.leader, t.cards) for t in self.tricks),
            (self.leader, self.trick),
        ):
            for at, card in enumerate(cards):
                if (leader + at) % 4 == chair:
                    mask |= card.bit
        return Hand(mask)


def start_play(deal: Deal, contract: Contract) -> Position:
    """The position before the opening lead."""
    return Position(contract, chair_hands(deal, contract.declarer))
