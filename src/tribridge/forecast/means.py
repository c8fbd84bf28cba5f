"""Files of mean tricks over ten layouts, in the format of the BridgeHand2Vec project.

Columns are separated by `;`: an index, the hands `N` and `S`, then mean tricks with North as
declarer in each strain (`NC` ... `NNT`), and the same with South (`SC` ... `SNT`).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tribridge.cards.cards import Strain, parse_hand
from tribridge.common.errors import FormatError, TribridgeError

LAYOUTS: Final = 10
"""Number of layouts behind each mean."""


def read_means(path: Path) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]:
    """Read hands, dummies and mean tricks (n, 5); each pair is given from both sides."""
    hands: list[int] = []
    dummies: list[int] = []
    labels: list[list[float]] = []
    columns = {side: [side + strain.letter for strain in Strain] for side in "NS"}
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter=";"), 2):
            try:
                north, south = (parse_hand(row[side]).mask for side in "NS")
                for side, own, other in (("N", north, south), ("S", south, north)):
                    labels.append([float(row[name]) for name in columns[side]])
                    hands.append(own)
                    dummies.append(other)
            except KeyError as error:
                raise FormatError(f"{path}: no column {error.args[0]}") from None
            except TribridgeError as error:
                raise FormatError(f"{path}, line {number}: {error}") from None
            except (TypeError, ValueError, AttributeError):
                raise FormatError(f"{path}, line {number}: expected numbers of tricks") from None
    if not hands:
        raise FormatError(f"{path}: contains no hands")
    return np.array(hands, np.uint64), np.array(dummies, np.uint64), np.array(labels)
