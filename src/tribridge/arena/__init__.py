"""The arena: strategies play each other on the same deals; games, matches, values and tests.

Playing (`playing`, `work`, `running`) only needs NumPy and a double-dummy solver; analysing the
games (`zero_sum`, `results`, `analysis`) needs scipy as well. `power` says how many deals to play.
"""
