"""Tiny decks solved as games: CFR+, exact best responses, and strategies measured against them.

Needs NumPy and SciPy, not PyTorch. `treeplex`: a player's decisions in sequence form; `cfr`: the
solver, for any game in that form; `layouts`: all deals of a deck, with double dummy; `auctions`,
`card_play` and `whole`: the games; `policies`: strategies to measure; `measuring`: the tables.
"""
