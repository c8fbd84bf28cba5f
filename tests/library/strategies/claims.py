"""What each reason for a card claims, checked on the hands as they really are.

The reasons are made from what one player knows. Here every sentence has a predicate of its own over
the whole table, written with sets of cards and without the code that makes the sentences: what a
player knows must be true of the actual deal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tribridge.cards.cards import Card, Rank, Suit, cards_of
from tribridge.common.sentences import Sentence
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game.auction import Bid
from tribridge.game.table import Table

_HONOURS: Final = {Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN}


@dataclass(frozen=True)
class Case:
    """A card at a table, and the fields of the sentence about it."""

    table: Table
    card: Card
    fields: dict[str, Any]

    @cached_property
    def play(self) -> Any:
        assert self.table.position is not None
        return self.table.position

    @cached_property
    def hands(self) -> list[set[Card]]:
        return [set(cards_of(mask)) for mask in self.play.hands]

    @property
    def me(self) -> int:
        return int(self.play.chair)

    @property
    def mine(self) -> set[Card]:
        return self.hands[self.me]

    @property
    def friend(self) -> set[Card]:
        return self.hands[(self.me + 2) % 4]

    @property
    def declaring(self) -> bool:
        return self.me in (0, 2)

    @cached_property
    def opponents(self) -> list[int]:
        return [(self.me + 1) % 4, (self.me + 3) % 4]

    @cached_property
    def enemy(self) -> set[Card]:
        return self.hands[self.opponents[0]] | self.hands[self.opponents[1]]

    @cached_property
    def others(self) -> set[Card]:
        """Everything that the player does not command."""
        return self.enemy if self.declaring else self.enemy | self.friend

    @property
    def trump(self) -> Suit | None:
        return self.play.contract.bid.strain.trump  # type: ignore[no-any-return]

    @property
    def trick(self) -> tuple[Card, ...]:
        return self.play.trick  # type: ignore[no-any-return]

    @property
    def led(self) -> Suit:
        return self.trick[0].suit if self.trick else self.card.suit

    def of(self, cards: set[Card], suit: Suit | None = None) -> list[Card]:
        """The cards of a suit, highest first."""
        wanted = suit or self.card.suit
        return sorted((card for card in cards if card.suit is wanted), key=lambda card: card.column)

    def beats(self, card: Card, other: Card) -> bool:
        if card.suit is other.suit:
            return card.column < other.column
        return card.suit is self.trump

    @cached_property
    def best(self) -> tuple[int, Card]:
        """Who is winning the trick on the table, and with what."""
        winner = 0
        for at, card in enumerate(self.trick):
            if self.beats(card, self.trick[winner]):
                winner = at
        return (int(self.play.leader) + winner) % 4, self.trick[winner]

    @property
    def ours(self) -> bool:
        return self.best[0] % 2 == self.me % 2

    @property
    def wins(self) -> bool:
        return self.beats(self.card, self.best[1])

    @cached_property
    def behind(self) -> list[int]:
        """The opponents who have yet to play."""
        left = 3 - len(self.trick)
        return [c for c in ((self.me + at) % 4 for at in range(1, left + 1)) if c in self.opponents]

    def follow(self, chair: int) -> set[Card]:
        """What a hand may play to the trick."""
        return set(self.of(self.hands[chair], self.led)) or self.hands[chair]

    def safe(self, card: Card) -> bool:
        """Whether no opponent behind can beat a card on the table."""
        return not any(self.beats(one, card) for chair in self.behind for one in self.follow(chair))

    def safe_in_suit(self, card: Card) -> bool:
        return not any(
            one.suit is card.suit and self.beats(one, card)
            for chair in self.behind
            for one in self.follow(chair)
        )

    def touching(self, card: Card, other: Card) -> bool:
        """Whether no other hand, and no card on the table, comes between two cards."""
        first, last = sorted((card.column, other.column))
        between = self.enemy | self.friend | set(self.trick)
        return card.suit is other.suit and not any(
            first < one.column < last for one in self.of(between, card.suit)
        )

    @property
    def driving(self) -> list[Card]:
        """The honours of declarer's side that only one card of the suit beats."""
        held = self.of(self.mine | self.friend)
        return [card for card in held if _honour(card) and len(self.higher(self.enemy, card)) == 1]

    @property
    def lowest(self) -> bool:
        return self.touching(self.card, self.of(self.mine)[-1])

    @cached_property
    def first(self) -> bool:
        """Whether the hand has not played the suit before."""
        return not any(
            (int(trick.leader) + at) % 4 == self.me and card.suit is self.card.suit
            for trick in self.play.tricks
            for at, card in enumerate(trick.cards)
        )

    @property
    def legal(self) -> list[Card]:
        return [card for card in self.table.legal if isinstance(card, Card)]

    @property
    def winners(self) -> list[Card]:
        return [card for card in self.legal if self.beats(card, self.best[1])]

    def named(self, field: str) -> Card:
        text = str(self.fields[field])
        if text.startswith("the "):  # a card out of sight, of the same suit
            rank = Rank[text.removeprefix("the ").upper()]
            return next(card for card in self.of(self.others) if card.rank is rank)
        return Card(text)

    def higher(self, cards: set[Card], than: Card | None = None) -> list[Card]:
        card = than or self.card
        return [one for one in self.of(cards, card.suit) if one.column < card.column]

    def decided(self) -> bool:
        tricks = DoubleDummy().cards(self.play)[self.card]
        return (tricks >= self.play.needed) is self.declaring


def _honour(card: Card) -> bool:
    return card.rank in _HONOURS


def _sequence(c: Case) -> bool:
    left = c.of(c.others | c.mine | c.friend)
    at = left.index(c.card)
    return (
        _honour(c.card)
        and at > 0
        and left[at - 1] not in c.mine
        and at + 1 < len(left)
        and left[at + 1] in c.mine
        and bool(c.higher(c.others))
    )


def _last(c: Case) -> bool:
    return len(c.trick) == 3 and c.wins and not c.ours


def _lowest_winner(c: Case) -> bool:
    return _last(c) and not any(card.column > c.card.column for card in c.winners)


def _finesse(c: Case, missing: int) -> bool:
    over = c.higher(c.enemy)
    names = [c.named(name) for name in ("missing", "other")[:missing]]
    followed = len(c.trick) == 2 and c.trick[1].suit is c.card.suit
    return c.declaring and c.wins and followed and over == names


def _side_has_it(c: Case) -> bool:
    return c.ours and c.best[1] == c.named("other") and not c.wins


def _only_a_ruff(c: Case) -> bool:
    return c.trump not in (None, c.led) and c.safe_in_suit(c.best[1])


def _longer_than_all(c: Case) -> bool:
    """Whether no other suit of the hand has as many cards."""
    lengths = {suit: len(c.of(c.mine, suit)) for suit in Suit}
    return all(lengths[c.card.suit] > n for suit, n in lengths.items() if suit is not c.card.suit)


def _longest(c: Case) -> bool:
    lengths = [len(c.of(c.mine, suit)) for suit in Suit if suit is not c.trump]
    return not c.trick and len(c.of(c.mine)) >= max(4, *lengths) and c.card.suit is not c.trump


def _partner_bid(c: Case) -> bool:
    contract = c.play.contract
    seat = next(s for s in type(contract.declarer) if s not in (contract.declarer, c.table.turn))
    dealer = c.table.auction.dealer.index
    return any(
        isinstance(call, Bid) and call.strain.trump is c.card.suit
        for at, call in enumerate(c.table.auction.calls)
        if (dealer + at) % 3 == seat.index
    )


def _partner_led(c: Case) -> bool:
    return not c.declaring and any(
        int(trick.leader) == (c.me + 2) % 4 and trick.cards[0].suit is c.card.suit
        for trick in c.play.tricks
    )


def _may_live(c: Case, missing: Card) -> bool:
    """Whether a missing card can outlive the cards of declarer's side that beat it."""
    return len(c.of(c.enemy)) > max(1, len(c.higher(c.mine | c.friend, missing)))


def _worth_a_finesse(c: Case, missing: Card) -> bool:
    """Whether the missing card is as likely to be caught in front as to fall, by the numbers."""
    better = len(c.higher(c.mine | c.friend, missing))
    return _may_live(c, missing) and len(c.of(c.enemy)) > 2 * better


def _ruffs(c: Case) -> bool:
    return c.card.suit is c.trump is not c.led and c.wins and not c.of(c.mine, c.led)


def _signal(c: Case) -> bool:
    following = bool(c.trick) and c.card.suit is c.led is not c.trump
    return following and not c.declaring and c.first and not c.lowest and not _honour(c.card)


def _encourages(c: Case) -> bool:
    partner = int(c.play.leader) == (c.me + 2) % 4
    return _signal(c) and partner and c.trick[0].rank in (Rank.ACE, Rank.KING)


def _discard(c: Case) -> bool:
    out = bool(c.trick) and c.card.suit is not c.led and c.card.suit is not c.trump
    return out and bool(c.higher(c.others))


def _set_up(c: Case) -> bool:
    both = [len(c.of(c.mine)), len(c.of(c.friend))]
    return c.declaring and sum(both) > len(c.of(c.enemy)) and max(both) >= 4


def _draws(c: Case, number: int) -> bool:
    return c.declaring and c.card.suit is c.trump and len(c.of(c.enemy)) == number


def _low(c: Case) -> bool:
    return c.lowest and c.named("other") in c.higher(c.mine)


def _dummy(c: Case) -> list[Card]:
    return c.of(c.hands[2])


def _trumps(c: Case, cards: set[Card]) -> bool:
    return c.trump is not None and bool(c.of(cards, c.trump)) and c.card.suit is not c.trump


def _throws(c: Case) -> bool:
    return bool(c.trick) and c.card.suit not in (c.led, c.trump)


def _keeps_up(c: Case, suit: Suit) -> bool:
    """Whether dummy has as many cards of a suit, of which not all are higher."""
    mine, dummy = c.of(c.mine, suit), c.of(c.hands[2], suit)
    return len(mine) == len(dummy) > 0 and mine[0].column < dummy[-1].column


CLAIMS: Final[dict[str, Callable[[Case], bool]]] = {
    "{card} is the only legal card.": lambda c: c.table.legal == (c.card,),
    "{card} is certain to make the contract.": lambda c: c.declaring and c.decided(),
    "{card} is certain to defeat the contract.": lambda c: not c.declaring and c.decided(),
    # Leads
    "Draws trumps: the last one is still out.": lambda c: _draws(c, 1),
    "Draws trumps: {number} are still out.": lambda c: _draws(c, int(c.fields["number"])),
    "High cards of the shorter hand first: the other hand has more {suit}.": lambda c: (
        not c.higher(c.enemy)
        and len(c.of(c.mine)) < len(c.of(c.friend))
        and not c.higher(c.enemy, c.of(c.friend)[0])
        and _honour(c.card)
        and c.card in c.higher({c.card}, c.of(c.friend)[-1])
    ),
    "The highest card left in {suit}: it wins unless it is ruffed.": lambda c: (
        not c.higher(c.mine | c.friend | c.enemy) and (not c.trick or c.wins)
    ),
    "The highest card left in {suit}: a sure trick.": lambda c: (
        not c.higher(c.mine | c.friend | c.enemy) and c.safe(c.card)
    ),
    "No opponent has a higher card in {suit}: the trick is won unless it is ruffed.": lambda c: (
        not c.higher(c.enemy)
    ),
    "No opponent has a higher card in {suit}: a sure trick.": lambda c: (
        not c.higher(c.enemy) and c.safe(c.card)
    ),
    "Led for a finesse: it can win if {missing} lies in front of {other}.": lambda c: (
        c.higher(c.enemy) == [c.named("missing")]
        and c.named("other") in c.higher(c.friend, c.named("missing"))
        and _worth_a_finesse(c, c.named("missing"))
    ),
    "Led towards {other}, which can win if {missing} lies in front of it.": lambda c: (
        c.higher(c.enemy, c.named("other")) == [c.named("missing")]
        and c.named("other") in c.higher(c.friend)
        and len(c.of(c.friend)) > 1
        and len(c.higher(c.friend, c.named("missing"))) <= 1
        and _worth_a_finesse(c, c.named("missing"))
    ),
    "To drive out {missing}, wherever it is: then {other} is high.": lambda c: (
        c.declaring
        and c.higher(c.enemy, c.of(c.mine | c.friend)[0]) == [c.named("missing")]
        and c.higher(c.enemy, c.named("other")) == [c.named("missing")]
        and c.named("other") in c.mine | c.friend
        and c.named("other") != c.card
        and c.of(c.friend) != [c.named("other")]
        and len(c.driving) >= (2 if c.card in c.driving else 3)
        and any(card in c.friend for card in c.driving)
    ),
    "The other hand has no {suit}, and can ruff.": lambda c: (
        not c.of(c.friend) and _trumps(c, c.friend) and bool(c.higher(c.enemy))
    ),
    "The other hand has one card in {suit}, and can ruff the next round.": lambda c: (
        len(c.of(c.friend)) == 1 and _trumps(c, c.friend) and len(c.of(c.mine)) > 1
    ),
    "Led to {other}, the highest card left, in the other hand.": lambda c: (
        c.named("other") in c.friend and not c.higher(c.enemy | c.mine, c.named("other"))
    ),
    "The top of touching cards in {suit}: if a higher card beats it, the next one moves up.": (
        _sequence
    ),
    "Sets up {suit}: {number} cards in the two hands against {out}, so small ones may win.": (
        lambda c: (
            _set_up(c)
            and int(c.fields["number"]) == len(c.of(c.mine)) + len(c.of(c.friend))
            and int(c.fields["out"]) == len(c.of(c.enemy))
        )
    ),
    "A ruffing finesse: the other hand ruffs if {missing} is played, and may let go of a loser if "
    "not.": lambda c: (
        not c.of(c.friend)
        and _trumps(c, c.friend)
        and c.higher(c.enemy) == [c.named("missing")]
        and any(_honour(one) and one != c.card and c.touching(c.card, one) for one in c.of(c.mine))
    ),
    "The other defender bid {suit}.": _partner_bid,
    "Returns {suit}, which the other defender has led.": _partner_led,
    "The only card in {suit}: the next round can be ruffed.": lambda c: (
        c.of(c.mine) == [c.card] and _trumps(c, c.mine) and len(c.of(c.others | c.friend)) > 1
    ),
    "Takes a trump from dummy, which can then ruff less.": lambda c: (
        not c.declaring and c.card.suit is c.trump and bool(_dummy(c))
    ),
    "The fourth best of the longest suit, {suit}.": lambda c: (
        _longer_than_all(c) and c.first and c.of(c.mine)[3] == c.card
    ),
    "The fourth best of {suit}: no suit here is longer.": lambda c: (
        c.trump is None and _longest(c) and c.first and c.of(c.mine)[3] == c.card
    ),
    "The fourth best of {suit}: no side suit here is longer.": lambda c: (
        c.trump is not None and _longest(c) and c.first and c.of(c.mine)[3] == c.card
    ),
    "Through {other} in dummy: the other defender plays after it.": lambda c: (
        c.me == 1 and not c.trick and c.named("other") in _dummy(c) and _honour(c.named("other"))
    ),
    "Up to dummy, which plays last and has no honour in {suit}.": lambda c: (
        c.me == 3 and not c.trick and bool(_dummy(c)) and not any(map(_honour, _dummy(c)))
    ),
    "The highest of a short suit without an honour.": lambda c: (
        c.of(c.mine)[0] == c.card and not _honour(c.card) and len(c.of(c.mine)) in (2, 3)
    ),
    "From the longest suit, {suit}, where small cards may become winners.": lambda c: (
        _longer_than_all(c)
        and (bool(_dummy(c)) or not _trumps(c, c.hands[2]))
        and not (c.play.voids[0] >> c.card.row & 1 and _trumps(c, c.hands[0]))
    ),
    "From a long suit, {suit}, where small cards may become winners.": lambda c: (
        _longest(c)
        and len(c.of(c.mine)) >= 4
        and (bool(_dummy(c)) or not _trumps(c, c.hands[2]))
        and not (c.play.voids[0] >> c.card.row & 1 and _trumps(c, c.hands[0]))
    ),
    "A low card: it keeps {other} for later.": lambda c: (
        _low(c) and not _honour(c.card) and _honour(c.named("other"))
    ),
    "It keeps {other} for later.": lambda c: _low(c) and _honour(c.named("other")),
    # Following suit
    "Plays last and wins the trick.": _last,
    "Plays last: the lowest card that wins the trick.": _lowest_winner,
    "Overtakes {other}: this hand leads next.": lambda c: (
        c.ours
        and c.best[1] == c.named("other")
        and c.wins
        and c.safe(c.card)
        and {*c.winners} < {*c.legal}
        and any(not c.higher(c.others, one) for one in c.mine if one != c.card)
    ),
    "Wins the trick: no opponent behind can beat it.": lambda c: c.wins and c.safe(c.card),
    "Wins the trick: no card left in {suit} is higher.": lambda c: (
        c.wins and c.safe(c.card) and not c.higher(c.mine | c.friend | c.enemy)
    ),
    "Wins the trick, as {other} would.": lambda c: (
        c.wins and c.named("other") in c.winners and c.safe(c.card) and c.safe(c.named("other"))
    ),
    "Wins the trick, as no opponent behind can beat it, and keeps {other}.": lambda c: (
        c.wins and c.safe(c.card) and c.named("other") in c.higher(c.mine)
    ),
    "No opponent behind has a higher card in {suit}: it wins unless it is ruffed.": lambda c: (
        c.wins and c.safe_in_suit(c.card) and c.trump is not None and c.card.suit is not c.trump
    ),
    "A finesse: it can win if {missing} lies in front of it.": lambda c: (
        _finesse(c, 1)
        and len(c.of(c.enemy)) > len(c.higher(c.mine | c.friend, c.named("missing"))) > 0
    ),
    "Lets {other} run: it can win if {missing} lies in front of it.": lambda c: (
        c.declaring
        and len(c.trick) == 2
        and c.ours
        and not c.wins
        and c.best[1] == c.named("other") == c.trick[0]
        and c.higher(c.enemy, c.trick[0]) == [c.named("missing")]
        and len(c.of(c.enemy)) > len(c.higher(c.mine | c.friend, c.named("missing")))
    ),
    "It can win if {missing} lies in front of it.": lambda c: (
        _finesse(c, 1) and not c.higher(c.mine | c.friend, c.named("missing"))
    ),
    "Wins, or drives out {missing}: then {other} is high.": lambda c: (
        _finesse(c, 1)
        and c.touching(c.card, c.named("other"))
        and not c.higher(c.others - {c.named("missing")}, c.named("other"))
    ),
    "A deep finesse: it can win if {missing} and {other} lie in front of it.": lambda c: _finesse(
        c, 2
    ),
    "Keeps {other} over {held} in dummy.": lambda c: (
        c.named("held") in _dummy(c)
        and c.named("other") in c.higher(c.mine, c.named("held"))
        and c.wins
        and c.card != c.named("other")
    ),
    "Third hand high: it beats the cards so far, and one hand is still to play.": lambda c: (
        not c.declaring
        and len(c.trick) == 2
        and c.wins
        and _honour(c.card)
        and c.touching(c.card, c.of(c.mine)[0])
    ),
    "Covers {other}: an honour on an honour lets lower cards move up.": lambda c: (
        c.trick == (c.named("other"),) and c.wins and _honour(c.card) and _honour(c.trick[0])
    ),
    "One of touching honours: if it is beaten, the other moves up.": lambda c: (
        _honour(c.card)
        and any(_honour(one) and one != c.card and c.touching(c.card, one) for one in c.of(c.mine))
    ),
    "Unblocks: the higher of two cards would stand in the other defender's way.": lambda c: (
        len(c.of(c.mine)) == 2
        and c.of(c.mine)[0] == c.card
        and int(c.play.leader) == (c.me + 2) % 4
        and c.trump is None
        and not c.declaring
        and len(c.mine) > 2
        and len(c.of(c.others | {c.trick[0]})) > 2
        and not c.higher(c.hands[2], c.trick[0])
    ),
    "A high spot card encourages the other defender: {other} is here.": lambda c: (
        _encourages(c) and c.named("other") in c.mine and c.named("other").rank is Rank.QUEEN
    ),
    "High from two cards encourages the other defender: the third round can be ruffed.": lambda c: (
        _encourages(c) and len(c.of(c.mine)) == 2 and _trumps(c, c.mine)
    ),
    "High from an even number of cards: it shows the other defender the count.": lambda c: (
        _signal(c) and len(c.of(c.mine)) % 2 == 0 and int(c.play.leader) % 2 == 0
    ),
    "{other} wins the trick already: a higher card is not needed.": lambda c: (
        _side_has_it(c) and c.safe(c.best[1]) and bool(c.winners)
    ),
    "{other} wins the trick already: a low card will do.": lambda c: (
        _side_has_it(c) and c.safe(c.best[1]) and not c.winners
    ),
    "{other} wins unless it is ruffed: a higher card is not needed.": lambda c: (
        _side_has_it(c) and _only_a_ruff(c) and bool(c.winners)
    ),
    "{other} wins unless it is ruffed: a low card will do.": lambda c: (
        _side_has_it(c) and _only_a_ruff(c) and not c.winners
    ),
    "Second hand low: it keeps {other} for later.": lambda c: (
        len(c.trick) == 1 and _low(c) and bool(c.winners)
    ),
    "Second hand low: it keeps {other}; {card} in the other hand may win.": lambda c: (
        len(c.trick) == 1
        and _low(c)
        and c.declaring
        and c.named("card") in c.friend
        and c.named("card").suit is c.led
        and c.named("card") > c.trick[0]
    ),
    "Second hand low: the other hand plays last.": lambda c: (
        len(c.trick) == 1 and c.lowest and c.declaring and bool(c.winners)
    ),
    "Second hand low: the other defender plays last.": lambda c: (
        len(c.trick) == 1 and c.lowest and not c.declaring and bool(c.winners)
    ),
    "No card here wins the trick: the lowest gives up least.": lambda c: (
        not c.ours and not c.winners and c.card == c.of(c.mine)[-1]
    ),
    "No card here wins the trick, and {card} gives up no more than {other}.": lambda c: (
        not c.ours and not c.winners and c.lowest and c.card != c.of(c.mine)[-1]
    ),
    "Lets this trick go, and keeps {other}.": lambda c: (
        not c.ours and not c.wins and c.named("other") in c.winners
    ),
    "The last hand may beat every card here: the lowest gives up least.": lambda c: (
        len(c.trick) == 2
        and c.card.suit is c.led
        and c.card == c.of(c.mine)[-1]
        and bool(c.higher(c.others, c.of(c.mine)[0]))
        and not (c.ours and not c.higher(c.others, c.best[1]))
    ),
    "It wins only if no higher card follows; else {other} would give up less.": lambda c: (
        c.wins
        and bool(c.higher(c.others, c.card))
        and c.named("other") == c.of(c.mine)[-1]
        and not c.lowest
    ),
    # Out of the suit led
    "Ruffs and wins the trick.": lambda c: _ruffs(c) and c.safe(c.card),
    "Ruffs: only a higher trump can win now.": _ruffs,
    "Overruffs {other} and wins the trick.": lambda c: (
        _ruffs(c) and c.safe(c.card) and c.best[1] == c.named("other") and c.best[1].suit is c.trump
    ),
    "Overruffs {other}: only a higher trump can win now.": lambda c: (
        _ruffs(c) and c.best[1] == c.named("other") and c.best[1].suit is c.trump
    ),
    "Throws the last card in {suit}: the next round can be ruffed.": lambda c: (
        _discard(c) and c.of(c.mine) == [c.card] and _trumps(c, c.mine)
    ),
    "Lets {suit} go, and keeps {other} guarded.": lambda c: (
        bool(c.trick)
        and c.card.suit not in (c.led, c.trump, c.named("other").suit)
        and c.named("other") in c.mine
        and c.lowest
        and bool(c.higher(c.others))
        and not (c.declaring and c.higher(c.friend, c.named("other")))
        and 0 < len(c.higher(c.others, c.named("other"))) < len(c.of(c.mine, c.named("other").suit))
    ),
    "{other} in the other hand is as good against the opponents.": lambda c: (
        c.declaring
        and c.named("other") in c.of(c.friend)
        and not c.higher(c.enemy)
        and not c.higher(c.enemy, c.named("other"))
        and c.card.suit is not c.trump
    ),
    "Keeps {other}, the highest card left of its suit.": lambda c: (
        _throws(c)
        and c.named("other") in c.mine
        and c.named("other").suit is not c.card.suit
        and not c.higher(c.others | c.mine | c.friend, c.named("other"))
        and bool(c.higher(c.others | c.mine | c.friend))
    ),
    "Keeps {other}, which is worth as much.": lambda c: (
        _throws(c)
        and c.named("other") in c.mine - {c.card}
        and c.touching(c.card, c.named("other"))
    ),
    "Keeps as many cards as dummy in the suit of {other}: with fewer, dummy's last one may win.": (
        lambda c: (
            _throws(c)
            and not c.declaring
            and c.named("other") in c.mine
            and c.named("other").suit not in (c.card.suit, c.trump)
            and _keeps_up(c, c.named("other").suit)
        )
    ),
    "Dummy has nothing but higher {suit}.": lambda c: (
        _throws(c)
        and bool(_dummy(c))
        and set(_dummy(c)) == set(c.higher(c.hands[2], c.of(c.mine)[0]))
    ),
    "Keeps {other} for the last trick.": lambda c: c.mine == {c.card, c.named("other")},
    "One of equal cards: {other} is worth as much.": lambda c: (
        c.named("other") in c.mine - {c.card} and c.touching(c.card, c.named("other"))
    ),
    "No honour is at risk in {suit}.": lambda c: (
        not c.trick and not any(map(_honour, c.of(c.mine))) and bool(c.higher(c.others))
    ),
    "No card here beats {other}: the lowest gives up least.": lambda c: (
        c.best[1] == c.named("other") and c.ours and not c.winners and c.lowest
    ),
    "Throws a loser: others hold higher {suit}.": lambda c: _discard(c) and c.lowest,
}
"""By the pattern of a sentence, whether it is true of a card at a table."""

GIVEN_AWAY: Final[dict[str, Callable[[Case], bool]]] = {
    "Spent on a trick that {other} would have won.": lambda c: (
        c.ours
        and c.wins
        and c.best[1] == c.named("other")
        and c.safe(c.best[1])
        and any(not c.beats(card, c.best[1]) or c.beats(c.card, card) for card in c.legal)
    ),
    "Lets a trick go that {other} would have won.": lambda c: (
        len(c.trick) == 3 and not c.ours and not c.wins and c.named("other") in c.winners
    ),
    "Throws away the highest card left in {suit}.": lambda c: (
        _throws(c) and not c.higher(c.others | c.mine) and not (c.declaring and c.higher(c.friend))
    ),
    "Leaves {other} with too few small cards to protect it.": lambda c: (
        _throws(c)
        and c.of(c.mine)[0] == c.named("other") != c.card
        and len(c.of(c.mine)) - 1 == len(c.higher(c.others, c.named("other"))) > 0
    ),
    "Leaves fewer {suit} here than in dummy, whose last one may win.": lambda c: (
        _throws(c)
        and not c.declaring
        and len(c.of(c.mine)) == len(_dummy(c))
        and c.of(c.mine)[0].column < _dummy(c)[-1].column
    ),
    "Declarer and dummy have no {suit}: one hand can ruff while the other throws a loser.": (
        lambda c: (
            not c.declaring
            and not c.trick
            and not _dummy(c)
            and not c.of(c.hands[0])
            and _trumps(c, c.hands[2])
        )
    ),
}
"""The same of what a card gives away."""


def true(table: Table, card: Card, sentence: Sentence) -> bool:
    """Whether a sentence is true of a card; a pattern without a claim is an error."""
    if sentence.text == "{part0} {part1}":
        return all(true(table, card, part) for part in sentence.fields.values())  # type: ignore[arg-type]
    fields = dict(sentence.fields)
    suit = str(fields.get("suit", card.suit.word))
    return (CLAIMS | GIVEN_AWAY)[sentence.text](
        Case(table, card, fields)
    ) and suit == card.suit.word
