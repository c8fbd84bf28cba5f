"""The game behind the page: events folded into a state, the store, the rooms and the workers."""
