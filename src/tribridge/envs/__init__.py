"""The game for other libraries' learners: one module for each interface.

- `pettingzoo_env`: all three seats, as a PettingZoo AEC environment.
- `gymnasium_env`: one seat among strategies of the registry, as a Gymnasium environment.
- `openspiel_game`: the game with explicit chance nodes, as an OpenSpiel game.

`lockstep` plays many games at once, with NumPy and Numba. All number actions and encode
observations as `encoding` says. None of them needs PyTorch; the first two need the extra `envs`,
the third the extra `openspiel`.
"""
