"""Games in lockstep are the game: the same cards allowed, the same tricks, the same view."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.cards import FULL_DECK, Card, Deck, Strain  # noqa: E402
from tribridge.dealer import deal  # noqa: E402
from tribridge.deals import Seat  # noqa: E402
from tribridge.game.auction import PASS, Bid  # noqa: E402
from tribridge.game.table import Table, new_table  # noqa: E402
from tribridge.game.tricks import chair_hands  # noqa: E402
from tribridge.game.views import view  # noqa: E402
from tribridge.learning.play_games import (  # noqa: E402
    Contracts,
    PlayGames,
    expand,
    set_auction,
)
from tribridge.strategies.players.learned.observation import features, observe  # noqa: E402


def set_tables(deck: Deck, count: int, random: Random) -> tuple[list[Table], Contracts]:
    """Tables at the opening lead and the same games in lockstep; the dealer declares."""
    tables, hands, levels, strains = [], [], [], []
    for number in range(count):
        dealt = deal(5, number, deck)
        declarer = Seat(number % 3)
        bid = Bid(random.randint(1, deck.levels), random.choice(deck.strains))
        table = new_table(dealt, declarer)
        for call in (bid, PASS, PASS):
            table = table.apply(call)
        tables.append(table)
        hands.append(chair_hands(dealt, declarer))
        levels.append(bid.level)
        strains.append(int(bid.strain))
    level, strain = torch.tensor(levels), torch.tensor(strains)
    bids, passes = set_auction(level, strain)
    none = torch.zeros_like(level)
    return tables, Contracts(torch.tensor(hands), level, strain, none, bids, passes)


@pytest.mark.parametrize("deck", [FULL_DECK, Deck(4, 3), Deck(3, 4), Deck(2, 6)], ids=str)
def test_random_games_agree_with_the_table_card_by_card(deck: Deck) -> None:
    random = Random(1)
    tables, contracts = set_tables(deck, 30, random)
    games = PlayGames(contracts, deck.hand_size)
    while not games.over:
        masks, numbers = games.observe()
        suits, table_features = expand(masks, numbers, torch.float32)
        legal = games.legal().tolist()
        cards = []
        for at, table in enumerate(tables):
            seen = view(table, table.turn)
            observation = observe(seen)
            assert tuple(masks[at].tolist()) == observation.masks
            assert tuple(numbers[at].tolist()) == tuple(observation.numbers)
            own, common = features(observation)
            assert np.array_equal(suits[at].numpy(), own)
            assert np.array_equal(table_features[at].numpy(), common)
            assert sum(1 << card for card in seen.legal if isinstance(card, Card)) == legal[at]
            card = random.choice(seen.legal)
            assert isinstance(card, Card)
            cards.append(int(card))
            tables[at] = table.apply(card)
        games.step(torch.tensor(cards))
    outcomes = [table.outcome for table in tables]
    assert games.won.tolist() == [outcome.tricks for outcome in outcomes if outcome is not None]
    assert not games.hands.any()


def test_the_last_trick_plays_itself() -> None:
    random = Random(2)
    deck = Deck(4, 3)
    _, contracts = set_tables(deck, 20, random)
    games = PlayGames(contracts, deck.hand_size)
    while games.cards < 4 * (deck.hand_size - 1):
        games.step(torch.tensor([random.choice(cards_in(mask)) for mask in games.legal().tolist()]))
    won = games.won.clone()
    gained = games.finish()
    assert games.over
    assert torch.equal(won + gained, games.won)


def cards_in(mask: int) -> list[int]:
    return [card for card in range(52) if mask >> card & 1]


def test_an_observation_does_not_change_with_hidden_cards() -> None:
    """The two unseen hands exchanged: what the chair to play sees stays the same."""
    _, contracts = set_tables(FULL_DECK, 30, Random(3))
    hands = contracts.hands
    exchanged = hands[:, [3, 1, 2, 0]]  # left leads: declarer and right are hidden
    other = Contracts(
        exchanged, contracts.level, contracts.strain, contracts.doubled, contracts.bids,
        contracts.passes,
    )  # fmt: skip
    for one, two in zip(PlayGames(contracts).observe(), PlayGames(other).observe(), strict=True):
        assert torch.equal(one, two)
    assert not torch.equal(PlayGames(contracts).others(), PlayGames(other).others())


def test_strain_numbers_are_those_of_the_package() -> None:
    from tribridge.learning.play_games import NOTRUMP

    assert int(Strain.NOTRUMP) == NOTRUMP
