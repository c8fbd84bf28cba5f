"""Training by self-play: batched games on one device, networks, PPO (needs PyTorch)."""
