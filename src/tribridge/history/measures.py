"""What is measured in one deal: tricks and points against what could be expected.

All tricks are those of the player's own side, so more is always better. Two expectations are used:
the forecast at the time of the contract, from declarer's thirteen cards (`forecast`), and double
dummy, what was possible with best play by everyone on the actual hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribridge.cards import FULL_DECK
from tribridge.double_dummy.solving import DoubleDummy
from tribridge.forecast.distribution import Distribution
from tribridge.forecast.kinds import forecast_many
from tribridge.game.tricks import chair_hands
from tribridge.history.played import PlayedDeal


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A deal with its measures; those that do not apply are None."""

    deal: PlayedDeal
    tricks: int | None
    """Tricks won by the player's side; None if the deal was passed out."""
    expected: float | None
    """The same as declarer's hand made one expect it at the time of the contract."""
    possible: int | None
    """The same with best play by everyone, all cards visible."""
    chance: float | None
    """The chance of making the contract by the same forecast; None if the player defended."""

    @property
    def made(self) -> bool | None:
        """Whether the player made the contract they declared; None if they did not declare."""
        contract = self.deal.contract
        if contract is None or not self.deal.declaring:
            return None
        return self.deal.outcome.tricks >= contract.tricks_needed(self.deal.record.deal.deck)

    @property
    def over_expected(self) -> float | None:
        return None if self.tricks is None or self.expected is None else self.tricks - self.expected

    @property
    def over_possible(self) -> float | None:
        return None if self.tricks is None or self.possible is None else self.tricks - self.possible

    @property
    def net(self) -> float | None:
        """Settlement points of the deal."""
        return None if self.deal.net is None else float(self.deal.net)


def measure(deals: Sequence[PlayedDeal]) -> list[Measured]:
    """Measure deals, in their order."""
    forecasts = _forecasts(deals)
    return [_measured(deal, forecasts.get(at)) for at, deal in enumerate(deals)]


def _measured(deal: PlayedDeal, forecast: Distribution | None) -> Measured:
    contract, deck = deal.contract, deal.record.deal.deck
    if contract is None:
        return Measured(deal=deal, tricks=None, expected=None, possible=None, chance=None)
    hands = chair_hands(deal.record.deal, contract.declarer)
    best = DoubleDummy(deck).tricks(hands, contract.bid.strain)
    mean = None if forecast is None else forecast.mean
    if deal.declaring:
        chance = None if forecast is None else forecast.at_least(contract.tricks_needed(deck))
        return Measured(
            deal=deal, tricks=deal.outcome.tricks, expected=mean, possible=best, chance=chance
        )
    size = deck.hand_size
    return Measured(
        deal=deal,
        tricks=size - deal.outcome.tricks,
        expected=None if mean is None else size - mean,
        possible=size - best,
        chance=None,
    )


def _forecasts(deals: Sequence[PlayedDeal]) -> dict[int, Distribution]:
    """Declarer's tricks as their thirteen cards forecast them, by the index of the deal."""
    contracts = {
        at: deal.contract
        for at, deal in enumerate(deals)
        if deal.contract is not None and deal.record.deal.deck == FULL_DECK
    }
    if not contracts:
        return {}
    hands = [deals[at].record.deal.hands[one.declarer] for at, one in contracts.items()]
    forecasts = forecast_many([(hand, None) for hand in hands])
    pairs = zip(contracts.items(), forecasts, strict=True)
    return {at: forecast[contract.bid.strain] for (at, contract), forecast in pairs}
