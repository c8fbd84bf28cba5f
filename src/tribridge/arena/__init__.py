"""Strategies against each other on the same deals: games, matches, values and tests.

Playing (`playing`, `work`, `running`) needs NumPy and a double-dummy solver alone; what is worked
out from the games (`zero_sum`, `results`, `ratings`, `exact`) needs scipy as well.
"""
