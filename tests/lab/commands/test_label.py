"""`tribridge label`: a folder of files, one file of all, and bad input."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.library.cli.helpers import refusal, tribridge
from tribridge.common import parallel
from tribridge.lab.labels.labels import load_labels


def test_a_folder_is_made_and_not_made_again(tmp_path: Path) -> None:
    out, one = tmp_path / "labels", tmp_path / "one.parquet"
    arguments = [
        "label",
        "--deals",
        "3",
        "--strains",
        "nt,S",
        "--out",
        str(out),
        "--processes",
        "1",
    ]
    done = tribridge(*arguments, "--one-file", str(one))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"{out}: 3 deals labelled (seed 1, strains S NT" in done.stdout
    assert load_labels(one).tricks.tolist() == load_labels(out).tricks.tolist()
    again = json.loads(tribridge(*arguments, "--json").stdout)
    assert (again["kept"], again["made"], again["strains"]) == (3, 0, ["S", "NT"])
    next(out.glob("labels-*")).write_text("no Parquet")
    mended = tribridge(*arguments)
    assert "labels-000000000000-000000000002.parquet was damaged" in mended.stdout


def test_one_declarer_a_deal(tmp_path: Path) -> None:
    arguments = ("label", "--deals", "4", "--strains", "NT", "--out", str(tmp_path))
    done = tribridge(*arguments, "--declarers", "one", "--processes", "1")
    assert done.returncode == 0, done.stderr
    assert "(seed 1, strains NT, one declarer per deal, " in done.stdout
    assert load_labels(tmp_path).seats[:, 0].tolist() == [0, 1, 2, 0]
    assert "holds seed 1" in refusal(*arguments)


@pytest.mark.filterwarnings("ignore")
def test_bad_input_gets_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = ("--out", str(tmp_path / "labels"))
    assert "unknown strain 'X'" in refusal("label", *out, "--strains", "X")
    assert "unknown declarers 'N'" in refusal("label", *out, "--declarers", "N")
    assert "named twice" in refusal("label", *out, "--strains", "S,s")
    assert "number of deals" in refusal("label", *out, "--deals", "0")
    assert "not a number" in refusal("label", *out, "--deals", "many")
    assert "seed -1" in refusal("label", *out, "--seed", "-1")
    assert "0 (all cores)" in refusal("label", *out, "--processes", "-2")
    assert "deals per file" in refusal("label", *out, "--chunk", "0")
    assert "missing option '--out'" in refusal("label")
    address = "tcp://127.0.0.1:9"
    both = refusal("label", *out, "--cluster", address, "--processes", "2")
    assert "cannot be combined" in both
    monkeypatch.setattr(parallel, "Cluster", partial(parallel.Cluster, timeout=1.0))
    assert "does not answer" in refusal("label", *out, "--deals", "1", "--cluster", address)
    file = tmp_path / "file"
    file.write_text("")
    assert "File exists" in refusal("label", "--out", str(file), "--deals", "1")
