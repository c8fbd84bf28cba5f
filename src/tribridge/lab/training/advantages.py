"""What choices were worth beyond the critic's estimate: in NumPy or PyTorch."""

from __future__ import annotations

from tribridge.common.arrays import Array, namespace


def estimate(
    value: Array, won: Array, last: Array, free: Array, horizon: float | Array
) -> tuple[Array, Array]:
    """What is still to come, and advantages, (steps, games) each; forced steps are passed over.

    `value` is the critic's estimate before each step, `won` what the step brought, `last` what came
    after all of them, and `free` whether there was a choice. `horizon` is how much of a step's
    advantage those before it share, for all steps or (steps, games).
    """
    xp = namespace(value)
    ahead, shared = last, xp.zeros_like(last)
    back, advantage = [], []
    for at in range(len(value) - 1, -1, -1):
        ahead = won[at] + ahead
        lead = xp.where(free[at], ahead - value[at] + shared, shared)
        ahead = xp.where(free[at], value[at], ahead)
        share = horizon if isinstance(horizon, float) else horizon[at]
        shared = xp.where(free[at], share * lead, shared)
        advantage.append(lead)
        back.append(ahead + lead)
    return xp.stack(back[::-1]), xp.stack(advantage[::-1])
