"""Games and steps a second of the environments, with random actions and observations included.

    python benchmarks/envs.py [--seconds 3] [--threads 1] [--out FILE]

Ours are measured beside what is installed of pgx (sparrow mahjong, for three players; its bridge
has only the auction, and downloads a table of results), OpenSpiel (bridge, in C++) and RLCard
(bridge). These are other games: compare steps rather than games. Three of four of our callers pass,
so that auctions are not all long. Rates are of time and of processor time, which other work on the
machine hardly changes (with one thread: threads that wait for each other also use it). All run in
turn, and the best of three rounds counts.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

Step = Callable[[], tuple[int, int]]
"""Does something, and says how many games ended in how many steps."""


def lockstep(count: int) -> Step:
    """A step of some games."""
    from tribridge.envs.lockstep import LockstepGames

    games, rng = LockstepGames(count, seed=1), np.random.default_rng(1)
    bids = len(games.rules.encoding.bids)

    def step() -> tuple[int, int]:
        actions = games.random_actions(rng)
        passing = (rng.random(count) < 0.75) & (games.masks[:, bids] == 1)
        actions[passing] = bids
        games.step(actions)
        return int(games.ended.sum()), count

    return step


def pettingzoo() -> Step:
    """A game of the PettingZoo environment."""
    from tribridge.envs import pettingzoo_env

    env, rng = pettingzoo_env.env(), random.Random(1)
    env.reset(seed=1)

    def game() -> tuple[int, int]:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            seen, _, over, _, _ = env.last()
            mask = seen["action_mask"]
            if not over and mask[35] and rng.random() < 0.75:
                env.step(35)
            else:
                env.step(None if over else rng.choice(mask.nonzero()[0].tolist()))
            steps += 1
        return 1, steps

    return game


def openspiel(name: str) -> Step:
    """A game of OpenSpiel: its own bridge has four players."""
    import pyspiel

    if name == "tribridge":
        import_module("tribridge.envs.openspiel_game")  # registers it
    loaded, rng = pyspiel.load_game(name), random.Random(1)

    def game() -> tuple[int, int]:
        state, steps = loaded.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                state.observation_tensor()
                steps += 1
            state.apply_action(rng.choice(state.legal_actions()))
        return 1, steps

    return game


def rlcard() -> Step:
    """A game of RLCard's bridge."""
    import rlcard

    env, rng = rlcard.make("bridge"), random.Random(1)

    def game() -> tuple[int, int]:
        (state, _), steps = env.reset(), 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            steps += 1
        return 1, steps

    return game


def pgx(count: int) -> Step:
    """A step of some games of pgx."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("sparrow_mahjong")

    def act(state: pgx.State, key: jax.Array) -> pgx.State:
        first, second = jax.random.split(key)
        scores = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        return auto_reset(env.step, env.init)(state, jax.random.categorical(first, scores), second)

    key = jax.random.PRNGKey(1)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, count))
    advance = jax.jit(jax.vmap(act))

    def step() -> tuple[int, int]:
        nonlocal states, key
        key, used = jax.random.split(key)
        states = advance(states, jax.random.split(used, count))
        return int(states.terminated.sum()), count

    return step


MAKERS: dict[str, Callable[[], Step]] = {
    "LockstepGames, 256": lambda: lockstep(256),
    "LockstepGames, 2048": lambda: lockstep(2048),
    "PettingZoo": pettingzoo,
    "OpenSpiel, our game": lambda: openspiel("tribridge"),
    "OpenSpiel, its bridge": lambda: openspiel("bridge(use_double_dummy_result=false)"),
    "RLCard, its bridge": rlcard,
    "pgx, mahjong, 2048": lambda: pgx(2048),
}


def measure(step: Step, seconds: float) -> dict[str, float]:
    """Games and steps a second."""
    wall, processor, games, steps = time.perf_counter(), time.process_time(), 0, 0
    while time.process_time() - processor < seconds:
        ended, made = step()
        games, steps = games + ended, steps + made
    spent, used = time.perf_counter() - wall, time.process_time() - processor
    return {
        "games a second": games / spent,
        "games a processor second": games / used,
        "steps a processor second": steps / used,
    }


def main() -> None:
    """Measure each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3, help="of a processor, a round")
    parser.add_argument("--threads", type=int, help="of LockstepGames; as many as cores")
    parser.add_argument("--out", type=Path, help="a JSON file for the rates")
    options = parser.parse_args()
    if options.threads:
        import_module("numba").set_num_threads(options.threads)
    steps: dict[str, Step] = {}
    for name, make in MAKERS.items():
        try:
            steps[name] = make()
        except ModuleNotFoundError as error:
            print(f"{name:24} {error.name} is not installed")
            continue
        for _ in range(20):  # compiled, and past the first auctions
            steps[name]()
    rates: dict[str, dict[str, float]] = {}
    for _ in range(3):
        for name, step in steps.items():
            new = measure(step, options.seconds)
            old = rates.get(name, new)
            rates[name] = {what: max(rate, old[what]) for what, rate in new.items()}
    whats = list(next(iter(rates.values())))
    print(f"{'':24}" + "".join(f"{what:>26}" for what in (*whats, "steps, ratio")))
    most = rates["LockstepGames, 2048"][whats[-1]]
    for name, rate in rates.items():
        numbers = "".join(f"{rate[what]:26,.0f}" for what in whats)
        print(f"{name:24}{numbers}{rate[whats[-1]] / most:26.5f}")
    if options.out:
        options.out.write_text(json.dumps(rates, indent=1) + "\n")


if __name__ == "__main__":
    main()
