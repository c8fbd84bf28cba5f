"""Puzzles in the browser and for programs: asked, judged once, repeated, played out."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.club.helpers import Client, running
from tribridge.cards.cards import Card
from tribridge.club.core.keys import device_of_key, new_key
from tribridge.club.core.puzzles import Puzzles
from tribridge.club.core.workers import Workers
from tribridge.club.errors import TooManyError
from tribridge.club.language import spoken
from tribridge.club.puzzles import Puzzle, Theme, collection, shipped
from tribridge.game.view_json import action_name

pytestmark = pytest.mark.anyio

KEY = new_key()
HEADERS = {"x-device-key": KEY}
DAY = date(2026, 3, 1)


def played() -> Puzzle:
    """A puzzle about a card that comes from a game."""
    return next(p for p in shipped().puzzles if p.play and p.source.seats)


def right(puzzle: Puzzle) -> str:
    return action_name(puzzle.right[0])


def wrong(puzzle: Puzzle) -> str:
    return next(action_name(one.action) for one in puzzle.answers if not one.right)


async def _solve(client: Client, puzzle: Puzzle, action: str) -> str:
    answer = await client.post(f"/puzzles/{puzzle.id}", data={"action": action})
    assert answer.status_code == 303, answer.text
    return (await client.get(answer.headers["location"])).text


async def test_nothing_hidden_is_sent_before_the_answer(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for puzzle in shipped().puzzles[:12]:
            page = (await client.get(f"/puzzles/{puzzle.id}")).text
            told = (await client.get(f"/api/puzzles/{puzzle.id}")).text
            seen = puzzle.view()
            known = {*seen.dealt, *(seen.dummy_dealt or ()), *seen.played}
            hidden = [card for hand in puzzle.deal.hands for card in hand if card not in known]
            drawn = page.partition('class="puzzles"')[2]
            for card in hidden:
                assert f'value="{card.name}"' not in drawn
                assert f'"{card.name}"' not in told
            # The theme is a choice on the page, and says nothing of this puzzle.
            assert puzzle.explanation not in page
            assert "Points lost" not in page
            assert "theme" not in told
            redealt = await client.get(f"/puzzles/{puzzle.id}?answer={right(puzzle)}")
            assert "Points lost" not in redealt.text


async def test_an_answer_is_judged_explained_and_counts_once(tmp_path: Path) -> None:
    puzzle = played()
    async with running(tmp_path) as (_, client):
        page = await _solve(client, puzzle, wrong(puzzle))
        assert "Not quite." in page
        assert "Again: 1 missed" in page
        page = await _solve(client, puzzle, right(puzzle))
        assert "Right." in page
        assert "0 of 1 solved" in page
        assert "/puzzles/again" not in page


async def test_a_newcomer_sees_the_position_first_and_no_rating(tmp_path: Path) -> None:
    one, two = [p for p in shipped().puzzles if p.play and p.source.seats][:2]
    rating = re.compile(r"<p[^>]* data-rating=[^>]*>")
    async with running(tmp_path) as (_, client):
        page = (await client.get(f"/puzzles/{one.id}")).text
        drawn = page.partition('class="puzzles"')[2]
        assert "<details open" not in drawn
        assert " hidden" in rating.findall(drawn)[0]
        await _solve(client, one, right(one))
        drawn = (await client.get(f"/puzzles/{two.id}")).text.partition('class="puzzles"')[2]
        assert "<details open" in drawn
        assert " hidden" not in rating.findall(drawn)[0]


async def test_an_answer_is_explained_in_words_before_numbers(tmp_path: Path) -> None:
    puzzle = next(p for p in shipped().puzzles if p.theme is Theme.ENTRY)
    async with running(tmp_path) as (_, client):
        page = re.sub("<[^>]*>", "", await _solve(client, puzzle, action_name(puzzle.tempting)))
        *_, why = puzzle.idea()
        numbers = puzzle.figures()[0]
        assert (
            page.index("Not quite.")
            < page.index(str(why))
            < page.index(f"Over {numbers.fields['layouts']}, ")
        )


async def test_trivial_puzzles_are_found_by_name_alone(tmp_path: Path) -> None:
    trivial = [p for p in shipped().puzzles if p.trivial]
    assert trivial
    async with running(tmp_path) as (_, client):
        assert (await client.get(f"/puzzles/{trivial[0].id}")).status_code == 200
        puzzles, device = client.server.puzzles, device_of_key(KEY)
        asked = set()
        while (puzzle := await puzzles.next(device, trivial[0].theme)) is not None:
            asked.add(puzzle.id)
            await puzzles.answer(device, puzzle, right(puzzle))
        of_theme = {p.id for p in shipped().puzzles if p.theme is trivial[0].theme}
        assert asked == of_theme - {p.id for p in trivial}
    daily = {collection.daily(DAY + timedelta(at)).id for at in range(7 * 20)}
    assert not daily & {p.id for p in trivial}


async def test_question_and_answer_state_the_same_number_of_layouts(tmp_path: Path) -> None:
    puzzles = [p for p in shipped().puzzles if p.play]
    few = min(puzzles, key=lambda p: p.layouts)
    many = max(puzzles, key=lambda p: p.layouts)
    async with running(tmp_path) as (_, client):
        for puzzle, layouts in ((few, f"all {few.layouts} layouts"), (many, "1,000 layouts")):
            page = (await client.get(f"/puzzles/{puzzle.id}")).text
            assert f"over {layouts} of the hidden cards" in re.sub("<[^>]*>", "", page)
            page = await _solve(client, puzzle, right(puzzle))
            assert f"Over {layouts}, " in re.sub("<[^>]*>", "", page)


async def test_every_right_card_is_marked_as_right(tmp_path: Path) -> None:
    puzzle = next(p for p in shipped().puzzles if p.play and len(p.right) > 1)
    async with running(tmp_path) as (_, client):
        page = await _solve(client, puzzle, action_name(puzzle.right[1]))
        assert "Right." in page
        assert page.count('class="card best') == len(puzzle.right)
        assert page.count('class="card best chosen"') == 1


async def test_the_lines_are_played_on_the_board_step_by_step(tmp_path: Path) -> None:
    puzzle = played()
    lines = puzzle.lines()
    assert lines is not None
    async with running(tmp_path) as (_, client):
        await _solve(client, puzzle, right(puzzle))
        for key, line in zip(("best", "other"), lines, strict=True):
            for number, step in enumerate(line.shown, 1):
                where = f"/puzzles/{puzzle.id}?answer={right(puzzle)}&line={key}&step={number}"
                felt = (await client.get(where)).text.partition('class="puzzle-words')[0]
                felt = re.sub(r'<span class="in-text .">(.)</span>', r"\1", felt)
                felt = felt.partition('class="puzzle-trick ')[2]
                assert html.escape(str(step.sentence)) in felt
                trick = felt.partition("</div>")[0]
                assert trick.count('class="card"') == 4
                for at, card in enumerate(step.cards, 1):
                    (said,) = re.findall(
                        f'class="card" data-order="{at}".*?aria-label="(.*?)"', trick, re.DOTALL
                    )
                    assert str(spoken(card)) in said
                    assert (", led" in said) is (at == 1)
            assert str(line.result) in felt
        beyond = f"/puzzles/{puzzle.id}?answer={right(puzzle)}&line=best&step=13"
        assert str(lines[0].result) in (await client.get(beyond)).text
        for bad in ("line=worst", "line=best&step=-1", "line=best&step=99"):
            answer = await client.get(f"/puzzles/{puzzle.id}?answer={right(puzzle)}&{bad}")
            assert answer.status_code == 422


async def test_a_line_fails_only_where_the_contract_does(tmp_path: Path) -> None:
    lined = [(puzzle, lines) for puzzle in shipped().puzzles if (lines := puzzle.lines())]
    async with running(tmp_path) as (_, client):
        for decides in (True, False):
            puzzle = next(puzzle for puzzle, (best, _) in lined if best.decides is decides)
            page = await _solve(client, puzzle, right(puzzle))
            assert ("The line that fails" in page) is decides
            assert ("The worse line" in page) is not decides


async def test_the_line_that_fails_is_the_one_of_the_card_that_was_played(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        shown = 0
        for puzzle in shipped().puzzles[:80]:
            wrong = [one.action for one in puzzle.answers if not one.right]
            cards = [one for one in wrong if isinstance(one, Card) and one != puzzle.tempting]
            if puzzle.lines() is None or not cards or shown == 3:
                continue
            page = await _solve(client, puzzle, cards[-1].name)
            names = re.findall(r"<h4>(.*?)</h4>", page, re.S)
            names = ["".join(re.sub(r"<[^>]*>", "", name).split()) for name in names]
            assert names[0] == str(puzzle.best.action).replace("T", "10")
            assert names[1] in (
                str(card).replace("T", "10") for card in (cards[-1], puzzle.tempting)
            )
            shown += names[1] == str(cards[-1]).replace("T", "10")
            assert 'class="parting"' in page
            text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
            assert f"points more than {cards[-1]}.".replace("T.", "10.") in text
            first = len(puzzle.play.split()) // 4 + 1
            assert page.count(f'<ol start="{first}">') == 2, "tricks are counted over the deal"
            number = int(re.search(r"Played out, .*?trick (\d+)", text)[1])  # type: ignore[index]
            assert first <= number <= 13
        assert shown == 3


async def test_a_suit_has_its_colour_in_a_sentence(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for puzzle in [puzzle for puzzle in shipped().puzzles if puzzle.lines()][:6]:
            page = await _solve(client, puzzle, right(puzzle))
            body = page.partition("<body")[2]
            assert re.search("[♣♦♥♠]", body)
            for tag, sign in re.findall(r"<([^<>]*)>[^<>]*([♣♦♥♠])[^<>]*", body):
                letter = "CDHS"["♣♦♥♠".index(sign)]
                assert re.search(rf'class="([^"]* )?{letter}["\ ]', tag) or "option" in tag


async def test_an_answer_is_explained_while_all_workers_are_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> None:
        raise TooManyError("too many requests to strategies at once: wait a moment")

    monkeypatch.setattr(Workers, "ask", busy)
    puzzle, card = next(
        (puzzle, one.action)
        for puzzle in shipped().puzzles
        for one in puzzle.answers
        if puzzle.lines() is not None
        and isinstance(one.action, Card)
        and not one.right
        and one.action != puzzle.tempting
    )
    async with running(tmp_path) as (_, client):
        page = await _solve(client, puzzle, card.name)
        assert str(puzzle.best.action).replace("T", "10") in re.sub(r"<[^>]*>|\s", "", page)
        # No other card's line stands beside the explanation: it can be asked for again.
        assert 'class="puzzle-lines"' not in page
        assert 'id="line-on"' not in page
        again = re.search(r'class="late".*?href="(.*?)"', page, re.S)
        assert again is not None
        monkeypatch.undo()
        page = (await client.get(html.unescape(again[1]))).text
        assert 'class="late"' not in page
        assert 'class="puzzle-lines"' in page


async def test_a_line_steps_no_further_than_its_ends(tmp_path: Path) -> None:
    puzzle, off, step = played(), list[str](), 0
    async with running(tmp_path) as (_, client):
        await _solve(client, puzzle, right(puzzle))
        answered = f"/puzzles/{puzzle.id}?answer={right(puzzle)}&line=best"
        while "line-on" not in off:
            page = (await client.get(f"{answered}&step={step}")).text
            off = re.findall(r'aria-disabled="true" id="(line-\w+)"', page)
            assert ("line-back" in off) is (step == 0)
            step += 1
            assert step < 14


async def test_no_step_of_a_line_is_shown_before_the_answer(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        for puzzle in [p for p in shipped().puzzles if p.line is not None][:5]:
            asked = (await client.get(f"/puzzles/{puzzle.id}")).text
            for step in (0, 1, 5):
                stepped = await client.get(f"/puzzles/{puzzle.id}?line=best&step={step}")
                assert stepped.text == asked
            again = await client.get(f"/puzzles/{puzzle.id}?again=true&line=best&step=1")
            assert again.text == asked


async def test_a_puzzle_that_was_missed_is_asked_again_until_it_is_solved(tmp_path: Path) -> None:
    puzzle = played()
    async with running(tmp_path) as (_, client):
        nothing = await client.get("/puzzles/again")
        assert nothing.status_code == 422
        await _solve(client, puzzle, wrong(puzzle))
        again = await client.get("/puzzles/again")
        assert again.headers["location"] == f"/puzzles/{puzzle.id}?again=true"
        page = (await client.get(again.headers["location"])).text
        assert "this time it does not count" in page
        assert "Points lost" not in page


async def test_a_missed_puzzle_that_is_gone_is_not_asked_again(tmp_path: Path) -> None:
    """The collection of a later version may have left it out."""
    async with running(tmp_path) as (_, client):
        puzzles: Puzzles = client.server.puzzles
        device = device_of_key(KEY)
        gone = replace(played(), id="ffffffff")
        await puzzles.answer(device, gone, wrong(gone))
        await puzzles.answer(device, played(), wrong(played()))
        solver = await puzzles.solver(device)
        assert solver.missed == (played().id,)
        assert solver.answered == 2


async def test_the_daily_puzzle_comes_first_and_solving_it_every_day_is_a_streak(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (_, client):
        puzzles: Puzzles = client.server.puzzles
        device = device_of_key(KEY)
        for at in range(3):
            puzzles.today = lambda at=at: DAY + timedelta(at)  # type: ignore[misc]
            daily = puzzles.daily()
            assert await puzzles.next(device) == daily
            assert (await puzzles.answer(device, daily, right(daily))).right
            assert (await puzzles.solver(device)).streak == at + 1
        puzzles.today = lambda: DAY + timedelta(3)
        assert (await puzzles.solver(device)).streak == 3
        lobby = await client.get("/", headers={"cookie": f"player={KEY}"})
        assert "today makes 4 in a row" in lobby.text
        daily = puzzles.daily()
        await puzzles.answer(device, daily, wrong(daily))
        lobby = await client.get("/", headers={"cookie": f"player={KEY}"})
        assert "in a row" not in lobby.text  # it is over
        puzzles.today = lambda: DAY + timedelta(4)
        assert (await puzzles.solver(device)).streak == 0


async def test_ratings_of_people_and_puzzles_move_apart(tmp_path: Path) -> None:
    puzzle = played()
    async with running(tmp_path) as (_, client):
        puzzles: Puzzles = client.server.puzzles
        before = await puzzles.rating(puzzle)
        answer = await client.post(
            f"/api/puzzles/{puzzle.id}", json={"action": right(puzzle)}, headers=HEADERS
        )
        solution = answer.json()
        assert solution["right"]
        assert solution["rating"] > 1500
        assert solution["theme"] == puzzle.theme.value
        assert [len(line) > 1 for line in solution["lines"]] == [True, True]
        assert (await puzzles.rating(puzzle)).rating < before.rating
        shown = (await client.get(f"/api/puzzles/{puzzle.id}", headers=HEADERS)).json()
        assert shown["answered"]


@pytest.mark.parametrize("right_one", [False, True])
async def test_a_signal_that_is_worth_as_much_moves_no_rating(
    tmp_path: Path, right_one: bool
) -> None:
    puzzle = collection.find("e3f5ca44")
    played_card = right(puzzle) if right_one else "H4"
    async with running(tmp_path) as (_, client):
        puzzles: Puzzles = client.server.puzzles
        before = await puzzles.rating(puzzle)
        address, given = f"/api/puzzles/{puzzle.id}", {"action": played_card}
        solution = (await client.post(address, json=given, headers=HEADERS)).json()
        assert solution["right"] == right_one
        assert solution["rating"] == 1500
        assert await puzzles.rating(puzzle) == before
        page = await _solve(client, puzzle, played_card)
        assert ("your rating stays" in page) == (not right_one)


async def test_themes_can_be_chosen_and_the_next_puzzle_is_a_new_one(tmp_path: Path) -> None:
    theme = played().theme
    async with running(tmp_path) as (_, client):
        first = (await client.get(f"/puzzles?theme={theme.value}")).headers["location"]
        assert f"theme={theme.value}" in first
        name = first.removeprefix("/puzzles/").partition("?")[0]
        puzzle = next(one for one in shipped().puzzles if one.id == name)
        assert puzzle.theme is theme
        await _solve(client, puzzle, right(puzzle))
        second = await client.get(f"/puzzles?theme={theme.value}")
        assert second.headers.get("location", "") != first


async def test_a_theme_says_how_many_are_left_and_is_no_longer_offered_when_all_are_answered(
    tmp_path: Path,
) -> None:
    counts = Counter(one.theme for one in collection.offered())
    theme = min(counts, key=lambda one: (counts[one], one))
    none = next(one for one in Theme if not counts[one])

    def offered_in(page: str) -> set[str]:
        picker = page.partition('id="theme-pick"')[2].partition("</select>")[0]
        return set(re.findall(r'<option value="([a-z-]+)"', picker))

    async with running(tmp_path) as (_, client):
        empty = await client.get(f"/puzzles?theme={none.value}")
        assert empty.status_code == 200
        assert 'href="/puzzles"' in empty.text
        first = (await client.get((await client.get("/puzzles")).headers["location"])).text
        assert offered_in(first) == {one.value for one in counts}
        for at in range(counts[theme]):
            assert f"{counts[theme] - at} of {counts[theme]}" in first
            where = (await client.get(f"/puzzles?theme={theme.value}")).headers["location"]
            name = where.removeprefix("/puzzles/").partition("?")[0]
            await _solve(client, collection.find(name), right(collection.find(name)))
            first = (await client.get((await client.get("/puzzles")).headers["location"])).text
        assert offered_in(first) == {one.value for one in counts} - {theme.value}
        done = await client.get(f"/puzzles?theme={theme.value}")
        assert done.status_code == 200
        assert "Request refused" not in done.text


async def test_the_puzzles_of_experts_can_be_gone_through(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        seen = set()
        for _ in range(3):
            where = (await client.get("/puzzles?experts=true")).headers["location"]
            name = where.removeprefix("/puzzles/").partition("?")[0]
            puzzle = next(one for one in shipped().puzzles if one.id == name)
            assert puzzle.experts is not None
            form = {"action": right(puzzle), "experts": "true"}
            answer = await client.post(f"/puzzles/{puzzle.id}", data=form)
            page = (await client.get(answer.headers["location"])).text
            assert "from a board of experts" in page
            assert 'id="next" href="/puzzles?experts=true"' in page
            seen.add(puzzle.id)
            assert "Play it out" not in page  # a table cannot deal these cards
            opened = await client.post(f"/puzzles/{puzzle.id}/play", data=form)
            assert opened.status_code == 422
        assert len(seen) == 3


async def test_a_puzzle_is_played_out_at_a_table_after_the_answer(tmp_path: Path) -> None:
    puzzle = played()
    async with running(tmp_path) as (_, client):
        form = {"action": right(puzzle)}
        early = await client.post(f"/puzzles/{puzzle.id}/play", data=form)
        assert early.status_code == 422
        await _solve(client, puzzle, right(puzzle))
        opened = await client.post(f"/puzzles/{puzzle.id}/play", data=form)
        assert opened.status_code == 303
        room = client.server.rooms.find(opened.headers["location"].removeprefix("/table/"))
        table = room.state.table
        assert table is not None
        assert table.deal == puzzle.deal
        begun = len(puzzle.table().history)
        assert table.history[: begun + 1] == (*puzzle.table().history, Card(right(puzzle)))


async def test_the_right_card_that_was_given_is_played_out(tmp_path: Path) -> None:
    puzzle = next(p for p in shipped().puzzles if p.play and p.source.seats and len(p.right) > 1)
    async with running(tmp_path) as (_, client):
        page = await _solve(client, puzzle, given := action_name(puzzle.right[1]))
        form = page.partition(f'action="/puzzles/{puzzle.id}/play"')[2].partition("</form>")[0]
        assert f'value="{given}"' in form


async def test_bad_answers_and_unknown_puzzles_are_refused_in_one_line(tmp_path: Path) -> None:
    puzzle = played()
    async with running(tmp_path) as (_, client):
        for path in ("/puzzles/nothing", "/api/puzzles/nothing"):
            assert (await client.get(path)).status_code == 404
        for action in ("??", "7NT", "pass"):
            answer = await client.post(f"/api/puzzles/{puzzle.id}", json={"action": action})
            assert answer.status_code == 422
            assert "\n" not in answer.json()["error"]
        assert (await client.get("/puzzles?theme=squeeze")).status_code == 422


async def test_answers_are_deleted_with_the_games_of_a_device(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        puzzles: Puzzles = client.server.puzzles
        device = device_of_key(KEY)
        await puzzles.answer(device, played(), wrong(played()))
        assert await client.server.games.any(device)
        other = device_of_key(new_key())
        await client.server.games.merge(device, other)
        assert (await puzzles.solver(other)).missed == (played().id,)
        await puzzles.forget(other)
        assert not (await puzzles.solver(other)).answered
