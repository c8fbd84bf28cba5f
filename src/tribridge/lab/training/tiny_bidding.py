"""Bidding on a tiny deck by the code that trains on the full one, judged exactly.

The game is that of `lab.tiny.auctions`: every contract is paid by its double-dummy tricks. The
networks are those of the full deck; of the 35 bids they are offered those of the deck. What a
network gains, and what a best response gains from it, is computed over all deals.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import partial

import numpy as np

from tribridge.game.auction import Bid
from tribridge.lab.tiny.auctions import AuctionGame
from tribridge.lab.tiny.layouts import SEATS, net_points
from tribridge.lab.tiny.policies import Calls
from tribridge.lab.tiny.treeplex import Floats
from tribridge.lab.training import bidding
from tribridge.lab.training.bidders import answers_of
from tribridge.lab.training.bidding_games import Deals, Settle, learner_seats
from tribridge.lab.training.deals import Bidder
from tribridge.lab.training.learner import Learner
from tribridge.lab.training.networks import SuitNetwork
from tribridge.lab.training.ppo import learn, step_of
from tribridge.lab.training.pytorch import Tensor, torch
from tribridge.networks.auction import BIDS, PASS, STAKES, STRAINS, AuctionGames, call_number

CPU = torch.device("cpu")
WORTHLESS = -100.0
"""What a bid that the deck does not have is worth to the greedy bidder."""


def auctions_of(game: AuctionGame) -> type[AuctionGames]:
    """Auctions in lockstep, with the bids of a game alone."""
    bids = {call for turn in game.tree.turns for call in turn.calls if isinstance(call, Bid)}
    allowed = sum(1 << call_number(bid) for bid in bids) | 1 << PASS

    class TinyAuctions(AuctionGames):
        def legal(self) -> Tensor:
            return super().legal() & allowed

    return TinyAuctions


class TinyDealing:
    """Deals of a tiny deck, each contract paid by its double-dummy tricks."""

    def __init__(self, game: AuctionGame) -> None:
        layouts, self.device = game.layouts, CPU
        self.auctions = auctions_of(game)
        deck, count = layouts.deck, len(layouts)
        values = np.zeros((count, SEATS, BIDS, 3, SEATS), np.float32)
        own = np.zeros((count, SEATS, BIDS + STRAINS * STAKES), np.float32)
        own[..., :BIDS] = WORTHLESS
        for level in range(1, game.levels + 1):
            for at, strain in enumerate(deck.strains):
                bid = Bid(level, strain)
                points = net_points(game.scheme, bid, deck)
                for seat in range(SEATS):
                    paid = values[:, seat, call_number(bid)]
                    paid -= points[layouts.tricks[seat, at], None, None] / 2
                    paid[..., seat] *= -2
                    alone = layouts.mean_chances[:, at] @ points
                    own[:, seat, call_number(bid)] = alone[layouts.deals[:, seat]]
        self.values, self.own = torch.tensor(values), torch.tensor(own)
        self.hands = torch.tensor(layouts.masks)
        self.alone = torch.tensor(own[np.unique(layouts.deals[:, 0], return_index=True)[1], 0])
        """What each hand knows beside the calls, as a bidder is given it."""
        self.unit = 0.3 * float(np.ptp(net_points(game.scheme, Bid(1, deck.strains[0]), deck)))

    def deal(self, count: int) -> Deals:
        """Random deals."""
        at = torch.randint(len(self.hands), (count,))
        plain = torch.zeros(count, dtype=torch.int64)
        return Deals(
            hands=self.hands[at],
            chances=plain,
            values=self.values[at],
            own=self.own[at],
            units=torch.full((count,), self.unit),
            doubles=plain.bool(),
            setting=plain,
        )

    def payoffs(self, games: AuctionGames, deals: Deals) -> Tensor:
        """Points of the three players after the auctions."""
        rows, bid = torch.arange(len(deals)), (games.standing - 1).clip(min=0)
        value = deals.values[rows, games.bidder % SEATS, bid, 0]
        return torch.where((games.standing == 0)[:, None], 0.0, value)


def seen_in(game: AuctionGame, dealing: TinyDealing, turn: int) -> Tensor:
    """What a caller sees in a turn, with each hand: (hands, numbers)."""
    hands = torch.tensor(game.layouts.hands)
    games = dealing.auctions(len(hands), hands.device)
    for call in game.tree.turns[turn].auction.calls:
        games.step(torch.full((len(hands),), call_number(call)))
    seen: Tensor = games.observe(hands[:, None].expand(-1, 4))
    return seen


def network_calls(dealing: TinyDealing, network: SuitNetwork) -> Calls:
    """A network's preferences, for the exact game."""

    @torch.no_grad()
    def calls(game: AuctionGame, turn: int) -> Floats:
        wish = answers_of(network, seen_in(game, dealing, turn), dealing.alone)[0]
        numbers = [call_number(call) for call in game.tree.turns[turn].calls]
        return wish[:, numbers].numpy().astype(float)

    return calls


def strategy_target(
    game: AuctionGame, dealing: TinyDealing, profile: Sequence[Floats]
) -> bidding.Target:
    """Strategies of the exact game, one for each seat, as somebody to imitate."""
    seen, chances = [], []
    for at, turn in enumerate(game.tree.turns):
        numbers = [call_number(call) for call in turn.calls]
        table = torch.zeros(len(game.layouts.hands), 38)
        for option, number in enumerate(numbers):
            table[:, number] = torch.tensor(profile[turn.seat][game.sequences(at, option)])
        seen.append(seen_in(game, dealing, at))
        chances.append(table)
    rows, table = torch.cat(seen), torch.cat(chances)
    generator = torch.Generator().manual_seed(1)
    factors = torch.randint(1 << 62, (rows.shape[1],), generator=generator) | 1
    keys, order = (rows * factors).sum(1).sort()
    assert (keys[1:] != keys[:-1]).all(), "no two information sets look alike"
    table = table[order]

    def target(numbers: Tensor, allowed: Tensor, own: Tensor) -> Tensor:
        return table[torch.searchsorted(keys, (numbers * factors).sum(1))][:, : allowed.shape[1]]

    return target


def training(
    dealing: TinyDealing,
    size: bidding.BiddingSize,
    piece: bidding.BiddingPiece,
    seed: int,
    *,
    rival: Bidder | None = None,
    target: bidding.Target = bidding.greedy_target,
    kept: Container[int] = (),
) -> Iterator[Learner]:
    """Train a bidder for `piece.batches`; gives the learner after as many as `kept` names.

    It first imitates for `piece.imitation` batches, then plays against itself, or in one seat
    against a rival in the two others.
    """
    torch.manual_seed(seed)
    learner = Learner(size, dealing.device)
    theirs = 0 if rival is None else 16
    rivals = [] if rival is None else [(16, rival, -1)]
    mine = learner_seats(piece.games, theirs, (1,), learner.device)
    play = partial(
        bidding.play_out, learner.policy, rivals, answers_of, mine, auctions=dealing.auctions
    )
    value = partial(bidding.judge_all, bidding.judge, learner.critic, piece.minibatch)
    imitate = torch.zeros(())
    step = step_of(
        learner,
        piece,
        partial(bidding.losses, target=target),
        partial(bidding.weighed, imitate),
    )
    settle: Settle = dealing.payoffs
    while True:
        if learner.batches in kept:
            yield learner
        if learner.batches == piece.batches:
            return
        imitate.fill_(float(learner.batches < piece.imitation))
        choices = bidding.self_play(
            learner, dealing.deal(piece.games), settle, piece, (play, value)
        )
        learn(learner, choices, piece, learner.batches / piece.batches, step, bidding.LOSSES)
        learner.batches += 1
        learner.games += piece.games
