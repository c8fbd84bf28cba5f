"""`tribridge` for tests of the pages: quick reviews, no field, and visitors are never too many.

Good verdicts are not needed there, and all tests of a process are one visitor, who would be refused
on a fast machine.
"""

from tribridge.cli import main
from tribridge.club.core import challenges, reviews
from tribridge.club.server import guard

LAYOUTS = 8

if __name__ == "__main__":
    # The workers are given the number with every question.
    reviews.LAYOUTS = LAYOUTS  # type: ignore[misc]
    challenges.field_runs = tuple  # type: ignore[assignment, attr-defined]
    guard.Buckets.take = lambda *_: 0.0  # type: ignore[method-assign]
    main()
