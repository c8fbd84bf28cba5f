"""Numbers with their precision: exact, or sampled with a standard error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its standard error, which is 0 if the value is exact.

    A sampled value that was the same in every draw also has error 0 but is not exact.

    Examples:
        >>> print(Estimate(0.25), Estimate(0.25, 0.0137, exact=False))
        0.25 0.250 ± 0.014
    """

    value: float
    se: float = 0.0
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.value:.6g}" if self.exact else f"{self.value:.3f} ± {self.se:.3f}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A random whole number: its mean and the chance of each possible value."""

    mean: Estimate
    chances: Mapping[int, Estimate]

    def at_least(self, least: int) -> float:
        """The chance of this value or more."""
        return sum(chance.value for value, chance in self.chances.items() if value >= least)


def counted(counts: Iterable[int]) -> Variable:
    """The exact variable that is 0, 1, 2, ... in these numbers of equally likely cases."""
    times = {value: count for value, count in enumerate(counts) if count}
    total = sum(times.values())
    mean = sum(value * count for value, count in times.items()) / total
    return Variable(Estimate(mean), {value: Estimate(n / total) for value, n in times.items()})
