"""Records as PBN: the tags any program reads, the auction of three, and the way back."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings

from tests.library.game.playing import actions_of, walk, walks
from tribridge.cards.cards import Card, Deck, Hand, parse_hand
from tribridge.cards.dealer import deal
from tribridge.cards.deals import COMPASS, HIDDEN, Deal, Seat
from tribridge.cards.formats import pbn
from tribridge.common.errors import FormatError, RecordError, TribridgeError
from tribridge.game.auction import PASS, call_name, parse_call
from tribridge.game.record import Record, record_of
from tribridge.game.record.pbn import dumps_pbn, loads_pbn
from tribridge.game.scoring import find_scheme
from tribridge.game.table import Table, new_table

N, E, S = Seat
AUCTION = "TribridgeAuctionTable"


def played(calls: str, *, dealer: Seat = N, doubles: bool = False, cards: int = 52) -> Table:
    """A full deal after these calls and a number of random cards."""
    table = new_table(deal(11, 0), dealer, doubles=doubles)
    for word in calls.split():
        table = table.apply(parse_call(word))
    states = list(walk(table, Random(4)))
    return states[min(cards, len(states) - 1)]


def game_of(record: Record) -> pbn.Game:
    [game] = pbn.loads(dumps_pbn([record]))
    return game


def refusal(text: str) -> str:
    with pytest.raises(TribridgeError) as caught:
        loads_pbn(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


FINISHED = played("p 1H X 2C p p", doubles=True)
TEXT = dumps_pbn([replace(record_of(FINISHED, seed=11, number=0), scheme="auction")])


# The way back


@settings(max_examples=30, deadline=None)
@given(walks())
def test_record_is_read_back_from_pbn_at_every_point(states: list[Table]) -> None:
    for table in states[:: max(1, len(states) // 8)] + states[-1:]:
        scored = replace(table, scheme=find_scheme("new"))
        record = record_of(scored, seed=5, number=9)
        [found] = loads_pbn(dumps_pbn([record]))
        assert found == record
        assert found.replay() == scored


@settings(max_examples=15, deadline=None)
@given(walks((Deck(2, 4), Deck(4, 2), Deck(4, 1), Deck(2, 2))))
def test_record_of_a_tiny_deck_is_read_back_from_pbn(states: list[Table]) -> None:
    record = record_of(states[-1])
    assert loads_pbn(dumps_pbn([record])) == [record]


def test_record_of_a_one_suit_deck_is_read_back_from_pbn() -> None:
    record = record_of(list(walk(new_table(deal(3, 3, Deck(1, 8)), S), Random(1), 0.3))[-1])
    assert loads_pbn(dumps_pbn([record])) == [record]


def test_several_records_stand_in_one_text() -> None:
    tables = [FINISHED, played("p p p"), played("1NT p p", cards=7), played("1C")]
    records = [record_of(table) for table in tables]
    assert loads_pbn(dumps_pbn(records)) == records
    assert [game.tags["Board"] for game in pbn.loads(dumps_pbn(records))] == ["1", "2", "3", "4"]
    assert loads_pbn(dumps_pbn([])) == []


def test_name_of_a_scheme_with_signs_is_read_back() -> None:
    for scheme in ('C:\\my "own" schemes.toml:x', "a;b", "{a}", "a\\", "%"):
        record = replace(record_of(FINISHED), scheme=scheme)
        assert loads_pbn(dumps_pbn([record])) == [record]


# What is written


@pytest.mark.parametrize("declarer", Seat)
def test_dummy_sits_opposite_the_declarer(declarer: Seat) -> None:
    table = played("p " * declarer + "1NT p p")
    game = game_of(record_of(table))
    assert game.tags["Declarer"] == declarer.letter
    at = COMPASS.index(declarer.letter)
    around = [str(declarer), str(declarer.left), "hidden", str(declarer.right)]
    words = ("North", "East", "South", "West")
    assert [game.tags[words[(at + n) % 4]] for n in range(4)] == around
    seated = Deal(game.tags["Deal"])
    hands = [table.deal.hands[seat] for seat in (declarer, declarer.left)]
    hands += [table.deal.hidden, table.deal.hands[declarer.right]]
    assert [seated.hands[(at + n) % 4] for n in range(4)] == hands
    # The left defender leads, and the columns of the play start there.
    assert game.tags["Play"] == COMPASS[(at + 1) % 4]


def test_pbn_has_the_tags_any_bridge_program_reads() -> None:
    game = game_of(replace(record_of(FINISHED, seed=11, number=3), scheme="auction"))
    places = ["West", "North", "East", "South"]
    assert list(game.tags)[:8] == ["Event", "Site", "Date", "Board", *places]
    assert list(game.tags)[8:12] == ["Dealer", "Vulnerable", "Deal", "Scoring"]
    assert list(game.tags)[12:15] == ["Declarer", "Contract", "Result"]
    assert game.tags["Board"] == "1"
    assert game.tags["Scoring"] == "auction"
    assert (game.tags["Declarer"], game.tags["Contract"]) == ("N", "2C")
    assert FINISHED.outcome is not None
    assert game.tags["Result"] == str(FINISHED.outcome.tricks)
    assert game.tags["Vulnerable"] == "None"
    assert FINISHED.contract is not None
    net = find_scheme("auction").net(FINISHED.contract, FINISHED.outcome.tricks)
    assert game.tags["Score"] == f"NS {net}"
    assert "Auction" not in game.tags
    assert all(len(line) <= 255 for line in TEXT.splitlines())
    assert TEXT.startswith("% PBN 2.1\n% EXPORT\n")


@pytest.mark.parametrize(
    ("calls", "contract"),
    [
        ("1NT p p", "1NT"),
        ("1S X p p", "1SX"),
        ("1S X p XX p p", "1SXX"),
        ("p p p", "Pass"),
        ("1S", ""),
    ],
)
def test_contract_is_written_as_pbn_has_it(calls: str, contract: str) -> None:
    game = game_of(record_of(played(calls, doubles=True, cards=0)))
    assert game.tags["Contract"] == contract
    assert (game.tags["Declarer"] == "") == (contract in ("Pass", ""))
    assert game.tags["Result"] == ""


@pytest.mark.parametrize("dealer", Seat)
def test_dealer_is_named_by_the_chair_he_plays_from(dealer: Seat) -> None:
    for calls in ("1C p p", "p 1C p p", "p p 1C p p", "p p p"):
        game = game_of(record_of(played(calls, dealer=dealer)))
        chair = ("North", "East", "South", "West")[COMPASS.index(game.tags["Dealer"])]
        assert game.tags[chair] == str(dealer) == game.tags["TribridgeDealer"]


def test_auction_of_three_stands_in_a_section_of_its_own() -> None:
    game = game_of(record_of(FINISHED))
    rows = [line.split() for line in game.sections[AUCTION]]
    assert rows == [
        ["North", "Pass"],
        ["East", "1H"],
        ["South", "X"],
        ["North", "2C"],
        ["East", "Pass"],
        ["South", "Pass"],
    ]
    assert [call_name(call) for call in FINISHED.auction.calls] == [call for _, call in rows]


def test_play_is_a_line_a_trick_in_the_columns_of_the_chairs() -> None:
    game = game_of(record_of(FINISHED))
    rows = [line.split() for line in game.sections["Play"]]
    assert len(rows) == 13
    owners = [Hand(_cards(row[column] for row in rows)) for column in range(4)]
    # 2C by North: East leads, then the dummy, South, North.
    hands = FINISHED.deal.hands
    assert owners == [hands[E], hands[HIDDEN], hands[S], hands[N]]
    assert FINISHED.position is not None
    for row, trick in zip(rows, FINISHED.position.tricks, strict=True):
        assert {card.name for card in trick.cards} == set(row)


def _cards(names: object) -> list[Card]:
    found = {card.name: card for hand in FINISHED.deal.hands for card in hand}
    return [found[name] for name in names]  # type: ignore[attr-defined]


def test_unfinished_play_ends_with_a_star_and_marks_missing_cards() -> None:
    table = played("1NT p p", cards=6)
    lines = game_of(record_of(table)).sections["Play"]
    assert lines[-1] == "*"
    assert len(lines) == 3
    assert lines[1].split().count("-") >= 1
    assert len(actions_of(loads_pbn(dumps_pbn([record_of(table)]))[0].replay())) == 9


def test_deal_of_the_export_is_read_as_any_pbn_deal() -> None:
    game = game_of(record_of(FINISHED))
    north = game.tags["Deal"].removeprefix("N:").split()[0]
    assert parse_hand(north) == FINISHED.deal.hands[0]


# What is refused


def without(text: str, tag: str) -> str:
    """The text without a tag and its section."""
    kept, skip = [], False
    for line in text.split("\n"):
        if line.startswith("[") or not line:
            skip = line.startswith(f"[{tag} ")
        if not skip:
            kept.append(line)
    return "\n".join(kept)


def test_game_without_the_seats_of_three_is_refused() -> None:
    message = refusal(without(TEXT, "TribridgeSeats"))
    assert message == "line 4: not a three-player record, TribridgeSeats is missing"
    foreign = '[Event "x"]\n[Deal "N:- - - -"]\n[Auction "N"]\n1NT Pass Pass Pass\n'
    assert refusal(foreign).startswith("line 1: not a three-player record")


@pytest.mark.parametrize("calls", ["1NT p p", "p p p", "1C"])
def test_game_without_the_auction_of_three_is_refused(calls: str) -> None:
    text = without(dumps_pbn([record_of(played(calls))]), AUCTION)
    assert AUCTION not in text
    message = refusal(text)
    assert "line 4" in message


@pytest.mark.parametrize("tag", ["Deal", "TribridgeDealer"])
def test_game_without_deal_or_dealer_is_refused(tag: str) -> None:
    assert refusal(without(TEXT, tag)).startswith("game at line 4: ")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("East  1H", "East  8H", "no bid at level 8"),
        ("East  1H", "East  frog", "cannot read call"),
        ("North 2C", "North 1C", "it is not higher than"),
        ("North 2C", "South 2C", "South cannot act: it is North's turn"),
        ("North 2C", "West  2C", "unknown seat 'West'"),
        ("S=hidden", "S=South", "does not say where hidden sits"),
        ("doubles=yes", "doubles=no", "without doubles"),
        ("deck=4x13", "deck=4x12", ""),
        ("deck=4x13", "deck=none", "cannot read deck"),
        ("seed=11", "seed=eleven", "seed"),
        ("number=0", "number=", "number"),
        ("[Result ", '[Result "x"]\n[Other ', "the replay gives Result"),
        ('[TribridgeDealer "North"]', '[TribridgeDealer "West"]', "unknown seat"),
    ],
)
def test_game_that_does_not_replay_is_refused_with_its_place(old: str, new: str, says: str) -> None:
    assert old in TEXT
    message = refusal(TEXT.replace(old, new, 1))
    assert message.startswith("game at line 4: ")
    assert says in message


def test_contract_that_disagrees_with_the_auction_is_refused() -> None:
    for old, new in (('[Contract "2C"]', '[Contract "7NT"]'), ('[Declarer "N"]', '[Declarer "E"]')):
        assert old in TEXT
        assert refusal(TEXT.replace(old, new)).startswith("game at line 4: ")


def play_lines(text: str) -> tuple[list[str], int]:
    lines = text.split("\n")
    return lines, next(at for at, line in enumerate(lines) if line.startswith("[Play ")) + 1


def test_illegal_card_is_refused() -> None:
    lines, at = play_lines(TEXT)
    lines[at + 1] = lines[at]
    assert "does not hold" in refusal("\n".join(lines))


def test_card_after_the_last_trick_is_refused() -> None:
    lines, at = play_lines(TEXT)
    lines.insert(at + 13, lines[at])
    assert "card where none" in refusal("\n".join(lines))


def test_card_of_a_chair_that_is_not_due_is_refused() -> None:
    # The opening leader's card is missing, the three after it stand there.
    table = played("1NT p p", cards=4)
    lines, at = play_lines(dumps_pbn([record_of(table)]))
    lines[at] = " ".join(["-", *lines[at].split()[1:]])
    assert refusal("\n".join(lines)).startswith("game at line 4: ")


def test_fifth_card_in_a_line_of_the_play_is_refused() -> None:
    lines, at = play_lines(TEXT)
    lines[at] += " " + lines[at + 1].split()[0]
    assert refusal("\n".join(lines)).startswith("game at line 4: ")


def test_second_game_is_refused_with_its_own_line() -> None:
    text = dumps_pbn([record_of(played("p p p")), record_of(FINISHED)])
    place = text.split("\n\n")[0].count("\n") + text.split("\n\n")[1].count("\n") + 5
    assert refusal(text.replace("North 2C", "North 1C")).startswith(f"game at line {place}: ")


@pytest.mark.parametrize(
    "text", ['[Event "x"', "nonsense", '[Event "x"]\n{ never closed', "[Event x]"]
)
def test_broken_pbn_is_refused_with_the_line(text: str) -> None:
    with pytest.raises((FormatError, RecordError), match=r"^line "):
        loads_pbn(text)


def test_passed_out_deal_has_no_play() -> None:
    table = new_table(deal(11, 0), N).apply(PASS).apply(PASS).apply(PASS)
    game = game_of(record_of(table))
    assert "Play" not in game.tags
    assert game.tags["TribridgeSeats"] == "N=North E=East S=South W=hidden"


# Vulnerability and score


@pytest.mark.parametrize(
    ("calls", "vulnerable", "word"),
    [
        ("1NT p p", (), "None"),
        ("1NT p p", (N,), "NS"),  # North declares, opposite dummy
        ("1NT p p", (E,), "None"),  # one of two defenders
        ("1NT p p", (E, S), "EW"),
        ("1NT p p", (N, E, S), "All"),
        ("p 1NT p p", (E,), "EW"),
        ("p 1NT p p", (N, S), "NS"),
        ("p p p", (N, S), "NS"),
        ("p p p", (E,), "EW"),
    ],
)
def test_vulnerable_players_are_kept(calls: str, vulnerable: tuple[Seat, ...], word: str) -> None:
    record = replace(record_of(played(calls), vulnerable=vulnerable), scheme="contract")
    assert game_of(record).tags["Vulnerable"] == word
    assert loads_pbn(dumps_pbn([record])) == [record]


def test_score_is_that_of_the_declarers_side_by_its_vulnerability() -> None:
    table = played("p 1NT p p")
    assert table.contract is not None
    assert table.outcome is not None
    for vulnerable in ((), (E,)):
        record = replace(record_of(table, vulnerable=vulnerable), scheme="contract")
        net = (
            find_scheme("contract")
            .at_risk(bool(vulnerable))
            .net(table.contract, table.outcome.tricks)
        )
        assert game_of(record).tags["Score"] == f"EW {net}"
    text = dumps_pbn([replace(record_of(table), scheme="contract")])
    tags = game_of(replace(record_of(table), scheme="contract")).tags
    assert "gives Score 'EW" in refusal(text.replace(tags["Score"], "EW 5"))


@pytest.mark.parametrize("scheme", [None, "friday.toml", "auction-rubber"])
def test_score_is_left_out_where_the_scheme_is_not_known(scheme: str | None) -> None:
    assert "Score" not in game_of(replace(record_of(FINISHED), scheme=scheme)).tags
    assert "Score" not in game_of(replace(record_of(played("1NT p p", cards=5)), scheme="old")).tags
