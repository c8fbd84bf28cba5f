"""Tiny decks solved as games: CFR+, exact best responses, and strategies measured against them.

Needs NumPy and SciPy, not PyTorch. `treeplex`: a player's decisions in sequence form, and CFR+
for any game in that form; `layouts`: all deals of a deck, with double dummy; `auctions` and
`card_play`: the games; `measuring`: strategies in them; `team`: the value against two defenders.
"""
