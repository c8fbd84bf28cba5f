"""The game for other libraries' learners: one module for each of three interfaces.

- `pettingzoo_env`: all three seats, as a PettingZoo AEC environment.
- `gymnasium_env`: one seat among strategies of the registry, as a Gymnasium environment.
- `openspiel_game`: the game with explicit chance nodes, as an OpenSpiel game.

All three number actions and encode observations as `encoding` says. None of them needs PyTorch;
the first two need the extra `envs`, the third the extra `openspiel`.
"""
