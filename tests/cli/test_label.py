"""`tribridge label`: a folder of files, one file of all, and bad input."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.helpers import refusal, tribridge
from tribridge import parallel
from tribridge.cards import Strain
from tribridge.double_dummy.labels import Labels, LabelWork, dumps_labels, load_labels, shipped


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


def test_labels_are_verified_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    right, work = shipped().first(2), LabelWork(2026, (Strain.SPADES, Strain.NOTRUMP))
    tricks = right.tricks[:, :, [3, 4]]
    solved = tricks[1, 2, 1]
    tricks[1, 2, 1] = 13
    file = tmp_path / "wrong.parquet"
    file.write_bytes(dumps_labels(Labels(work, right.numbers, tricks)))
    done = tribridge("label", "verify", str(file), "--processes", "1")
    assert done.returncode == 1
    wrong, summary = done.stdout.splitlines()
    assert wrong == f"deal 1, declarer South, NT: labelled 13, solved {solved}"
    assert f"{file}: 2 of 2 deals solved again (turned), 12 results: 1 disagreement (" in summary
    done = tribridge("label", "verify", str(file), "--processes", "1", "--by", "table", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["disagreements"] == [
        {"deal": 1, "declarer": "South", "strain": "NT", "label": 13, "solved": solved}
    ]


def test_a_sample_of_the_shipped_labels_is_verified() -> None:
    done = tribridge("label", "verify", "shipped", "--sample", "1", "--processes", "1")
    assert done.returncode == 0, done.stderr
    assert "shipped: 1 of 3,000 deals solved again (turned), 15 results: all agree" in done.stdout


def test_what_cannot_be_verified_is_refused(tmp_path: Path) -> None:
    verify = ("label", "verify", "shipped")
    assert "no such option: --out" in refusal(*verify, "--out", str(tmp_path)).lower()
    assert "1 deal" in refusal(*verify, "--sample", "0")
    assert "verify 'magic'" in refusal(*verify, "--by", "magic")
    assert "nowhere" in refusal("label", "verify", str(tmp_path / "nowhere"))
    assert "label files" in refusal("label", "verify", str(tmp_path))
