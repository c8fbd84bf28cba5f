"""The pages speak the visitor's language, each visitor their own; programs always read English."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections.abc import Iterator
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import tribridge as tb
from tests.club.ears import Ear
from tests.club.helpers import (
    HereWorkers,
    act,
    client_of,
    form_at,
    look,
    open_table,
    running,
    sit,
    three,
)
from tools import messages
from tribridge.advice.holdings import because
from tribridge.capture import algorithm2, wording
from tribridge.cards.cards import Card, Hand, parse_hand
from tribridge.cards.deals import Seat
from tribridge.club import language
from tribridge.club.core.wording import YOUR_PART, YOURS, told
from tribridge.club.core.workers import FailedError
from tribridge.club.language import Text, counted, gettext, speaking, translated
from tribridge.club.pages import glossary, tour
from tribridge.club.pages.algorithm import frames
from tribridge.club.pages.templates import scored_for
from tribridge.common import codec
from tribridge.common.sentences import Sentence
from tribridge.game.auction import Bid
from tribridge.game.scoring import Reason
from tribridge.game.view_json import action_name
from tribridge.reviews import Judgement, Plan, judge, judgements
from tribridge.reviews.wording import summaries
from tribridge.strategies.players.maxims.player import maxim

pytestmark = pytest.mark.anyio


GERMAN = {"accept-language": "de-CH, de;q=0.9, en;q=0.5", "accept": "text/html"}
LANGUAGES = messages.languages()
HANDS = parse_hand("AKQ2.K93.A92.KQ5"), parse_hand("743.AQ5.KT43.J93")


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each translated language in turn."""
    with speaking(request.param):
        yield request.param


def test_what_is_translated_is_translated_well() -> None:
    """To mend this, run `make messages` and correct what it lists."""
    assert LANGUAGES == ["de"]
    for code in LANGUAGES:
        assert list(messages.problems(messages.read(code))) == []


EXPLAINED = ("are no partnerships", "partnerships: everyone", "partners in defence")
"""Where the word says that nobody has a partner, or what two defenders are."""


def test_nobody_has_a_partner_but_the_other_defender(spoken: str) -> None:
    """Three players bid for themselves; two of them defend together."""
    for message in messages.read(spoken):
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        if any(explained in text for text in texts for explained in EXPLAINED):
            continue
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        assert "partner" not in " ".join(map(str, (*texts, *said))).lower(), message.id


def test_a_text_without_a_translation_is_shown_in_english(spoken: str) -> None:
    assert gettext("A text that no catalogue has") == "A text that no catalogue has"
    catalog = messages.read(spoken)
    catalog.delete("My games")
    assert "missing: 'My games'" in messages.to_do(catalog)


def test_what_players_read_says_nothing_of_how_it_is_computed() -> None:
    inside = re.compile(r"\b(network|self-play|posterior|oracle|% of the stake)", re.IGNORECASE)
    found = [str(message.id) for message in messages.read("de") if inside.search(str(message.id))]
    assert [
        text for text in found if "your network" not in text and "or network:" not in text
    ] == []


def test_the_compiled_catalogues_are_those_of_the_sources() -> None:
    for code in LANGUAGES:
        fresh = GNUTranslations(BytesIO(messages.compiled(messages.read(code))))
        with messages.po_of(code).with_suffix(".mo").open("rb") as file:
            kept = GNUTranslations(file)
        assert vars(kept)["_catalog"] == vars(fresh)["_catalog"], "run `make messages`"


def test_problems_of_a_catalogue_are_found() -> None:
    catalog = messages.read("de")
    wrong = {
        "Lobby": "",
        "{name} leaves.": "{nahme} geht.",
        "Step %(step)s of %(steps)s": "Schritt %(step)s",
        "by %(name)s": "von <b>%(name)s</b>",
        "Sound": 'Ein "Ton"',
    }
    for message, string in wrong.items():
        catalog[message].string = string
    catalog["Settings"].flags.add("fuzzy")
    catalog.delete("My games")
    catalog.add("Nobody says this", "Das sagt niemand")
    found = sorted(
        problem.partition(":")[0]
        for problem in (*messages.to_do(catalog), *messages.problems(catalog))
    )
    assert [one.partition(" than")[0] for one in found] == [
        'a " would end an attribute',
        "missing",
        "no longer used",
        "not translated",
        "other fields",
        "other fields",
        "other tags",
        "to be checked (fuzzy)",
    ]


def test_text_that_cannot_be_translated_is_found() -> None:
    with pytest.raises(SyntaxError, match=r"x\.py, line 1: an f-string"):
        list(messages.in_source('raise NotNowError(f"{name} leaves")', "x.py"))
    source = 'Text("a" if b else "c"); counted("one", "many", n); Text(words)'
    assert list(messages.in_source(source, "x.py")) == ["a", "c", ("one", "many")]


def test_messages_of_a_file_that_is_gone_do_not_vanish_unseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "_REASONS", ("strategies/no_such_room/*.py",))
    with pytest.raises(FileNotFoundError, match="no_such_room"):
        list(messages.messages())


def test_who_speaks_what() -> None:
    assert language.preferred("de", "en") == "de"
    assert language.preferred("tlh", "fr, de;q=0.1, *;q=0.5") == "de"
    assert language.preferred("", "de;q=0, en;q=x") == "en"
    assert language.preferred("../../etc", "") == "en"


def test_a_text_is_english_until_it_is_translated(spoken: str) -> None:
    text = counted("{who} has {number} card", "{who} has {number} cards", 2, who=Seat.EAST)
    assert text == "East has 2 cards"
    assert translated(text) == "Ost has 2 cards"  # no catalogue has that sentence
    nested = Text("{name} plays {card}.", name="Ann", card=language.spoken(Card("HQ")))
    assert (nested, translated(nested)) == ("Ann plays queen of hearts.", "Ann spielt Coeur-Dame.")
    assert translated("Pass") == "Pass"
    limit = Text("{option}={value:g} of {seat}", option="layouts", value=2.0, seat=Seat.EAST)
    assert translated(limit) == "layouts=2 of Ost"  # a number keeps its format


def test_a_text_comes_back_from_a_worker_process(spoken: str) -> None:
    text = counted(
        "{name} wins by {points} point.", "{name} wins by {points} points.", 2, name="Ann", points=2
    )
    back = pickle.loads(pickle.dumps(text))
    assert back == text
    assert translated(back) == "Ann gewinnt mit 2 Punkten Vorsprung."


def test_every_term_is_found_in_its_own_language(spoken: str) -> None:
    for one in glossary.terms():
        assert f'popovertarget="{one.id}"' in glossary.explained(f"({one.name})")
    names = [one.name for one in glossary.terms()]
    assert len(set(names)) == len(glossary.english_terms())
    assert glossary.term("tricks").endswith(">Stiche</button>")


def test_what_stands_beside_a_bid_in_notrump_is_explained(spoken: str) -> None:
    said = because(Hand("AKJT4.KQ3.2.A652"), Bid("1NT")).text
    assert 'popovertarget="term-stopped"' in glossary.explained(said)


def test_every_reason_on_a_score_sheet_has_words(spoken: str) -> None:
    for reason in {*map(str, Reason), "rubber"} - {"contract"}:
        assert scored_for(reason) != reason
    assert scored_for("honours 4+1").endswith("4+1")
    assert scored_for("3NT") == "3SA"


def test_what_players_are_told_of_themselves_is_said_of_others() -> None:
    known = {form for _, found, _ in messages.messages() for form in (found, *found)}
    assert YOURS.keys() | YOUR_PART.keys() <= known


def test_a_trick_is_told_to_whoever_has_a_part_in_it() -> None:
    for pattern, parts in YOUR_PART.items():
        fields = {field: field for _, field, _, _ in Formatter().parse(pattern) if field}
        for part in parts:
            sentence = Sentence(pattern, fields | {part: "South"})
            assert "South" in str(sentence)
            own = str(told(sentence, "South"))
            assert re.search(r"\b[Yy]ou\b", own)
            assert "South" not in own
            assert set(re.findall(r"\w+", own)) >= fields.keys() - {part}
            assert told(sentence, "North") == sentence


class NoJudge(HereWorkers):
    """Reviews have no verdicts: they would take a while."""

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        if function is judge:
            raise FailedError("no verdicts")
        return await super().run(limit, function, *args)


async def test_a_player_without_a_name_is_told_what_they_did(tmp_path: Path) -> None:
    async with running(tmp_path, workers=NoJudge()) as (app, client):
        table = await open_table(client, deals=1, seed=3)
        seats = {seat: await sit(client, table, seat, {"S": ""}.get(seat, seat)) for seat in "NES"}
        while not (seen := await look(client, table))["deal_over"]:
            legal = (await look(client, table, seats[seen["turn"]]))["legal"]
            bids = seen["turn"] == "S" and seen["contract"] is None
            action = "1NT" if bids else legal[0]
            await act(client, table, seats[seen["turn"]], action, seen["number"])
        path = f"/table/{table}"
        token = seats["S"]["authorization"].split()[1]
        async with client_of(app) as south:
            south.cookies.set(f"seat-{table}", token)
            for where in ("", "/review/1", "/review/1?step=20", "/review/1/makes", "/why/1/5"):
                own, others, german = [
                    re.sub(r'"https[^"]*"', "", (await one.get(path + where, headers=read)).text)
                    for one, read in ((south, {}), (client, {}), (client, GERMAN))
                ]
                # Others read of a guest, in their own language.
                assert not re.search(r"\bSouth\b|\bGuest\b", own), where
                assert re.search(r"\bGuest\b", others) or "/why" in where, where
                assert re.search(r"\bGast\b", german) or "/why" in where, where
                assert not re.search(r"\bSouth\b|\bGuest\b", german), where
            # So in what would have happened with another card.
            done = client.server.rooms.find(table).state.finished[0].record.replay()
            lines = list[str]()
            for step in range(24, 44, 5):
                before = done.undo(53 - step)
                for card in before.legal:
                    where = f"/review/1/board?step={step}&instead={action_name(card)}&trick=13"
                    text = re.sub(r'"https[^"]*"', "", (await south.get(path + where)).text)
                    found = re.search(r".*\bSouth\b.*", text)
                    assert not found, f"{where}: {found}"
                    lines += re.findall(r'(?s)<ol class="what-if">.*?</ol>', text)
            assert re.search(r"\b[Yy]ou\b", "".join(lines))


async def test_pages_in_german(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for path, words in {
            "/": "Jetzt spielen",
            "/learn": "Einen Stich gewinnen",
            "/glossary": "Alleinspieler",
            "/me": "Noch keine Spiele",
            "/algorithm": "Hand und Dummy geben",
            "/offline": "Keine Verbindung",
            "/table/none": "Tisch gibt es nicht",
            "/nothing": "Nicht gefunden",
        }.items():
            page = await client.get(path, headers=GERMAN)
            assert '<html lang="de">' in page.text, path
            assert words in page.text, path
            assert page.headers["content-language"] == "de"
            assert page.headers["vary"] == "accept-language, cookie"
            chosen = await client.get(path, headers=GERMAN | {"cookie": "language=en"})
            assert '<html lang="en">' in chosen.text
            assert words not in chosen.text, path


async def test_programs_read_english(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        client.headers.update(GERMAN)
        refused = await client.get("/api/tables/none")
        assert refused.json() == {"error": "there is no such table"}
        table, seats = await three(client)
        await act(client, table, seats["N"], "Pass", 5)
        log = await client.get(f"/api/tables/{table}/log")
        assert log.json()["log"][-1] == "PN passes."


async def test_everyone_at_a_table_reads_their_own_language(tmp_path: Path) -> None:
    """The stream, the log and the phrases of the chat, for two who share a table."""
    async with running(tmp_path) as (app, client):
        table, seats = await three(client)
        path, english, german = f"/table/{table}/stream", Ear(), Ear()
        at = (await look(client, table))["number"]
        async with english.at(app, path, {}), german.at(app, path, GERMAN):
            await act(client, table, seats["N"], "Pass", at)
            body = {"text": "Well played!"}
            await client.post(f"/api/tables/{table}/chat", json=body, headers=seats["N"])
            for ear, words in (
                (english, ("PN passes.", "PE to call", "PN: Well played!")),
                (german, ("PN passt.", "PE sagt an", "PN: Gut gespielt!")),
            ):
                while not all(one in re.sub("<[^>]*>", "", "".join(ear.heard)) for one in words):
                    ear.more.clear()
                    await ear.more.wait()


async def test_a_deal_in_german(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        client.headers.update(GERMAN)
        fields = {"strategy": "pass+random", "scoring": "auction-rubber"}
        where = (await client.post("/play", data=fields)).headers["location"]
        page = await client.get(where)
        for _ in range(200):
            if 'data-turn="1"' in page.text:
                break
            await asyncio.sleep(0.02)
            page = await client.get(where)
        assert "Deine Ansage" in page.text
        assert ">Du</b>" in page.text  # someone who gave no name
        assert re.search(r'id="call-1NT"[^>]*aria-label="1 Sans Atout"', page.text)
        assert '<span class="nt">SA</span>' in page.text
        hint = await client.post(f"{where}/hint")
        assert "der Fälle erfüllt" in hint.text
        assert not re.search(r"\d\.\d", re.sub(r"<[^>]*>", "", hint.text))
        at = form_at((await client.get(where)).text)
        late = await client.post(
            f"{where}/act", data={"action": "1NT", "at": at - 9}, headers={"hx-request": "1"}
        )
        assert late.text.startswith("am Tisch ging es inzwischen weiter")


def test_the_tour_in_german() -> None:
    with speaking("de"):
        step = tour.steps()[0]
        right = "Das Ass ist das höchste Coeur: Der Stich gehört dir."
        assert tour.judge(step, "HA") == ("right", right)
        verdict, words = tour.judge(step, "SA")
        assert (verdict, words[:27]) == ("wrong", "Es wurde Coeur ausgespielt,")


def test_the_reasons_of_a_review_are_said_in_every_language() -> None:
    """A stored judgement keeps what it says, not the words."""
    table = tb.new_table(seed=1, auction="1NT pass pass")
    for card in range(3):
        table = table.play(str(sorted(table.legal, key=str)[card]))
    judged = list(judgements(table, Plan(layouts=8, processes=1)))
    stored = codec.loads(codec.dumps(judged, list[Judgement]), list[Judgement])
    assert stored == judged
    with speaking("de"):
        for one in judged:
            assert one.reason
            for sentence in one.why:
                german = translated(sentence)
                assert german != str(sentence)
                assert not {"average", "tricks", "points", "Pass"} & set(re.findall(r"\w+", german))
        assert "Entscheidung" in translated(summaries(judged)[Seat.SOUTH])


@pytest.mark.parametrize("deck", ["4x8", "4x13"])
def test_the_reasons_of_advice_are_said_in_every_language(deck: str) -> None:
    """All that `learned` and the maxims say, which a worker sends, and each step of a capture."""
    table, heard = tb.new_table(seed=1, deck=deck), []
    while not table.over:
        choice = tb.choose("learned", table, seed=1)
        heard.append(choice.reason)
        heard += [maxim(table.position)[1]] if table.position else []
        table = table.apply(choice.action)
    said, result = [pickle.loads(pickle.dumps(reason)) for reason in heard], algorithm2(*HANDS)
    english = [*said, *(one.text for one in frames(result)), wording.headline(result)]
    with speaking("de"):
        german = [*map(translated, said), *(one.text for one in frames(result))]
        german.append(translated(wording.headline(result)))
    assert said == heard
    for one, other in zip(english, german, strict=True):
        assert not set(re.findall(r"[a-z]{4,}", one)) & set(re.findall(r"\w+", other)), other


async def test_a_screen_reader_hears_words_and_whose_turn_it_is(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, client):
        table, seats = await three(client)
        path, own, other = f"/table/{table}/stream", Ear(), Ear()
        at = (await look(client, table))["number"]
        held = {
            seat: {"cookie": f"seat-{table}={headers['authorization'].split()[1]}"}
            for seat, headers in seats.items()
        }
        async with own.at(app, path, held["E"]), other.at(app, path, held["S"] | GERMAN):
            await act(client, table, seats["N"], "1H", at)
            for ear, words in ((own, "PN calls 1 heart. Your call."), (other, "PN sagt 1 Coeur.")):
                while f"{words}\n" not in "".join(ear.heard):
                    ear.more.clear()
                    await ear.more.wait()
