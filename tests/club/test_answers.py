"""The recording of all answers, by which changes that should alter none are checked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tools.answers.html import visible
from tools.answers.story import tell
from tools.answers.walk import fixed


def test_only_white_space_that_is_seen_counts() -> None:
    assert visible("<p>a  <b>b</b>\n</p> <p>c</p>") == visible("<p>\na <b>b</b></p><p>c</p>")
    assert visible("<p>a <b>b</b></p>") != visible("<p>a<b>b</b></p>")
    assert visible("<pre>a  b</pre>") != visible("<pre>a b</pre>")


@pytest.mark.full
def test_every_route_is_asked(tmp_path: Path) -> None:
    with fixed():
        assert len(asyncio.run(tell(tmp_path))) > 3000
