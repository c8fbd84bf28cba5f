"""The lines of the point-counting bidders, fitted to labelled deals: what their constants were.

The labels shipped with the package are reserved for evaluation and are rejected.
"""

from __future__ import annotations

import numpy as np

from tribridge.cards.cards import Hand, Strain, Suit
from tribridge.cards.deals import Deal, Seat
from tribridge.cards.masks import F64, honour_points, lengths, popcount, suit_mask
from tribridge.game import new_table, view
from tribridge.game.auction import parse_call
from tribridge.lab.labels.labels import Labels, refuse_evaluation
from tribridge.strategies.callers.points import FEWEST_TRUMPS, PointsCaller


def fit_points(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Least-squares lines for `callers.points`: notrump, and suits of at least four cards."""
    hands, _, tricks = refuse_evaluation(labels).pairs()
    made = tricks.astype(np.float64)
    points = honour_points(hands)
    ones = np.ones(len(hands))
    notrump = np.linalg.lstsq(np.stack([ones, points], axis=1), made[:, Strain.NOTRUMP])[0]
    columns, values = [], []
    for suit in range(4):
        length = popcount(hands & suit_mask(suit))
        long = length >= FEWEST_TRUMPS
        columns.append(np.stack([ones, points, length - FEWEST_TRUMPS], axis=1)[long])
        values.append(made[long, suit])
    suits = np.linalg.lstsq(np.concatenate(columns), np.concatenate(values))[0]
    return tuple(map(float, notrump)), tuple(map(float, suits))


def fit_against(labels: Labels) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lines for a double by `callers.points`: declarer's tricks over a contract of that caller.

    The caller bids the labelled deals, without doubles. Deals that are passed out, or whose
    declarer is not labelled, are left out. Notrump (constant, points, level), then suits (constant,
    points, trumps, level).
    """
    refuse_evaluation(labels)
    caller, rng = PointsCaller(), np.random.default_rng(0)
    columns: dict[bool, list[list[float]]] = {True: [], False: []}
    values: dict[bool, list[float]] = {True: [], False: []}
    seats = labels.seats.tolist()
    for at, masks in enumerate(labels.hands.tolist()):
        north, east, south, hidden = (Hand(mask) for mask in masks)
        hands = north, east, south, hidden
        table = new_table(Deal(hands), Seat(int(labels.numbers[at]) % len(Seat)))
        while table.turn is not None and not table.auction.over:
            table = table.call(parse_call(caller.call(view(table, table.turn), rng).action))
        contract = table.contract
        if contract is None or contract.declarer.index not in seats[at]:
            continue
        bid, place = contract.bid, seats[at].index(contract.declarer.index)
        suit = bid.strain is not Strain.NOTRUMP
        over = float(labels.of(bid.strain)[at, place]) - contract.tricks_needed()
        for seat in Seat:
            if seat is not contract.declarer:
                trumps = [float(hands[seat].row(bid.strain.index).bit_count())] if suit else []
                points = float(hands[seat].hcp)
                columns[suit].append([1.0, points, *trumps, float(bid.level)])
                values[suit].append(over)
    notrump, suits = (
        tuple(map(float, np.linalg.lstsq(np.array(columns[suit]), np.array(values[suit]))[0]))
        if values[suit]
        else ()
        for suit in (False, True)
    )
    return notrump, suits


def fit_tricks(
    labels: Labels,
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, float]]:
    """Least-squares fit of `PointCalls` to labelled deals: suits, notrump, spread."""
    hands, _, made = refuse_evaluation(labels).pairs()
    tricks = made.astype(np.float64)
    points = honour_points(hands)
    ones = np.ones(len(hands) * len(Suit))
    suits, suits_sd = _line(
        np.stack([ones, np.repeat(points, len(Suit)), lengths(hands).reshape(-1)], axis=1),
        tricks[:, : len(Suit)].reshape(-1),
    )
    notrump, notrump_sd = _line(
        np.stack([ones[: len(hands)], points], axis=1), tricks[:, Strain.NOTRUMP]
    )
    return suits, notrump, (suits_sd, notrump_sd)


def _line(inputs: F64, values: F64) -> tuple[tuple[float, ...], float]:
    line = np.linalg.lstsq(inputs, values, rcond=None)[0]
    return tuple(float(x) for x in line), float((values - inputs @ line).std())
