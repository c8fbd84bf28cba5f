"""The club: where people play, at tables in the browser or the terminal.

The rules live in `game/`; this package seats people, stores events and draws pages. `core/` is the
game behind the page: events folded into a state, the store that keeps them, the rooms in which
people and strategies act. `view/` is what a seat may see. `pages/` turns it into pages, fragments,
streams and JSON. `server/` says who asks, and guards.
"""
