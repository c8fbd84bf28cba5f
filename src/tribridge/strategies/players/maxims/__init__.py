"""Play by rules of thumb; `player` holds the order in which they are tried."""
