"""The gallery of algorithms: each script learns for a moment and draws its curve."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tribridge.game.scoring import find_scheme
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.card_play import WholeGame
from tribridge.lab.tiny.layouts import Layouts
from tribridge.lab.tiny.policies import random_calls, random_cards, whole_strategies
from tribridge.lab.tiny.treeplex import judge

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "examples" / "gallery"
NEEDS = {"random_play": "pettingzoo", "reinforce": "gymnasium", "ppo": "torch"}
SMALLEST = {"cfr": "2", "imitation": "2", "ppo": "1", "random_play": "20", "reinforce": "1"}
"""By script, how long it learns here."""


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts import what lies beside them."""
    monkeypatch.syspath_prepend(str(GALLERY))
    monkeypatch.delitem(sys.modules, "curves", raising=False)


def load(name: str) -> dict[str, Any]:
    return runpy.run_path(str(GALLERY / f"{name}.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALLEST)
def test_a_script_learns_for_a_moment_and_draws_its_curve(
    name: str,
    beside: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    out = tmp_path / "curve.svg"
    monkeypatch.setattr(sys, "argv", [name, SMALLEST[name], "--out", str(out)])
    names = load(name)
    if "lead" in names:  # few deals are enough here
        monkeypatch.setitem(
            names["main"].__globals__, "lead", lambda agent: names["lead"](agent, 4)
        )
    names["main"]()
    assert out.read_text("utf-8").startswith("<?xml")
    assert " after " in capsys.readouterr().out


def test_cfr_measures_the_uniform_strategy_as_the_laboratory_does(beside: None) -> None:
    """The best responses of the script and those of `lab.tiny`, written independently."""
    names = load("cfr")
    from itertools import permutations

    import tribridge as tb

    sets: dict[tb.Seat, Any] = {seat: {} for seat in tb.Seat}
    hands = permutations(tb.Hand([card]) for card in names["GAME"].encoding.cards)
    deals = (tb.Deal.of(four, names["GAME"].deck) for four in hands)
    roots = [names["Node"](tb.new_table(deal), sets) for deal in deals]
    total = sum(names["gain"](roots, sets, player) for player in tb.Seat)
    whole = WholeGame(AuctionGame(Layouts(tb.Deck("2x2")), find_scheme("contract")))
    uniform = whole_strategies(whole, random_calls, random_cards, best=False)
    assert total == pytest.approx(judge(whole.game, uniform).nash_conv)


def test_scripts_are_short_ask_a_question_and_are_on_the_page() -> None:
    page = (ROOT / "docs" / "tutorials" / "gallery.md").read_text("utf-8")
    scripts = {path.stem for path in GALLERY.glob("*.py")} - {"curves"}
    assert scripts == set(SMALLEST)
    for name in scripts:
        text = (GALLERY / f"{name}.py").read_text("utf-8")
        assert len(text.splitlines()) < 100, name
        assert "?" in text.split("\n\n")[0], name
        assert f"examples/gallery/{name}.py" in page, name
        (picture,) = re.findall(rf"\((\.\./pictures/gallery-{name.partition('_')[0]}\.svg)\)", page)
        assert (ROOT / "docs" / "tutorials" / picture).exists()
