"""Self-play and its losses, computed again choice by choice in the plainest way."""

from __future__ import annotations

from functools import partial
from math import exp, log
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install '.[learn]'")

from tribridge.cards.cards import Deck  # noqa: E402
from tribridge.lab.training.learner import Learner, PlaySize  # noqa: E402
from tribridge.lab.training.networks import SuitNetwork  # noqa: E402
from tribridge.lab.training.play import TrickDeals  # noqa: E402
from tribridge.lab.training.ppo import (  # noqa: E402
    Batch,
    PlayPiece,
    answers_of,
    judge,
    losses,
    play_out,
    policy_losses,
    preferences,
    self_play,
)
from tribridge.networks.people import shown  # noqa: E402
from tribridge.networks.play import KIND, MASKS, POINTS_KIND  # noqa: E402
from tribridge.networks.values import OUTCOMES  # noqa: E402

torch.set_num_threads(1)
CPU = torch.device("cpu")
SIZE = PlaySize(width=12, layers=1, critic_width=12, critic_layers=1, deck=Deck(2, 6))


@pytest.fixture
def learner() -> Learner:
    torch.manual_seed(1)
    learner = Learner(SIZE, CPU)
    for network in (learner.policy, learner.critic):
        torch.nn.init.normal_(network.out.weight)
    return learner


def batch_of(learner: Learner, piece: PlayPiece) -> Batch:
    contracts = TrickDeals(SIZE.deck, CPU).deal(40)
    play = partial(play_out, learner.policy, None, None, SIZE.deck, piece, preferences)
    batch: Batch = self_play(learner, contracts, piece, play, judge)
    return batch


def softmax(values: list[float]) -> list[float]:
    powers = [exp(value - max(values)) for value in values]
    return [power / sum(powers) for power in powers]


def test_losses_are_those_of_each_choice(learner: Learner) -> None:
    piece = PlayPiece(explored=0.3)
    batch = batch_of(learner, piece)
    assert 0 < batch.chosen.float().mean() < 1
    log_chance = batch.log_chance + 0.3 * torch.randn_like(batch.log_chance)  # an older policy
    fields = [log_chance if x is batch.log_chance else x for x in batch.columns()]
    with torch.no_grad():
        found = losses(learner.policy, learner.critic, *fields, clip=0.2)
        answers = answers_of(learner.policy, batch.masks[:, :MASKS], batch.numbers)
        position, after = judge(learner.critic, batch.masks, batch.numbers)
    total = dict.fromkeys(("policy", "entropy", "position", "card", "worth"), 0.0)
    beliefs, hidden_cards = 0.0, 0.0
    for row in range(len(batch.card)):
        heads = answers[row].reshape(4, 3, 13).transpose(0, 1).reshape(3, 52).tolist()
        legal = [card for card in range(52) if int(batch.legal[row]) >> card & 1]
        chances = softmax([heads[0][card] for card in legal])
        card, weight = int(batch.card[row]), float(batch.weight[row])
        ratio = chances[legal.index(card)] / exp(float(log_chance[row]))
        advantage, target = float(batch.advantage[row]), batch.target[row].tolist()
        if batch.chosen[row]:
            gain = min(ratio * advantage, min(max(ratio, 0.8), 1.2) * advantage)
            total["policy"] -= weight * gain
            total["entropy"] -= weight * sum(chance * log(chance) for chance in chances)
            said = softmax(position[row].tolist())
            total["position"] -= weight * sum(t * log(s) for t, s in zip(target, said, strict=True))
        said = softmax(after[row, card].tolist())
        total["card"] -= weight * sum(t * log(s) for t, s in zip(target, said, strict=True))
        tricks = sum(k * t for k, t in enumerate(target)) - int(batch.numbers[row, 3])
        total["worth"] += weight * (heads[2][card] - tricks) ** 2
        masks = batch.masks[row].tolist()
        others = masks[MASKS:]
        holder = others[2] if batch.numbers[row, 0] == 1 else others[0]
        for unseen in range(52):
            if (others[0] | others[1] | others[2]) & ~(masks[0] | masks[1]) & 1 << unseen:
                chance = 1 / (1 + exp(-heads[1][unseen]))
                beliefs -= weight * log(chance if holder >> unseen & 1 else 1 - chance)
                hidden_cards += weight
    count = len(batch.card)
    assert [float(value) for value in found] == pytest.approx(
        [
            *(total[name] / count for name in ("policy", "entropy", "position", "card")),
            beliefs / hidden_cards,
            total["worth"] / count,
            0,
        ],
        rel=1e-4,
    )


def test_the_divergence_from_people_is_that_of_each_choice(learner: Learner) -> None:
    batch = batch_of(learner, PlayPiece(explored=0.3))
    people = SuitNetwork(POINTS_KIND, 8, 1)
    torch.nn.init.normal_(people.out.weight)
    with torch.no_grad():
        columns = batch.columns()
        found = losses(learner.policy, learner.critic, *columns, clip=0.2, people=people)[-1]
        own = preferences(learner.policy, batch.masks, batch.numbers, batch.legal)
        theirs = preferences(people, batch.masks, shown(batch.numbers), batch.legal)
    total = 0.0
    for row in range(len(batch)):
        for card in range(52):
            if int(batch.legal[row]) >> card & 1:
                mine, other = float(own[row, card]), float(theirs[row, card])
                total += float(batch.weight[row]) * exp(mine) * (mine - other)
    assert float(found) == pytest.approx(total / len(batch), rel=1e-4)
    assert float(found) > 0.01


def test_a_weight_of_two_is_the_choice_twice() -> None:
    torch.manual_seed(2)
    wish, advantage = torch.randn(6, 5), torch.randn(6)
    allowed, chosen = torch.ones(6, 5, dtype=torch.bool), torch.randint(5, (6,))
    rows = (wish, allowed, chosen, torch.full((6,), -1.0), advantage)
    again = [torch.cat([part, part[:3]]) for part in rows]
    weight = torch.tensor([2.0, 2, 2, 1, 1, 1]) * 6 / 9
    both: Any = (policy_losses, rows, weight), (policy_losses, again, 1.0)
    (loss, entropy, _), twice = (function(*part, 0.2, weights) for function, part, weights in both)
    assert torch.allclose(loss, twice[0])
    assert torch.allclose(entropy, twice[1])


@pytest.mark.parametrize("explored", [0.0, 0.3])
def test_targets_pass_by_forced_cards_and_end_at_random_ones(
    learner: Learner, explored: float
) -> None:
    piece = PlayPiece(explored=explored, certain=1.0)
    contracts = TrickDeals(SIZE.deck, CPU).deal(40)
    with torch.no_grad():
        fields = contracts.columns()
        rows = play_out(learner.policy, None, None, SIZE.deck, piece, preferences, *fields)
        batch = self_play(learner, contracts, piece, lambda *_: rows, judge)
    masks, numbers, legal, card, _, _, own, drawn, won = rows
    assert own.all()
    expected: dict[tuple[int, ...], list[float]] = {}
    for game in range(40):
        end = [float(k == won[game]) for k in range(OUTCOMES)]
        ahead, after = end, end
        for at in reversed(range(len(card))):
            if int(legal[at, game]).bit_count() == 1:
                continue
            with torch.no_grad():
                logits, _ = judge(learner.critic, masks[at, game, None], numbers[at, game, None])
            value = softmax(logits[0].tolist())
            target = [0.1 * a + 0.9 * b for a, b in zip(after, ahead, strict=True)]
            expected[(*masks[at, game].tolist(), int(card[at, game]))] = target
            ahead, after = (value if drawn[at, game] else target), value
    assert len(batch.card) == len(expected)
    for row in range(len(batch.card)):
        key = (*batch.masks[row].tolist(), int(batch.card[row]))
        assert batch.target[row].tolist() == pytest.approx(expected[key], abs=1e-5)
    assert (batch.chosen.float().mean() < 1) == (explored > 0)
    assert (batch.weight == 1).all()


def test_certain_choices_are_mostly_left_out_and_the_others_stand_for_them(
    learner: Learner,
) -> None:
    learner.policy.out.weight.data *= 100
    every = batch_of(learner, PlayPiece(explored=0, certain=1.0))
    some = batch_of(learner, PlayPiece(explored=0, certain=0.2))
    assert len(some.card) < 0.5 * len(every.card)
    assert some.weight.max() > 2 * some.weight.min()
    assert some.weight.mean() == pytest.approx(1, abs=1e-5)


def test_the_rival_holds_one_side_of_some_games(learner: Learner) -> None:
    rival = SuitNetwork(KIND, 8, 1)
    torch.nn.init.normal_(rival.out.weight)
    contracts = TrickDeals(SIZE.deck, CPU).deal(40)
    piece = PlayPiece(rivals=0.5, explored=0.5)
    with torch.no_grad():
        masks, numbers, legal, card, _, side, own, drawn, _ = play_out(
            learner.policy, rival, None, SIZE.deck, piece, preferences, *contracts.columns()
        )
        assert own[:, :20].all()
        assert torch.equal(own[:, 20:30], side[:, 20:30])
        assert torch.equal(own[:, 30:], ~side[:, 30:])
        assert not (drawn & ~own).any()
        assert 0.3 < drawn[own].float().mean() < 0.7
        for at in range(len(card)):
            best = preferences(rival, masks[at], numbers[at], legal[at]).argmax(1)
            assert torch.equal(card[at][~own[at]], best[~own[at]])


def test_people_hold_a_side_or_one_defenders_cards_of_some_games(learner: Learner) -> None:
    people, rival = SuitNetwork(POINTS_KIND, 8, 1), SuitNetwork(KIND, 8, 1)
    torch.nn.init.normal_(people.out.weight, std=50.0)  # sure of its cards
    contracts = TrickDeals(SIZE.deck, CPU).deal(40)
    piece = PlayPiece(rivals=0.2, people=0.4, explored=0.5)
    with torch.no_grad():
        masks, numbers, legal, card, _, side, own, drawn, _ = play_out(
            learner.policy, rival, people, SIZE.deck, piece, preferences, *contracts.columns()
        )
        chair = numbers[..., 0]
        assert own[:, :16].all()
        assert torch.equal(own[:, 16:20], side[:, 16:20])
        assert torch.equal(own[:, 20:24], ~side[:, 20:24])
        assert torch.equal(own[:, 24:28], side[:, 24:28])
        assert torch.equal(own[:, 28:32], ~side[:, 28:32])
        assert torch.equal(own[:, 32:36], chair[:, 32:36] != 3)
        assert torch.equal(own[:, 36:], chair[:, 36:] != 1)
        assert not (drawn & ~own).any()
        same = []
        for at in range(len(card)):
            wishes = preferences(people, masks[at], shown(numbers[at]), legal[at])
            theirs = torch.cat([torch.zeros(24, dtype=torch.bool), ~own[at, 24:]])
            same.append((wishes.argmax(1) == card[at])[theirs])
        assert torch.cat(same).float().mean() > 0.9
