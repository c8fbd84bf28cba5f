"""The game for OpenSpiel: `pyspiel.load_game("tribridge(deck=2x4)")` once this module is imported.

Parameters: `deck` (4x13 unless given), `scheme` (auction) and `doubles` (false). North, player 0,
deals, which loses nothing: a deal with another dealer is the same with the names of the seats
exchanged.

Chance deals card after card, in the order of the actions' numbers: its outcome is the hand, 0 to 3
(3: the hidden one), that gets the card, with the number of cards a hand still lacks as its weight.
So all deals are equally likely, each has one history, and any deck can be dealt; a 2x4 deck has
2,520 deals. Then actions are those of `encoding`, and declarer plays dummy's cards. Returns are
settlement points.

Information states have perfect recall, as a string and as the tensor of `encoding`; observations
are the same. While chance deals, a player sees the cards it has been dealt so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from tribridge.cards.cards import HANDS, Card, Hand, hand_name
from tribridge.cards.deals import Deal, Seat
from tribridge.common.errors import SettingError, missing
from tribridge.envs.encoding import Bits, Encoding, Rules
from tribridge.game import Table, View, call_name, new_table, view
from tribridge.game.scoring import net_range

try:
    import pyspiel
except ModuleNotFoundError:
    raise missing("pyspiel") from None

PARAMETERS: Final[Mapping[str, Any]] = {"deck": "4x13", "scheme": "auction", "doubles": False}

GAME_TYPE: Final = pyspiel.GameType(
    short_name="tribridge",
    long_name="Three-player auction bridge",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=len(Seat),
    min_num_players=len(Seat),
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=dict(PARAMETERS),
)


class TribridgeGame(pyspiel.Game):
    """The rules, as OpenSpiel wants them."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.rules = Rules.of(**{**PARAMETERS, **(params or {})})
        encoding = self.rules.encoding
        low, high = net_range(self.rules.scheme, self.rules.deck, doubles=self.rules.doubles)
        info = pyspiel.GameInfo(
            num_distinct_actions=encoding.actions,
            max_chance_outcomes=HANDS,
            num_players=len(Seat),
            # Declarer gets twice what each defender pays, and pays twice what each of them gets.
            min_utility=float(2 * low),
            max_utility=float(max(2 * high, -low)),
            utility_sum=0.0,
            max_game_length=longest(encoding, self.rules.doubles),
        )
        super().__init__(GAME_TYPE, info, dict(params or {}))

    def new_initial_state(self) -> TribridgeState:
        """The state before the first card is dealt."""
        return TribridgeState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> TribridgeObserver:
        """An observer of the public fields, of the seat's hand, or of both."""
        if params:
            raise SettingError(f"observers have no parameters: {dict(params)} was given")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=True)
        return TribridgeObserver(self.rules.encoding, kind)


def longest(encoding: Encoding, doubles: bool) -> int:
    """The most calls and cards that a deal can have.

    Two passes come first. A bid that is not the last one is followed by one pass at most, or, with
    doubles, by double, redouble and one pass each; two passes follow the last bid.
    """
    return 2 + (5 if doubles else 2) * len(encoding.bids) + 1 + encoding.deck.size


@dataclass(frozen=True, slots=True)
class Situation:
    """The cards dealt so far, then a table."""

    rules: Rules
    owners: tuple[int, ...] = ()
    """The hands that the first cards of the deck were dealt to."""
    table: Table | None = None

    def __deepcopy__(self, memo: object) -> Situation:
        # OpenSpiel copies states all the time; nothing in here ever changes.
        return self

    def dealt(self, hand: int) -> Hand:
        """The cards that a hand has been dealt so far."""
        if self.table is not None:
            return self.table.deal.hands[hand]
        cards = self.rules.encoding.cards
        owned = (card for card, owner in zip(cards, self.owners, strict=False) if owner == hand)
        return Hand(owned)

    def apply(self, action: int) -> Situation:
        """What an action, or an outcome of chance, leads to."""
        rules = self.rules
        if self.table is not None:
            return replace(self, table=self.table.apply(rules.encoding.action(action)))
        after = replace(self, owners=(*self.owners, action))
        if len(after.owners) < rules.deck.size:
            return after
        dealt = Deal.of([after.dealt(hand) for hand in range(HANDS)], rules.deck)
        table = new_table(dealt, Seat.NORTH, doubles=rules.doubles, scheme=rules.scheme)
        return replace(after, table=table)


class TribridgeState(pyspiel.State):
    """A situation, as OpenSpiel wants it."""

    def __init__(self, game: TribridgeGame) -> None:
        super().__init__(game)
        self.situation = Situation(game.rules)

    @property
    def table(self) -> Table | None:
        """The table; None while cards are dealt."""
        return self.situation.table

    def current_player(self) -> int:
        """The seat to act, chance while cards are dealt, or the end."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        turn = self.table.turn
        return int(pyspiel.PlayerId.TERMINAL if turn is None else turn)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The hands that can get the next card, with their probabilities."""
        deck, owners = self.situation.rules.deck, self.situation.owners
        lacking = [deck.hand_size - owners.count(hand) for hand in range(HANDS)]
        left = deck.size - len(owners)
        return [(hand, count / left) for hand, count in enumerate(lacking) if count]

    def _legal_actions(self, player: int) -> list[int]:
        assert self.table is not None
        number = self.situation.rules.encoding.number
        return sorted(number(action) for action in self.table.legal)

    def _apply_action(self, action: int) -> None:
        self.situation = self.situation.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        encoding = self.situation.rules.encoding
        if player == pyspiel.PlayerId.CHANCE:
            name = Seat(action).letter if action < len(Seat) else "hidden"
            return f"{encoding.cards[len(self.situation.owners)].name} to {name}"
        chosen = encoding.action(action)
        return chosen.name if isinstance(chosen, Card) else call_name(chosen)

    def is_terminal(self) -> bool:
        """Whether the deal is over."""
        return self.table is not None and self.table.over

    def returns(self) -> list[float]:
        """The settlement; nothing before the end."""
        return list(self.situation.rules.payoffs(self.table)) if self.table else [0.0] * len(Seat)

    def __str__(self) -> str:
        at = self.situation
        hands = " ".join(hand_name(at.dealt(hand), at.rules.deck) for hand in range(HANDS))
        if self.table is None:
            return f"N:{hands} ({len(at.owners)} dealt)"
        return f"N:{hands} | {history_text(view(self.table, None))}"


def history_text(seen: View) -> str:
    """The calls, then dummy and the cards, as a view has them."""
    calls = " ".join(call_name(call) for call in seen.auction.calls)
    if seen.dummy_dealt is None:
        return calls
    dummy = hand_name(seen.dummy_dealt, seen.deck)
    cards = [card for trick in seen.tricks for card in trick.cards] + list(seen.trick)
    return f"{calls} | {dummy} | {' '.join(card.name for card in cards)}"


class TribridgeObserver:
    """What a seat sees, as OpenSpiel's `PyObserver`: a tensor by fields, and a string."""

    def __init__(self, encoding: Encoding, kind: Any) -> None:
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise SettingError("an observer of all hands is not supported")
        self.encoding = encoding
        self.public = kind.public_info
        self.private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self.fields = {
            name: field
            for name, field in encoding.fields.items()
            if (self.private if name == "hand" else self.public)
        }
        sizes = [field.stop - field.start for field in self.fields.values()]
        self.tensor: Bits = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1]) if sizes else []
        self.dict = dict(zip(self.fields, parts, strict=True))

    def set_from(self, state: TribridgeState, player: int) -> None:
        """Fill the tensor with what a player sees of a state."""
        self.tensor.fill(0)
        if state.table is None:
            if self.private:
                hand = state.situation.dealt(player)
                self.dict["hand"][[card in hand for card in self.encoding.cards]] = 1
            return
        bits = self.encoding.observe(view(state.table, Seat(player)))
        for name, field in self.fields.items():
            self.dict[name][:] = bits[field]

    def string_from(self, state: TribridgeState, player: int) -> str:
        """What a player sees of a state, as text."""
        parts = [Seat(player).letter]
        if self.private:
            parts.append(hand_name(state.situation.dealt(player), self.encoding.deck))
        if self.public and state.table is None:
            parts.append(f"{len(state.situation.owners)} dealt")
        elif self.public:
            assert state.table is not None
            parts.append(history_text(view(state.table, Seat(player))))
        return " | ".join(parts)


pyspiel.register_game(GAME_TYPE, TribridgeGame)
