"""The programs of `examples/opponents`, which know nothing of Tribridge but its JSON lines."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.test_docs import ROOT
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.game.table import new_table
from tribridge.game.view_json import view_fields
from tribridge.game.views import view


@pytest.mark.parametrize("contract", ["1NT", "4S"])
def test_the_sampler_passes_and_then_plays_legal_cards_in_every_chair(contract: str) -> None:
    program = ROOT / "examples" / "opponents" / "sampler.py"
    with subprocess.Popen(
        [sys.executable, str(program), "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as sampler:
        assert sampler.stdin is not None
        assert sampler.stdout is not None
        table = new_table(deal(1, 4), Seat.NORTH).call(contract)
        while not table.over:
            question = view_fields(view(table, table.turn)) | {"seed": 7}
            sampler.stdin.write(json.dumps(question) + "\n")
            sampler.stdin.flush()
            answer = sampler.stdout.readline().strip()
            assert answer in question["legal"]
            table = table.play(answer) if table.contract else table.call(answer)
        sampler.stdin.close()
    assert sampler.returncode == 0
