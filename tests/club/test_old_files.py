"""Files of tables as version 0.2.0 and the schema of today wrote them, and what they hold.

`tables-0.2.0.sql` is a dump of a file that version 0.2.0 wrote, `tables-schema-8.sql` of one from
before events were typed. Beside each is the state of every table as the program was then.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.club.helpers import HereWorkers
from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.club.core.all_rooms import Rooms
from tribridge.club.core.challenges import Challenges
from tribridge.club.core.events import replay
from tribridge.club.core.room import Timing
from tribridge.club.core.state import State
from tribridge.club.core.store import SqliteStore, Store
from tribridge.common import codec
from tribridge.game.view_json import action_name

FILES = Path(__file__).parent / "old_files"
NAMES = ("tables-0.2.0", "tables-schema-8")


@contextmanager
def _opened(name: str, folder: Path) -> Iterator[tuple[Store, dict[str, Any]]]:
    database = sqlite3.connect(folder / "x.sqlite")
    database.executescript((FILES / f"{name}.sql").read_text("utf-8"))
    database.close()
    store = SqliteStore(folder / "x.sqlite")
    yield store, json.loads((FILES / f"{name}.json").read_text("utf-8"))
    store.close()


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else seat.letter


def _summary(state: State) -> dict[str, Any]:
    """A state in the form of the files, which does not depend on the classes of the program."""
    claim = state.claim
    return {
        "number": state.number,
        "since": state.since,
        "seed": state.strategy_seed,
        "secret": state.plan.secret,
        "known": state.plan.known,
        "places": [[p.name, p.strategy, p.person, p.open, p.serial, p.away] for p in state.places],
        "actions": [
            action.name if isinstance(action, Card) else str(getattr(action, "value", action))
            for action in state.actions
        ],
        "turn": _letter(state.turn),
        "closed": state.closed,
        "over": state.over,
        "deals": [
            [deal.outcome.tricks, deal.claimed, [seat.letter for seat in deal.advised]]
            for deal in state.finished
        ],
        "totals": [str(points) for points in state.match.totals()],
        "claim": None
        if claim is None
        else [claim.seat.letter, claim.tricks, sorted(seat.letter for seat in claim.agreed)],
        "refused_at": state.refused_at,
        "advice": [[seat.letter, at] for seat, at in state.advice],
        "said": [[number, str(text)] for number, text in state.said],
        "notes": [str(text) for text in state.notes],
        "hints": state.plan.hints,
        "drawn": state.drawn,
        "turn_since": state.turn_since,
        "host": _letter(state.host),
        "ready": sorted(seat.letter for seat in state.ready),
        "messages": [[m.number, _letter(m.seat), m.name, m.text] for m in state.messages],
        "written": state.written,
        "muted": sorted([seat.letter, whom] for seat, whom in state.muted),
        "changes": list(state.changes),
        "late": list(state.late),
        "rematch": sorted(seat.letter for seat in state.rematch),
        "rematch_table": state.rematch_table,
        "options": codec.plain(state.options),
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_in_the_state_in_which_it_was_left(name: str, tmp_path: Path) -> None:
    with _opened(name, tmp_path) as (store, expected):
        tables = {*store.tables(over=False), *store.tables(over=True)}
        assert tables == expected.keys() - {"challenge", "result"}
        for table in tables:
            state = replay(store.events(table))
            assert state is not None
            summary = _summary(state)
            known = {key: summary[key] for key in expected[table]}
            if "options" in known:  # there are more of them by now
                then = expected[table]["options"]
                known["options"] = {key: known["options"][key] for key in then}
            for one in (known, expected[table]):  # by now that is said once on a deal
                one["said"] = [line for line in one["said"] if "asks for advice" not in line[1]]
            assert known == expected[table], table


def test_an_old_file_can_be_written_to_and_opened_again(tmp_path: Path) -> None:
    async def play_on(store: Store) -> dict[str, State]:
        rooms = Rooms(store, HereWorkers(), Timing())
        after = {}
        for table in store.tables(over=False):
            room = await rooms.load(table)
            state = room.state
            if state.turn is not None and state.table is not None:
                action = action_name(state.table.legal[0])
                await rooms.click(room, state.turn, action, state.number)
                after[table] = room.state
        await rooms.close()
        return after

    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        with _opened(name, folder) as (store, _):
            after = asyncio.run(play_on(store))
        assert len(after) > 1
        again = SqliteStore(folder / "x.sqlite")
        for table, state in after.items():
            assert replay(again.events(table)) == state
        again.close()


def test_challenges_and_their_results_are_read(tmp_path: Path) -> None:
    with _opened("tables-schema-8", tmp_path) as (store, expected):
        challenges = Challenges(Rooms(store, HereWorkers(), Timing()))
        old, result = expected["challenge"], expected["result"]
        challenge = asyncio.run(challenges.find(old["id"]))
        assert list(challenge.strategies) == old["strategies"]
        assert (challenge.dice, challenge.seat.letter, challenge.by) == (old["dice"], "S", "")
        assert {key: codec.plain(challenge.match)[key] for key in old["match"]} == old["match"]

        async def read() -> list[Any]:
            found = await challenges.results(challenge)
            await challenges.close()
            return found

        person, bot = asyncio.run(read())
        assert (person.player, bot.player, bot.bot) == ("d:ann", "b:points+random", True)
        for entry in (person, bot):
            assert entry.name == result["name"]
            assert list(entry.scores) == [Fraction(score) for score in result["scores"]]
            assert (entry.total, entry.net) == (Fraction(result["total"]), Fraction(result["net"]))
