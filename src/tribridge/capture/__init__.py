"""The paper's closed form: the state matrix, Algorithms 1 and 2, and their readings."""

from __future__ import annotations

from tribridge.capture.algorithm import (
    Capture,
    Conditions,
    Option,
    Result,
    Skip,
    Stop,
    StopReason,
    algorithm1,
    algorithm2,
    default_budget,
)
from tribridge.capture.matrix import Matrix, Row, matrix_of
from tribridge.capture.readings import NATURAL, READINGS, REPORTED, Reading, parse_reading

__all__ = [
    "NATURAL",
    "READINGS",
    "REPORTED",
    "Capture",
    "Conditions",
    "Matrix",
    "Option",
    "Reading",
    "Result",
    "Row",
    "Skip",
    "Stop",
    "StopReason",
    "algorithm1",
    "algorithm2",
    "default_budget",
    "matrix_of",
    "parse_reading",
]
