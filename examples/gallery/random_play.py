"""What does a player who acts at random score, and how many deals does it take to find out?

All three seats of the PettingZoo environment. North and South call and play at random; East, too,
plays at random, but never bids. The curves are the means so far, with 95% intervals: single deals
differ so much that a lead of a few points takes hundreds of them to see.
"""

import numpy as np
from curves import RULES, arguments, draw

from tribridge.envs import pettingzoo_env

SEATS = {"player_0": "North, at random", "player_1": "East, passes", "player_2": "South, at random"}


def main():
    """Play the deals."""
    deals, out = arguments(2000, "deals")
    env = pettingzoo_env.env(**RULES)
    passing = len(env.rules.encoding.bids)  # the number of a pass
    results = {agent: [] for agent in env.possible_agents}
    env.reset(seed=1)
    for place, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(place)
    for _ in range(deals):
        env.reset()
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            mask = observation["action_mask"]
            if over:
                results[agent].append(reward)
                env.step(None)
            elif agent == "player_1" and mask[passing]:
                env.step(passing)
            else:
                env.step(env.action_space(agent).sample(mask))
    curves = {}
    for agent, name in SEATS.items():
        points, count = np.array(results[agent]), np.arange(1, deals + 1)
        mean = points.cumsum() / count
        spread = np.sqrt(np.maximum((points**2).cumsum() / count - mean**2, 0) / count)
        columns = count, mean, mean - 1.96 * spread, mean + 1.96 * spread
        curves[name] = list(zip(*(column[9::10].tolist() for column in columns), strict=True))
    draw(out, ("deals", "settlement points per deal"), curves)


if __name__ == "__main__":
    main()
