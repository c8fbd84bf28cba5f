"""The tour: every step can be done, errors are explained, nothing is stored."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.club.helpers import running
from tribridge.cards.cards import Card, cards_of
from tribridge.cards.deals import Seat
from tribridge.club.pages.glossary import explained, term, terms
from tribridge.club.pages.tour import Step, judge, lesson_of, steps
from tribridge.club.view.board import sides_of
from tribridge.game import Chair
from tribridge.game.view_json import action_name
from tribridge.game.views import view
from tribridge.strategies import decision_rng, find_caller
from tribridge.strategies.callers.card import CARD, counted_points
from tribridge.strategies.players.search.evaluation import solver_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.title)
def test_every_step_waits_for_the_learner_and_has_an_answer_to_everything(step: Step) -> None:
    table = step.table
    assert table.turn is Seat.SOUTH
    legal = [action_name(action) for action in table.legal]
    assert {*step.accept} <= {*legal}
    assert {*step.wrong} - {"other"} <= {*legal} - {*step.accept}
    for action in legal:
        verdict, words = judge(step, action)
        assert verdict == ("right" if action in step.accept else "wrong")
        assert words
    assert {*step.fine} <= {*step.accept}
    assert all(judge(step, action)[1] == words for action, words in step.fine.items())
    for action in step.accept:
        sides, _ = sides_of(lesson_of(step.lesson, step.number, action).seen)
        assert not any(side.playable for side in sides)
    _, slots = sides_of(lesson_of(step.lesson, step.number, "").seen)
    assert not any(slot.why for slot in slots if slot.spot == "bottom")
    if any(slot.card for slot in slots if slot.spot in ("left", "right")):
        assert any(slot.why for slot in slots)  # why the others play is told at once
    if table.position is not None:  # every card of the hand in turn is a button
        for card in cards_of(table.position.mine):
            if card not in table.legal:
                words = judge(step, card.name)[1]
                assert "follow suit" in words
                assert ("dummy" in words) is (table.position.chair is Chair.DUMMY)


@pytest.mark.parametrize(
    "step", [step for step in steps() if step.lesson == 3], ids=lambda step: step.title
)
def test_what_good_defenders_do_is_best_double_dummy(step: Step) -> None:
    position = step.table.position
    assert position is not None
    tricks = solver_of(step.table.deal.deck).cards(position)
    assert {tricks[Card(card)] for card in step.accept} == {min(tricks.values())}
    assert max(tricks.values()) > min(tricks.values())


@pytest.mark.parametrize(
    "step", [step for step in steps() if step.lesson == 4], ids=lambda step: step.title
)
def test_the_lesson_on_the_bidding_card_calls_as_the_card_does(step: Step) -> None:
    seen = view(step.table, Seat.SOUTH)
    called = find_caller("card").call(seen, decision_rng(0, 0, Seat.SOUTH, 0)).action
    assert step.accept == (action_name(called),)
    counts = counted_points(CARD, seen.dealt)
    assert str(max(counts.values())) in f"{step.text} {step.task} {step.right}"


def test_nonsense_is_explained_too() -> None:
    first, auction = steps()[0], steps()[6]
    assert judge(first, "") == ("", "")
    for step, action in ((first, "1NT"), (first, "??"), (auction, "HA"), (auction, "9S")):
        verdict, words = judge(step, action)
        assert verdict == "wrong"
        assert words.startswith("That is not allowed here")
    held_by_walter = Card("DA")
    assert "follow suit" not in judge(first, held_by_walter.name)[1]


async def test_the_tour_works_as_plain_links_and_forms(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        lobby = (await client.get("/")).text
        assert lobby.index('href="/learn"') < lobby.index("Deal the cards")
        address, lessons = "/learn", Counter(step.lesson for step in steps())
        for step in steps():
            page = (await client.get(address)).text
            assert not re.search(r'by You|aria-label="Dummy, ', page)
            assert f"Step {step.number} of {lessons[step.lesson]}" in page
            assert "hx-post" not in page
            buttons = re.findall(r'<button type="submit" form="tour" name="action"', page)
            assert len(buttons) >= 2
            here = f"/learn?lesson={step.lesson}&step={step.number}"
            wrong = await client.get(f"{here}&action=??")
            assert "Not quite." in wrong.text
            page = (await client.get(f"{here}&action={step.accept[0]}")).text
            assert "Right." in page
            assert 'form="tour"' not in page
            link = re.search(r'id="(?:lesson-next|next-lesson)"\s+href="([^"]+)"', page)
            last = step.number == lessons[step.lesson]
            assert ('action="/play"' in page) == (last and step.lesson in (1, max(lessons)))
            address = link[1].replace("&amp;", "&") if link else f"/learn?lesson={step.lesson + 1}"
        assert step.lesson == len(lessons)
        assert not link
        assert (await client.get("/learn?step=99")).status_code == 200
        assert (await client.get("/learn?step=-1")).status_code == 200
        assert (await client.get("/learn?action=" + "x" * 99)).status_code == 422
        assert not await client.server.rooms.listed()


def test_terms_are_explained_once_in_a_text_and_the_rest_is_escaped() -> None:
    html = explained("<b>Tricks</b>: a trick, double dummy & doubles")
    assert html.count("popovertarget") == 3
    assert "&lt;b&gt;" in html
    assert "&amp;" in html
    assert 'popovertarget="term-double-dummy"' in html
    assert explained("tricky entrumps") == "tricky entrumps"
    assert re.search(r">trick</button>\.</span> It", explained("a trick. It"))
    with pytest.raises(LookupError, match="glossary"):
        term("squeeze")


async def test_every_term_has_one_entry_on_the_page(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = (await client.get("/glossary")).text
        for one in terms():
            assert page.count(f'id="{one.id}"') == 1
        for used in re.findall(r'popovertarget="([^"]+)"', (await client.get("/")).text):
            assert f'id="{used}"' in page


async def test_whoever_has_played_a_daily_is_no_newcomer(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        assert "One deal without doubles" in (await client.get("/")).text
        day = (await client.get("/daily")).headers["location"]
        answer = await client.post(f"{day}/play", data={"name": "Cleo"})
        assert answer.status_code == 303
        assert "One deal without doubles" not in (await client.get("/")).text


async def test_a_newcomer_begins_with_one_deal_until_the_second_lesson(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):

        async def offered() -> tuple[bool, bool]:
            text = (await client.get("/")).text
            return 'value="1" inputmode' in text, "/learn?lesson=2" in text

        assert await offered() == (True, True)
        first = (await client.get("/")).text.partition('name="strategy"')[2]
        assert first.index(" checked>") < first.index("</label>")  # the weakest
        await client.get("/learn", params={"lesson": 1, "step": 1})
        assert await offered() == (True, True)
        last = sum(step.lesson == 2 for step in steps())
        await client.get("/learn", params={"lesson": 2, "step": last})
        assert await offered() == (False, False)
