"""Making the puzzles of the package: `python -m tests.puzzles.maker --out FOLDER`."""
