"""The front door: `import tribridge as tb` as the documentation promises it."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest

import tribridge as tb
from tribridge.arena.analysis import Contest
from tribridge.arena.work import PlayOutcome
from tribridge.game import View
from tribridge.game.laws import all_laws, find_laws
from tribridge.game.scoring import find_scheme

PACKAGE = Path(inspect.getfile(tb)).parent
HAND, DUMMY = "AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93"
FUNCTIONS = [name for name in tb.__all__ if inspect.isfunction(getattr(tb, name))]


class MyPlayer:
    """Plays the first legal card."""

    name = "my-player"

    def card(self, view: tb.View, rng: object) -> tb.Choice:
        return tb.Choice(view.legal[0], "It is the first legal card.")


@pytest.mark.slow
def test_the_example_of_the_design_runs_line_by_line(tmp_path: Path) -> None:
    hand = tb.Hand("AKQ2.K93.A92.KQ5")
    assert repr(hand) == "Hand('AKQ2.K93.A92.KQ5')"
    deal = tb.deal(seed=1)
    assert deal == tb.deal(seed=1, number=0) != tb.deal(seed=1, number=7)
    table = tb.new_table(deal, dealer="N")
    assert table == tb.new_table(seed=1)
    for call in ("1NT", "pass", "2H", "pass", "pass"):
        table = table.call(call)
    table = table.play("CT")
    assert "2♥ by South" in str(table)
    assert table.turn is tb.Seat.SOUTH
    assert table.legal == tuple(deal.hidden.suit(tb.Suit.CLUBS))
    assert table.contract == tb.Contract("2H", "S")
    assert not table.over
    assert set(table.scores("auction").values()) == {0}
    assert tb.view(table, "N").hand == deal.hands[0] - tb.Hand("...T")

    assert tb.estimate("AKQ2.K93.A92.KQ5", "743.AQ5.KT43.J93").captures == 12
    assert tb.estimate("AKQ2.K93.A92.KQ5").dummy is False
    assert tb.exact("capture").captures[13] == 2179486891210821024
    assert tb.simulate("game", deals=1_000_000, seed=1).deals == 1_000_000
    assert tb.solve(deal, declarer="S")["NT"] == 6
    assert 0 < tb.forecast_tricks("AKQ2.K93.A92.KQ5")["NT"].at_least(9) < 1
    assert tb.advise("AKQ2.K93.A92.KQ5", auction="1H pass").call == tb.Bid("1NT")
    assert tb.choose("maxims", table).reason
    assert tb.play_game("maxims", "points+random", "capture", seed=1).scores("auction")
    assert "maxims" in tb.compare("maxims", "random", deals=3).summary()  # 100 take long
    (tmp_path / "file.pbn").write_text(tb.to_pbn(deal))
    assert [one.deal for one in tb.load_pbn(tmp_path / "file.pbn")] == [deal]
    tb.register_player(MyPlayer)
    assert "my-player" in [entry.name for entry in tb.list_strategies()]


# What the package offers


def test_all_names_are_loaded_on_demand_and_listed() -> None:
    assert dir(tb) == sorted(tb.__all__)
    assert set(tb._MODULES) == set(tb.__all__) - {"__version__"}
    for name in tb.__all__:
        assert getattr(tb, name) is not None
    with pytest.raises(AttributeError, match="attribute 'nothing'"):
        tb.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_see_the_names_that_are_loaded() -> None:
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    seen = {
        alias.asname: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"tribridge.{home}" for name, home in tb._MODULES.items()}
    assert (PACKAGE / "py.typed").is_file()


def test_no_name_is_that_of_a_module() -> None:
    modules = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_")}
    assert not modules & set(tb.__all__)


def test_every_name_has_a_docstring_and_functions_have_an_example_and_their_errors() -> None:
    for name in tb.__all__:
        value = getattr(tb, name)
        if inspect.isclass(value) or name in FUNCTIONS:
            assert inspect.getdoc(value), name
    for name in FUNCTIONS:
        documentation = inspect.getdoc(getattr(tb, name)) or ""
        assert ">>> " in documentation, name
        assert "Raises" in documentation, name


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, tribridge as tb; "
        "loaded = [m for m in sys.modules if m.startswith('tribridge.')]; "
        "tb.estimate('AKQ2.K93.A92.KQ5'); tb.new_table(seed=1); "
        "print(loaded, sorted({'numpy', 'numba', 'scipy', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"


# Text in place of values


def test_text_and_values_are_the_same() -> None:
    deal = tb.deal(seed=1)
    hand, dummy = tb.Hand(HAND), tb.Hand(DUMMY)
    assert tb.estimate(hand, dummy).captures == tb.estimate(HAND, DUMMY).captures
    assert tb.forecast_tricks(hand, dummy)["S"] == tb.forecast_tricks(HAND, DUMMY)[tb.Strain.SPADES]
    assert tb.solve(str(deal), "north") == tb.solve(deal, tb.Seat.NORTH)
    assert tb.new_table(str(deal), dealer="south").dealer is tb.Seat.SOUTH
    small = tb.deal(seed=1, deck="2x4")
    assert small == tb.deal(seed=1, deck=tb.Deck(2, 4))
    assert tb.new_table(str(small), deck="2x4").deal == small
    assert "CK" in hand
    assert "CA" not in hand
    assert tb.simulate("capture", deals=1e3).deals == 1000


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: tb.Hand("AKZ..."), tb.FormatError, "unknown rank 'Z'"),
    (lambda: tb.estimate("AKQ..."), tb.CardsError, "the hand has 3 cards, not 13"),
    (lambda: tb.estimate(HAND, HAND), tb.CardsError, "is in both the hand and the dummy"),
    (lambda: tb.estimate(7), tb.FormatError, "7 is not a hand"),  # type: ignore[arg-type]
    (
        lambda: tb.estimate(HAND, DUMMY, reading="non-strict"),
        tb.SettingError,
        "readings belong to Algorithm 1",
    ),
    (lambda: tb.deal(seed=-1), tb.SettingError, "seed -1 is out of range"),
    (lambda: tb.deal(seed="1"), tb.SettingError, "seed must be a whole number"),  # type: ignore[arg-type]
    (lambda: tb.deal(seed=True), tb.SettingError, "seed must be a whole number, not True"),
    (lambda: tb.deal(1, deck="9x9"), tb.SettingError, "no deck of 9 suits"),
    (lambda: tb.new_table(), tb.SettingError, "new_table needs either a deal or a seed"),
    (
        lambda: tb.new_table(tb.deal(1), seed=1),
        tb.SettingError,
        "new_table needs either a deal or a seed",
    ),
    (lambda: tb.new_table(seed=1, dealer="W"), tb.FormatError, "unknown seat 'W'"),
    (lambda: tb.new_table("nothing"), tb.FormatError, "not a deal"),
    (
        lambda: tb.new_table(seed=1, rubber=tb.Rubber(), deck="4x8"),
        tb.SettingError,
        "a rubber has the full deck",
    ),
    (
        lambda: tb.new_table(seed=1, rubber=tb.Rubber(), scheme="old"),
        tb.SettingError,
        "laws in place of a scheme",
    ),
    (lambda: tb.new_table(seed=1).call("1X"), tb.FormatError, "unknown strain 'X'"),
    (lambda: tb.new_table(seed=1).play("CT"), tb.IllegalActionError, "a call is due"),
    (
        lambda: tb.new_table(seed=1).scores("nope"),
        tb.NotFoundError,
        "unknown scoring scheme 'nope'",
    ),
    (lambda: tb.view(tb.new_table(seed=1), 5), tb.FormatError, "unknown seat 5"),  # type: ignore[arg-type]
    (lambda: tb.exact("all"), tb.SettingError, "unknown count 'all'"),  # type: ignore[arg-type]
    (lambda: tb.simulate("games"), tb.NotFoundError, "unknown study 'games'"),
    (lambda: tb.simulate("game", deals=0.5), tb.SettingError, "deals must be a whole number"),
    (lambda: tb.solve(tb.deal(1), "S")["Z"], tb.FormatError, "unknown strain 'Z'"),
    (lambda: tb.forecast_tricks(HAND, kind="x"), tb.NotFoundError, "unknown forecast kind 'x'"),
    (lambda: tb.advise(HAND, auction="1H 1C"), tb.IllegalActionError, "impossible auction"),
    (lambda: tb.choose("nobody", tb.new_table(seed=1)), tb.NotFoundError, "unknown strategy"),
    (lambda: tb.choose("random", "a table"), tb.SettingError, "table must be Table | View"),  # type: ignore[arg-type]
    (lambda: tb.choose(3, tb.new_table(seed=1)), tb.SettingError, "3 is not a strategy"),  # type: ignore[arg-type]
    (lambda: tb.play_game("random", "random", "nobody"), tb.NotFoundError, "unknown strategy"),
    (lambda: tb.compare("random", "random"), tb.SettingError, "random is named twice"),
    (lambda: tb.compare("random", "pass", deals=1), tb.SettingError, "at least 2 deals, not 1"),
    (
        lambda: tb.compare(Choosy(lambda: 1), "random", processes=2),  # type: ignore[arg-type]
        tb.SettingError,
        "cannot be sent to other processes",
    ),
    (lambda: tb.exact(reading="non-strict"), tb.SettingError, "leave the reading out"),
    (lambda: tb.Contract("1NT", "N", 3), tb.FormatError, "factor 3"),
    (lambda: tb.worth(tb.new_table(seed=1)), tb.SettingError, "standing must be Rubber | Stand"),  # type: ignore[arg-type]
    (lambda: tb.register_player(7), tb.SettingError, "7 is not a class"),  # type: ignore[type-var]
]


@pytest.mark.parametrize(
    ("action", "error", "message"), REFUSED, ids=[message for _, _, message in REFUSED]
)
def test_wrong_input_is_one_clear_error(
    action: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        action()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, tb.TribridgeError)


WRONG = (None, 7.5, "zzz", b"x", [None], {"N": None}, object(), int)
TAKEN: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "view": (tb.view, (tb.new_table(seed=1), "N")),
    "new_table": (tb.new_table, (tb.deal(1),)),
    "solve": (tb.solve, (tb.deal(1, deck="2x4"),)),
    "estimate": (tb.estimate, (HAND, DUMMY)),
    "from_json": (tb.from_json, ("[]",)),
    "load_pbn": (tb.load_pbn, ("no such file",)),
    "daily_puzzle": (tb.daily_puzzle, ("2026-11-17",)),
    "worth": (tb.worth, ("N 20",)),
    "Bid": (tb.Bid, (1, "NT")),
    "Contract": (tb.Contract, ("1NT", "N", 2)),
    "Deck": (tb.Deck, (4, 13)),
    "Deal": (tb.Deal, (str(tb.deal(1)), "4x13")),
    "Deal.of": (tb.Deal.of, (list(tb.deal(1).hands), tb.Deck())),
    "Rubber": (tb.Rubber, ("auction-rubber", "N")),
    "Table.call": (tb.new_table(seed=1).call, ("1NT",)),
    "Table.play": (tb.new_table(seed=1, contract="1NT by N").play, ("HT",)),
    "Table.undo": (tb.new_table(seed=1).undo, (0,)),
    "Table.scores": (tb.new_table(seed=1).scores, ("auction",)),
    "View.stakes": (tb.view(tb.new_table(seed=1), "N").stakes, (tb.Contract("1NT by N"),)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_values_of_wrong_types_are_refused_in_one_line(name: str) -> None:
    function, right = TAKEN[name]
    for at in range(len(right)):
        for wrong in WRONG:
            if wrong is None and (name, at) in {("estimate", 1), ("view", 1)}:
                continue  # no dummy, a kibitzer
            if wrong is None and name in {"Table.scores", "daily_puzzle"}:
                continue  # the default
            with pytest.raises((tb.TribridgeError, OSError)) as caught:
                function(*right[:at], wrong, *right[at + 1 :])
            assert "\n" not in str(caught.value)


def test_arguments_by_name_are_named_when_they_are_wrong() -> None:
    strange: list[tuple[Callable[..., object], str, object]] = [
        (tb.new_table, "auction", None),
        (tb.new_table, "rubber", "auction-rubber"),
        (tb.new_table, "vulnerable", 3),
        (tb.new_table, "doubles", "no"),
        (tb.deal, "number", "0"),
    ]
    for function, name, wrong in strange:
        with pytest.raises(tb.SettingError, match=f"{name} must be .*, not {wrong!r}"):
            function(seed=1, **{name: wrong})
    with pytest.raises(tb.SettingError, match="defence must be a whole number"):
        tb.advise(HAND, defence=2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword"):
        tb.deal(seed=1, cards=13)  # type: ignore[call-arg]


def test_errors_show_the_annotation_of_the_argument_that_they_name() -> None:
    shown: set[tuple[str, str]] = set()
    for name in FUNCTIONS:
        function, wrong = getattr(tb, name), object()
        parameters = inspect.signature(function).parameters.values()
        named = [one for one in parameters if one.kind is not one.VAR_POSITIONAL]
        needed = {one.name: wrong for one in named if one.default is one.empty}
        for one in named:
            with suppress(tb.TribridgeError, TypeError):
                try:
                    function(**needed | {one.name: wrong})
                except tb.SettingError as error:
                    told = re.fullmatch(rf"{name}: (\w+) must be (.+), not <object .*>", str(error))
                    if told is not None:
                        argument, kinds = told.groups()
                        assert kinds == inspect.signature(function).parameters[argument].annotation
                        shown.add((name, argument))
                    raise
    assert len(shown) > 20


def test_public_functions_can_be_sent_to_other_processes() -> None:
    for name in FUNCTIONS:
        assert pickle.loads(pickle.dumps(getattr(tb, name))) is getattr(tb, name)


def test_nothing_is_no_rank_and_no_number_is_a_hand_of_other_cards() -> None:
    for wrong in ("", " "):
        with pytest.raises(tb.FormatError, match="unknown rank"):
            tb.Rank(wrong)
    for mask in (-1, 1 << 52):
        with pytest.raises(tb.CardsError, match="not the mask of a hand"):
            tb.Hand(mask)


# Tables and files


def test_scores_are_by_seat_and_nothing_until_the_end() -> None:
    table = tb.play_game("points+random", "points+random", "points+random", seed=1, number=2)
    points = table.scores()
    assert table.over
    assert table.contract is not None
    assert points["N"] == points[tb.Seat.NORTH] == next(iter(points.values()))
    assert sum(map(bool, points.values())) in (1, 2)
    assert set(tb.new_table(seed=1).scores("old").values()) == {0}


def test_a_table_is_scored_by_its_own_scheme_and_vulnerability() -> None:
    plain = tb.play_game("maxims", "maxims", "maxims", seed=1, number=1)
    down = tb.new_table(seed=3, contract="7NT by N", scheme="contract", vulnerable="N")
    while not down.over:
        down = down.apply(down.legal[0])
    assert plain.scores() == plain.scores("auction")
    assert down.outcome is not None
    missing = 13 - down.outcome.tricks
    assert missing > 0
    assert down.scores()["E"] == down.scores("contract")["E"] == 100 * missing
    assert down.scores("auction")["E"] == 50 * missing


def test_a_scheme_is_not_taken_for_the_one_of_the_package_that_has_its_name() -> None:
    own = replace(find_scheme("auction"), name="contract")
    for number in range(20):
        deal = tb.deal(5, number)
        plain, named = (tb.new_table(deal, scheme=scheme) for scheme in (None, own))
        assert tb.choose("learned", named) == tb.choose("learned", plain)


FRIDAY = """friday = {note = "a; {b} \\"c\\"", undertrick = 10, overtrick = 0.5, vulnerable = {
undertrick = 25}, trick = {C = 2, D = 2, H = 3, S = 3, NT = 4.5}}""".replace("\n", "")


def read_again(table: tb.Table, path: Path) -> Iterator[tb.Table]:
    """The table through each form in which it can be written."""
    tb.save_pbn(path, table)
    yield from tb.load_pbn(path)
    yield tb.from_json(tb.to_json(table))
    yield eval(repr(table), vars(tb) | {"new_table": tb.new_table, "Rubber": tb.Rubber})


def test_a_scheme_from_a_file_is_written_with_the_table(tmp_path: Path) -> None:
    down = tb.new_table(seed=3, contract="7NT by N", scheme=FRIDAY, vulnerable="N")
    while not down.over:
        down = down.apply(down.legal[0])
    assert down.outcome is not None
    assert down.scores()["E"] == 25 * (13 - down.outcome.tricks) > 0
    for table in read_again(down, tmp_path / "friday.pbn"):
        assert (table, table.scores()) == (down, down.scores())
    unknown = tb.to_json(tb.new_table(seed=1, scheme="new")).replace('"new"', '"friday"')
    with pytest.raises(tb.RecordError, match="unknown scheme 'friday': expected auction-tricks"):
        tb.from_json(unknown)


def test_a_deal_of_a_rubber_scores_what_the_rubber_writes_down(tmp_path: Path) -> None:
    own = replace(find_laws("contract-rubber"), name="own", game_bonus=11, game=60)
    for laws in (*all_laws().values(), own):
        rubber = tb.Rubber(laws, below=(20, 0, 0), games=(0, 1, 0))
        for number in range(6):
            table = tb.new_table(seed=8, number=number, rubber=rubber, contract="1NT by E")
            while not table.over:
                table = table.apply(table.legal[0])
            assert table.scores() == rubber.add(table).totals()
            assert set(read_again(table, tmp_path / "rubber.pbn")) == {table}


@pytest.mark.parametrize(("laws", "word"), [("contract-rubber", "NS"), ("auction-rubber", "None")])
def test_pbn_names_who_is_vulnerable_in_a_rubber(laws: str, word: str) -> None:
    table = tb.new_table(seed=1, rubber=tb.Rubber(laws, games=(1, 0, 0)), contract="1NT by N")
    assert f'[Vulnerable "{word}"]' in tb.to_pbn(table)


def test_statistics_take_a_single_table() -> None:
    table = tb.play_game("points", "points", "points", seed=3)
    assert tb.player_stats(table, seat="N") == tb.player_stats([table], seat="N")


def test_a_table_may_begin_in_a_redoubled_contract() -> None:
    contract = tb.Contract("1NTxx by E")
    assert tb.new_table(seed=1, contract=contract).contract == contract


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    one: Any = np.int64(1)
    assert tb.deal(seed=one, number=one) == tb.deal(seed=1, number=1)


@pytest.mark.parametrize("study", ["capture", "game"])
def test_simulations_of_the_same_deals_are_equal(study: Any) -> None:
    first, again, other = (tb.simulate(study, deals=500, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert hash(first) == hash(again)
    assert first != other


def test_a_rubber_takes_finished_games() -> None:
    rubber = tb.Rubber("contract-rubber", "E").add(tb.Contract("4S", "N"), 10)
    table = tb.play_game("points+random", "points+random", "points+random", seed=1, number=2)
    rubber = rubber.add(table)
    assert rubber.dealer is tb.Seat.NORTH
    assert rubber.totals()["N"] >= 120
    assert sum(rubber.settlement().values()) == 0
    assert "Games: North 1" in str(rubber)
    with pytest.raises(tb.NotFoundError, match="unknown laws 'nope'"):
        tb.Rubber("nope")


def test_doubles_are_an_option_of_the_table() -> None:
    assert tb.new_table(seed=1, doubles=True).call("1C").call("X").contract is None
    with pytest.raises(tb.IllegalActionError, match="without doubles"):
        tb.new_table(seed=1).call("1C").call("X")


def test_pbn_gives_back_every_kind_of_deal(tmp_path: Path) -> None:
    path = tmp_path / "deals.pbn"
    small = tb.deal(seed=1, deck="2x4")
    played = tb.play_game("points+random", "random", "random", seed=3)
    for things in ([tb.deal(1), tb.deal(2)], [small], [played, tb.deal(4), small]):
        path.write_text(tb.to_pbn(*things), "utf-8")
        assert [table.deal for table in tb.load_pbn(path)] == [
            thing.deal if isinstance(thing, tb.Table) else thing for thing in things
        ]
    path.write_text(tb.to_pbn(played).replace("TribridgeOptions", "Other"), "utf-8")
    assert tb.load_pbn(path) == [played]
    path.write_text(tb.to_pbn(played).replace('Seat;Call"]', 'Seat;Call"]\nNorth 9NT'), "utf-8")
    with pytest.raises(tb.RecordError, match=r"deals\.pbn, board 1 \(line 4\): no bid at level 9"):
        tb.load_pbn(path, strict=True)
    with pytest.warns(tb.RecordWarning, match=r"deals\.pbn, board 1 \(line 4\): no bid"):
        assert tb.load_pbn(path) == []


# Strategies


@dataclass(frozen=True)
class Choosy:
    """Plays one of its legal cards."""

    name: ClassVar[str] = "choosy"
    at: int = tb.option(0, "which of the legal cards", min=0)

    def card(self, view: View, rng: Any) -> tb.Choice:
        return tb.Choice(view.legal[self.at % len(view.legal)], "As it was told.")


def test_a_choice_is_that_of_the_game_and_of_the_view() -> None:
    table = tb.new_table(seed=1).call("1NT").call("pass").call("pass")
    for strategy in ("random", Choosy(2), MyPlayer()):
        choice = tb.choose(strategy, table, seed=5)
        assert choice == tb.choose(strategy, tb.view(table, table.turn), seed=5)
        assert table.can(choice.action)
    with pytest.raises(tb.IllegalActionError, match="East's turn"):
        tb.choose("random", tb.view(table, "N"))
    over = tb.new_table(seed=1).call("pass").call("pass").call("pass")
    with pytest.raises(tb.IllegalActionError, match="deal is over"):
        tb.choose("random", over)


def test_a_game_is_its_choices_one_after_the_other() -> None:
    played = tb.play_game("random", "points+random", "random", seed=3, number=4)
    table = tb.new_table(seed=3, number=4)
    strategies = ("random", "points+random", "random")
    while table.turn is not None:
        table = table.apply(tb.choose(strategies[table.turn], table, seed=3, number=4).action)
    assert table == played
    assert played == tb.play_game(*strategies, deal=table.deal, seed=3, number=4)


def test_a_strategy_that_fails_is_named() -> None:
    class Broken:
        name = "broken"

        def card(self, view: View, rng: Any) -> tb.Choice:
            raise RuntimeError("out of ideas")

    deal = tb.deal(seed=1, number=2)
    with pytest.raises(tb.StrategyError, match=r"out of ideas"):
        tb.play_game("points+random", Broken(), Broken(), deal=deal)


def test_registered_classes_need_no_more_than_a_name_and_a_method() -> None:
    tb.register_player(MyPlayer)
    entry = next(one for one in tb.list_strategies() if one.name == "my-player")
    assert "Plays the first legal card." in entry.summary
    assert tb.register_player(Choosy) is Choosy
    contest = tb.compare(Choosy(1), "random", deals=2, play_only=True)
    assert isinstance(contest, Contest)
    assert "choosy:at=1" in contest.summary()


class Unlisted:
    """Plays one of its legal cards, and is never registered."""

    def __init__(self, at: int) -> None:
        self.at = at

    def card(self, view: View, rng: Any) -> tb.Card:
        return view.legal_cards[self.at % len(view.legal_cards)]


@pytest.mark.slow
def test_objects_that_nobody_registered_are_compared_in_other_processes() -> None:
    def tricks(processes: int) -> list[tuple[str, str, int]]:
        contest = tb.compare(
            Unlisted(3), "random", deals=6, deck="2x6", play_only=True, processes=processes
        )
        games = cast("tuple[PlayOutcome, ...]", contest.result.games)
        return [(game.declarer, game.defence, game.tricks) for game in games]

    assert tricks(2) == tricks(1)


@pytest.mark.slow
def test_a_class_that_other_processes_do_not_find_is_named_in_one_line() -> None:
    code = (
        "import tribridge as tb\n"
        "class Lowest:\n"
        "    def card(self, view, rng):\n"
        "        return min(view.legal_cards)\n"
        "try:\n"
        "    tb.compare(Lowest(), 'random', deals=2, play_only=True, processes=2)\n"
        "except tb.SettingError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be sent to other processes (Can't get attribute 'Lowest'" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_a_comparison_says_who_is_better_by_how_much() -> None:
    contest = tb.compare("maxims", "random", deals=8, play_only=True)
    first, second = contest.summary().splitlines()
    assert first.startswith("As declarer, maxims takes ")
    assert second.startswith("As defender, maxims concedes ")
    assert "8 deals: too" in first
    whole = tb.compare("points+maxims", "pass+random", deals=3, deck="4x4")
    assert "points per deal" in whole.summary() or "equally well" in whole.summary()
    assert str(whole) == whole.summary()
    tie = tb.compare("pass+random", "pass+maxims", deals=2)
    assert "pass+maxims did equally" in tie.summary()


def test_an_object_is_compared_itself_not_an_earlier_one_of_its_name() -> None:
    class Counted:
        asked = 0

        def card(self, view: View, rng: Any) -> tb.Card:
            self.asked += 1
            return view.legal_cards[0]

    first, second = Counted(), Counted()
    for agent in (first, second):
        tb.compare(agent, "random", deals=2, play_only=True)
    assert first.asked == second.asked > 0


def test_statistics_settle_a_table_by_its_own_scheme() -> None:
    played = tb.play_game("points+maxims", "points+maxims", "points+maxims", seed=3)
    own = replace(find_scheme("contract"), part_bonus=Fraction(7))
    for scheme in (find_scheme("auction"), find_scheme("contract"), own):
        table = replace(played, scheme=scheme)
        scores = table.scores(scheme)
        settled = 3 * scores["N"] - sum(scores.values())
        assert tb.player_stats([table], seat="N").settlement.estimate == float(settled)


def test_a_deck_of_five_suits_can_be_counted_though_not_dealt() -> None:
    assert tb.exact("hand", deck="5x8", cache=False).total == comb(40, 10)
    with pytest.raises(tb.SettingError, match="1 to 4 suits"):
        tb.deal(1, deck="5x8")


# What a console shows


def test_results_show_themselves_in_a_line_or_two() -> None:
    results = [
        tb.estimate(HAND, DUMMY),
        tb.estimate(HAND),
        tb.exact("capture", deck="2x4", cache=False),
        tb.exact("capture", deck="1x4", cache=False),
        tb.simulate("capture", deals=1000),
        tb.simulate("game", deals=1000),
        tb.forecast_tricks(HAND),
        tb.advise(HAND),
        tb.compare("maxims", "random", deals=2, play_only=True),
    ]
    for result in results:
        assert len(repr(result)) < 600, type(result)
        assert len(str(result)) < 400, type(result)
    assert str(results[2]) == (
        "420 counted, both conditions hold for 8.57%, which capture 2.00 on average"
    )
    assert str(results[5]) == "1,000 deals: 103 contracts, 60.2% of them made"
    assert str(results[7]).startswith("1NT: ")
    entry = next(one for one in tb.list_strategies() if one.name == "oracle")
    assert str(entry).endswith("(sees all hands: for measuring)")


def test_a_scheme_is_bid_for_by_what_it_pays_not_by_its_name() -> None:
    mine = replace(find_scheme("auction"), name="contract")
    calls = [
        tb.choose("forecast", tb.new_table(seed=1, scheme=scheme)).action
        for scheme in ("auction", mine, "contract")
    ]
    assert calls[0] == calls[1] != calls[2]
