"""What do a critic and small steps gain? Masked PPO at one seat, in PyTorch on the CPU.

North learns against two strategies, at 16 tables. Illegal actions are masked: they get no chance.
"""

import gymnasium
import torch
from curves import OPPONENT, RULES, arguments, draw, lead
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

from tribridge.envs import gymnasium_env  # noqa: F401  registers tribridge/Seat-v0

TABLES, STEPS, EPOCHS, CLIP, ENTROPY, DECAY, SCALE = 16, 64, 4, 0.2, 0.03, 0.95, 100


class Trained(nn.Module):
    """Policy and critic on one hidden layer, and the strategy that makes the favourite choice."""

    def __init__(self, encoding):
        super().__init__()
        self.encoding = encoding
        self.body = nn.Sequential(nn.Linear(encoding.size, 64), nn.Tanh())
        self.policy, self.critic = nn.Linear(64, encoding.actions), nn.Linear(64, 1)

    def forward(self, seen, mask):
        hidden = self.body(seen)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits), self.critic(hidden)[:, 0]

    def choose(self, view, rng):
        seen, mask = self.encoding.observe(view), self.encoding.mask(view.legal)
        with torch.no_grad():
            choices, _ = self(torch.tensor(seen)[None], torch.tensor(mask)[None])
        return self.encoding.action(int(choices.probs.argmax()))

    call = card = choose


def seen_of(observation, info):
    """Observations and masks of all tables, as tensors."""
    return torch.tensor(observation).float(), torch.tensor(info["action_mask"])


@torch.no_grad()
def rollout(envs, agent, now):
    """Some steps at every table, and their advantages by generalised advantage estimation."""
    log, gains, gain = [], [], torch.zeros(TABLES)
    for _ in range(STEPS):
        choices, value = agent(*now)
        action = choices.sample()
        after, reward, ended, _, info = envs.step(action.numpy())
        reward, ended = torch.tensor(reward).float() / SCALE, torch.tensor(ended).float()
        log.append((*now, action, choices.log_prob(action), value, reward, ended))
        now = seen_of(after, info)
    ahead = agent(*now)[1]
    for *_, value, reward, ended in reversed(log):
        gain = reward + (1 - ended) * (ahead + DECAY * gain) - value
        ahead, gains = value, [gain, *gains]
    seen, mask, action, before, value, *_ = map(torch.cat, zip(*log, strict=True))
    return now, (seen, mask, action, before, value, torch.cat(gains))


def learn(agent, optimiser, lessons):
    """Some passes over a rollout; no choice may become much more or less likely in them."""
    seen, mask, action, before, value, gain = lessons
    target, gain = gain + value, (gain - gain.mean()) / (gain.std() + 1e-6)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(action)).split(256):
            choices, worth = agent(seen[part], mask[part])
            ratio = (choices.log_prob(action[part]) - before[part]).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * gain[part], clipped * gain[part]).mean()
            loss += 0.5 * (worth - target[part]).square().mean()
            loss -= ENTROPY * choices.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def main():
    """Learn, and compare the agent with the opponent on the way."""
    updates, out = arguments(40, "updates")
    torch.manual_seed(1)
    rules = {"vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}, **RULES}
    envs = gymnasium.make_vec("tribridge/Seat-v0", TABLES, opponents=OPPONENT, **rules)
    agent, curve = Trained(envs.envs[0].unwrapped.rules.encoding), []
    optimiser, now = torch.optim.Adam(agent.parameters(), 1e-3), seen_of(*envs.reset(seed=1))
    for update in range(updates + 1):
        if update % 5 == 0 or update == updates:
            curve.append((update * TABLES * STEPS, *lead(agent)))
        now, lessons = rollout(envs, agent, now)
        learn(agent, optimiser, lessons)
    draw(out, ("calls and cards", "points per deal ahead"), {"masked PPO": curve}, {OPPONENT: 0})


if __name__ == "__main__":
    main()
