"""Gymnasium environments: one seat against strategies, and many games of self-play at once.

In the first, strategies of the registry hold the other two seats.

Importing this module registers `tribridge/Seat-v0` and, for `make_vec` alone,
`tribridge/SelfPlay-v0`:

    import gymnasium
    import tribridge.envs.gymnasium_env

    env = gymnasium.make("tribridge/Seat-v0", deck="4x3", opponents="points+maxims")
    envs = gymnasium.make_vec("tribridge/SelfPlay-v0", num_envs=256, deck="4x3")

In the first, the agent sits North and the dealer is random. The reward is the agent's settlement
points at the end of the deal; actions and observations are those of `encoding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import FULL_DECK, Deck
from tribridge.cards.deals import Seat
from tribridge.common.errors import IllegalActionError, SettingError, missing, shown
from tribridge.envs.encoding import Bits, Rules
from tribridge.envs.lockstep import LockstepGames
from tribridge.game import Scheme, Table, view
from tribridge.strategies import Strategy, as_strategy, decision_rng, guarded_act

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError:
    raise missing("gymnasium") from None

ID = "tribridge/Seat-v0"
SELF_PLAY_ID = "tribridge/SelfPlay-v0"
AGENT = Seat.NORTH


class SeatEnv(gymnasium.Env[Bits, int]):
    """A deal between the agent, its left opponent and its right opponent.

    `opponents` is one strategy for both, or a pair: left, right. `info["action_mask"]` and
    `action_masks()` say what is legal. For learners that know no masks, an illegal action stands
    for the first legal one (a pass, or the first legal card), and `info["replaced"]` says so; with
    `illegal="refuse"` it is an error.

    Examples:
        >>> env = SeatEnv(deck="4x3", opponents="pass+random")
        >>> observation, info = env.reset(seed=1)
        >>> observation.shape == (env.rules.encoding.size,), info["action_mask"].sum()
        (True, np.int64(11))
        >>> observation, reward, terminated, truncated, info = env.step(9)  # 2NT
        >>> str(env.table.contract)
        '2NT by North'
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        *,
        deck: Deck | str = FULL_DECK,
        scheme: Scheme | str = "auction",
        doubles: bool = False,
        opponents: str | Strategy | Sequence[str | Strategy] = "points+maxims",
        illegal: str = "replace",
        render_mode: str | None = None,
    ) -> None:
        self.rules = Rules.of(deck, scheme, doubles)
        self.opponents = _opponents(opponents)
        if illegal not in ("replace", "refuse"):
            raise SettingError(f"illegal={illegal!r}: expected 'replace' or 'refuse'")
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space = Box(0, 1, (self.rules.encoding.size,), np.float32)
        self.action_space = Discrete(self.rules.encoding.actions)
        self.table: Table | None = None
        self._seed = self._actions = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Bits, dict[str, Any]]:
        """Deal and let the opponents call until it is the agent's turn.

        The options `deal` and `dealer` fix what is random otherwise.
        """
        super().reset(seed=seed)
        self.table, self._seed = self.rules.new_table(self.np_random, options)
        self._actions = 0
        self._wait()
        return self._seen(), self._info(replaced=False)

    def step(self, action: int) -> tuple[Bits, float, bool, bool, dict[str, Any]]:
        """The agent's call or card, from its hand or its dummy, and what the opponents do then."""
        table = self._table()
        chosen = self.rules.encoding.action(action)
        replaced = self.illegal == "replace" and not table.over and chosen not in table.legal
        self._apply(table.apply(table.legal[0] if replaced else chosen))
        self._wait()
        table = self._table()
        reward = self.rules.payoffs(table)[AGENT]
        return self._seen(), reward, table.over, False, self._info(replaced)

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal, as sb3-contrib's `MaskablePPO` asks for it."""
        return self._info(replaced=False)["action_mask"].astype(bool)

    def render(self) -> str | None:
        """The table with all hands, in the mode `ansi`."""
        return str(self._table()) if self.render_mode == "ansi" else None

    def _table(self) -> Table:
        if self.table is None:
            raise IllegalActionError("there is no deal yet: call reset() first")
        return self.table

    def _apply(self, table: Table) -> None:
        self.table = table
        self._actions += 1

    def _wait(self) -> None:
        """Let the opponents act until the agent must, or the deal is over."""
        table = self._table()
        while (seat := table.turn) is not None and seat is not AGENT:
            strategy = self.opponents[(seat.index - AGENT.index) % 3 - 1]
            rng = decision_rng(self._seed, 0, seat, self._actions)
            table = table.apply_unchecked(guarded_act(strategy, table, rng).action)
            self._apply(table)

    def _seen(self) -> Bits:
        return self.rules.encoding.observe(view(self._table(), AGENT))

    def _info(self, replaced: bool) -> dict[str, Any]:
        return {
            "action_mask": self.rules.encoding.mask(self._table().legal),
            "replaced": replaced,
        }


def _opponents(given: object) -> tuple[Strategy, Strategy]:
    """Two strategies, from one or two."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != 2:
            raise SettingError(f"{shown(given)} are not two opponents: expected left and right")
        return as_strategy(given[0]), as_strategy(given[1])
    strategy = as_strategy(given)
    return strategy, strategy


gymnasium.register(ID, entry_point=f"{__name__}:SeatEnv")


class SelfPlayEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[np.int8]]):
    """Many games in lockstep; one policy acts for whichever seat is to act in each (`lockstep`).

    The reward is that of the seat which has just acted; `info["rewards"]` has all three seats'.
    `info["turn"]` is the seat to act and `info["action_mask"]` what it may do. A game that ends is
    dealt again in the same step.

    Examples:
        >>> env = SelfPlayEnv(64, deck="2x4")
        >>> observations, info = env.reset(seed=1)
        >>> observations.shape, info["action_mask"].shape
        ((64, 138), (64, 14))
        >>> _, reward, ended, _, info = env.step(np.full(64, 3))  # everybody passes
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, num_envs: int, **settings: Any) -> None:
        self.num_envs = num_envs
        self.games = LockstepGames(num_envs, **settings)
        size, actions = self.games.observations.shape[1], self.games.masks.shape[1]
        self.single_observation_space = Box(0, 1, (size,), np.int8)
        self.single_action_space = Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal all games anew; one seed serves for all of them."""
        if isinstance(seed, list):
            raise SettingError("one seed deals all games: expected a number, not a list")
        super().reset(seed=seed)
        self.games.reset(int(self.np_random.integers(1 << 62)) if seed is None else seed)
        return self.games.observations, self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.int8],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One call or card in every game."""
        games, acted = self.games, self.games.turns.copy()
        games.step(actions)
        reward = games.rewards[np.arange(self.num_envs), acted].astype(np.float64)
        info = self._info() | {"rewards": games.rewards}
        return games.observations, reward, games.ended, np.zeros_like(games.ended), info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.games.masks, "turn": self.games.turns}


gymnasium.register(SELF_PLAY_ID, vector_entry_point=f"{__name__}:SelfPlayEnv")
