"""The commands of the club: play, bot, worker, store, puzzles and stats."""
