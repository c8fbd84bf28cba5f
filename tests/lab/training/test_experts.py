"""Imitation of experts: the choices of boards, the networks that learn from them, and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: pip install 'tribridge[learn]'"
)

from tribridge.cards.cards import Card  # noqa: E402
from tribridge.cards.dealer import deal  # noqa: E402
from tribridge.cards.deals import Seat  # noqa: E402
from tribridge.common.errors import SettingError  # noqa: E402
from tribridge.game.views import view  # noqa: E402
from tribridge.lab.training import experts, networks, ppo  # noqa: E402
from tribridge.lab.training.learner import TrainingError  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork  # noqa: E402
from tribridge.networks.boards import Boards, for_validation, table_of  # noqa: E402
from tribridge.networks.network import load_network  # noqa: E402
from tribridge.networks.people import numbers_for, steps_for  # noqa: E402
from tribridge.networks.play import POINTS_KIND, by_card, expand, expand_one, observe  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")


def boards(count: int, claimed: int = 52) -> Boards:
    """Boards on which everybody plays the highest card, up to a claim."""
    hands, cards, contract = [], [], []
    for number in range(count):
        hands.append([hand.mask for hand in deal(11, number).hands])
        contract.append([1 + number % 7, number % 5, number % 3])
        table = table_of(hands[-1], contract[-1])
        played = [-1] * 52
        for at in range(claimed):
            card = min(card for card in table.legal if isinstance(card, Card))
            played[at] = card.index
            table = table.apply_unchecked(card)
        cards.append(played)
    return Boards(np.array(hands), np.array(cards), np.array(contract))


def with_validation(count: int) -> Boards:
    """Such boards, and some for validation."""
    some = boards(300)
    apart = for_validation(some)
    assert apart.any()
    return some.take(np.r_[np.flatnonzero(apart), np.flatnonzero(~apart)[:count]])


def random_network(width: int = 8, layers: int = 2) -> SuitNetwork:
    torch.manual_seed(1)
    network = SuitNetwork(POINTS_KIND, width, layers)
    torch.nn.init.normal_(network.out.weight)
    return network


def test_choices_are_what_the_players_of_a_board_saw() -> None:
    some = boards(3, 30)
    found = experts.all_choices(some, CPU, at_once=2)
    assert found.expert.all()
    rows = {}
    for row in range(len(found)):
        seen = found.take(slice(row, row + 1))
        number = int(seen.numbers[0, 2]) * 4 + int(seen.numbers[0, 1])
        rows[int(seen.board[0]), number] = seen
    for board in range(3):
        table = table_of(some.hands[board].tolist(), some.contract[board].tolist())
        for number, index in enumerate(some.cards[board][:30].tolist()):
            assert ((board, number) in rows) == (len(table.legal) > 1)
            if (board, number) in rows:
                seen = rows[board, number]
                masks, numbers = observe(view(table, table.turn))
                assert seen.masks[0, :-3].tolist() == list(masks)
                level = numbers.level
                assert seen.numbers[0].tolist() == [*numbers_for(numbers), *steps_for(level)]
                assert int(seen.card) == index
                assert int(seen.legal) == sum(1 << Card(str(card)).index for card in table.legal)
            table = table.apply_unchecked(Card(index))


def test_a_finisher_plays_boards_to_the_end() -> None:
    network = random_network()
    some = boards(4, 20)
    found = experts.all_choices(some, CPU, network)
    number = found.numbers[:, 2] * 4 + found.numbers[:, 1]
    assert torch.equal(found.expert, number < 20)
    assert int(number.max()) > 40
    with torch.no_grad():
        wishes = ppo.preferences(network, found.masks, found.numbers, found.legal)
    assert torch.equal(wishes.argmax(1)[~found.expert], found.card[~found.expert])
    whole = boards(4)
    tricks = experts.all_choices(whole, CPU).tricks
    assert ((tricks >= 0) & (tricks <= 13)).all()


def test_losses_and_agreement_are_those_of_each_choice() -> None:
    network = random_network().eval()
    rows = experts.all_choices(boards(4, 36), CPU, network)
    with torch.no_grad():
        found = experts.losses(network, *rows.columns())
        suits, table = expand(rows.masks[:, :-3], rows.numbers, torch.float32)
        preference, _, value = by_card(network(suits, table))
    total = weights = worth = 0.0
    right, logs = [], []
    for row in range(len(rows)):
        legal = [card for card in range(52) if int(rows.legal[row]) >> card & 1]
        chances = torch.log_softmax(preference[row, legal], 0)
        card = int(rows.card[row])
        log = float(chances[legal.index(card)])
        weight = 1.0 if rows.expert[row] else experts.ENDING
        total -= weight * log
        weights += weight
        missing = int(rows.tricks[row]) - int(rows.numbers[row, 3])
        worth += weight * (float(value[row, card]) - missing) ** 2
        if rows.expert[row]:
            right.append(legal[int(chances.argmax())] == card)
            logs.append(-log)
    assert float(found[0]) == pytest.approx(total / weights, rel=1e-4)
    assert float(found[2]) == pytest.approx(worth / weights, rel=1e-4)
    shares = experts.agreement(network, rows, at_once=50)
    assert shares["all"] == pytest.approx(np.mean(right), abs=1e-5)
    assert shares["log loss"] == pytest.approx(np.mean(logs), rel=1e-4)


def test_a_wider_network_answers_the_same() -> None:
    narrow = random_network(8)
    wide = experts.grown(narrow, 13)
    rows = experts.all_choices(boards(2), CPU)
    features = expand(rows.masks[:, :-3], rows.numbers, torch.float32)
    with torch.no_grad():
        assert torch.allclose(narrow(*features), wide(*features), atol=1e-5)
    assert wide.suit_in.weight[8:].abs().sum() > 0
    with pytest.raises(SettingError, match="width 13 cannot start one of width 8"):
        experts.grown(wide, 8)


def test_eight_bits_are_close_and_run_in_numpy(tmp_path: Path) -> None:
    network = random_network(16)
    for bits in (16, 8):
        networks.save_network(network, tmp_path / f"{bits}.npz", bits)
    assert (tmp_path / "8.npz").stat().st_size < (tmp_path / "16.npz").stat().st_size
    some = boards(1)
    seen = observe(view(table_of(some.hands[0].tolist(), some.contract[0].tolist()), Seat.EAST))
    features = expand_one(seen, steps_for(seen.numbers.level))
    answers = []
    for bits in (16, 8):
        with (tmp_path / f"{bits}.npz").open("rb") as file:
            answers.append(load_network(file, "x", POINTS_KIND)(*features))
    spread = np.abs(answers[0]).max()
    assert 0 < np.abs(answers[0] - answers[1]).max() < 0.03 * spread
    again = networks.load_network(tmp_path / "8.npz", CPU, POINTS_KIND)
    networks.save_network(again, tmp_path / "again.npz", 8)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "8.npz").read_bytes()


def test_training_learns_what_people_play_and_keeps_the_best(tmp_path: Path) -> None:
    some = with_validation(150)
    piece = experts.ExpertPiece(
        passes=3, minibatch=128, rate=3e-3, dropout=0.05, compiled=False, log_every=0.2
    )
    lines: list[str] = []
    out = tmp_path / "training"
    settings: dict[str, Any] = {"width": 24, "layers": 1, "finished": False, "say": lines.append}
    network = experts.train(some, out, piece, **settings)
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert log[-1]["all"] > 0.5
    assert log[-1]["log loss"] < log[0]["log loss"]
    held = experts.all_choices(some.take(for_validation(some)), CPU)
    lowest = min(line["log loss"] for line in log)
    assert experts.agreement(network, held)["log loss"] == pytest.approx(lowest, abs=1e-4)
    with pytest.raises(SettingError, match="already holds a training run"):
        experts.train(some, out, piece, **settings)
    again = {**settings, "width": 32, "start": out / "experts.npz"}
    experts.train(some, tmp_path / "again", piece, **again)
    first = json.loads((tmp_path / "again" / "log.jsonl").read_text().splitlines()[0])
    assert first["log loss"] < log[0]["log loss"]


def test_every_line_of_the_log_is_of_steps_that_were_made(tmp_path: Path) -> None:
    piece = experts.ExpertPiece(passes=1, minibatch=256, compiled=False, log_every=0)
    settings: dict[str, Any] = {"width": 8, "layers": 1, "finished": False, "say": lambda _: None}
    experts.train(with_validation(40), tmp_path / "training", piece, **settings)
    log = (tmp_path / "training" / "log.jsonl").read_text().splitlines()
    assert len(log) > 1
    assert all(json.loads(line)["imitation"] > 0 for line in log)


def test_too_few_boards_and_losses_that_are_no_numbers_are_one_line(tmp_path: Path) -> None:
    piece = experts.ExpertPiece(passes=1, minibatch=64, compiled=False)
    with pytest.raises(SettingError, match="too few"):
        experts.train(boards(2), tmp_path / "few", piece, width=8, finished=False)
    endless = experts.ExpertPiece(passes=1, minibatch=64, rate=1e30, compiled=False, dropout=0)
    with pytest.raises(TrainingError, match="not finite"):
        experts.train(
            with_validation(50), tmp_path / "endless", endless, width=8, layers=1, finished=False,
            say=lambda _: None,
        )  # fmt: skip
