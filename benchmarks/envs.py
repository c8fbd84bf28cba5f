"""Whole games a second of the environments, with random actions and observations included.

    python benchmarks/envs.py [--seconds 5]

The lockstep games are measured beside the PettingZoo environment, which steps one table at a time,
and beside OpenSpiel's own bridge where OpenSpiel is installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np


def lockstep(count: int) -> Callable[[], int]:
    """A step of some games; three of four callers pass, so that auctions are not all long."""
    from tribridge.envs.lockstep import LockstepGames

    games, rng = LockstepGames(count, seed=1), np.random.default_rng(1)
    bids = len(games.rules.encoding.bids)

    def step() -> int:
        actions = games.random_actions(rng)
        passing = (rng.random(count) < 0.75) & (games.masks[:, bids] == 1)
        actions[passing] = bids
        games.step(actions)
        return int(games.ended.sum())

    return step


def pettingzoo() -> Callable[[], int]:
    """A game of the PettingZoo environment."""
    from tribridge.envs import pettingzoo_env

    env, rng = pettingzoo_env.env(), np.random.default_rng(1)

    def game() -> int:
        env.reset(seed=int(rng.integers(1 << 31)))
        for _ in env.agent_iter():
            _, _, over, _, info = env.last()
            mask = info["action_mask"]
            if not over and mask[35] and rng.random() < 0.75:
                env.step(35)
            else:
                env.step(None if over else int(rng.choice(mask.nonzero()[0])))
        return 1

    return game


def openspiel() -> Callable[[], int]:
    """A game of OpenSpiel's own bridge, which has four players."""
    import pyspiel

    bridge, rng = pyspiel.load_game("bridge"), np.random.default_rng(1)

    def game() -> int:
        state = bridge.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                state.observation_tensor()
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.integers(len(actions)))])
        return 1

    return game


def measure(step: Callable[[], int], seconds: float) -> float:
    """Games a second."""
    for _ in range(20):  # compiled, and past the first auctions
        step()
    begin, games = time.perf_counter(), 0
    while (spent := time.perf_counter() - begin) < seconds:
        games += step()
    return games / spent


def main() -> None:
    """Measure each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    makers = {f"lockstep, {n}": lambda n=n: lockstep(n) for n in (256, 1024, 8192)}
    makers |= {"PettingZoo": pettingzoo, "OpenSpiel's bridge": openspiel}
    for name, make in makers.items():
        try:
            print(f"{name:20} {measure(make(), seconds):12,.0f} games/s", flush=True)
        except ModuleNotFoundError as error:
            print(f"{name:20} {error.name} is not installed")


if __name__ == "__main__":
    main()
