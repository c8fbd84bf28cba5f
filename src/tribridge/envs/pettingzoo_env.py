"""All three seats as a PettingZoo AEC environment: auction and play of one deal.

    from tribridge.envs import pettingzoo_env

    env = pettingzoo_env.env(deck="4x3")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        mask = observation["action_mask"]
        env.step(None if termination else env.action_space(agent).sample(mask))

The agents are `player_0` (North), `player_1` (East) and `player_2` (South). Declarer also plays
dummy's cards: it is then declarer's turn, and the field `turn` of the observation says that the
card comes from dummy. An illegal action is refused with an error.

Actions are those of `encoding`, and so is the `observation` in the dictionary that an agent gets;
its `action_mask`, which `info` has too, is all 0 for an agent that is not to act. Rewards are
settlement points at the end of the deal, and add up to 0. `state()`, for central critics, is what
`player_0` sees followed by the cards still held by `player_1`, `player_2` and the hidden hand.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, missing
from tribridge.envs.encoding import Bits, Rules, Seen, hand_due, unpacked
from tribridge.game import Position, Scheme, Table
from tribridge.game.tricks import chair_of

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
except ModuleNotFoundError:
    raise missing("pettingzoo") from None

AGENTS = tuple(f"player_{seat.index}" for seat in Seat)
SEATS = dict(zip(AGENTS, Seat, strict=True))
Observation = dict[str, NDArray[Any]]


class ThreeSeats(AECEnv[str, Observation, int]):
    """A deal between three agents.

    The deck, the scoring scheme and doubles are given as in `tb.new_table`. `reset` takes a seed,
    and the options `deal` and `dealer`; both are drawn at random otherwise.

    Examples:
        >>> env = ThreeSeats(deck="2x4", render_mode="ansi")
        >>> env.reset(options={"deal": "N:J.J A.K Q.A K.Q", "dealer": "E"})
        >>> env.agent_selection
        'player_1'
        >>> env.step(2)  # 1NT
        >>> env.agent_selection, env.last()[0]["action_mask"].nonzero()[0]
        ('player_2', array([3]))
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "tribridge_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        deck: Deck | str = FULL_DECK,
        scheme: Scheme | str = "auction",
        doubles: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = Rules.of(deck, scheme, doubles)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        encoding = self.rules.encoding
        self._state_size = encoding.size + 3 * encoding.deck.size
        seen = {
            "observation": Box(0, 1, (encoding.size,), np.float32),
            "action_mask": Box(0, 1, (encoding.actions,), np.int8),
        }
        self.observation_spaces = {agent: Dict(seen) for agent in AGENTS}
        self.action_spaces = {agent: Discrete(encoding.actions) for agent in AGENTS}
        self.state_space = Box(0, 1, (self._state_size,), np.float32)
        self._nothing = np.zeros(encoding.actions, np.int8)
        self._nothing.flags.writeable = False
        self._rng, _ = seeding.np_random()
        self._dealt: Table | None = None

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal; without a seed the deals of the last one go on."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        table, _ = self.rules.new_table(self._rng, options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._seen = Seen(self.rules.encoding, table.dealer)
        self.infos = {agent: {"action_mask": self._nothing} for agent in AGENTS}
        self._set(table)

    def _set(self, table: Table) -> None:
        """Go on with a table: whose turn it is, and what is legal."""
        self._dealt, turn, encoding = table, table.turn, self.rules.encoding
        self._legal, self._due = encoding.legal_word(table), hand_due(table, turn)
        if turn is not None:
            self.agent_selection = agent = AGENTS[turn.index]
            self.infos[agent] = {"action_mask": encoding.mask_of(self._legal)}

    @property
    def table(self) -> Table:
        """The table at which the agents play."""
        if self._dealt is None:
            raise IllegalActionError("there is no deal yet: call reset() first")
        return self._dealt

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents, in the order in which they act."""
        _ = self.table  # an error if there is none
        return super().agent_iter(max_iter)

    def last(self, observe: bool = True) -> Any:
        """What the agent to act sees, its reward, whether the deal is over, and what is legal."""
        _ = self.table
        return super().last(observe)

    def _seen_by(self, seat: Seat) -> tuple[Seen, int, int | None, Position | None, int]:
        """What a seat sees: what everybody has seen, dummy, and the seat's own hand."""
        play = self.table.position
        return self._seen, seat.index, self._due, play, self._left(seat)

    def _left(self, seat: Seat) -> int:
        """The cards that a seat still holds."""
        table = self.table
        if table.position is None:
            return table.deal.hands[seat].mask
        return table.position.hands[chair_of(seat, table.position.contract.declarer)]

    def observe(self, agent: str) -> Observation:
        """What an agent sees, at any time."""
        bits = self.rules.encoding.vector(*self._seen_by(SEATS[agent]))
        return {"observation": bits, "action_mask": self.infos[agent]["action_mask"]}

    def state(self) -> Bits:
        """All hands: what North sees, then what East, South and the hidden hand still hold."""
        encoding, table = self.rules.encoding, self.table
        position = table.position
        hidden = table.deal.hidden.mask if position is None else position.dummy
        hands = self._left(Seat.EAST), self._left(Seat.SOUTH), hidden
        word = encoding.word(*self._seen_by(Seat.NORTH))
        for at, hand in enumerate(hands):
            word |= encoding.places(hand) << encoding.size + at * encoding.deck.size
        return unpacked(word, self._state_size)

    def step(self, action: int | None) -> None:
        """Make the call or play the card of the agent whose turn it is; None after the end."""
        before = self.table
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        chosen = self.rules.encoding.action(action)
        allowed = self._legal >> int(action) & 1  # type: ignore[arg-type]
        table = before.apply_unchecked(chosen) if allowed else before.apply(chosen)
        assert self._due is not None
        self._seen.add(chosen, self._due)
        if before.position is None and table.position is not None:
            self._seen.end_auction(table.position.contract)
        self._cumulative_rewards[agent] = 0
        self.infos[agent] = {"action_mask": self._nothing}
        self._set(table)
        if self._due is None:
            self.rewards = dict(zip(AGENTS, self.rules.payoffs(table), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
            self._accumulate_rewards()

    def render(self) -> str | None:
        """The table with all hands, in the mode `ansi`."""
        return str(self.table) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""


env = ThreeSeats
"""The name that PettingZoo's environments are made by."""
