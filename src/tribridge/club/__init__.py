"""The table in the browser: people and strategies play; every page is drawn from one seat's view.

The rules live in `game/`; this package seats people, stores events and draws pages. `core/` is the
game behind the page: events folded into a state, the store that keeps them, the rooms in which
people and strategies act. `view/` is what a seat may see. `pages/` turns it into pages, fragments,
streams and JSON. `server/` says who asks, and guards.
"""
