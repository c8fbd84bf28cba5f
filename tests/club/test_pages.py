"""Pages: light, local, without inline code; review, advice, the algorithm, the report."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tribridge as tb
from tests.club.helpers import Client, HereWorkers, T, act, look, play_deal, running, three
from tests.club.test_why import closed_table
from tribridge.capture import algorithm1, algorithm2
from tribridge.cards.cards import Card, Hand, card_at, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Seat
from tribridge.club import pages
from tribridge.club.core import reviews
from tribridge.club.core.background import begin
from tribridge.club.core.events import replay
from tribridge.club.core.workers import FairQueue, OutOfTimeError
from tribridge.club.pages.algorithm import address, frames, toggled
from tribridge.club.pages.open_hands import Choice, plays
from tribridge.club.server.guard import POLICY
from tribridge.club.view.board import Side, sorted_cards
from tribridge.common.sentences import Sentence
from tribridge.game import record_of
from tribridge.game.view_json import action_name
from tribridge.reviews import Judgement, Luck, Plan, Verdict, judge, judgements

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("AK5.K85.KQJT.KT6", 6),  # spades and hearts, then six and seven
        ("AKQJT987.65.43.2", 8),
        ("AKQJT98765.4.3.2", 7),  # no break between suits leaves two rows that fit
        ("A.K85.Q.T6", 7),  # one row
        ("73.54.AJT875.643", 7),
    ],
)
def test_two_rows_of_cards_keep_suits_whole(hand: str, first: int) -> None:
    assert (
        Side(spot="bottom", name="", seat=None, cards=sorted_cards(Hand(hand))).second_row == first
    )


HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"


async def test_the_first_page_is_light_and_all_of_it_is_local(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        page = await client.get("/")
        size = len(page.content)
        links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        for link in dict.fromkeys(link.partition("#")[0] for link in links):
            assert link.startswith(("/", "#")) or not link, link
            if link.startswith("/static/"):
                part = await client.get(link)
                assert part.status_code == 200, link
                size += int(part.headers["content-length"])  # as it is sent
                packed = "gzip" in part.headers.get("content-encoding", "")
                assert packed == bool(re.search(r"\.(css|js)\?v=", link)), link
        assert size < 200_000


@pytest.mark.slow
async def test_no_page_has_inline_code_and_every_answer_has_the_policy(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=1)
        await play_deal(client, table, seats, Random(0))
        cookie = {"cookie": f"seat-{table}={seats['S']['authorization'].split()[1]}"}
        for path in (
            "/",
            "/lobby/tables",
            f"/table/{table}",
            f"/table/{table}/review/1",
            f"/table/{table}/review/1/board?step=3",
            "/algorithm",
            "/nothing",
            f"/algorithm?hand={HAND}&dummy={DUMMY}&step=7",
        ):
            answer = await client.get(path, headers=cookie | {"accept": "text/html"})
            assert answer.headers["content-security-policy"] == POLICY, path
            assert "'unsafe" not in POLICY
            assert not re.search(r"<script(?![^>]*src=)", answer.text), path
            assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", answer.text), path
            outside = re.findall(r'(?:src|href|action)="(https?:)?//', answer.text)
            assert not outside, path
        static = (await client.get("/static/table.js")).text
        assert "eval(" not in static
        assert (await client.get("/static/licences/README.txt")).status_code == 200


async def test_the_api_describes_itself(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        paths = (await client.get("/openapi.json")).json()["paths"]
        assert "/api/tables/{table}/actions" in paths
        assert all(path.startswith("/api/") for path in paths)


async def analysed(client: Client, table: str, deal: int) -> str:
    """The review of a deal once every call and card is judged."""
    path = f"/table/{table}/review/{deal}/board?step=1"
    await client.get(path)
    task = client.server.reviews.known[table, deal].task
    if task is not None:
        await task
    return str((await client.get(path)).text)


class AsideWorkers(HereWorkers):
    """Also thinks aside, which takes a second worker."""

    def __init__(self) -> None:
        super().__init__()
        self.queue.turns = 2

    async def aside(self, limit: float, function: Callable[..., T], *args: Any) -> T:
        return function(*args)


async def test_a_deal_is_judged_while_it_is_played_and_shown_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "LAYOUTS", 8)
    workers = AsideWorkers()
    async with running(tmp_path, workers=workers) as (_, client):
        table, seats = await three(client, seed=3, deals=1)
        room, path = client.server.rooms.find(table), f"/table/{table}/review/1"
        for made in range(6):
            now = await look(client, table)
            seat = seats[now["turn"]]
            token = seat["authorization"].split()[1]
            shown = await client.get(f"/table/{table}", headers={"cookie": f"seat-{table}={token}"})
            ahead = room.ahead
            assert ahead is not None
            assert ahead.task is not None
            await ahead.task
            # What a call led to is known when the auction is over.
            assert len(ahead.judgements) == (made if made >= 3 else 0)
            assert not any(one.reason in shown.text for one in ahead.judgements)
            assert (await client.get(path)).status_code == 404
            assert client.server.rooms.store.rows("SELECT * FROM reviews") == []
            now = await look(client, table, seat)
            chosen = now["legal"][0] if now["contract"] else "Pass" if made else "1NT"
            assert (await act(client, table, seat, chosen, now["number"])).status_code == 200
        await play_deal(client, table, seats, Random(1))
        asked = workers.asked
        await analysed(client, table, 1)
        found = client.server.reviews.known[table, 1]
        deal = room.state.finished[0].record.table()
        assert workers.asked == asked + len(deal.history) - 5  # those that were not judged ahead
        names = ("PN", "PE", "PS")
        again = list(judgements(deal.undo(len(deal.history) - 6), Plan(8, names=names)))
        assert [one.reason for one in found.judgements[:6]] == [one.reason for one in again]
        # What is taken back, or belongs to another auction or deal, is judged again.
        ahead = reviews.Ahead(deal, ("a", "b", "c"), list(found.judgements))
        back = deal.undo(len(deal.history) - 5)
        assert ahead.standing(back, ("a", "b", "c")) == found.judgements[:5]
        assert ahead.standing(back.apply(back.legal[-1]), ("a", "b", "c")) == found.judgements[:5]
        changed = deal.undo(len(deal.history) - 2).call("2NT")
        assert ahead.standing(changed, ("a", "b", "c")) == []
        doubled = replace(deal, auction=replace(deal.auction, doubles=True))
        for other in (replace(deal, vulnerable=(Seat.EAST,)), doubled, tb.new_table(seed=9)):
            assert other.undo(len(other.history)) != deal.undo(len(deal.history))
            assert ahead.standing(other, ("a", "b", "c")) == []
        assert ahead.standing(deal, ("a", "b", "d")) == []


async def test_what_is_taken_back_before_its_turn_at_the_process_aside_is_not_judged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, workers=AsideWorkers()) as (_, client):
        here, deal = client.server.reviews, tb.new_table(seed=3).call("1NT pass")
        judged = list(judgements(deal, Plan(8)))
        for left in range(3):
            ahead = reviews.Ahead(deal, ("a", "b", "c"))
            async with here._aside:  # another table is judged
                here.begin_ahead(ahead, lambda: True)
                await asyncio.sleep(0)
                ahead.table, ahead.judgements = deal.undo(2 - left), judged[:left]
            assert ahead.task is not None
            await ahead.task
            assert ahead.judgements == judged[:left]
        async with here._aside:
            ahead = reviews.Ahead(deal, ("a", "b", "c"))
            here.begin_ahead(ahead, lambda: True)
            await asyncio.sleep(0)
            await here.close()
            assert ahead.task is not None
            assert ahead.task.cancelled()
        assert not caplog.text


async def test_background_work_that_fails_is_logged_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fails() -> None:
        raise IndexError("tuple index out of range")

    task = begin(fails())
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert "fails has failed" in caplog.text
    assert "tuple index out of range" in caplog.text


async def _what_if_agrees(client: Client, base: str, cards: list[Choice]) -> None:
    """Another card than the one played ends as double dummy says, unless it cannot be played."""
    wrong = [one for one in cards if one.mark][:3]
    for one in wrong:
        assert one.judged is not None
        hand = (await client.get(f"{base}?step={one.number}")).text
        for option in one.judged.options[:2]:
            where = f"step={one.number}&instead={action_name(option.action)}"
            assert where.replace("&", "&amp;") in hand
            line = (await client.get(f"{base}/board?{where}&trick=13")).text
            assert f": {option.actual:g} of 13 tricks." in line
    gone = f"step={wrong[0].number}&instead={action_name(cards[0].action)}"
    for asked in (gone, f"step={wrong[0].number}&instead=XX", "step=0&instead=SA"):
        assert (await client.get(f"{base}?{asked}")).status_code == 404


@pytest.mark.slow
async def test_review_judges_every_call_and_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3, deals=1)
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            number = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, number)
        await play_deal(client, table, seats, Random(5))
        base = f"/table/{table}/review/1"
        assert "0 of 55" in (await client.get(base)).text
        # Whoever waits for the turning point is told how far the search is.
        monkeypatch.setattr("tribridge.club.pages.review._DECIDED_SECONDS", 0.01)
        shares = list[int]()
        while "hx-get" in (told := (await client.get(f"{base}/decided")).text):
            shares += map(int, re.findall(r"(\d+)%", told))
        assert sorted(shares) == shares
        assert len({*shares}) > 3
        shown = await analysed(client, table, 1)
        assert "Analysing" not in shown
        for player in "NES":
            assert f"P{player} " in shown
        assert len(re.findall(r"class=\"pick[ \"]", shown)) == 52
        done = client.server.rooms.find(table).state.finished[0]
        review = client.server.reviews.known[table, 1]
        assert review.complete
        turning = review.turning_point
        assert turning is not None
        assert turning.points_cost == max(
            one.points_cost or 0
            for one in review.judgements
            if one.verdict.wrong or one.luck is Luck.BAD
        )
        decided = (await client.get(f"{base}/decided")).text
        assert str(turning.action) in re.sub(r"<[^>]*>", "", decided)
        at = turning.number - 3  # a card, or a call
        where = f"Card {at} of 52" if at > 0 else "calls <b>"
        opened = (await client.get(base)).text
        assert where in opened
        (marked,) = re.findall(r'(?s)<(?:a class="pick|li class=")\s*turning.*?</(?:a|li)>', opened)
        assert str(turning.action)[-1] in marked
        # Everybody's cards stand in one column.
        found = re.findall(r'class="pick\s[^"]*column-(\d)[^"]*"[^>]*?aria-label="(\S+)', opened)
        assert len(found) == 52
        assert len({*found}) == len({who for _, who in found}) == 4
        cards = plays(done.record.replay(), ["a", "b", "c"], review)
        # Along the play the double-dummy value changes exactly by what each card costs.
        value = cards[0].before
        for one in cards:
            assert one.judged is not None
            assert one.chair is not None
            assert value is not None
            assert one.before == value
            cost = int(one.judged.cost or 0)
            value += -cost if one.chair.declaring else cost
            assert one.value == value
            listed = {option.action for option in one.options}
            assert one.action in listed
            for option in one.judged.options:
                assert option.action in listed or (option.share or 0.0) < 0.1
        assert value == done.outcome.tricks
        assert any(one.mark for one in cards)  # random play
        await _what_if_agrees(client, base, cards)
        # Each player's tricks as declarer: the start of this play is one of them.
        makes = (await client.get(f"{base}/makes")).text
        tricks = [
            (mark, int(count)) for mark, count in re.findall(r'<td class="(.*?)">(\d+)', makes)
        ]
        assert len(tricks) == 15
        assert [count for mark, count in tricks if " at" in mark] == [cards[0].before]
        hands = done.record.deal.hands
        predicted = algorithm2(hands[0], hands[3])
        words = f"{predicted.captures} captures" if predicted.captures else "no prediction"
        assert words in shown
        link = re.search(r'data-copy="(https://[^"]+handviewer[^"]+)"', shown)
        assert link is not None
        (linked,) = tb.load_lin(link[1].replace("&amp;", "&"), strict=True)
        assert linked.outcome == replace(done.outcome, contract=linked.contract)
        assert linked.deal.hidden == done.record.deal.hidden
        # Stored: another server has it at once.
        client.server.reviews.known.clear()
        assert "Analysing" not in (await client.get(base)).text
        # What an older version stored is not taken for a review.
        client.server.reviews.known.clear()
        older = "UPDATE reviews SET body = ?", ('[{"SA": 9}]',)
        client.server.rooms.store.change(older)
        assert "Analysing" in (await client.get(base)).text


async def test_play_on_from_a_position_of_a_finished_deal(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3, deals=1)
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            number = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, number)
        await play_deal(client, table, seats, Random(5))
        done = client.server.rooms.find(table).state.finished[0]
        path = f"/table/{table}/review/1/play-on"
        answer = await client.post(path, data={"step": "6"})
        assert answer.status_code == 303
        room = client.server.rooms.find(answer.headers["location"].rsplit("/", 1)[1])
        before = replace(done.record, actions=done.record.actions[: 3 + 6]).replay()
        now = room.state.table
        assert now is not None
        assert (now.deal, now.dealer) == (done.record.deal, done.record.dealer)
        assert record_of(now).actions[: 3 + 6] == record_of(before).actions
        assert [place.person for place in room.state.places].count(True) == 1
        assert before.turn is not None
        assert room.state.places[before.turn].person
        # It is in the table's events, so it is still there when the server starts again.
        again = replay(client.server.rooms.store.events(room.name))
        assert again is not None
        assert again.table is not None
        assert record_of(again.table).actions[: 3 + 6] == record_of(before).actions
        assert (await client.post(path, data={"step": "52"})).status_code == 422


async def test_a_deal_of_a_seed_that_still_has_deals_to_come_cannot_be_played_on(
    tmp_path: Path,
) -> None:
    """The new table would show the seed when it is over, and with it the deals to come."""
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3, deals=2)
        await play_deal(client, table, seats, Random(5))
        assert 'id="play-on"' not in (await client.get(f"/table/{table}/review/1")).text
        answer = await client.post(f"/table/{table}/review/1/play-on", data={"step": "0"})
        assert answer.status_code == 422
        assert "match is over" in answer.text


class Faltering(HereWorkers):
    """Fails at the first card or call to be judged."""

    faltered = False

    async def run(self, limit: float, function: Any, *args: Any) -> Any:
        if function is judge and not self.faltered:
            self.faltered = True
            raise OutOfTimeError("took too long")
        return await super().run(limit, function, *args)


async def test_a_review_that_stopped_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "_AGAIN", 0.0)
    async with running(tmp_path, workers=Faltering()) as (_, client):
        table, seats = await three(client, deals=1)
        for seat in "NES":
            await act(client, table, seats[seat], "Pass", (await look(client, table))["number"])
        await client.get(f"/table/{table}/review/1")
        stopped = client.server.reviews.known[table, 1]
        assert stopped.task is not None
        await stopped.task
        assert stopped.over
        assert not stopped.complete
        await analysed(client, table, 1)
        assert client.server.reviews.known[table, 1].complete


async def test_the_end_of_a_deal_begins_no_review_while_others_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=1)
        for seat in "NES":
            await act(client, table, seats[seat], "Pass", (await look(client, table))["number"])
        monkeypatch.setattr(FairQueue, "waiting", 1)
        asked = await client.get(f"/table/{table}/review/1/decided")
        assert "hx-get" in asked.text  # it asks again
        assert (table, 1) not in client.server.reviews.known


async def test_a_passed_out_deal_has_a_review(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, deals=1)
        for seat in "NES":
            await act(client, table, seats[seat], "Pass", (await look(client, table))["number"])
        page = await client.get(f"/table/{table}/review/1")
        assert page.status_code == 200
        assert "passed out" in page.text
        makes = f"/table/{table}/review/1/makes"
        assert makes in page.text
        assert len(re.findall(r"<td class=", (await client.get(makes)).text)) == 15
        assert (await client.get(f"/table/{table}/review/1/board")).status_code == 200
        assert "passed" in (await client.get(f"/table/{table}")).text


async def test_what_the_review_finds_wrong_is_not_praised(tmp_path: Path) -> None:
    async with running(tmp_path, seed=5) as (_, client):
        room = await closed_table(client, "points+maxims", None)
        where = f"/table/{room.name}/why/1/0"
        praise = (await client.get(where)).text
        call = room.state.finished[0].record.actions[0]
        judged = Judgement(
            number=1,
            seat=Seat.NORTH,
            chair=None,
            action=call,
            verdict=Verdict.GOOD,
            why=(Sentence("Too high."),),
        )
        analysis = reviews.Analysis(52, [judged])
        client.server.reviews.known[room.name, 1] = analysis
        assert (await client.get(where)).text == praise
        analysis.judgements[0] = replace(judged, verdict=Verdict.INACCURACY)
        shown = (await client.get(where)).text
        assert "Too high." in shown
        assert Verdict.INACCURACY.value in shown
        assert "What can be said for it:" not in shown
        assert (await client.get(f"/table/{room.name}/why/1/1")).status_code == 200


@pytest.mark.slow
async def test_advice_follows_from_the_own_cards(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        table, seats = await three(client, seed=3)
        room = client.server.rooms.find(table)

        async def advice(seat: str) -> str:
            cookie = {"cookie": f"seat-{table}={seats[seat]['authorization'].split()[1]}"}
            answer = await client.post(f"/table/{table}/advice", headers=cookie)
            assert answer.status_code == 200, answer.text
            return answer.text

        north = room.state.table.deal.hands[0]  # type: ignore[union-attr]
        before = await advice("N")
        assert str(algorithm1(north).captures) in before
        assert "Forecast" in before
        assert "Best on average" not in before  # one call is suggested, that of the options
        for seat, call in (("N", "1NT"), ("E", "Pass"), ("S", "Pass")):
            number = (await look(client, table))["number"]
            await act(client, table, seats[seat], call, number)
        leader = await advice("E")
        assert "likely to hold" in leader
        assert "would play" in leader
        assert "Algorithm 2" in await advice("N")  # the declarer sees both hands


async def test_the_algorithm_page_steps_through_the_run(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        result = algorithm2(parse_hand(HAND), parse_hand(DUMMY))
        steps = frames(result)
        assert len(steps) == len(result.trace) + 3
        for step, frame in enumerate(steps):
            page = await client.get(f"/algorithm?hand={HAND}&dummy={DUMMY}&step={step}")
            assert frame.title in page.text
            assert ("step-back" in page.text) is (step > 0)
            assert ("step-on" in page.text) is (step < len(steps) - 1)
        assert f"{result.captures} captures" in page.text
        for query, words in (
            (f"hand={HAND}", "Algorithm 1"),
            (f"hand={HAND}&dummy={HAND}", "is in both"),
            ("hand=AKQ.XYZ", "suits, expected 4"),
            ("hand=AKQ2.K93.A92.KQ54", "14 cards"),
            ("hand=AK...", "11 more for the hand"),
            (f"hand=N:{deal(1, 0)}".replace("N:N:", "N:"), "Step 1"),
        ):
            page = await client.get(f"/algorithm?{query}", headers={"accept": "text/html"})
            assert page.status_code == 200
            assert words in page.text, query
        for path in (
            "/algorithm/deal",
            "/algorithm/deal?alone=1",
            f"/algorithm/deal?hand={HAND}",
        ):
            answer = await client.get(path)
            assert answer.status_code == 303
            page = await client.get(answer.headers["location"])
            assert "Step 1" in page.text
        assert HAND in answer.headers["location"]


def test_frames_end_where_the_algorithm_does() -> None:
    for number in range(300):
        dealt = deal(9, number)
        for result in (algorithm1(dealt.hands[0]), algorithm2(dealt.hands[0], dealt.hidden)):
            last = frames(result)[-1]
            assert last.final
            assert last.captures == result.captures
            if result.check is not None:
                assert last.check == result.check
            cards = [card_at(suit, rank) for suit in range(4) for rank in range(13)]
            numbers = {card: place for card in cards if (place := last.number(card))}
            assert numbers == {card: at for at, card in enumerate(result.order, 1)}
            assert {card for card in cards if last.removed(card)} == result.removed
            left = {row.suit: row.c0 for row in result.rows}
            left |= {step.suit: step.row_budget_after for step in result.trace}
            assert {row.suit: last.row_budget(row) for row in result.rows} == left


def test_clicks_on_the_grid_go_around_and_never_overfill() -> None:
    hand, dummy, card = Hand(), Hand(), Card("SK")
    hand, dummy = toggled(hand, dummy, card)
    assert (card in hand, card in dummy) == (True, False)
    hand, dummy = toggled(hand, dummy, card)
    assert (card in hand, card in dummy) == (False, True)
    assert toggled(hand, dummy, card) == (Hand(), Hand())
    random = Random(1)
    hand, dummy = Hand(), Hand()
    for _ in range(2000):
        hand, dummy = toggled(hand, dummy, card_at(random.randrange(4), random.randrange(13)))
        assert len(hand) <= 13
        assert len(dummy) <= 13
        assert not hand & dummy
    assert address(Hand(), Hand()) == "/algorithm"


async def test_an_unknown_address_has_a_page_that_says_so(tmp_path: Path) -> None:
    async with running(tmp_path) as (_, client):
        answer = await client.get("/none", headers={"accept": "text/html"})
        assert "There is nothing" in answer.text


async def test_a_page_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is served because it is there, and shown in English until it is translated."""
    (tmp_path / "greeting.py").write_text(
        "from fastapi import APIRouter\n"
        "from tribridge.club.language import gettext\n"
        "from tribridge.club.pages.templates import page\n"
        "router = APIRouter()\n"
        "@router.get('/greeting')\n"
        "async def greeting():\n"
        "    return page('error.html', status=200, text=gettext('Nobody has translated this'))\n"
    )
    monkeypatch.setattr(pages, "__path__", [*pages.__path__, str(tmp_path)])

    async with running(tmp_path) as (_, client):
        shown = await client.get("/greeting", headers={"accept-language": "de"})
        assert shown.status_code == 200
        assert "Nobody has translated" in shown.text
