"""The paper's closed form: the state matrix, Algorithms 1 and 2, and their readings."""

from __future__ import annotations

from tribridge.capture.algorithm import Capture as Capture
from tribridge.capture.algorithm import Conditions as Conditions
from tribridge.capture.algorithm import Option as Option
from tribridge.capture.algorithm import Result as Result
from tribridge.capture.algorithm import Skip as Skip
from tribridge.capture.algorithm import Stop as Stop
from tribridge.capture.algorithm import StopReason as StopReason
from tribridge.capture.algorithm import algorithm1 as algorithm1
from tribridge.capture.algorithm import algorithm2 as algorithm2
from tribridge.capture.algorithm import default_budget as default_budget
from tribridge.capture.matrix import Matrix as Matrix
from tribridge.capture.matrix import Row as Row
from tribridge.capture.matrix import matrix_of as matrix_of
from tribridge.capture.readings import NATURAL as NATURAL
from tribridge.capture.readings import READINGS as READINGS
from tribridge.capture.readings import Reading as Reading
from tribridge.capture.readings import parse_reading as parse_reading
