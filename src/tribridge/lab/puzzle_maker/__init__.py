"""Making puzzles from games of the bots: `tribridge puzzles make`."""
