"""Games of four players as tables: seats, contract, play, result, and what is refused with why."""

from __future__ import annotations

import pickle

import pytest

import tribridge as tb
from tribridge.cards.cards import Card
from tribridge.cards.dealer import deal
from tribridge.cards.deals import COMPASS, Deal, Seat
from tribridge.cards.formats import pbn
from tribridge.common.errors import TribridgeError
from tribridge.game.position import Position, start_play
from tribridge.game.record.four_handed import file_seats, table_of
from tribridge.game.record.pbn import dumps_pbn, loads_pbn
from tribridge.game.table import Table

GAME = """[Event "Club night"]
[Board "3"]
[West "Ann"]
[North "Bea"]
[East "Cid"]
[South "Dan"]
[Dealer "W"]
[Vulnerable "EW"]
[Deal "N:J63.43.QT3.AQJT2 K.KT965.J872.975 AQ84.QJ7.K96.K83 T9752.A82.A54.64"]
[Declarer "S"]
[Contract "1NT"]
[Result "8"]
[Auction "W"]
Pass Pass Pass 1NT
Pass Pass Pass
[Play "W"]
S5 S3 SK S4
H2 H3 HT HJ
S2 S6 C5 S8
S7 SJ C7 SQ
*
"""


def game(text: str = GAME, **tags: str) -> pbn.Game:
    (read,) = pbn.loads(text)
    read.tags |= tags
    return read


def refusal(text: str = GAME, **tags: str) -> str:
    with pytest.raises(TribridgeError) as error:
        table_of(game(text, **tags))
    assert "\n" not in str(error.value)
    return str(error.value)


def by_hand(read: pbn.Game) -> Table:
    """The table of a game by the public way, from a deal that is turned by hand."""
    hands = dict(zip(COMPASS, Deal(read.tags["Deal"]).hands, strict=True))
    around = COMPASS * 2
    at = COMPASS.index(read.tags["Declarer"])
    declarer, left, dummy, right = (hands[letter] for letter in around[at : at + 4])
    sides = {"NS": "NS", "EW": "EW", "All": "NESW"}.get(read.tags["Vulnerable"], "")
    return tb.new_table(
        Deal.of([declarer, left, right, dummy]),
        contract=f"{read.tags['Contract'].replace('X', 'x')} by N",
        scheme="contract",
        vulnerable=["N"] * (around[at] in sides) + ["E", "S"] * (around[at + 1] in sides),
    )


def test_a_game_is_seated_around_its_declarer() -> None:
    table = table_of(game())
    played = "S5 S3 SK S4 HT HJ H2 H3 S8 S2 S6 C5 SQ S7 SJ C7"
    assert table == by_hand(game()).play(played).claim(8)
    assert table.contract == tb.Contract("1NT by N")
    assert table.outcome == tb.Outcome(table.contract, 8)
    assert table.vulnerable == (Seat.EAST, Seat.SOUTH)
    assert table.deal.hidden == tb.Hand("J63.43.QT3.AQJT2")
    assert table.scores()["N"] == 120
    assert file_seats(table.tags) == ("South", "West", "East")


@pytest.mark.parametrize("declarer", COMPASS)
@pytest.mark.parametrize("vulnerable", ["None", "NS", "EW", "All"])
@pytest.mark.parametrize("contract", ["1NT", "4SX", "7CXX"])
def test_every_declarer_gets_their_hands_contract_and_vulnerability(
    declarer: str, vulnerable: str, contract: str
) -> None:
    tags = {"Declarer": declarer, "Vulnerable": vulnerable, "Contract": contract, "Result": "?"}
    text = GAME.partition("[Auction")[0]
    assert table_of(game(text, **tags)) == by_hand(game(text, **tags))
    assert table_of(game(text, **tags | {"Result": "9"})) == by_hand(game(text, **tags)).claim(9)


def test_the_tags_are_all_there_and_not_part_of_the_game() -> None:
    table = table_of(game())
    assert table.tags["Event"] == "Club night"
    assert [table.tags[word] for word in ("West", "North", "East", "South")] == [
        "Ann", "Bea", "Cid", "Dan"
    ]  # fmt: skip
    assert table.tags["Dealer"] == "W"
    assert table.tags["Auction"].split() == ["W", *["Pass"] * 3, "1NT", *["Pass"] * 3]
    assert table == table_of(game(Event="Another night"))
    assert hash(table) == hash(table_of(game(Event="Another night")))
    assert table.undo().tags == table.tags == pickle.loads(pickle.dumps(table)).tags
    assert "tags" not in repr(table)
    assert not hasattr(tb.view(table, "N"), "tags")
    with pytest.raises(TypeError):
        table.tags["Event"] = "x"  # type: ignore[index]


def test_contract_and_declarer_are_found_from_the_auction() -> None:
    bare = game(Contract="", Declarer="?")
    assert table_of(bare) == table_of(game())


def test_a_deal_without_a_contract_is_a_table_before_the_first_call() -> None:
    text = GAME.partition("[Declarer")[0]
    table = table_of(game(text, Dealer="E"))
    assert table == tb.new_table(game().tags["Deal"], dealer="E", vulnerable="E")
    assert table_of(game(text)).dealer is Seat.NORTH  # West's hand is the hidden one
    assert table_of(game(text, Vulnerable="All")).vulnerable == tuple(Seat)


def test_a_deal_that_was_passed_out_is_over() -> None:
    text = GAME.partition("[Declarer")[0] + '[Contract "Pass"]\n[Auction "W"]\nAP\n'
    table = table_of(game(text))
    assert table.over
    assert table.outcome == tb.Outcome(None)


def test_a_result_without_cards_is_a_claim() -> None:
    table = table_of(game(GAME.partition("[Play")[0]))
    assert (table.claimed, table.over, table.turn, table.legal) == (8, True, None, ())
    assert table == tb.from_json(tb.to_json(table))
    assert tb.from_json(tb.to_json(table)).tags == table.tags
    assert eval(repr(table), {"new_table": tb.new_table}) == table
    with pytest.raises(tb.IllegalActionError, match="the deal is over"):
        table.play("S5")


@pytest.mark.parametrize("result", ["NS 8", "EW 5", "NS 8 EW 5", "EW 5 NS 8", "^8"])
def test_results_are_read_in_all_their_forms(result: str) -> None:
    assert table_of(game(Result=result)) == table_of(game())


@pytest.mark.parametrize("side", ["", "-", "Love", "None"])
def test_nobody_is_vulnerable_under_several_names(side: str) -> None:
    assert table_of(game(Vulnerable=side)).vulnerable == ()


def test_an_end_position_is_given_with_fewer_cards() -> None:
    text = """[Deal "N:.6.AKQ987.A9732 A865.KQ5.T.QJT6 J97.J98742.3.K4 QT2.AT.J6542.85"]
[Contract "H"]
[Play "W"]
C5 C2 C6 CK
S2 H6 S5 S7
"""
    table = table_of(game(text))
    assert table.deal.is_ending
    assert table.position is not None
    assert (table.position.won, len(table.tricks)) == (2, 2)
    assert table.tags["Contract"] == "H"
    # declarer's side may be on lead, and undo goes back there
    tags = {"Contract": "NT", "Declarer": "S", "Play": "N"}
    led = table_of(game('[Deal "N:A... K... Q... J..."]\n', **tags))
    assert led.position is not None
    assert led.position.chair is tb.Chair.DUMMY
    assert led.play("SA").undo() == led
    with pytest.raises(tb.RecordError, match="an end position"):
        tb.to_json(table)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"Deal": ""}, "no deal"),
        ({"Deal": "?"}, "no deal"),
        ({"Deal": "N:- - - -"}, "are not given: only one hand of a deal may be left out"),
        ({"Deal": GAME.split('"')[17].replace("T9752", "T975")}, "the hand of W has 12 cards"),
        ({"Deal": GAME.split('"')[17].replace("T9752", "T975K")}, "♠K is in both"),
        ({"Dealer": "Black"}, "Dealer must be N, E, S or W"),
        ({"Declarer": "White"}, "Declarer must be N, E, S or W"),
        ({"Declarer": "N"}, "the auction makes S declarer, not N"),
        ({"Contract": "2NT"}, "the auction ends in 1NT, not in 2NT"),
        ({"Contract": "5Hearts"}, "cannot read contract '5Hearts'"),
        ({"Vulnerable": "E"}, "unknown vulnerability 'E'"),
        ({"Result": "C-2"}, "cannot read the Result"),
        ({"Result": "14"}, "cannot read the Result"),
        ({"Result": "²"}, "cannot read the Result"),
        ({"Result": "0"}, "a Result of 0 cannot be"),
        ({"Play": "N"}, "N leads to a contract of S: expected W"),
    ],
)
def test_a_tag_that_cannot_be_is_refused(tags: dict[str, str], message: str) -> None:
    assert message in refusal(**tags)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("S5 S3 SK S4", "S5 S3 SK H7", "South cannot play ♥7: spades were led"),
        ("S5 S3 SK S4", "S5 S3 SA S4", "East cannot play ♠A: East does not hold it"),
        ("S5 S3 SK S4", "S5 C2 SK S4", "South cannot play ♣2 from dummy: spades were led"),
        ("S5 S3 SK S4", "S5 - SK S4", "a card where none is due"),
        ("S5 S3 SK S4", "S5 S3 SK S4 S6", "a card where none is due"),
        ("S5 S3 SK S4", "S5 ^R C2 SK S4", "a revoke"),
        ("S5 S3 SK S4", "S5 S3 XX S4", "cannot read card"),
        ("Pass Pass Pass 1NT", "Pass Pass 2NT 1NT", "1NT is not higher than 2NT"),
        ("Pass Pass Pass 1NT", "Pass Pass Hello 1NT", "cannot read call 'Hello'"),
    ],
)
def test_calls_and_cards_that_cannot_be_are_refused(old: str, new: str, message: str) -> None:
    assert message in refusal(GAME.replace(old, new))


def test_notes_and_marks_in_auction_and_play_are_skipped() -> None:
    marked = (
        GAME.replace("Pass Pass Pass 1NT", "Pass! Pass $5 Pass 1NT =1= ?")
        .replace("Pass Pass Pass\n", 'AP\n[Note "1: weak"]\n')
        .replace("S5 S3 SK S4", "S5 =1= S3! SK $14 S4?")
    )
    assert table_of(game(marked)) == table_of(game())


def test_a_game_of_four_is_written_as_it_was() -> None:
    table = table_of(game())
    (back,) = pbn.loads(dumps_pbn([table]))
    first = game()
    assert back.tags == first.tags | {"Site": "?", "Date": "?", "Scoring": "?"}
    assert tuple(back.tags)[:15] == pbn.MANDATORY
    assert back.sections == first.sections


def test_what_was_played_since_is_written() -> None:
    table = table_of(game(Result="")).play("D6")
    (back,) = tb.load_pbn(tb.to_pbn(table))
    assert back == table
    assert back.tags["Event"] == "Club night"


def test_calls_of_three_on_a_deal_of_four_are_kept() -> None:
    table = table_of(game(GAME.partition("[Declarer")[0])).call("1NT pass pass").play("HT")
    (back,) = tb.load_pbn(tb.to_pbn(table))
    assert back == table
    assert back.tags["Event"] == "Club night"


def test_claims_of_three_players_are_kept_in_pbn_and_json() -> None:
    table = tb.new_table(seed=1, auction="1NT pass 2H pass pass", play="CT").claim(7)
    assert tb.load_pbn(tb.to_pbn(table)) == [table]
    assert tb.from_json(tb.to_json(table)) == table
    assert [record.table() for record in loads_pbn(tb.to_pbn(table))] == [table]
    assert "claimed" in str(table)
    assert tb.view(table, "E").outcome == table.outcome
    assert tb.view(table, "E").legal == ()


@pytest.mark.parametrize("tricks", [-1, 14])
def test_nobody_can_claim_more_tricks_than_there_are(tricks: int) -> None:
    with pytest.raises(tb.IllegalActionError, match="expected 0 to 13"):
        tb.new_table(seed=1, contract="1NT by N").claim(tricks)
    with pytest.raises(tb.IllegalActionError, match="no card is due"):
        tb.new_table(seed=1).claim(3)


@pytest.mark.parametrize("number", range(12))
def test_many_cards_at_once_are_played_as_one_by_one(number: int) -> None:
    end = tb.play_game("random", "random", "random", seed=5, number=number)
    if end.position is not None:
        start = start_play(end.deal, end.position.contract)
        cards = [card for _, card in end.position.plays()]
        for stop in range(0, 53, 4):
            slow = start
            for card in cards[:stop]:
                slow.check(card)
                slow = slow.apply_unchecked(card)
            assert start.after(cards[:stop]) == slow
            for card in map(Card, range(0, 52, 7)):
                assert _refuses(start, [*cards[:stop], card]) == _refuses(slow, [card])


def _refuses(position: Position, cards: list[Card]) -> str:
    try:
        position.after(cards)
    except tb.IllegalActionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(30))
def test_the_quick_reading_of_a_deal_is_that_of_the_slow_one(seed: int) -> None:
    dealt = deal(7, seed)
    for first in COMPASS:
        text = tb.to_pbn(dealt)
        assert Deal(str(dealt)) == dealt == Deal(str(dealt).lower()) == Deal(f" {dealt} ")
        assert tb.load_pbn(text)[0].deal == dealt
        assert Deal(f"{first}:" + str(dealt)[2:]).hands[COMPASS.index(first)] == dealt.hands[0]
