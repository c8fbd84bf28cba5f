"""A bidding card of a few lines: how it was fitted and chosen, and what bidding by it costs.

    python -m benchmarks.bidding_card values data/played-8.parquet
    python -m benchmarks.bidding_card choose --out CHOICE.json
    python -m benchmarks.bidding_card score CHOICE.json --out GAINS.npz
    python -m benchmarks.bidding_card result GAINS.npz CHOICE.json --result FILE.json

- `values`: what honours, trumps and short suits are worth, by least squares on training deals.
- `choose`: every card of `FAMILY` gets the points for a bid of one, by scheme, that score most on
  the deals of seed 4711. On those of seed 4712, of the cards in thirds of a trick, the smallest is
  chosen that is within one standard error of the best, over both schemes. Contracts are settled by
  the forecast `real`. (As first written, the rule could also choose the card in tenths of a trick,
  and it did. Nobody adds up such numbers at the table: it stays as a yardstick.)
- `score`: the chosen card, the others of the family and the bidders of the package on deals of seed
  4713, every contract played out by `learned@1` in all four chairs. The plan of the study
  (`card.plan.toml`) names sizes and hypotheses. The file grows by 100 deals at a time; a run with
  the same file continues.
- `result`: the result of both, as the study `card` reads it. `benchmarks/results` has the files of
  the result in the package.

One bidder meets two of another kind, in each of the three seats of a deal. **Points** are its gain
over the average opponent, without doubles: its own points as declarer, and minus half of declarer's
as a defender.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from benchmarks.refusals import in_one_line
from tribridge.advice.prospects import bid_values
from tribridge.cards.cards import FULL_DECK, Card, Hand
from tribridge.cards.dealer_arrays import deal_masks
from tribridge.cards.deals import HIDDEN, Seat
from tribridge.cards.masks import lengths
from tribridge.common import stats
from tribridge.common.errors import FormatError
from tribridge.common.files import load_arrays, write_atomic
from tribridge.common.stats import Interval
from tribridge.common.tables import corrected
from tribridge.forecast.kinds import FILES, find_forecaster
from tribridge.game.auction import PASS, Auction, Bid, Call
from tribridge.game.scoring import find_scheme
from tribridge.game.views import View
from tribridge.lab.labels.labels import Labels, chair_columns, load_labels
from tribridge.lab.studies.card import CARD_OF, LEARNED, PAPER, Judged, Line, Result, Scored, Sized
from tribridge.lab.studies.plans import Plan, plan_of
from tribridge.lab.studies.study import dumps_result
from tribridge.networks.auction import (
    BIDS,
    STRAINS,
    Contracts,
    by_call,
    expand,
    observe,
    set_auction,
)
from tribridge.networks.play import PlayGames
from tribridge.networks.stakes import Game, features, own_honours
from tribridge.strategies import decision_rng, find_strategy
from tribridge.strategies.callers.card import (
    AUCTION,
    CARD,
    CONTRACT,
    HONOURS,
    BiddingCard,
    CardCaller,
)
from tribridge.strategies.learned import STAKES, TRICKS, network
from tribridge.strategies.learned.releases import FOLDER
from tribridge.strategies.learned.search import play_out
from tribridge.strategies.protocol import Caller
from tribridge.strategies.registry import bidding_for
from tribridge.strategies.versions import caller_version, commit, list_versions, player_version

FIT_SEED: Final = 4711
CHOICE_SEED: Final = 4712
SCHEMES: Final = (AUCTION, CONTRACT)
CHOSEN: Final = "short suits"
"""The card of `FAMILY` that was chosen."""
OTHERS: Final = ("learned", "points")
"""What the two others bid by when a card is fitted and chosen."""

_WORK: Final = BiddingCard(notrump=(4, 3, 2, 1))
_THREE: Final = replace(_WORK, suit=(3, 2, 1), trump=2, free=2)
_SHORT: Final = replace(_THREE, void=3, singleton=1)
FAMILY: Final[Mapping[str, BiddingCard]] = {
    "notrump alone": _WORK,
    "length": replace(_WORK, suit=(4, 3, 2, 1), trump=2, free=3),
    "3-2-1": _THREE,
    "short suits": _SHORT,
    "trump honours": replace(_SHORT, trumps=(0, 1, 1, 1)),
    "tenths of a trick": BiddingCard(
        notrump=(13, 9, 6, 3, 1), suit=(9, 6, 3, 1, 1), trumps=(1, 2, 3, 2, 1),
        trump=6, free=2, void=9, singleton=4, trick=10,
    ),
}  # fmt: skip
"""Cards from small to large: whole numbers near the least-squares values of thirds of a trick (of
tenths, in the last) on the deals of seed 8 as played."""
STARTS: Final = {3: {AUCTION: 13, CONTRACT: 8}, 10: {AUCTION: 40, CONTRACT: 24}}
"""The points for a bid of one from which the search begins, by what a trick counts."""

F64 = NDArray[np.float64]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Bidder = Callable[[Sequence[View]], list[Call]]
app = typer.Typer()


@app.callback()
def main() -> None:
    """A bidding card of a few lines."""


def settled_by_forecast(seed: int, deals: int) -> tuple[U64, dict[str, F64]]:
    """Hands (deals, 4), and by scheme declarer's points (deals, 3, 5 strains, 7 levels)."""
    hands = deal_masks(seed, 0, deals)
    own, dummies = hands[:, :HIDDEN].reshape(-1), np.repeat(hands[:, HIDDEN], HIDDEN)
    real, most = find_forecaster("real"), 3000
    chances = np.concatenate([real.from_pair(own[at : at + most], dummies[at : at + most])
                              for at in range(0, len(own), most)])  # fmt: skip
    chances = chances.reshape(deals, HIDDEN, STRAINS, -1)
    return hands, {
        scheme: np.einsum("dpst,slt->dpsl", chances, bid_values(find_scheme(scheme)))
        for scheme in SCHEMES
    }


def learned_calls(views: Sequence[View], scheme: str) -> list[Call]:
    """What `learned` calls in many views at once, without doubles."""
    game = Game(find_scheme(scheme))
    nothing = own_honours(game, views[0].dealt)
    stakes = [np.concatenate([features(game, seat.index), nothing], 1) for seat in Seat]
    seen = [observe(view) for view in views]
    worth = np.stack([stakes[view.seat.index] for view in views if view.seat is not None])
    wishes = by_call(network(STAKES)(*expand(np.array(seen), np.float32, worth)))[0]
    calls: list[Call] = []
    for one, wish in zip(seen, wishes, strict=True):
        best = one.standing + int(wish[one.standing : BIDS + 1].argmax())
        bid = best // STRAINS + 1, FULL_DECK.strains[best % STRAINS]
        calls.append(PASS if best == BIDS else Bid(*bid))
    return calls


class Remembered:
    """A bidder that is asked only once about a hand after the same calls."""

    def __init__(self, ask: Bidder) -> None:
        self.ask = ask
        self.calls: dict[tuple[int, ...], Call] = {}

    def __call__(self, views: Sequence[View]) -> list[Call]:
        keys = [tuple(int(number) for number in observe(view)) for view in views]
        new = {key: view for key, view in zip(keys, views, strict=True) if key not in self.calls}
        if new:
            self.calls |= zip(new, self.ask([*new.values()]), strict=True)
        return [self.calls[key] for key in keys]


def bidder(name: str | BiddingCard, scheme: str) -> Bidder:
    """A bidder by its name, or a card, bidding for a scheme; its chances come from a fixed seed."""
    if isinstance(name, BiddingCard):
        return asked(CardCaller(scheme=scheme, card=name))
    return _named(name, scheme)


@cache
def _named(name: str, scheme: str) -> Bidder:
    if name == "learned":
        return Remembered(partial(learned_calls, scheme=scheme))
    strategy = bidding_for(find_strategy(f"{name}+random"), find_scheme(scheme))
    return Remembered(asked(strategy.caller))


def asked(caller: Caller) -> Bidder:
    """A caller that is asked about one view after another."""

    def calls(views: Sequence[View]) -> list[Call]:
        made = [caller.call(view, _rng(view)).action for view in views]
        return [action for action in made if not isinstance(action, Card)]

    return calls


def _rng(view: View) -> np.random.Generator:
    """The same for the same hand after as many calls."""
    return decision_rng(view.dealt.mask % 2**31, 0, view.seat or 0, len(view.auction.calls))


def hold_auctions(hands: U64, own: I64, one: Bidder, two: Bidder, first: int = 0) -> I64:
    """The contracts of `one` in the seats `own` against `two`: (deals, 3).

    Rows are declarer (-1: passed out), strain and level less one. The dealer changes every three
    deals.
    """
    auctions = [Auction(Seat((first + deal) // 3 % 3), FULL_DECK) for deal in range(len(hands))]
    going = list(range(len(hands)))
    while going:
        asked: dict[bool, list[tuple[int, View]]] = {}
        for deal in going:
            turn = auctions[deal].turn
            assert turn is not None
            seen = View(seat=turn, auction=auctions[deal],
                        dealt=Hand(int(hands[deal, turn.index])))  # fmt: skip
            asked.setdefault(turn.index == own[deal], []).append((deal, seen))
        for mine, views in asked.items():
            calls = (one if mine else two)([seen for _, seen in views])
            for (deal, _), call in zip(views, calls, strict=True):
                auctions[deal] = auctions[deal].apply_unchecked(call)
        going = [deal for deal in going if auctions[deal].turn is not None]
    ends = [auction.contract for auction in auctions]
    return np.array([(-1, 0, 0) if end is None
                     else (end.declarer.index, end.bid.strain.index, end.bid.level - 1)
                     for end in ends], np.int64)  # fmt: skip


def gains(contracts: I64, own: I64, points: F64) -> F64:
    """A bidder's points a deal from its contracts, given those of every contract: (deals,)."""
    declarer = contracts[:, 0]
    share = np.where(declarer == own, 1.0, -0.5) * (declarer >= 0)
    return np.asarray(share * points[np.arange(len(own)), *contracts.T])


def scored(name: str | BiddingCard, hands: U64, points: Mapping[str, F64], scheme: str) -> F64:
    """A bidder's points on each deal against two of each of the `OTHERS`: (2 deals,)."""
    own = np.arange(len(hands)) % 3
    return np.concatenate([
        gains(hold_auctions(hands, own, bidder(name, scheme), bidder(other, scheme)),
              own, points[scheme])
        for other in OTHERS
    ])  # fmt: skip


def fitted(card: BiddingCard, hands: U64, points: Mapping[str, F64]) -> BiddingCard:
    """A card with the points for a bid of one that score most, by scheme, uphill from a start."""
    need = {}
    for scheme in SCHEMES:

        @cache
        def mean(value: int, scheme: str = scheme) -> float:
            tried = replace(card, need={scheme: value})
            return float(scored(tried, hands, points, scheme).mean())

        at, step = STARTS[card.trick][scheme], card.trick // 3
        while (better := max((at - step, at + step), key=mean)) and mean(better) > mean(at):
            at = better
        need[scheme] = at
    return replace(card, need=need)


def least_squares(played: Labels) -> dict[str, dict[str, float]]:
    """What honours, trumps and short suits are worth in tricks as played, in notrump and a suit."""
    hands, _, tricks = played.pairs()
    rows = np.stack([hands >> np.uint64(13 * suit) & np.uint64(0x1FFF) for suit in range(4)], 1)
    held = {name: (rows >> np.uint64(rank) & np.uint64(1)).astype(float)
            for rank, name in enumerate(HONOURS)}  # fmt: skip
    length = lengths(hands)
    notrump = {name: values.sum(1) for name, values in held.items() if name in "AKQJ"}
    suit: dict[str, list[F64]] = {}
    made = []
    for trumps in range(4):
        long = length[:, trumps] >= CARD.fewest
        side = np.delete(length, trumps, axis=1)[long]
        made.append(tricks[long, trumps])
        for name in "AKQ":
            suit.setdefault(name, []).append(held[name].sum(1)[long])
        suit.setdefault("trump", []).append(length[long, trumps])
        suit.setdefault("void", []).append((side == 0).sum(1))
        suit.setdefault("singleton", []).append((side == 1).sum(1))

    def fit(columns: Mapping[str, F64], wanted: F64) -> dict[str, float]:
        matrix = np.column_stack([np.ones(len(wanted)), *columns.values()])
        values = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
        return dict(zip(("start", *columns), values.tolist(), strict=True))

    in_suit = {name: np.concatenate(parts) for name, parts in suit.items()}
    return {
        "notrump": fit(notrump, tricks[:, -1].astype(float)),
        "suit": fit(in_suit, np.concatenate(made).astype(float)),
    }


@app.command()
def values(played: Annotated[Path, typer.Argument(help="Labels of deals as played.")]) -> None:
    """The least-squares values that the cards of the family are near to."""
    for strain, worth in least_squares(load_labels(played)).items():
        print(f"{strain}: " + ", ".join(f"{name} {value:.2f}" for name, value in worth.items()))


@app.command()
def choose(
    deals: Annotated[int, typer.Option(min=300)] = plan_of("card").sizes["fit"],
    out: Annotated[Path | None, typer.Option(help="A file for what was tried.")] = None,
) -> None:
    """Fit the cards of the family, and choose one."""
    training, held_out = (settled_by_forecast(seed, deals) for seed in (FIT_SEED, CHOICE_SEED))
    cards, means = {}, {}
    for name, card in FAMILY.items():
        cards[name] = fitted(card, *training)
        means[name] = np.stack([scored(cards[name], *held_out, scheme) for scheme in SCHEMES])
        shown = ", ".join(f"{mean:+.2f}" for mean in means[name].mean(1))
        print(f"{name}: {dict(cards[name].need)}, {cards[name].size} numbers, {shown}", flush=True)
    write_choice(cards, means, deals, out)


def write_choice(
    cards: Mapping[str, BiddingCard], means: Mapping[str, F64], deals: int, out: Path | None
) -> None:
    """Say which card is chosen, and write down what was tried."""
    chosen = smallest_near_best(
        {name: card for name, card in cards.items() if card.trick == 3}, means
    )
    print(f"chosen: {chosen}")
    tried = {
        name: {
            "need": dict(card.need),
            "size": card.size,
            "points": dict(zip(SCHEMES, means[name].mean(1).tolist(), strict=True)),
        }
        for name, card in cards.items()
    }
    if out is not None:
        kept = {"deals": deals, "cards": tried, "chosen": chosen}
        write_atomic(out, json.dumps(kept, indent=1) + "\n")


def smallest_near_best(cards: Mapping[str, BiddingCard], means: Mapping[str, F64]) -> str:
    """The smallest card within one standard error of the best.

    Each scheme counts in units of the spread of its points, and the standard error is that of the
    difference to the best, deal by deal.
    """
    spread = np.std(np.concatenate([means[name] for name in cards], axis=1), axis=1)
    units = {name: (means[name] / spread[:, None]).sum(0) for name in cards}
    best = max(units, key=lambda name: float(units[name].mean()))
    near = []
    for name, values in units.items():
        lag = units[best] - values
        if lag.mean() <= lag.std(ddof=1) / np.sqrt(len(lag)):
            near.append(name)
    return min(near, key=lambda name: cards[name].size)


# The test


class Cell(NamedTuple):
    """One bidder against two others under a scheme; a bidder is a name, or a card of the family."""

    scheme: str
    bidder: str
    others: str


NAMED: Final = ("capture", "points", "card", "learned")
CELLS: Final = (
    *(Cell(AUCTION, name, other) for other in OTHERS for name in NAMED),
    *(Cell(CONTRACT, name, "learned") for name in NAMED),
    *(Cell(AUCTION, f"{CARD_OF}{name}", "learned") for name in FAMILY),
    Cell(AUCTION, "forecast", "learned"),
)
"""What is played, in the order of the rows of a file of gains."""
AT_ONCE: Final = 100
"""Deals that are bid and played, then saved."""


def play(chairs: U64, strain: I64, level: I64) -> I64:
    """Declarer's tricks in contracts that `learned@1` plays in all chairs."""
    set_ = Contracts(chairs.astype(np.int64), level, strain, 0 * level, *set_auction(level, strain))
    return play_out(network(TRICKS), PlayGames(set_))


def tried_card(name: str, needs: Mapping[str, Mapping[str, int]]) -> str | BiddingCard:
    """A bidder of `CELLS`, cards of the family with the points for a bid that were fitted."""
    if not name.startswith(CARD_OF):
        return name
    family = name.removeprefix(CARD_OF)
    return replace(FAMILY[family], need=needs[family])


def played_gains(
    seed: int, first: int, count: int, needs: Mapping[str, Mapping[str, int]], forecast: int
) -> F64:
    """Points of the bidder of each cell on some deals of a seed: (cells, deals)."""
    hands = deal_masks(seed, first, count)
    own = (first + np.arange(count)) % 3
    contracts = []
    for cell in CELLS:
        one, two = (bidder(tried_card(name, needs), cell.scheme) for name in cell[1:])
        contracts.append(hold_auctions(hands, own, one, two, first) if _plays(cell, first, forecast)
                         else np.full((count, 3), -1))  # fmt: skip
    bid = np.concatenate([np.column_stack([np.arange(count), rows]) for rows in contracts])
    wanted = np.unique(bid[bid[:, 1] >= 0], axis=0)
    chairs = np.array([hands[deal][[*chair_columns(declarer)]] for deal, declarer, _, _ in wanted])
    taken = play(chairs, wanted[:, 2], wanted[:, 3] + 1)
    tricks = {tuple(row): won for row, won in zip(wanted.tolist(), taken.tolist(), strict=True)}
    result = np.full((len(CELLS), count), np.nan)
    for at, (cell, rows) in enumerate(zip(CELLS, contracts, strict=True)):
        if not _plays(cell, first, forecast):
            continue
        values = bid_values(find_scheme(cell.scheme))
        for deal, (declarer, strain, level) in enumerate(rows.tolist()):
            if declarer < 0:
                result[at, deal] = 0.0
                continue
            points = values[strain, level, tricks[deal, declarer, strain, level]]
            result[at, deal] = points if declarer == own[deal] else -points / 2
    return result


def _plays(cell: Cell, first: int, forecast: int) -> bool:
    return cell.bidder != "forecast" or first < forecast


def load_gains(path: Path) -> tuple[F64, str, str]:
    """The points in a file of `score`, who made them and under which plan."""
    with path.open("rb") as file:
        arrays = load_arrays(file, refusal := f"{path}: not a file of points")
    if {"gains", "made_by", "plan"} - arrays.keys():
        raise FormatError(f"{refusal}: gains, made_by or plan is missing")
    return arrays["gains"], str(arrays["made_by"]), str(arrays["plan"])


@app.command()
def score(
    choice: Annotated[Path, typer.Argument(help="What `choose` wrote.")],
    out: Annotated[Path, typer.Option(help="A file for the points; continued if it is there.")],
    deals: Annotated[int, typer.Option(min=1)] = plan_of("card").sizes["deals"],
    forecast: Annotated[int, typer.Option(min=0)] = plan_of("card").sizes["forecast"],
) -> None:
    """Bid and play the test deals."""
    needs = {name: row["need"] for name, row in json.loads(choice.read_text())["cards"].items()}
    made_by, plan = made_by_now(), plan_of("card").digest
    done = np.zeros((len(CELLS), 0))
    if out.exists():
        done, kept_by, kept_plan = load_gains(out)
        if (kept_by, kept_plan) != (made_by, plan):
            raise FormatError(f"{out}: by other versions or another plan; name another file")
    while done.shape[1] < deals:
        first = done.shape[1]
        count = min(AT_ONCE, deals - first)
        more = played_gains(plan_of("card").seeds["test"], first, count, needs, forecast)
        done = np.concatenate([done, more], 1)
        file = BytesIO()
        np.savez_compressed(file, gains=done, made_by=made_by, plan=plan)
        write_atomic(out, file.getvalue())
        print(f"{done.shape[1]:,} of {deals:,} deals", flush=True)


def made_by_now() -> str:
    """The versions of the bidders and of the player."""
    callers = (caller_version(name) for name in (*NAMED, "forecast"))
    return list_versions([*callers, player_version("learned@1")])


SIZES: Final = {"capture": 2, "points": 6}
"""Numbers of Algorithm 1 (its budget and the tricks at which it stops), and of the two lines of
`points` with its margin."""
NETWORKS: Final = {LEARNED: f"{FOLDER}/{STAKES}", "forecast": FILES["net"]}
"""Files of the package with the weights of a bidder."""


def numbers_of(name: str, needs: Mapping[str, Mapping[str, int]]) -> int:
    """How many numbers a bidder consists of."""
    if name in SIZES:
        return SIZES[name]
    if name in NETWORKS:
        with resources.files("tribridge").joinpath(NETWORKS[name]).open("rb") as file:
            arrays = load_arrays(file, f"{NETWORKS[name]}: not a file of weights")
        return sum(array.size for array in arrays.values() if array.dtype.kind == "f")
    card = CARD if name == "card" else tried_card(name, needs)
    assert isinstance(card, BiddingCard)
    return card.size


def result_of(gained: F64, needs: Mapping[str, Mapping[str, int]], made_by: str) -> Result:
    """The tables of the study, from the points of each cell."""
    plan, by_cell = plan_of("card"), dict(zip(CELLS, gained, strict=True))

    def less(cell: Cell, other: str) -> F64:
        lost = by_cell[cell] - by_cell[cell._replace(bidder=other)]
        return np.asarray(lost[~np.isnan(lost)])

    scores = []
    for cell, points in by_cell.items():
        if cell.bidder.startswith(CARD_OF):
            continue
        points = points[~np.isnan(points)]
        lost = None if cell.bidder == LEARNED else less(cell, LEARNED)
        scores.append(Scored(
            cell.scheme, cell.others, cell.bidder, len(points), stats.mean_interval(points),
            None if lost is None else stats.mean_interval(lost),
            None if lost is None else stats.paired(lost).p,
        ))  # fmt: skip
    sizes = [
        Sized(
            cell.bidder, numbers_of(cell.bidder, needs),
            stats.mean_interval(less(cell, LEARNED)) if cell.bidder != LEARNED
            else Interval(0.0, 0.0, 0.0),
        )
        for cell in CELLS if (cell.scheme, cell.others) == (AUCTION, LEARNED)
        and cell.bidder != f"{CARD_OF}{CHOSEN}"
    ]  # fmt: skip
    return Result(
        plan.digest,
        f"{gained.shape[1]:,} deals of seed {plan.seeds['test']} (`forecast`: the first "
        f"{plan.sizes['forecast']:,}), the seat of the one rotates; bid and played beforehand by "
        f"`python -m benchmarks.bidding_card`: {made_by}, commit {commit()}.",
        plan.sizes["fit"],
        plan.seeds["fit"],
        plan.seeds["choice"],
        tuple(map(Line, CARD.lines())),
        corrected(scores),
        tuple(sorted(sizes, key=lambda row: row.numbers)),
        tuple(_judged(less, plan)),
    )


def _judged(less: Callable[[Cell, str], F64], plan: Plan) -> Iterator[Judged]:
    """The numbers of the plan."""
    card = Cell(AUCTION, "card", LEARNED)
    values = {
        "near-learned": less(card, LEARNED),
        "over-paper": less(card, PAPER),
        "over-points": less(card, "points"),
        "near-forecast": less(card, "forecast"),
        "most-of-the-way": less(card, PAPER) - less(card._replace(bidder=LEARNED), PAPER) / 2,
        "other-table": less(card._replace(others="points"), LEARNED),
        "contract": less(card._replace(scheme=CONTRACT), LEARNED),
        "suits": less(card, f"{CARD_OF}notrump alone"),
    }
    limits = {hypothesis.id: hypothesis for hypothesis in plan.hypotheses}
    for name, points in values.items():
        limit = limits[name]
        p = None if limit.side == "within" else stats.paired(points - limit.limit).p
        yield Judged(name, stats.mean_interval(points), p)


@app.command()
def result(
    gained: Annotated[Path, typer.Argument(help="What `score` wrote.")],
    choice: Annotated[Path, typer.Argument(help="What `choose` wrote.")],
    out: Annotated[Path, typer.Option("--result", help="The file of the study.")],
) -> None:
    """Write the result of the study."""
    points, made_by, plan = load_gains(gained)
    wanted = plan_of("card")
    if plan != wanted.digest or points.shape[1] < wanted.sizes["deals"]:
        raise FormatError(f"{gained}: not all deals of the plan, or another plan: score them first")
    needs = {name: row["need"] for name, row in json.loads(choice.read_text())["cards"].items()}
    write_atomic(out, dumps_result(result_of(points, needs, made_by)))


if __name__ == "__main__":
    in_one_line(app)
