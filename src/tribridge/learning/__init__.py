"""Training by self-play: games in lockstep on one device, networks, PPO (needs PyTorch)."""
