"""The table in the browser: people and strategies play, every page made from a seat's view.

The rules live in `game/`; this package seats people, keeps events, and draws. From the inside out:
`state` folds events into a table, `store` keeps them, `rooms` lets people and strategies act,
`workers` are the processes in which strategies think, `scene` turns a view into what templates
show, and `pages`, `api`, `stream` and the rest answer requests.
"""
