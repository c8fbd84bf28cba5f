"""Weights in few different numbers: what rounding changes is made up for by weights yet to come.

`networks.network.in_eight_bits` rounds every weight by itself. Here the columns of a matrix are
rounded one after the other, and the change of the outputs, on positions of play, is taken back as
far as the columns that follow can (GPTQ: Frantar and others, 2022). The layers are rounded in
order, each for the inputs that the rounded ones before it give, towards the outputs of the network
as it was; the biases take up what is left of the means.

The positions are of boards that people played, half of them played on by the network itself. It
needs only NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tribridge.common.arrays import bits
from tribridge.game.scoring import find_scheme
from tribridge.game.views import view
from tribridge.networks.auction import Contracts
from tribridge.networks.boards import Boards, table_of
from tribridge.networks.network import F32, SCALE, SuitNetwork, units
from tribridge.networks.play import PlayGames, by_card, expand, observe, steps_of

Arrays = Mapping[str, NDArray[Any]]
F64 = NDArray[np.float64]
SCHEMES: Final = ("auction", "contract")
"""What the tricks are worth, of a board by chance."""
_TAKEN: Final = 0.25
"""Share of the choices of a board that are taken."""
_PLAYED_ON: Final = 0.5
"""Share of the boards that the network plays on its own, from the lead."""
_AT_ONCE: Final = 500
_DAMPING: Final = 0.01
"""Added to how much each input varies, as a share of the mean."""
_BLOCK: Final = 64
"""Columns whose errors are passed on together."""


@dataclass(frozen=True, eq=False)
class Features:
    """What a network sees in some positions."""

    suits: F32
    """(n, 4, features)"""
    table: F32
    """(n, features)"""

    def first_inputs(self) -> F32:
        """Of the first layer, a row for each suit."""
        flat = self.suits.reshape(-1, self.suits.shape[2])
        return np.concatenate([flat, np.repeat(self.table, self.suits.shape[1], 0)], 1)


def features_of(
    boards: Boards, network: SuitNetwork, seed: int, *, all_hands: bool = False
) -> Features:
    """What a player for points, or a critic that sees all hands, sees in some choices on boards.

    The choices are drawn at random; `network` is the player.
    """
    rng = np.random.default_rng(seed)
    parts = [
        seen
        for start in range(0, len(boards), _AT_ONCE)
        for seen in _choices(boards.take(slice(start, start + _AT_ONCE)), network, rng, all_hands)
    ]
    masks, numbers = (np.concatenate(part) for part in zip(*parts, strict=True))
    suits, table = expand(masks, numbers, np.float32)
    return Features(suits, table)


def _choices(
    boards: Boards, network: SuitNetwork, rng: np.random.Generator, all_hands: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Masks and numbers of some choices, those at the same card together."""
    games = _games_of(boards, rng)
    alone = rng.random(len(boards)) < _PLAYED_ON
    while games.cards < 4 * (games.size - 1):
        theirs = boards.cards[:, games.cards].astype(np.int64)
        legal, (masks, numbers) = games.legal(), games.observe()
        taken = (legal & legal - 1 != 0) & (rng.random(len(boards)) < _TAKEN)
        seen = np.concatenate([masks, games.others()], 1) if all_hands else masks
        yield seen[taken], numbers[taken]
        card = theirs.copy()
        if len(own := np.flatnonzero(alone | (theirs < 0))):
            wishes = by_card(network(*expand(masks[own], numbers[own], np.float32)))[0]
            card[own] = np.where(bits(legal[own], wishes.shape[1]), wishes, -np.inf).argmax(1)
        games.step(card)


def _games_of(boards: Boards, rng: np.random.Generator) -> PlayGames:
    """Boards before the lead, each under a scheme drawn at random."""
    schemes = list(map(find_scheme, SCHEMES))
    numbers, steps = [], []
    for hands, contract in zip(boards.hands.tolist(), boards.contract.tolist(), strict=True):
        table = replace(table_of(hands, contract), scheme=schemes[rng.integers(len(schemes))])
        assert table.turn is not None
        seen = view(table, table.turn)
        numbers.append(observe(seen).numbers)
        steps.append(steps_of(seen))
    given = np.array(numbers, np.int64)
    level, strain, doubled = given[:, 4:7].T
    hands = boards.hands.astype(np.int64)
    contracts = Contracts(hands, level, strain, doubled, given[:, 9:12], given[:, 12:15])
    return PlayGames(contracts, steps=np.array(steps, np.int64))


def rounded(arrays: Arrays, step: float, seen: Features) -> dict[str, NDArray[Any]]:
    """The weights of a network in 8 bits, with units as `in_eight_bits` has them.

    `arrays` are in full size, under PyTorch's names.
    """
    result = dict(arrays)
    count = sum(name.startswith("others.") for name in arrays)
    suits = seen.suits.shape[1]
    inputs = seen.first_inputs()
    before, after = _layer(
        result, arrays, ("suit_in.weight", "table_in.weight"), "suit_in.bias", step, inputs, inputs
    )
    was, now = np.maximum(before, 0), np.maximum(after, 0)
    for layer in range(count):
        names = f"own.{layer}.weight", f"others.{layer}.weight"
        before, after = _layer(
            result, arrays, names, f"own.{layer}.bias", step,
            _with_mean(was, suits), _with_mean(now, suits),
        )  # fmt: skip
        was, now = was + np.maximum(before, 0), now + np.maximum(after, 0)
    _layer(
        result, arrays, ("out.weight", "out_others.weight"), "out.bias", step,
        _with_mean(was, suits), _with_mean(now, suits),
    )  # fmt: skip
    return result


def _with_mean(rows: F32, suits: int) -> F32:
    """Each suit's values, then the mean over the suits of its position."""
    mean = rows.reshape(-1, suits, rows.shape[1]).mean(1)
    return np.concatenate([rows, np.repeat(mean, suits, 0)], 1)


def _layer(
    result: dict[str, NDArray[Any]],
    arrays: Arrays,
    names: Sequence[str],
    bias: str,
    step: float,
    was: F32,
    now: F32,
) -> tuple[F32, F32]:
    """Round matrices that share a layer, into `result`; what it gives before and after.

    `was` are its inputs in the network as it was, `now` those after the rounding so far.
    """
    sizes = [arrays[name].shape[1] for name in names]
    scales = [units(arrays[name], step) for name in names]
    weights = np.concatenate([arrays[name].astype(np.float64) for name in names], 1)
    unit = np.concatenate(
        [np.repeat(scale[:, None], size, 1) for scale, size in zip(scales, sizes, strict=True)], 1
    ).astype(np.float64)
    squares = (now.T @ now).astype(np.float64) / len(now)
    squares[np.diag_indices_from(squares)] += _DAMPING * np.diag(squares).mean()
    inverse = np.linalg.inv(squares)
    # The weights that come nearest to the old outputs, from the inputs as they are now.
    drift = ((was - now).T @ now).astype(np.float64) / len(now)
    nearest: F64 = weights + weights @ drift @ inverse
    codes = by_columns(nearest, unit, inverse)
    shift = arrays[bias] + weights @ was.mean(0) - (codes * unit) @ now.mean(0)
    result[bias] = shift.astype(np.float16)
    at = 0
    for name, scale, size in zip(names, scales, sizes, strict=True):
        result[name], result[name + SCALE] = codes[:, at : at + size].astype(np.int8), scale
        at += size
    return _outputs(was, weights, arrays[bias]), _outputs(now, codes * unit, result[bias])


def _outputs(rows: F32, matrix: F64, bias: NDArray[Any]) -> F32:
    result: F32 = rows @ matrix.astype(np.float32).T + bias.astype(np.float32)
    return result


def by_columns(weights: F64, unit: F64, inverse: NDArray[np.floating[Any]]) -> F64:
    """Whole numbers of units whose outputs are near those of the weights, column by column.

    `inverse` is that of the inputs' mean products.
    """
    weights = weights.copy()
    codes = np.zeros_like(weights)
    upper = np.linalg.cholesky(inverse).T
    count = weights.shape[1]
    for start in range(0, count, _BLOCK):
        end = min(start + _BLOCK, count)
        errors = np.zeros((len(weights), end - start))
        for at in range(start, end):
            codes[:, at] = np.clip(np.round(weights[:, at] / unit[:, at]), -127, 127)
            error = (weights[:, at] - codes[:, at] * unit[:, at]) / upper[at, at]
            errors[:, at - start] = error
            weights[:, at + 1 : end] -= np.outer(error, upper[at, at + 1 : end])
        weights[:, end:] -= errors @ upper[start:end, end:]
    return codes
