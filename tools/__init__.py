"""Programs for maintainers: `python -m tools.NAME` from a checkout."""
