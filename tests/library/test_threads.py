"""What is made on first use, asked for by several threads at the same moment in a fresh process.

Every thread must get the answer of a thread that is alone, and what is to exist once must be one
object for all.
"""

from __future__ import annotations

import ast
import threading
from concurrent.futures import ThreadPoolExecutor

import tribridge as tb
from tests.threads import results_of_threads

SETUP = """
from tribridge.capture import exact, row_classes
from tribridge.capture.simulation import kernel
from tribridge.capture.simulation.tables import deal_tables
from tribridge.cards.cards import Deck, Strain
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.forecast import find_forecaster
from tribridge.game.scoring import schemes
from tribridge.strategies.players.search.evaluation import solver_of
"""

WORK = """
pairs, solver = row_classes.pair_rows(13), solver_of(Deck(2, 4))
objects = [deal_tables(), pairs, find_forecaster(), solver]
hands = deal_masks(2026, 0, 200)
small = Deck(2, 8)
distribution = exact.algorithm2(Deck(2, 4))
net = find_forecaster().from_pair(hands[:, 0], hands[:, 3])
ending = [int(hand) for hand in deal_masks(5, 0, 1, small)[0]]
return [id(thing) for thing in objects], [
    hands[:3].tolist(),
    kernel.capture_counts(1, 0, 500).nonzero()[0].tolist(),
    net.argmax(-1).tolist(),
    round(float(net[:, :, 9].sum()), 3),
    sorted(distribution.captures.items()),
    [solver_of(small).tricks(ending, strain) for strain in small.strains],
    sorted(schemes()),
]
"""

BLAS = """
import os

os.environ["OPENBLAS_NUM_THREADS"] = "2"  # the tests have set it to 1
from threadpoolctl import threadpool_info
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.forecast import find_forecaster

hands = deal_masks(1, 0, 17_000)
net = find_forecaster()


def blas_threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


before = blas_threads()
"""


def test_threads_get_the_answers_of_one_thread_and_the_same_objects() -> None:
    ((_, alone),) = ast.literal_eval(results_of_threads(SETUP, WORK, threads=1))
    objects, together = zip(*ast.literal_eval(results_of_threads(SETUP, WORK)), strict=True)
    assert [*together] == [alone] * 4
    assert [*objects] == [objects[0]] * 4


def test_forecasts_by_threads_leave_the_matrix_library_as_it_was() -> None:
    """Some of 20 hands, some of 17,000, for which the table of the encoder is made."""
    work = """
size = 20 if at % 2 else len(hands)
few = net.from_pair(hands[:20, 0], hands[:20, 3])
many = [net.from_pair(hands[:size, 0], hands[:size, 3]) for _ in range(2)]
return max(float(abs(one[:20] - few).max()) for one in many)
"""
    output = results_of_threads(BLAS, work, after="print(before == blas_threads())")
    differences, restored = output.splitlines()
    assert max(ast.literal_eval(differences)) < 1e-5
    assert restored == "True"


def test_objects_of_one_name_are_compared_in_two_threads_at_once() -> None:
    done = threading.Event()

    class Lowest:
        def __init__(self, waits: bool) -> None:
            self.waits = waits

        def card(self, view: tb.View, rng: object) -> tb.Card:
            if self.waits:
                assert done.wait(60)
            return min(view.legal_cards, key=lambda card: card.rank)

    def compare(waits: bool) -> str:
        return tb.compare(Lowest(waits), "random", deals=2, play_only=True, deck="2x4").summary()

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(compare, True)
        second = compare(False)
        done.set()
        assert first.result() == second
