"""`tribridge paper`: one study alone, the folder, going on after a stop, bad input."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.library.cli.helpers import COMMAND, process, refusal, tribridge
from tribridge.lab.studies.suite import STUDIES


def test_one_study_alone_writes_its_page(tmp_path: Path) -> None:
    done = tribridge("paper", "--quick", "--only", "conditions", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Table 1" in done.stdout
    assert "57.527" in done.stdout  # the exact share of pairs that hold A but not B
    assert str(tmp_path / "index.html") in done.stdout
    assert {p.name for p in (tmp_path / "figures").glob("*.svg")} == {
        "captures.svg",
        "conditions.svg",
    }
    assert sorted(p.name for p in (tmp_path / "runs").iterdir()) == [
        f"capture-{seed}.json" for seed in (1, 2, 3)
    ]
    again = tribridge("paper", "--quick", "--only", "conditions", "--out", str(tmp_path), "--json")
    data = json.loads(again.stdout)
    assert len(data["figures"]) == 60


@pytest.mark.full
def test_the_quick_report_is_whole(tmp_path: Path) -> None:
    done = process("paper", "--quick", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {f["table"] for f in data["figures"]} == {
        "captures",
        "conditions",
        "second hand",
        "headline",
    }
    assert len(list((tmp_path / "figures").iterdir())) == sum(
        len(study.figures) for study in STUDIES.values()
    )
    assert not (tmp_path / "paper.pdf").exists()  # the full report has one


@pytest.mark.full
def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(tmp_path: Path) -> None:
    command = [COMMAND, "paper", "--only", "headline", "--out", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        while not list((tmp_path / "runs").glob("game-natural-*.json")):
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
        assert running.wait() == 130
    assert said.count("\n") == 1
    assert f"saved in {tmp_path / 'runs'}" in said
    assert not (tmp_path / "index.html").exists()


def test_a_part_does_not_take_the_place_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tribridge("paper", "--quick", "--only", "cost").returncode == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["paper-quick-cost"]


def test_bad_input_gets_one_line(tmp_path: Path) -> None:
    assert "'x': expected conditions" in refusal("paper", "--only", "x")
    out = str(tmp_path)
    assert "out of range" in refusal("paper", "--only", "conditions", "--seed", "-1", "--out", out)
    assert "--threads" in refusal("paper", "--only", "dummy", "--threads", "-2", "--out", out)
    file = tmp_path / "file"
    file.write_text("")
    assert "Not a directory" in refusal("paper", "--only", "conditions", "--out", str(file))


def test_a_study_alone_gives_the_numbers_of_the_whole_report(tmp_path: Path) -> None:
    """The command shown at a table, run as it is written, makes the same table."""
    both, alone = tmp_path / "both", tmp_path / "alone"
    chosen = ("--only", "second-hand", "--only", "conditions")
    assert tribridge("paper", "--quick", *chosen, "--out", str(both)).returncode == 0
    page = (both / "index.html").read_text("utf-8")
    start = page.index('id="table-second-hand"')
    command = re.search(r"command: <code>(.*?)</code>", page[start:])
    assert command is not None
    assert command[1] == "tribridge paper --quick --only second-hand"
    done = tribridge(*shlex.split(command[1])[1:], "--out", str(alone))
    assert done.returncode == 0, done.stderr
    for path in sorted((alone / "tables").glob("second-hand*")):
        assert path.read_bytes() == (both / "tables" / path.name).read_bytes(), path.name
