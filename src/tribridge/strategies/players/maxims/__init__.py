"""Play by rules of thumb; `player` decides in which order they are tried."""
