"""The arena: strategies play each other on the same deals; games, matches, values and tests.

Playing (`playing`, `work`, `running`) only needs NumPy and a double-dummy solver; analysing the
games (`zero_sum`, `results`, `analysis`, `tiny`) needs scipy as well.
"""
