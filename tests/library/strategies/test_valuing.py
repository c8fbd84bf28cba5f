"""What cards are worth in positions that can be solved."""

from __future__ import annotations

import numpy as np

import tribridge as tb
from tribridge.beliefs import layouts_of
from tribridge.strategies.learned.valuing import value_legal_cards


def test_where_every_card_is_known_the_solver_alone_is_believed() -> None:
    rng, known = np.random.default_rng(5), 0
    for seed in range(40):
        table = tb.new_table(seed=seed, auction="3NT pass pass")
        while not table.over:
            seen = tb.view(table, table.turn)
            if len(seen.tricks) >= 6 and len(seen.legal) > 1 and layouts_of(seen).count == 1:
                valued = value_legal_cards(seen, 200, rng, solve_endings=True)
                exact = tb.solve(table)
                won = (valued.means() @ np.arange(14)).round(9).tolist()
                assert won == [exact[card] for card in valued.cards]
                known += 1
            table = table.play(str(seen.legal[rng.integers(len(seen.legal))]))
    assert known > 3
