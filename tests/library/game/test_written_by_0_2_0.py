"""What version 0.2.0 wrote is read, and written again as it was."""

from __future__ import annotations

import json

from tests.library.game.playing import DATA
from tribridge.game import record
from tribridge.game.record import pbn, rubbers
from tribridge.game.view_json import read_view, view_fields

OLD = DATA / "written_by_0.2.0"


def test_games_in_json_lines() -> None:
    text = (OLD / "games.jsonl").read_text("utf-8")
    assert record.dumps(record.loads(text)) == text


def test_games_in_pbn() -> None:
    text = (OLD / "games.pbn").read_text("utf-8")
    games = pbn.loads_pbn(text)
    assert len(games) == text.count("[Event ")
    head = "% PBN 2.1\n% EXPORT\n"
    alone = [head + game for game in text.split(head)[1:]]
    assert [pbn.dumps_pbn([game]).rstrip() for game in games] == [game.rstrip() for game in alone]


def test_rubbers() -> None:
    text = (OLD / "rubbers.jsonl").read_text("utf-8")
    assert rubbers.dumps(rubbers.loads(text)) == text


def test_views() -> None:
    for line in (OLD / "views.jsonl").read_text("utf-8").splitlines():
        fields = json.loads(line)
        assert view_fields(read_view(fields)) == fields
