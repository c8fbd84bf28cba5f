"""Can an agent learn from nothing but the result of its games? REINFORCE, in NumPy.

One network calls and plays for all three seats of 256 games at once. After each round, choices that
were followed by more points than average become more likely.
"""

import gymnasium
import numpy as np
from curves import OPPONENT, RULES, arguments, draw, lead

from tribridge.envs import gymnasium_env  # noqa: F401  registers tribridge/SelfPlay-v0

GAMES, STEPS, HIDDEN, RATE, ENTROPY = 256, 32, 64, 0.01, 0.02


class Reinforced:
    """A network with one hidden layer, and the strategy that makes its favourite choice."""

    def __init__(self, encoding, rng):
        self.encoding = encoding
        first = rng.normal(0, 0.1, (encoding.size, HIDDEN)).astype(np.float32)
        self.weights = [first, np.zeros((HIDDEN, encoding.actions), np.float32)]
        self.squares = [np.zeros_like(weights) for weights in self.weights]

    def chances(self, seen, mask):
        """The hidden layer, and the chance of each action; illegal ones have none."""
        hidden = np.maximum(seen @ self.weights[0], 0)
        scores = np.where(mask == 1, hidden @ self.weights[1], -np.inf)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return hidden, powers / powers.sum(1, keepdims=True)

    def learn(self, seen, mask, action, points):
        """Make what won more likely."""
        hidden, chances = self.chances(seen, mask)
        gain = (points - points.mean()) / (points.std() + 1e-9)
        push = -chances * gain[:, None]
        push[np.arange(len(action)), action] += gain
        surprise = np.log(chances + 1e-9)  # an agent that is too sure of itself stops learning
        push -= ENTROPY * chances * (surprise - (chances * surprise).sum(1, keepdims=True))
        steps = seen.T @ (push @ self.weights[1].T * (hidden > 0)), hidden.T @ push
        for weights, square, step in zip(self.weights, self.squares, steps, strict=True):
            step = step / len(seen)
            square += 0.1 * (step**2 - square)
            weights += RATE * step / (np.sqrt(square) + 1e-6)

    def choose(self, view, rng):
        seen, mask = self.encoding.observe(view), self.encoding.mask(view.legal)
        return self.encoding.action(int(self.chances(seen[None], mask[None])[1].argmax()))

    call = card = choose


def play(envs, agent, rng):
    """What was seen, allowed, done and won, in all games of a round that ended."""
    seen, info = envs.reset(seed=int(rng.integers(1 << 31)))
    log, lessons = [], []
    for _ in range(STEPS):
        now = seen.astype(np.float32), info["action_mask"].copy()
        action = (agent.chances(*now)[1].cumsum(1) > rng.random((GAMES, 1))).argmax(1)
        turn = info["turn"].copy()
        seen, _, ended, _, info = envs.step(action)
        log.append((*now, action, turn, ended.copy(), info["rewards"].copy()))
    points, known = np.zeros((GAMES, 3)), np.zeros(GAMES, bool)
    for now, mask, action, turn, ended, rewards in reversed(log):
        points[ended], known = rewards[ended], known | ended
        lessons.append((now[known], mask[known], action[known], points[known, turn[known]]))
    return [np.concatenate(column) for column in zip(*lessons, strict=True)]


def main():
    """Learn, and compare the agent with the opponent on the way."""
    updates, out = arguments(200, "updates")
    rng = np.random.default_rng(1)
    envs = gymnasium.make_vec("tribridge/SelfPlay-v0", num_envs=GAMES, **RULES)
    agent, curve = Reinforced(envs.unwrapped.games.rules.encoding, rng), []
    for update in range(updates + 1):
        if update % 20 == 0 or update == updates:
            curve.append((update, *lead(agent)))
        agent.learn(*play(envs, agent, rng))
    draw(out, ("updates", "points per deal ahead"), {"REINFORCE": curve}, {OPPONENT: 0})


if __name__ == "__main__":
    main()
