"""What can be said for a card: sentences, each with the condition under which it is true.

A sentence is a claim about a position as its player knows it, such as "the top of touching cards".
`reason_for` gives the first one that holds, in the order of `LEADS`, `FOLLOWS` and `SHOWS_OUT`, or
None: not every card can be explained. Nobody is addressed, so that players and onlookers, bots and
people read the same words.

"Others" are all hands that the player does not command: for declarer the defenders, for a defender
declarer, dummy and partner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tribridge.cards.cards import Card, card_at
from tribridge.common.sentences import Sentence, Words, joined, words
from tribridge.game.position import NO_TRUMP, Position
from tribridge.game.tricks import Chair, beats
from tribridge.strategies.players.suits import above, equals, low, masters, top

_HONOURS: Final = 0b11111
"""From the ace to the ten."""
_SPOTS: Final = 0b1111111100000
_COURT: Final = 0b1110
"""From the king to the jack."""
_STRENGTH: Final = 0b111
"""From the ace to the queen."""
_ACE_OR_KING: Final = 0b11
_QUEEN: Final = 0b100
_THE: Final = (
    words("the ace"), words("the king"), words("the queen"), words("the jack"), words("the ten"),
    words("the nine"), words("the eight"), words("the seven"), words("the six"), words("the five"),
    words("the four"), words("the three"), words("the two"),
)  # fmt: skip
"""Cards that the player does not see are named by their rank alone, as people do."""
_ENOUGH: Final = 3
"""Touching honours that are worth setting up at the cost of one of them."""
_LENGTH: Final = 4
"""The least length of a suit whose small cards are worth setting up."""


@dataclass(frozen=True)
class Play:
    """A card in a position, and what its player knows about it."""

    s: Position
    card: Card

    @property
    def suit(self) -> int:
        return self.card.row

    @property
    def rank(self) -> int:
        return self.card.column

    @property
    def name(self) -> Sentence:
        """The suit of the card, in words."""
        return Sentence(self.card.suit.word)

    @property
    def place(self) -> int:
        """How many cards lie on the table."""
        return len(self.s.trick)

    @cached_property
    def mine(self) -> int:
        """The hand's cards of the suit."""
        return self.s.row(self.s.mine, self.suit)

    @cached_property
    def friend(self) -> int:
        """For declarer's side, the other hand's cards of the suit."""
        return self.s.row(self.s.friend, self.suit)

    @cached_property
    def trumps(self) -> int:
        """The trumps of the hand."""
        return 0 if self.s.trump == NO_TRUMP else self.s.row(self.s.mine, self.s.trump)

    def others(self, suit: int) -> int:
        """The cards of a suit in hands that the player does not command."""
        return self.s.row(self.s.unseen | (0 if self.s.declaring else self.s.dummy), suit)

    @cached_property
    def higher(self) -> int:
        """The others' cards of the suit that are higher."""
        return above(self.others(self.suit), self.rank)

    @cached_property
    def same(self) -> int:
        """The hand's cards that are equal in play to this one, itself included."""
        equal: int = equals(self.rank, self.s.row(between(self.s), self.suit))
        return self.mine & equal

    @cached_property
    def lowest(self) -> bool:
        """Whether no card of the suit in the hand is lower in play."""
        return bool(self.same >> low(self.mine) & 1)

    @property
    def begun(self) -> bool:
        """Whether the hand has played a card of the suit before."""
        plays = self.s.plays()
        return any(card.row == self.suit for chair, card in plays if chair == self.s.chair)

    @cached_property
    def best(self) -> tuple[int, Card]:
        return self.s.best()

    @cached_property
    def ours(self) -> bool:
        """Whether the player's side is winning the trick so far."""
        return self.best[0] & 1 == self.s.chair & 1

    @cached_property
    def wins(self) -> bool:
        """Whether the card beats those on the table."""
        return self._beats(self.card)

    def _beats(self, card: Card) -> bool:
        return beats(card.index, self.best[1].index, self.s.trump)

    @cached_property
    def winners(self) -> list[Card]:
        """The legal cards that beat those on the table."""
        return [card for card in self.s.legal if self._beats(card)]

    @cached_property
    def cashes(self) -> bool:
        """Whether the hand has another card that is the highest left in its suit."""
        rest = self.s.mine & ~self.card.bit
        rows = ((self.s.row(rest, suit), self.others(suit)) for suit in range(4))
        return any(masters(row, others) for row, others in rows)

    @cached_property
    def behind(self) -> list[int]:
        """The opponents who have yet to play to the trick."""
        chairs = [self.s.chair + at & 3 for at in range(1, 4 - self.place)]
        return [chair for chair in chairs if chair & 1 != self.s.chair & 1]

    def may_beat(self, card: Card) -> bool:
        """Whether an opponent behind may hold a higher card of the same suit, which must be led."""
        return any(self.held(chair, card.row, card.column) for chair in self.behind)

    def may_ruff(self, suit: int) -> bool:
        """Whether an opponent behind may ruff the suit led."""
        trump = self.s.trump
        if trump in (NO_TRUMP, suit):
            return False
        for chair in self.behind:
            sees_dummy = chair == Chair.DUMMY and not self.s.declaring
            follows = sees_dummy and self.s.row(self.s.dummy, suit)
            if not follows and self.held(chair, trump, 13):
                return True
        return False

    @property
    def ruffed_by_declarer(self) -> bool:
        """Whether a defender knows of declarer's side that it can ruff the suit."""
        s = self.s
        if s.trump in (NO_TRUMP, self.suit):
            return False
        if s.row(s.dummy, s.trump) and not s.row(s.dummy, self.suit):
            return True
        shown_out = s.voids[Chair.DECLARER] >> self.suit & 1
        return bool(shown_out and self.held(Chair.DECLARER, s.trump, 13))

    def held(self, chair: int, suit: int, rank: int) -> bool:
        """Whether a chair out of the player's command may hold a card of a suit above a rank."""
        if chair == Chair.DUMMY and not self.s.declaring:
            return bool(above(self.s.row(self.s.dummy, suit), rank))
        if self.s.voids[chair] >> suit & 1:
            return False
        return bool(above(self.s.row(self.s.unseen, suit), rank))

    def at(self, rank: int) -> Card:
        """A card of the same suit."""
        return card_at(self.suit, rank)


Reason = Callable[[Play], Words | None]


def between(s: Position) -> int:
    """The cards that tell two cards of a hand apart when they lie between them."""
    cards = s.hidden
    for chair, hand in enumerate(s.hands):
        if chair != s.chair:
            cards |= hand
    for card in s.trick:
        cards |= card.bit
    return cards


def groups(s: Position) -> list[list[Card]]:
    """The legal cards, those that are equal in play together, from the highest to the lowest."""
    others, together = between(s), list[list[Card]]()
    for card in s.legal:
        if together and equals(together[-1][0].index, others) & card.bit:
            together[-1].append(card)
        else:
            together.append([card])
    return together


def reason_for(position: Position, card: Card, beside: Card | None = None) -> Words | None:
    """What can be said for a legal card; None if it is nothing that is true.

    With `beside`, only what cannot be said for that other card as well.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table(seed=1, auction="1NT pass pass")
        >>> seen = tb.view(table, table.turn)
        >>> reason_for(seen.position, tb.Card("H6"))
        'The fourth best of the longest suit, hearts.'
    """
    shared = (
        set() if beside is None else {said.sentence.text for said in _reasons(position, beside)}
    )
    said_for = _reasons(position, card)
    return next((said for said in said_for if said.sentence.text not in shared), None)


def _reasons(position: Position, card: Card) -> Iterator[Words]:
    """All that can be said for a legal card, the most telling first."""
    play = Play(position, card)
    if not position.trick:
        listed = LEADS
    elif card.row == position.trick[0].row:
        listed = FOLLOWS
    else:
        listed = SHOWS_OUT
    return (said for reason in listed if (said := reason(play)))


def certain(position: Position, card: Card) -> Words:
    """What can be said for a card that decides the contract (`players.sure`), and that it does."""
    if position.declaring:
        sure = words("{card} is certain to make the contract.", card=card)
    else:
        sure = words("{card} is certain to defeat the contract.", card=card)
    said = reason_for(position, card)
    return joined(" ", (said, sure)) if said else sure


def gives_away(position: Position, card: Card) -> Words | None:
    """What a card gives away for certain; None if there is nothing to say.

    Examples:
        >>> import tribridge as tb
        >>> hands = "N:862.AKQJ84.J86.3 AKQ975.T2.94.764 T43.6.AKQ73.AT92 J.9753.T52.KQJ85"
        >>> table = tb.new_table(hands, dealer="S", auction="1H 1S pass pass")
        >>> for card in "HT H3 H6 H4 H2 H5 DK".split():
        ...     table = table.play(card)
        >>> print(gives_away(tb.view(table, table.turn).position, tb.Card("HA")))
        Spent on a trick that ♥5 would have won.
    """
    play = Play(position, card)
    listed = GIVES_AWAY if position.trick else LED_AWAY
    return next((said for reason in listed if (said := reason(play))), None)


# Leads


def _draws_trumps(p: Play) -> Words | None:
    out = p.others(p.suit).bit_count()
    if p.suit != p.s.trump or not p.s.declaring or not out:
        return None
    if out == 1:
        return words("Draws trumps: the last one is still out.")
    return words("Draws trumps: {number} are still out.", number=out)


def _unblocks_lead(p: Play) -> Words | None:
    out = p.others(p.suit)
    short = p.mine.bit_count() < p.friend.bit_count()
    if p.higher or not short or not masters(p.friend, out) or p.suit == p.s.trump:
        return None
    if not 1 << p.rank & _HONOURS or p.rank > low(p.friend):
        return None  # it is in nobody's way
    return words(
        "High cards of the shorter hand first: the other hand has more {suit}.", suit=p.name
    )


def _highest(p: Play) -> Words | None:
    if p.higher:
        return None
    if p.may_ruff(p.suit):
        return words("The highest card left in {suit}: it wins unless it is ruffed.", suit=p.name)
    return words("The highest card left in {suit}: a sure trick.", suit=p.name)


def _drives_out(p: Play) -> Words | None:
    """From touching honours in both hands, or towards three, under the one card that beats them."""
    out, held = p.others(p.suit), p.mine | p.friend
    best = top(held)
    missing = above(out, best)
    honours = held & equals(best, out) & _HONOURS
    if not p.s.declaring or missing.bit_count() != 1 or not honours & p.friend:
        return None
    led = 1 << p.rank & honours
    if not led and honours.bit_count() < _ENOUGH:
        return None
    bare = p.friend if p.friend.bit_count() == 1 else 0
    spent = led | bare if led else 1 << low(honours & p.friend)
    if not (left := honours & ~spent):
        return None
    return words(
        "To drive out {missing}, wherever it is: then {other} is high.",
        missing=_THE[top(missing)],
        other=p.at(top(left)),
    )


def _towards(p: Play) -> Words | None:
    """Towards an honour opposite that only one card beats, which may lie in front of it."""
    if p.s.voids[p.s.chair + 1 & 3] >> p.suit & 1:
        return None
    out = p.others(p.suit)
    for rank in range(5):
        missing = above(out, rank)
        guarded = p.friend >> rank & 1 and p.friend.bit_count() > 1  # a bare one must be played
        if guarded and p.rank > rank and missing.bit_count() == 1:
            return words(
                "Led towards {other}, which can win if {missing} lies in front of it.",
                other=p.at(rank),
                missing=_THE[top(missing)],
            )
    return None


def _runs(p: Play) -> Words | None:
    """An honour led to be run, if the one card that beats it lies in front of a higher one."""
    missing = p.higher
    if not p.s.declaring or missing.bit_count() != 1 or not 1 << p.rank & _HONOURS:
        return None
    winner = above(p.friend, top(missing))
    if not winner or p.s.voids[p.s.chair + 1 & 3] >> p.suit & 1:
        return None
    return words(
        "Led for a finesse: it can win if {missing} lies in front of {other}.",
        missing=_THE[top(missing)],
        other=p.at(low(winner)),
    )


def _for_a_ruff(p: Play) -> Words | None:
    s = p.s
    if not s.declaring or s.trump in (NO_TRUMP, p.suit) or not s.row(s.friend, s.trump):
        return None
    if not p.friend and p.higher:
        touching = p.same & _HONOURS & ~(1 << p.rank) and 1 << p.rank & _HONOURS
        seen_out = s.voids[s.chair + 1 & 3] >> p.suit & 1
        if touching and p.higher.bit_count() == 1 and not seen_out:
            return words(
                "A ruffing finesse: the other hand ruffs if {missing} is played, and may let go "
                "of a loser if not.",
                missing=_THE[top(p.higher)],
            )
        return words("The other hand has no {suit}, and can ruff.", suit=p.name)
    if p.friend.bit_count() == 1 and p.mine.bit_count() > 1:
        return words(
            "The other hand has one card in {suit}, and can ruff the next round.", suit=p.name
        )
    return None


def _to_a_winner(p: Play) -> Words | None:
    winner = masters(p.friend, p.others(p.suit) | p.mine)
    if not winner:
        return None
    return words(
        "Led to {other}, the highest card left, in the other hand.", other=p.at(top(winner))
    )


def _sequence(p: Play) -> Words | None:
    touching = p.same & p.same - 1  # without the highest
    if not (touching and p.same & -p.same == 1 << p.rank and 1 << p.rank & _HONOURS and p.higher):
        return None
    return words(
        "The top of touching cards in {suit}: if a higher card beats it, the next one moves up.",
        suit=p.name,
    )


def _more_than_the_others(p: Play) -> Words | None:
    count = (p.mine | p.friend).bit_count()
    if not p.s.declaring or p.suit == p.s.trump or count <= p.others(p.suit).bit_count():
        return None
    longest = max(p.mine.bit_count(), p.friend.bit_count())
    if longest < _LENGTH:
        return None
    return words(
        "Sets up {suit}: {number} cards in the two hands against {out}, so small ones may win.",
        suit=p.name,
        number=count,
        out=p.others(p.suit).bit_count(),
    )


def _partner_bid(p: Play) -> Words | None:
    if p.s.declaring or p.suit not in p.s.bids:
        return None
    return words("Partner bid {suit}.", suit=p.name)


def _partner_led(p: Play) -> Words | None:
    led = [trick for trick in p.s.tricks if trick.leader == p.s.partner]
    if p.s.declaring or not any(trick.cards[0].row == p.suit for trick in led):
        return None
    return words("Returns {suit}, which partner has led.", suit=p.name)


def _singleton(p: Play) -> Words | None:
    if p.mine.bit_count() > 1 or p.suit == p.s.trump or not p.trumps:
        return None
    return words("The only card in {suit}: the next round can be ruffed.", suit=p.name)


def _trump_from_dummy(p: Play) -> Words | None:
    if p.s.declaring or p.suit != p.s.trump or not p.s.row(p.s.dummy, p.suit):
        return None
    return words("Takes a trump from dummy, which can then ruff less.")


def _fourth_best(p: Play) -> Words | None:
    s, count = p.s, p.mine.bit_count()
    lengths = [s.row(s.mine, suit).bit_count() for suit in range(4) if suit != s.trump]
    fourth = above(p.mine, p.rank).bit_count() == _LENGTH - 1
    if s.declaring or p.suit == s.trump or count < max(lengths) or not fourth or p.begun:
        return None
    return words("The fourth best of the longest suit, {suit}.", suit=p.name)


def _through_dummy(p: Play) -> Words | None:
    honours = p.s.row(p.s.dummy, p.suit) & _STRENGTH
    if p.s.chair != Chair.LEFT or not honours or p.suit == p.s.trump:
        return None
    return words("Through {other} in dummy: partner plays after it.", other=p.at(top(honours)))


def _up_to_dummy(p: Play) -> Words | None:
    dummy = p.s.row(p.s.dummy, p.suit)
    if p.s.chair != Chair.RIGHT or not dummy or dummy & _HONOURS or p.suit == p.s.trump:
        return None
    return words("Up to dummy, which plays last and has no honour in {suit}.", suit=p.name)


def _top_of_nothing(p: Play) -> Words | None:
    weak = not p.mine & _HONOURS and 2 <= p.mine.bit_count() < _LENGTH
    if p.s.declaring or p.suit == p.s.trump or not weak or top(p.mine) != p.rank:
        return None
    return words("The highest of a short suit without an honour.")


def _longest(p: Play) -> Words | None:
    s, count = p.s, p.mine.bit_count()
    lengths = [s.row(s.mine, suit).bit_count() for suit in range(4) if suit != s.trump]
    if s.declaring or p.suit == s.trump or count < max(_LENGTH, *lengths):
        return None
    if p.ruffed_by_declarer:
        return None
    return words(
        "From the longest suit, {suit}, where small cards may become winners.", suit=p.name
    )


def _keeps(p: Play) -> Words | None:
    honours = above(p.mine & ~p.same, p.rank) & _HONOURS
    if not (p.lowest and honours):
        return None
    return words("A low card: it keeps {other} for later.", other=p.at(top(honours)))


# Following suit


def _last(p: Play) -> Words | None:
    if p.place < 3 or not p.wins or p.ours:
        return None
    if any(card.column > p.rank for card in p.winners):
        return words("Plays last and wins the trick.")
    return words("Plays last: the lowest card that wins the trick.")


def _overtakes(p: Play) -> Words | None:
    best = p.best[1]
    sure = not (p.may_beat(p.card) or p.may_beat(best) or p.may_ruff(p.suit))
    if not (p.wins and p.ours and sure) or best.row != p.suit:
        return None
    if len(p.winners) == len(p.s.legal) or not p.cashes:
        return None  # it cannot be helped, or there is nothing to lead it for
    return words("Overtakes {other}: this hand leads next.", other=best)


def _wins_now(p: Play) -> Words | None:
    if not p.wins or (p.ours and not p.may_beat(p.best[1])) or p.may_beat(p.card):
        return None
    if p.may_ruff(p.suit):
        return words(
            "No opponent behind has a higher card in {suit}: it wins unless it is ruffed.",
            suit=p.name,
        )
    if p.behind:
        enough = [c for c in p.winners if c.column > p.rank and not p.may_beat(c)]
        if enough and not p.same >> enough[-1].column & 1:
            return words("Wins the trick, as {other} would.", other=enough[-1])
        if higher := above(p.mine & ~p.same, p.rank):
            return words(
                "Wins the trick, as no opponent behind can beat it, and keeps {other}.",
                other=p.at(low(higher)),
            )
    return words("Wins the trick: no opponent behind can beat it.")


def _finesses(p: Play) -> Words | None:
    """A card of declarer's in third hand that the hand before may beat, but did not."""
    s = p.s
    if not (s.declaring and p.place == 2 and p.wins and s.trick[1].row == p.suit):
        return None
    missing = above(s.row(s.unseen, p.suit), p.rank)
    if missing.bit_count() == 1:
        name, others = _THE[top(missing)], p.same & ~(1 << p.rank)
        if above(p.mine | p.friend, top(missing)):
            return words("A finesse: it can win if {missing} lies in front of it.", missing=name)
        if others and 1 << p.rank & _HONOURS:
            return words(
                "Wins, or drives out {missing}: then {other} is high.",
                missing=name,
                other=p.at(top(others)),
            )
        return words("It can win if {missing} lies in front of it.", missing=name)
    if missing.bit_count() == 2 and 1 << p.rank & _HONOURS and above(p.mine, low(missing)):
        return words(
            "A deep finesse: it can win if {missing} and {other} lie in front of it.",
            missing=_THE[top(missing)],
            other=_THE[low(missing)],
        )
    return None


def _over_dummy(p: Play) -> Words | None:
    """A card that keeps a higher one over an honour of dummy's, which has played."""
    honours = p.s.row(p.s.dummy, p.suit) & _HONOURS
    if p.s.chair != Chair.RIGHT or p.place != 2 or not p.wins or not honours:
        return None
    higher = above(p.mine, top(honours))
    if not higher or p.rank < top(honours):
        return None
    return words(
        "Keeps {other} over {held} in dummy.", other=p.at(low(higher)), held=p.at(top(honours))
    )


def _third_high(p: Play) -> Words | None:
    """A defender's maxim: declarer sees both hands and plays high only for a purpose."""
    top_of_all = p.same & (p.mine & -p.mine)
    if (
        p.s.declaring
        or p.place != 2
        or not p.wins
        or not top_of_all
        or p.lowest
        or not 1 << p.rank & _HONOURS
    ):
        return None
    return words("Third hand high: it beats the cards so far, and one hand is still to play.")


def _covers(p: Play) -> Words | None:
    led = p.s.trick[0]
    honours = 1 << led.column & _HONOURS and 1 << p.rank & _HONOURS
    if p.place != 1 or not p.wins or not honours:
        return None
    return words("Covers {other}: an honour on an honour lets lower cards move up.", other=led)


def _splits(p: Play) -> Words | None:
    if p.place != 1 or not p.wins or not 1 << p.rank & p.same & _HONOURS:
        return None
    if not p.same & _HONOURS & ~(1 << p.rank):
        return None
    return words("One of touching honours: if it is beaten, the other moves up.")


def _unblocks(p: Play) -> Words | None:
    """The honour of two cards on partner's honour, at notrump."""
    s, led = p.s, p.s.trick[0].column
    honours = 1 << led & _HONOURS and 1 << p.rank & _HONOURS
    if s.declaring or s.trump != NO_TRUMP or s.leader != s.partner or p.place != 2:
        return None
    if not honours or p.mine.bit_count() != 2 or p.rank != top(p.mine) or p.lowest:
        return None
    return words("Unblocks: the higher of two cards does not stand in the way of partner's suit.")


def _signals(p: Play) -> Words | None:
    """A defender's first spot card of a suit, where the convention says more than the lowest."""
    s, spots = p.s, p.mine & _SPOTS
    if s.declaring or p.lowest or p.suit == s.trump or p.begun or (p.place > 1 and p.wins):
        return None
    if s.leader == s.partner:
        if p.rank != top(spots) or not 1 << s.trick[0].column & _ACE_OR_KING:
            return None
        if p.mine & _QUEEN:
            return words("A high spot card encourages partner: {other} is here.", other=p.at(2))
        if p.mine.bit_count() == 2 and p.trumps:
            return words("High from two cards encourages partner: the third round can be ruffed.")
        return None
    count = p.mine.bit_count()
    shows = spots if count == 2 else spots & spots - 1  # the second highest of four or six
    if count % 2 or not shows or p.rank != top(shows):
        return None
    return words("High from an even number of cards: it shows partner the count.")


def _side_wins(p: Play) -> Words | None:
    best, led = p.best[1], p.s.trick[0].row
    beaten = best.row == led and p.may_beat(best)
    if not (p.ours and not p.wins and p.lowest and not beaten):
        return None
    if best.row == p.s.trump != led and p.behind:
        return None  # it may be overruffed
    if best.row != p.s.trump and p.may_ruff(led):
        return words("{other} wins unless it is ruffed: a higher card is not needed.", other=best)
    return words("{other} wins the trick already: a higher card is not needed.", other=best)


def _second_low(p: Play) -> Words | None:
    if p.place != 1 or not p.winners or not p.lowest or (p.wins and p.same == p.mine):
        return None  # with no card that wins, any hand plays low
    if honours := above(p.mine & ~p.same, p.rank) & _HONOURS:
        kept, honour = p.at(top(honours)), top(p.friend & _HONOURS) if p.friend & _HONOURS else 13
        if p.s.declaring and honour < p.best[1].column:
            return words(
                "Second hand low: it keeps {other}; {card} in the other hand may win.",
                other=kept,
                card=p.at(honour),
            )
        return words("Second hand low: it keeps {other} for later.", other=kept)
    if p.s.declaring:
        return words("Second hand low: the other hand plays last.")
    return words("Second hand low: partner plays last.")


def _cannot_win(p: Play) -> Words | None:
    if p.ours or p.winners or not p.lowest:
        return None
    if p.rank != low(p.mine):
        return words(
            "No card here wins the trick, and {card} gives up no more than {other}.",
            card=p.card,
            other=p.at(low(p.mine)),
        )
    return words("No card here wins the trick: the lowest gives up least.")


def _lets_go(p: Play) -> Words | None:
    if p.ours or p.wins or not p.winners or not p.lowest:
        return None
    return words("Lets this trick go, and keeps {other}.", other=p.winners[0])


def _may_be_beaten(p: Play) -> Words | None:
    if p.place != 2 or p.rank != low(p.mine) or not p.may_beat(p.at(top(p.mine))):
        return None
    if p.ours and not p.may_beat(p.best[1]):
        return None
    return words("The last hand may beat every card here: the lowest gives up least.")


def _beats_so_far(p: Play) -> Words | None:
    if not p.wins or p.lowest or not p.behind or (p.ours and not p.may_beat(p.best[1])):
        return None
    return words(
        "It wins only if no higher card follows; else {other} would give up less.",
        other=p.at(low(p.mine)),
    )


# Out of the suit led


def _ruffs(p: Play) -> Words | None:
    if p.suit != p.s.trump or not p.wins:
        return None
    best = p.best[1]
    if p.ours and (best.row == p.suit or not p.may_beat(best)):
        return None
    over = best.row == p.suit
    if any(p.held(chair, p.suit, p.rank) for chair in p.behind):
        if over:
            return words("Overruffs {other}: only a higher trump can win now.", other=best)
        return words("Ruffs: only a higher trump can win now.")
    return (
        words("Overruffs {other} and wins the trick.", other=best)
        if over
        else words("Ruffs and wins the trick.")
    )


def _throws_the_last(p: Play) -> Words | None:
    if p.suit == p.s.trump or p.mine.bit_count() > 1 or not p.trumps or not p.higher:
        return None
    return words("Throws the last card in {suit}: the next round can be ruffed.", suit=p.name)


def _guards(p: Play) -> Words | None:
    """An honour in another suit with just enough cards beside it to survive the higher ones."""
    if p.suit == p.s.trump or not p.higher or not p.lowest:
        return None
    for suit in range(4):
        mine, others = p.s.row(p.s.mine, suit), p.others(suit)
        if suit in (p.suit, p.s.trump) or not mine & _COURT:
            continue
        honour = top(mine)
        if above(p.s.row(p.s.friend, suit), honour):
            continue  # the other hand guards the suit
        if 0 < above(others, honour).bit_count() == mine.bit_count() - 1:
            return words(
                "Lets {suit} go, and keeps {other} guarded.",
                suit=p.name,
                other=card_at(suit, honour),
            )
    return None


def _throws_a_loser(p: Play) -> Words | None:
    if p.suit == p.s.trump or not p.higher or not p.lowest:
        return None
    return words("Throws a loser: others hold higher {suit}.", suit=p.name)


# What is given away


def _beats_its_own_side(p: Play) -> Words | None:
    best, led = p.best[1], p.s.trick[0].row
    if not (p.ours and p.wins) or p.may_beat(best) or p.may_ruff(led) or best.row != led:
        return None
    needless = not p.lowest if p.suit == led else any(c.row != p.suit for c in p.s.legal)
    if not needless:
        return None
    return words("Spent on a trick that {other} would have won.", other=best)


def _lets_a_trick_go(p: Play) -> Words | None:
    if p.place < 3 or p.ours or p.wins or not p.winners:
        return None
    return words("Lets a trick go that {other} would have won.", other=p.winners[-1])


def _throws_a_winner(p: Play) -> Words | None:
    if p.suit in (p.s.trick[0].row, p.s.trump) or p.higher:
        return None
    if above(p.mine | p.friend, p.rank):
        return None
    return words("Throws away the highest card left in {suit}.", suit=p.name)


def _unguards(p: Play) -> Words | None:
    """A discard that leaves an honour with fewer cards beside it than there are higher ones."""
    if p.suit in (p.s.trick[0].row, p.s.trump) or not p.mine & _COURT:
        return None
    honour = top(p.mine)
    higher = above(p.others(p.suit), honour).bit_count()
    if p.rank == honour or not 0 < higher == p.mine.bit_count() - 1:
        return None
    return words("Leaves {other} with too few small cards to protect it.", other=p.at(honour))


def _shortens(p: Play) -> Words | None:
    """A defender's discard from a suit of which the hand has no more than dummy."""
    if p.s.declaring or p.suit in (p.s.trick[0].row, p.s.trump):
        return None
    dummy = p.s.row(p.s.dummy, p.suit)
    if dummy.bit_count() != p.mine.bit_count() or not above(p.mine, low(dummy)):
        return None
    return words("Leaves fewer {suit} here than in dummy, whose last one may win.", suit=p.name)


def _ruff_and_discard(p: Play) -> Words | None:
    """A defender's lead of a suit that declarer and dummy no longer have."""
    s = p.s
    if s.declaring or s.trump in (NO_TRUMP, p.suit) or s.row(s.dummy, p.suit):
        return None
    if not s.voids[Chair.DECLARER] >> p.suit & 1 or not s.row(s.dummy, s.trump):
        return None
    if s.voids[Chair.DECLARER] >> s.trump & 1:
        return None
    return words(
        "Declarer and dummy have no {suit}: one hand can ruff while the other throws a loser.",
        suit=p.name,
    )


GIVES_AWAY: Final[tuple[Reason, ...]] = (
    _beats_its_own_side, _lets_a_trick_go, _throws_a_winner, _unguards, _shortens,
)  # fmt: skip
"""What a card of second, third or fourth hand gives away, all of it seen by its player."""
LED_AWAY: Final[tuple[Reason, ...]] = (_ruff_and_discard,)
"""The same of a card that is led."""
LEADS: Final[tuple[Reason, ...]] = (
    _draws_trumps, _unblocks_lead, _highest, _partner_bid, _partner_led, _runs, _drives_out,
    _towards, _for_a_ruff, _to_a_winner, _singleton, _sequence, _trump_from_dummy, _fourth_best,
    _more_than_the_others, _through_dummy, _up_to_dummy, _top_of_nothing, _longest, _keeps,
)  # fmt: skip
FOLLOWS: Final[tuple[Reason, ...]] = (
    _last, _overtakes, _unblocks, _wins_now, _finesses, _over_dummy, _covers, _splits, _third_high,
    _signals, _side_wins, _second_low, _cannot_win, _lets_go, _keeps, _may_be_beaten,
    _beats_so_far,
)  # fmt: skip
SHOWS_OUT: Final[tuple[Reason, ...]] = (
    _ruffs, _throws_the_last, _guards, _throws_a_loser, _keeps,
)  # fmt: skip
"""What may be said, the most telling first."""
