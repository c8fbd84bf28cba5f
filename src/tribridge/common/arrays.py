"""One code for arrays of NumPy and of PyTorch: what the two spell differently.

Both follow the array API in most things, so a function takes `xp = namespace(x)` and goes on with
`xp.where`, `xp.stack` and the operators. NumPy's arrays are on the device `"cpu"`. New random
arrays come from a *place*: a NumPy generator, or a PyTorch device, which has its own generator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = Any
"""An array of NumPy or of PyTorch."""
Place = Any
"""A NumPy generator or a PyTorch device."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Many things of a kind: each field is an array with one row for each of them."""

    def __len__(self) -> int:
        return len(self.columns()[0])

    def columns(self) -> list[Array]:
        """The fields, in order."""
        return [getattr(self, each.name) for each in fields(self)]

    def take(self, at: Any) -> Self:
        """Some of them: by number, as a mask or as a slice."""
        return type(self)(*(column[at] for column in self.columns()))

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Those of all parts."""
        columns = zip(*(part.columns() for part in parts), strict=True)
        return cls(*(namespace(column[0]).concat(column) for column in columns))


def namespace(of: Any) -> Any:
    """NumPy, or PyTorch for its tensors and devices.

    >>> namespace(np.arange(3)).__name__
    'numpy'
    """
    if isinstance(of, np.ndarray | Generator | str):
        return np
    import torch

    return torch


def cast(x: Array, dtype: Any) -> Array:
    """The same values in another type."""
    return x.astype(dtype) if isinstance(x, np.ndarray) else x.to(dtype)


def gather(x: Array, places: Array) -> Array:
    """The values at some places of each row: `take_along_axis`.

    >>> gather(np.array([[5, 6, 7], [1, 2, 3]]), np.array([[2], [0]])).tolist()
    [[7], [1]]
    """
    if isinstance(x, np.ndarray):
        return x[np.arange(len(x))[:, None], places]
    return x.gather(1, places)


def bits(masks: Array, size: int) -> Array:
    """The first bits of each mask, as booleans: (n, size) from (n,).

    >>> bits(np.array([0b101]), 4).tolist()
    [[True, False, True, False]]
    """
    places = namespace(masks).arange(size, device=masks.device)
    return masks[..., None] >> places & 1 != 0


def put(array: NDArray[Any], place: Place) -> Array:
    """An array of NumPy where a place has its arrays."""
    xp = namespace(place)
    return array if xp is np else xp.asarray(array, device=place)


def fetch(x: Array) -> NDArray[Any]:
    """The values as an array of NumPy; a GPU finishes them first."""
    return x if isinstance(x, np.ndarray) else x.cpu().numpy()


def uniform(place: Place, *shape: int) -> Array:
    """Random numbers from 0 to 1."""
    if isinstance(place, Generator):
        return place.random(shape)
    return namespace(place).rand(*shape, device=place)


def normal(place: Place, *shape: int) -> Array:
    """Random numbers of the standard normal distribution."""
    if isinstance(place, Generator):
        return place.standard_normal(shape)
    return namespace(place).randn(*shape, device=place)
