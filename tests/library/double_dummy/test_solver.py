"""The two solvers against brute force, against each other and against published results."""

from __future__ import annotations

from random import Random

import pytest

from tests.library.double_dummy.slow_minimax import dealt, minimax, position
from tribridge.cards.cards import FULL_DECK, Deck, Strain, parse_cards
from tribridge.cards.deals import Deal
from tribridge.double_dummy.solver import Solver
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.game import Position
from tribridge.game.tricks import Chair

OWN = DoubleDummy(FULL_DECK, "own")
DDS = DoubleDummy(FULL_DECK, "dds")


def after_random_cards(play: Position, cards: int, random: Random) -> Position:
    for _ in range(cards):
        play = play.apply_unchecked(random.choice(play.legal))
    return play


def ending(number: int, size: int, strain: Strain, random: Random) -> Position:
    """So many cards of each hand of a deal, with up to three of them on the table."""
    hands = []
    for mask in dealt(5, number, FULL_DECK):
        cards = [card for card in range(52) if mask >> card & 1]
        hands.append(sum(1 << card for card in random.sample(cards, size)))
    play = position((hands[0], hands[1], hands[2], hands[3]), strain, Chair(random.randrange(4)))
    return after_random_cards(play, random.randrange(4), random)


@pytest.mark.slow
@pytest.mark.parametrize(
    "deck", [Deck(1, 8), Deck(2, 4), Deck(2, 6), Deck(4, 2), Deck(4, 3)], ids=str
)
def test_small_decks_by_brute_force(deck: Deck) -> None:
    truth = DoubleDummy(deck, "own")
    for number in range(25 if deck.size <= 8 else 10):
        hands = dealt(1, number, deck)
        for strain in deck.strains:
            for leader in Chair:
                expected = minimax(position(hands, strain, leader))
                assert truth.tricks(hands, strain, leader) == expected


@pytest.mark.parametrize("deck", [Deck(2, 6), Deck(4, 3)], ids=str)
def test_every_card_in_mid_play_by_brute_force(deck: Deck) -> None:
    truth = DoubleDummy(deck, "own")
    random = Random(2)
    for number in range(60):
        strain = random.choice(deck.strains)
        play = position(dealt(2, number, deck), strain, Chair.LEFT)
        play = after_random_cards(play, random.randrange(4 * deck.hand_size), random)
        found = truth.cards(play)
        assert found == {card: minimax(play.apply_unchecked(card)) for card in play.legal}


@pytest.mark.full
def test_both_solvers_agree_on_endings_of_a_thousand_deals() -> None:
    random = Random(3)
    different = set()
    for number in range(1000):
        size = 4 + number % 3
        for strain in Strain:
            play = ending(number, size, strain, random)
            own = OWN.ending(play.hands, strain, play.leader, play.trick)
            assert own == DDS.ending(play.hands, strain, play.leader, play.trick), play
            different.add(own)
    assert different == set(range(7))  # from no trick to all six


def test_both_solvers_agree_on_each_card_of_endings() -> None:
    random = Random(4)
    for number in range(400):
        play = ending(10_000 + number, 4 + number % 3, Strain(number % 5), random)
        assert OWN.cards(play) == DDS.cards(play), play


def test_both_solvers_agree_to_the_last_card() -> None:
    random = Random(6)
    for number in range(60):
        play = ending(20_000 + number, 2, Strain(number % 5), random)
        while not play.over:
            assert OWN.cards(play) == DDS.cards(play), play
            play = play.apply_unchecked(random.choice(play.legal))


def test_a_small_table_forgets_but_does_not_err() -> None:
    tiny = Solver(bits=3)
    random = Random(5)
    for number in range(60):
        play = ending(number, 5, Strain(number % 5), random)
        strain = play.contract.bid.strain
        assert tiny.tricks(play.hands, strain, play.leader, play.trick) == OWN.ending(
            play.hands, strain, play.leader, play.trick
        )


# The three examples that come with DDS, with the table of its documentation:
# tricks of N, E, S, W in spades, hearts, diamonds, clubs and no trump.
EXAMPLES = {
    "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3": (
        (5, 8, 5, 8),
        (6, 6, 6, 6),
        (5, 7, 5, 7),
        (7, 5, 7, 5),
        (6, 6, 6, 6),
    ),
    "E:QJT5432.T.6.QJ82 .J97543.K7532.94 87.A62.QJT4.AT75 AK96.KQ8.A98.K63": (
        (4, 9, 4, 9),
        (10, 2, 10, 2),
        (8, 3, 8, 3),
        (6, 7, 6, 7),
        (9, 3, 9, 3),
    ),
    "N:73.QJT.AQ54.T752 QT6.876.KJ9.AQ84 5.A95432.7632.K6 AKJ9842.K.T8.J93": (
        (3, 10, 3, 10),
        (9, 4, 9, 4),
        (8, 4, 8, 4),
        (3, 9, 3, 9),
        (4, 8, 4, 8),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", EXAMPLES)
def test_published_tables(text: str) -> None:
    hands = [hand.mask for hand in Deal(text).hands]
    strains = (Strain.SPADES, Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS, Strain.NOTRUMP)
    for strain, expected in zip(strains, EXAMPLES[text], strict=True):
        found = tuple(DDS.tricks(hands[at:] + hands[:at], strain) for at in range(4))
        assert found == expected


FAMOUS = {
    # The Mississippi heart hand: six solid hearts and all the top cards, and six tricks in hearts.
    "mississippi": (
        ("AKQ.AKQJT9..AKQJ", ".8765432.AKQJT9.", "JT98765...T98765", "432..8765432.432"),
        Strain.HEARTS,
        6,
    ),
    "all of a suit": (
        ("AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432"),
        Strain.SPADES,
        13,
    ),
}


@pytest.mark.parametrize("name", FAMOUS)
@pytest.mark.parametrize("truth", [OWN, DDS], ids=["own", "dds"])
def test_famous_deals(name: str, truth: DoubleDummy) -> None:
    texts, strain, expected = FAMOUS[name]
    assert truth.tricks([parse_cards(text) for text in texts], strain) == expected


ENDINGS = {
    # On the last spade the left defender cannot keep the ace of hearts and two diamonds.
    "squeeze": (("2.K.3.", ".A.KQ.", "..A4.3", "...654"), Strain.NOTRUMP, Chair.DECLARER),
    "finesse": (("..AQ.", "..KJ.", "..32.", "..54."), Strain.NOTRUMP, Chair.DUMMY),
    "throw-in": (("..AQ.2", "..KJ.A", "..32.3", "..54.4"), Strain.NOTRUMP, Chair.DECLARER),
    "ruff": (("2..3.", "..AK.", "3...5", "..Q.6"), Strain.SPADES, Chair.LEFT),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_endings_from_the_textbook(name: str) -> None:
    texts, strain, leader = ENDINGS[name]
    hands = tuple(parse_cards(text).mask for text in texts)
    expected = minimax(position((hands[0], hands[1], hands[2], hands[3]), strain, leader))
    assert OWN.ending(hands, strain, leader) == DDS.ending(hands, strain, leader) == expected
    assert expected == {"squeeze": 3, "finesse": 1, "throw-in": 2, "ruff": 2}[name]
