"""What beliefs cost, and what they are worth.

    python benchmarks/beliefs.py speed [--seconds 2] [--json]
    python benchmarks/beliefs.py levels [--layouts 20000]
    python benchmarks/beliefs.py auctions [--deals 200] [--callers forecast,points] [--seed 901]
    python benchmarks/beliefs.py leads [--deals 100] [--layouts 12] [--seed 901]

- `speed`: time to draw 1,000 layouts that fit a view, beside shuffling and rejecting, in the same
  run. One deal, played at random, at several points; it was chosen for an early void. `cold` builds
  the tables of counts from the view again for each 1,000 layouts, `kept` finds them where an
  earlier call left them. The plain way shuffles the unseen cards with `random.shuffle`, deals them
  into the hidden hands and rejects the deal if a hand has a suit that it showed to be without;
  `accepted` is the share that is not rejected, `ratio` the plain time over the cold one,
  `calls` the time to weight 1,000 layouts by the calls.
- `levels`: declarer's honour points and trumps as the opening leader believes them, by the opening
  bid, which the others passed.
- `auctions`: three players of a caller bid; in a rubber its standing is drawn at random. The score
  is the mean logarithm (in nats) of the true layout's weight relative to the average layout's as
  the opening leader believes them: 0 is what knowing nothing of calls is worth.
- `leads`: opening leads of `sampling` against contracts bid by `points` in rubbers, without calls
  as evidence and with them: tricks that they lose double dummy.

The parameters of `beliefs.PointCalls` were chosen on seed 900.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import Annotated

import numpy as np
import typer

from tribridge.beliefs import Beliefs, call_model, evidence_of, sample
from tribridge.beliefs.layouts import Layouts, _tables
from tribridge.cards.cards import Card, Strain, cards_of
from tribridge.cards.dealer import deal
from tribridge.cards.deals import Deal, Seat
from tribridge.cards.masks import honour_points, popcount, suit_mask
from tribridge.game import Table, View, new_table, parse_call, view
from tribridge.game.laws import all_laws
from tribridge.game.scoring import find_scheme
from tribridge.game.standing import RubberState, Standing
from tribridge.lab.speed.measuring import measure
from tribridge.strategies import decision_rng, find_strategy
from tribridge.strategies.players.search.evaluation import Clock, value_layouts
from tribridge.strategies.players.search.sampling import SamplingPlayer
from tribridge.strategies.protocol import position_of

LAYOUTS = 1000
POINTS = (0, 8, 16, 24, 32)
SETTINGS = ("auction", "contract", "auction-rubber")
LEVELS = range(1, 8)
START = Standing()

app = typer.Typer()


def table_of(setting: str, dealt: Deal, dealer: Seat, standing: Standing = START) -> Table:
    """A table that plays by a scheme ("contract vulnerable" too) or by the laws of a rubber."""
    if setting in all_laws():
        rubber = RubberState(all_laws()[setting], standing)
        return new_table(dealt, dealer, rubber=rubber)
    name, _, risk = setting.partition(" ")
    vulnerable = tuple(Seat) if risk else ()
    return new_table(dealt, dealer, scheme=find_scheme(name), vulnerable=vulnerable)


@app.command()
def levels(
    layouts: Annotated[int, typer.Option(help="Layouts for each bid.")] = 20_000,
) -> None:
    """Print honour points and trumps of declarer by level, strain and setting."""
    print(f"{'setting':<22} {'strain':<9}" + "".join(f"{level:>14}" for level in LEVELS))
    settings = ("auction", "old", "new", "contract", "contract vulnerable", *all_laws())
    for setting in settings:
        for strain in Strain:
            cells = []
            for level in LEVELS:
                table = table_of(setting, deal(1, 8), Seat.NORTH)
                table = table.call(f"{level}{strain.letter}").call("pass").call("pass")
                seen = view(table, Seat.EAST)
                drawn = Beliefs(seen).layouts.sample(layouts, np.random.default_rng(1))
                weights = Beliefs(seen, call_model(seen)).weights(drawn)
                hands = drawn[:, Seat.NORTH]
                suit = np.uint64(0) if strain is Strain.NOTRUMP else suit_mask(strain.index)
                held = popcount(hands & suit)
                cells.append(f"{weights @ honour_points(hands):8.1f}{weights @ held:6.1f}")
            print(f"{setting:<22} {strain.letter:<9}" + "".join(cells))


def bid_out(setting: str, caller: str, seed: int, number: int) -> Table:
    """A deal bid by three players of a caller; in a rubber, with a standing drawn at random."""
    rng = np.random.default_rng((seed, number))
    standing = START
    if setting in all_laws():
        below = np.where(rng.random(3) < 0.4, rng.integers(6, 30, 3), 0).tolist()
        games = (rng.random(3) < 0.35).astype(int).tolist()
        standing = Standing((below[0], below[1], below[2]), (games[0], games[1], games[2]))
    table = table_of(setting, deal(seed, number), Seat(number % 3), standing)
    chosen = find_strategy(f"{caller}+random").caller
    while (turn := table.turn) is not None and not table.auction.over:
        random_of = decision_rng(seed, number, turn, len(table.auction.calls))
        table = table.call(parse_call(chosen.call(view(table, turn), random_of).action))
    return table


@app.command()
def auctions(
    deals: Annotated[int, typer.Option(help="Deals for each caller and setting.")] = 200,
    callers: Annotated[str, typer.Option(help="Callers.")] = "learned,forecast,points",
    settings: Annotated[str, typer.Option(help="Schemes and laws.")] = ",".join(SETTINGS),
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 901,
    layouts: Annotated[int, typer.Option(help="Layouts for each auction.")] = 500,
) -> None:
    """Print the score of the beliefs by caller, setting and level of the contract."""
    print(f"{'setting':<16} {'caller':<26} {'level':>5} {'n':>5} {'score':>7} {'error':>6}")
    for setting in settings.split(","):
        for name in callers.split(","):
            caller = f"{name}:scheme=contract" if setting == "contract" else name
            scores = defaultdict[str, list[float]](list)
            for number in range(deals):
                table = bid_out(setting, caller, seed, number)
                if table.contract is None:
                    continue
                seen = view(table, table.contract.declarer.left)
                truth = np.array([[hand.mask for hand in table.deal.hands]], np.uint64)
                belief = Beliefs(seen, call_model(seen))
                drawn = belief.layouts.sample(layouts, decision_rng(seed, number, 0, 0))
                weights = belief.weights(np.concatenate([truth, drawn]))
                score = float(np.log(weights[0] / weights[1:].mean()))
                scores[str(table.contract.bid.level)].append(score)
                scores["all"].append(score)
            for level, found in sorted(scores.items()):
                error = np.std(found, ddof=1) / len(found) ** 0.5 if len(found) > 1 else np.nan
                print(
                    f"{setting:<16} {caller:<26} {level:>5} {len(found):>5} "
                    f"{np.mean(found):>7.2f} {error:>6.2f}",
                    flush=True,
                )


@app.command()
def leads(
    deals: Annotated[int, typer.Option(help="Deals.")] = 100,
    layouts: Annotated[int, typer.Option(help="Layouts for each lead.")] = 12,
    setting: Annotated[str, typer.Option(help="A scheme or the laws of a rubber.")] = SETTINGS[2],
    seed: Annotated[int, typer.Option(help="Seed of the deals.")] = 901,
) -> None:
    """Print what opening leads lose double dummy, with and without calls as evidence."""
    lost: dict[bool, list[int]] = {False: [], True: []}
    differ = 0
    for number in range(deals):
        table = bid_out(setting, "points", seed, number)
        leader = table.turn
        if table.position is None or leader is None:
            continue
        seen = view(table, leader)
        hands = [table.position.hands]
        (solved,) = value_layouts(position_of(seen), seen.deck, hands, Clock(None))
        tricks = solved.values
        cards = []
        for calls in lost:
            player = SamplingPlayer(layouts=layouts, calls=calls)
            card = player.card(seen, decision_rng(seed, number, leader, 0)).action
            assert isinstance(card, Card)
            lost[calls].append(tricks[card] - min(tricks.values()))
            cards.append(card)
        differ += cards[0] != cards[1]
    for calls, found in lost.items():
        error = np.std(found, ddof=1) / len(found) ** 0.5
        how = "with calls" if calls else "without calls"
        print(f"{how:<14} {np.mean(found):.3f} ± {error:.3f} tricks lost at {len(found)} leads")
    gains = np.subtract(lost[False], lost[True])
    error = np.std(gains, ddof=1) / len(gains) ** 0.5
    print(f"gained by calls {gains.mean():+.3f} ± {error:.3f}; {differ} leads differ")


def states() -> list[Table]:
    """The play of one deal at random, card by card."""
    table = new_table(deal(1, 43), Seat.NORTH)
    for call in ("1NT", "pass", "pass"):
        table = table.apply(parse_call(call))
    choose, found = random.Random(1), [table]
    while not table.over:
        table = table.apply(choose.choice(table.legal))
        found.append(table)
    return found


def shuffle_and_reject(
    seen: View, count: int, choose: random.Random
) -> tuple[list[list[int]], int]:
    """Layouts by the plain way, and how many shuffles they took."""
    evidence = evidence_of(seen)
    cards = [card.bit for card in cards_of(evidence.loose)]
    barred = [
        (evidence.hidden.index(v.hand), 0x1FFF << 13 * v.suit.index)
        for v in evidence.voids
        if v.hand in evidence.hidden
    ]
    found: list[list[int]] = []
    tries = 0
    while len(found) < count:
        tries += 1
        choose.shuffle(cards)
        hands, start = [], 0
        for hand in evidence.hidden:
            stop = start + evidence.needs[hand]
            hands.append(sum(cards[start:stop]))
            start = stop
        if not any(hands[place] & suit for place, suit in barred):
            found.append(hands)
    return found, tries


@app.command()
def speed(
    seconds: Annotated[float, typer.Option(help="Seconds to spend on each figure.")] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Print the milliseconds for 1,000 layouts at each point, and the ratio to the plain way."""
    played = states()
    points = [("the auction", view(new_table(played[0].deal, Seat.NORTH), Seat.NORTH))]
    points += [(f"{cards} cards played", view(played[cards], Seat.NORTH)) for cards in POINTS]
    rows = [row(name, seen, seconds) for name, seen in points]
    if as_json:
        print(json.dumps(rows))
        return
    print(
        f"{'at':<17} {'layouts':>24} {'voids':>5} {'cold ms':>8} {'kept ms':>8} {'plain ms':>9} "
        f"{'accepted':>8} {'ratio':>6} {'calls ms':>8}"
    )
    for each in rows:
        print(
            f"{each['at']:<17} {each['layouts']:>24,} {each['voids']:>5} {each['cold ms']:>8.2f} "
            f"{each['kept ms']:>8.2f} {each['plain ms']:>9.1f} {each['accepted']:>8.1%} "
            f"{each['ratio']:>6.1f} {each['calls ms']:>8.2f}"
        )


def row(name: str, seen: View, seconds: float) -> dict[str, object]:
    """All figures of one point."""
    rng, choose = np.random.default_rng(1), random.Random(1)
    layouts = Layouts(evidence_of(seen))

    def cold(times: int) -> None:
        for _ in range(times):
            _tables.cache_clear()
            sample(seen, LAYOUTS, rng)

    def kept(times: int) -> None:
        for _ in range(times):
            sample(seen, LAYOUTS, rng)

    def plain(times: int) -> None:
        for _ in range(times):
            shuffle_and_reject(seen, LAYOUTS, choose)

    drawn = layouts.sample(LAYOUTS, rng)

    def weigh(times: int) -> None:
        for _ in range(times):
            Beliefs(seen, call_model(seen)).weights(drawn)

    fast, slow = measure(cold, seconds), measure(plain, seconds)
    return {
        "at": name,
        "layouts": layouts.count,
        "voids": sum(1 for v in layouts.evidence.voids if v.hand in layouts.evidence.hidden),
        "cold ms": fast * 1000,
        "kept ms": measure(kept, seconds) * 1000,
        "plain ms": slow * 1000,
        "accepted": LAYOUTS / shuffle_and_reject(seen, LAYOUTS, choose)[1],
        "ratio": slow / fast,
        "calls ms": measure(weigh, seconds) * 1000,
    }


if __name__ == "__main__":
    app()
