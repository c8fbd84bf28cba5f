"""All three seats as a PettingZoo AEC environment: auction and play of one deal.

The agents are `player_0` (North), `player_1` (East) and `player_2` (South). Declarer also plays
dummy's cards: it is then declarer's turn, and the field `turn` of the observation says that the
card comes from dummy. Rewards are settlement points at the end of the deal; they add up to 0.

    from tribridge.envs import pettingzoo_env

    env = pettingzoo_env.env(deck="4x3")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        mask = info["action_mask"]
        env.step(None if termination else env.action_space(agent).sample(mask))

Actions and observations are those of `encoding`. An illegal action is refused with an error.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tribridge.cards import FULL_DECK, Deck
from tribridge.deals import Seat
from tribridge.envs.encoding import Bits, Rules
from tribridge.errors import missing
from tribridge.game import Scheme, Table, view

try:
    from gymnasium.spaces import Box, Discrete
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError:
    raise missing("pettingzoo") from None

AGENTS = tuple(f"player_{seat.index}" for seat in Seat)


def env(**settings: Any) -> OrderEnforcingWrapper[str, Bits, int]:
    """The environment, which refuses steps out of order; the settings are those of `ThreeSeats`."""
    return OrderEnforcingWrapper(ThreeSeats(**settings))


class ThreeSeats(AECEnv[str, Bits, int]):
    """A deal between three agents.

    The deck, the scoring scheme and doubles are given as in `tb.new_table`. `reset` takes a seed,
    and the options `deal` and `dealer`; both are drawn at random otherwise.

    Examples:
        >>> env = ThreeSeats(deck="2x4", render_mode="ansi")
        >>> env.reset(options={"deal": "N:J.J A.K Q.A K.Q", "dealer": "E"})
        >>> env.agent_selection
        'player_1'
        >>> env.step(2)  # 1NT
        >>> env.agent_selection, env.infos["player_2"]["action_mask"].nonzero()[0]
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
        self.observation_spaces = {
            agent: Box(0, 1, (encoding.size,), np.float32) for agent in AGENTS
        }
        self.action_spaces = {agent: Discrete(encoding.actions) for agent in AGENTS}
        self._rng, _ = seeding.np_random()

    def observation_space(self, agent: str) -> Box:
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
        self._set(table)

    def _set(self, table: Table) -> None:
        """Go on with a table: whose turn it is, and what is legal."""
        self.table = table
        encoding = self.rules.encoding
        self.infos = {agent: {"action_mask": encoding.mask(())} for agent in AGENTS}
        if table.turn is not None:
            self.agent_selection = AGENTS[table.turn]
            self.infos[self.agent_selection]["action_mask"] = encoding.mask(table.legal)

    def observe(self, agent: str) -> Bits:
        """What an agent sees, at any time."""
        return self.rules.encoding.observe(view(self.table, Seat(AGENTS.index(agent))))

    def step(self, action: int | None) -> None:
        """Make the call or play the card of the agent whose turn it is; None after the end."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        table = self.table.apply(self.rules.encoding.action(action))
        self._cumulative_rewards[agent] = 0
        self._set(table)
        if table.over:
            self.rewards = dict(zip(AGENTS, self.rules.payoffs(table), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The table with all hands, in the mode `ansi`."""
        return str(self.table) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""
