"""DDS called by several threads: loaded once, no crash, the right tricks."""

from __future__ import annotations

import pytest

from tests.grids import thinned
from tests.threads import results_of_threads
from tribridge.lab.labels.labels import shipped

SETUP = """
from tribridge.cards.cards import Strain
from tribridge.lab.labels.labels import LabelWork

labels = LabelWork(2026, (Strain.NOTRUMP,))
"""
WORK = "return labels.run((3 + 3 * at, 6 + 3 * at)).tolist()"


@pytest.mark.parametrize("attempt", thinned(range(4)))
def test_threads_that_solve_at_once_in_a_fresh_process_get_the_right_tricks(attempt: int) -> None:
    tricks = shipped().tricks[3:15, :, 4:].reshape(4, 3, 3, 1)
    assert results_of_threads(SETUP, WORK) == str(tricks.tolist())
