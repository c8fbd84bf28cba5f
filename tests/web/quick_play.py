"""`tribridge` with reviews that value few layouts: tests of the pages do not need good verdicts."""

from tribridge.cli import main
from tribridge.web.core import reviews

LAYOUTS = 8

if __name__ == "__main__":
    # The workers are given the number with every question.
    reviews.LAYOUTS = LAYOUTS  # type: ignore[misc]
    main()
