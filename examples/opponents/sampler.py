r"""A double-dummy sampler as people write it: random layouts, solved, best average.

It needs `endplay` and nothing of Tribridge, and talks to it by JSON lines:

    TRIBRIDGE_PROGRAM="python examples/opponents/sampler.py 50" \
        tribridge arena contracts learned program --deals 20

The number is how many layouts it draws for a card. It passes in every auction: let another bidder
call for it, as in `points+program`, or play contracts that are set.
"""

import json
import random
import sys
from typing import Any

from endplay.dds import solve_all_boards
from endplay.types import Deal, Denom, Player

CHAIRS = ("declarer", "left", "dummy", "right")
RANKS = "AKQJT98765432"
DENOMS = {"C": Denom.clubs, "D": Denom.diamonds, "H": Denom.hearts, "S": Denom.spades}


def winner(leader: int, trick: list[str], trump: str) -> int:
    """The chair that wins a trick."""
    suit = trump if any(card[0] == trump for card in trick) else trick[0][0]
    best = min((card for card in trick if card[0] == suit), key=lambda card: RANKS.index(card[1]))
    return (leader + trick.index(best)) % 4


def card_of(seen: dict[str, Any], layouts: int, rng: random.Random) -> str:
    """The legal card that wins most tricks on average."""
    trump, tricks = seen["contract"][1:2], [*seen["tricks"], seen["trick"]]
    left = {suit + rank for suit in "CDHS" for rank in RANKS}
    void, count, chair = [set[str]() for _ in CHAIRS], [13] * 4, 1
    for trick in tricks:  # who has played how many cards, and shown out of what
        for at, card in enumerate(trick):
            left.discard(card)
            count[(chair + at) % 4] -= 1
            if card[0] != trick[0][0]:
                void[(chair + at) % 4].add(trick[0][0])
        leader, chair = chair, winner(chair, trick, trump) if len(trick) == 4 else chair
    known = {CHAIRS.index(seen["chair"]): seen["hand"]}
    if seen["chair"] == "dummy":  # whom declarer plays for
        known = {0: seen["hand"]}
    if seen["dummy"] is not None:
        known[2] = seen["dummy"]
    unseen = sorted(left.difference(*known.values()))
    hidden = [chair for chair in range(4) if chair not in known]
    boards = list[Deal]()
    for _ in range(100 * layouts):
        if len(boards) == layouts:
            break
        rng.shuffle(unseen)
        hands, at = dict(known), 0
        for chair in hidden:
            hands[chair], at = unseen[at : at + count[chair]], at + count[chair]
        if any(card[0] in void[chair] for chair in hidden for card in hands[chair]):
            continue
        holdings = (
            [[card[1] for card in hands[chair] if card[0] == suit] for suit in "SHDC"]
            for chair in range(4)
        )
        pbn = "N:" + " ".join(".".join(map("".join, holding)) for holding in holdings)
        board = Deal(pbn, first=Player(leader), trump=DENOMS.get(trump, Denom.nt))
        for card in seen["trick"]:
            board.play(card, from_hand=False)
        boards.append(board)
    won = dict.fromkeys(map(str, seen["legal"]), 0)
    for start in range(0, len(boards), 200):
        for solved in solve_all_boards(boards[start : start + 200]):
            for card, tricks in solved:
                won[card.suit.name[0].upper() + card.rank.name[-1]] += tricks
    return max(won, key=lambda card: won[card])


if __name__ == "__main__":
    for line in sys.stdin:
        view = json.loads(line)
        due = view["contract"] is not None
        rng = random.Random(view["seed"])
        print(card_of(view, int(sys.argv[1]), rng) if due else "Pass", flush=True)
