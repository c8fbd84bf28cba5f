r"""BEN (github.com/lorserker/ben), the best-known open bridge engine, from a copy of your own.

Nothing of BEN is here: it has a licence of its own (GPLv3). Get it, and start its server as its
README and README-api.md say:

    git clone https://github.com/lorserker/ben && cd ben
    pip install -r requirements.txt
    cd src && python gameapi.py --nolimit True --record False

This program talks to that server on one side and to Tribridge by JSON lines on the other; it needs
nothing but Python (`ben_alone.py` beside it needs no server):

    TRIBRIDGE_PROGRAM="python examples/opponents/ben.py http://localhost:8085" \
        tribridge arena contracts learned:seconds=1 program --deals 20

BEN knows the bridge of four, and its bidding tells it much about the cards. It is given the auction
of four that `auction_of_four` has, if the question has one; else the plainest one that ends in the
contract: declarer opens, dummy raises. It is told that nobody is vulnerable. It passes in every
auction of three: let another bidder call for it, as in `points+program`, or play contracts that are
set.
"""

import json
import sys
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

SEATS = {"declarer": "N", "left": "E", "dummy": "S", "right": "W"}
"""Where BEN thinks the chairs are."""
RANKS = "AKQJT98765432"
CODES = {"Pass": "--", "X": "Db", "XX": "Rd"}


def winner(leader: int, trick: list[str], trump: str) -> int:
    """The chair that wins a trick."""
    suit = trump if any(card[0] == trump for card in trick) else trick[0][0]
    best = min((card for card in trick if card[0] == suit), key=lambda card: RANKS.index(card[1]))
    return (leader + trick.index(best)) % 4


def auction_for(contract: str) -> list[str]:
    """An auction of four, declarer first, that ends in a contract such as `4Hx`."""
    bid = contract.rstrip("x")
    strain, doubled = bid[1:], len(contract) - len(bid)
    calls = [bid] if bid[0] == "1" else [f"1{strain}", "Pass", bid]
    return [*calls, *([], ["X"], ["X", "XX"])[doubled], "Pass", "Pass", "Pass"]


def dealt(seen: dict[str, Any]) -> tuple[str, str]:
    """The hand of the player and dummy's, as dealt, in PBN; dummy's is empty before the lead."""
    mine = 0 if seen["chair"] == "dummy" else list(SEATS).index(seen["chair"])
    hands = {mine: list(seen["hand"]), 2: list(seen["dummy"] or [])}
    chair = 1
    for trick in [*seen["tricks"], seen["trick"]]:
        for at, card in enumerate(trick):
            hands.get((chair + at) % 4, []).append(card)
        if len(trick) == 4:
            chair = winner(chair, trick, seen["contract"][1:2])
    own, dummy = (
        ".".join("".join(rank for rank in RANKS if suit + rank in hands[chair]) for suit in "SHDC")
        for chair in (mine, 2)
    )
    return own, dummy


def request(seen: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """What to ask the server: `lead` or `play`, and with which parameters."""
    auction = seen.get("auction_of_four") or {
        "dealer": "declarer",
        "calls": auction_for(seen["contract"]),
    }
    calls = (CODES.get(call, call[:2]) for call in auction["calls"])
    own, dummy = dealt(seen)
    chair = "declarer" if seen["chair"] == "dummy" else seen["chair"]
    asked = {
        "hand": own,
        "seat": SEATS[chair],
        "dealer": SEATS[auction["dealer"]],
        "vul": "",
        "ctx": "".join(calls),
    }
    played = "".join(card for trick in [*seen["tricks"], seen["trick"]] for card in trick)
    return ("play", {**asked, "dummy": dummy, "played": played}) if played else ("lead", asked)


def card_of(seen: dict[str, Any], server: str) -> str:
    """The card that BEN plays."""
    if len(seen["legal"]) == 1:
        return str(seen["legal"][0])
    path, parameters = request(seen)
    address = f"{server.rstrip('/')}/{path}?{urlencode(parameters)}"
    try:
        with urlopen(address) as reply:
            answer = json.load(reply)
    except HTTPError as error:
        sys.exit(f"BEN refused {address}: {error.read().decode()[:200]}")
    except URLError as error:
        sys.exit(f"no server of BEN at {server}: {error.reason}; start its gameapi.py")
    if "card" not in answer:
        sys.exit(f"BEN gave no card to {address}: {answer}")
    return str(answer["card"])


if __name__ == "__main__":
    for line in sys.stdin:
        view = json.loads(line)
        due = view["contract"] is not None
        print(card_of(view, sys.argv[1]) if due else "Pass", flush=True)
