"""The table in the browser: people and strategies play; every page is drawn from one seat's view.

The rules live in `game/`; this package seats people, stores events and draws pages. `table/` is the
game behind the page: events folded into a state, the store that keeps them, the rooms in which
people and strategies act, the worker processes in which strategies think. `pages/` turns a view
into pages, fragments and streams. `server/` is the app, its guards and the JSON API.
"""
