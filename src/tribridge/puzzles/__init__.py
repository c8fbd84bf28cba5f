"""Puzzles: positions from games, with one answer that is best by what the player could know."""
