"""Files that version 0.3.0 wrote are read, or refused in one line that says what to do."""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path

import pytest

import tribridge as tb
from tests.library.cli.helpers import refusal
from tribridge.arena.results import load
from tribridge.capture.simulation import counts
from tribridge.common.files import joined
from tribridge.game.record import load as load_records
from tribridge.networks import play
from tribridge.networks.network import load_network, package_weights
from tribridge.strategies.learned import TRICKS, network
from tribridge.strategies.learned.releases import FOLDER

OLD = Path(__file__).parent / "old_files"


def test_records_and_tables_are_read() -> None:
    (record,) = load_records(OLD / "records-0.3.0.jsonl")
    table = tb.from_json((OLD / "table-0.3.0.json").read_text("utf-8"))
    assert record.table() == table
    assert table.over
    assert len(table.tricks) == 13


def test_a_simulation_does_not_go_on_with_another_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counts, "__version__", "0.3.0")
    assert counts.load(OLD / "tally-0.3.0.json").deals == 1000
    monkeypatch.setattr(counts, "__version__", "0.4.0")
    with pytest.raises(
        tb.TribridgeError, match=r"counted by version 0\.3\.0, not 0\.4\.0: count again, to another"
    ):
        counts.load(OLD / "tally-0.3.0.json")


def test_a_result_of_the_arena_is_refused_with_the_command_that_plays_it_again() -> None:
    with pytest.raises(tb.TribridgeError) as refused:
        load(OLD / "match-0.3.0.json")
    said = str(refused.value)
    assert "\n" not in said
    assert said.startswith(f"{OLD / 'match-0.3.0.json'}: an arena result of version 0.3.0")
    assert said.endswith("`tribridge arena match points+maxims random --deals 3 --seed 1`")


def test_a_folder_of_the_arena_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    shutil.copy(OLD / "arena-0.3.0.json", tmp_path / "arena.json")
    said = refusal(
        *("arena", "match", "points+maxims", "random"),
        *("--deals", "3", "--processes", "1", "--out", str(tmp_path)),
    )
    assert "holds other games (format 1, not 2): choose another folder" in said
    text = (tmp_path / "arena.json").read_text("utf-8")
    assert text == (OLD / "arena-0.3.0.json").read_text("utf-8")


def test_weights_are_read_as_they_were_written() -> None:
    """Those of `learned@1` are the same bytes; in the package they are split."""
    data = package_weights(f"{FOLDER}/{TRICKS}")
    assert data.startswith(b"PK")
    assert joined(data) == data
    assert (load_network(BytesIO(data), TRICKS, play.KIND).table_in == network().table_in).all()
