"""The pages on environments: blocks that need a package which the other pages do without."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import ROOT, blocks, run

PAGES = {
    "docs/tutorials/train-an-agent.md": "sb3_contrib",
    "docs/how-to/bring-your-own-learner.md": "pyspiel",
}
"""Pages and what they need beyond the packages that the tests always have."""


@pytest.mark.slow
@pytest.mark.parametrize(("page", "package"), PAGES.items(), ids=PAGES)
def test_every_block_runs(
    page: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    if find_spec("torch"):
        pytest.importorskip("torch").set_num_threads(1)  # threads would wait for each other
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    own = 0
    for block in blocks(ROOT / page):
        if block.note == "run by":
            assert (ROOT / block.about).samefile(__file__)
            block, own = replace(block, note=""), own + 1
        run(block, namespace)
    assert own > 0


@pytest.mark.slow
def test_the_first_agent_trains_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tutorial's scheme and its first script, with 3 updates and 4 deals instead of 300."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    scheme, script, *_ = blocks(ROOT / "docs/tutorials/train-an-agent.md")
    run(scheme, namespace)
    short = script.text.replace("range(300)", "range(3)").replace("deals=300", "deals=4")
    assert short.count("range(3)") == short.count("deals=4") == 1
    run(replace(script, note="", text=short), namespace)
    assert namespace["second"].any()  # it has learned something
    assert "Reinforced" in capsys.readouterr().out


def test_pages_with_blocks_for_this_test_are_run_here() -> None:
    here = str(Path(__file__).relative_to(ROOT))
    pages = {
        str(path.relative_to(ROOT))
        for path in ROOT.glob("docs/**/*.md")
        if any(block.about == here for block in blocks(path))
    }
    assert pages == set(PAGES)
