"""The laboratory: what researchers and maintainers run."""
