"""Which calls can nobody exploit? Counterfactual regret minimisation (CFR+) on four cards.

The whole tree is built once, and NashConv, what the three could gain by best responses, is exact.
"""

from itertools import permutations

import numpy as np
from curves import arguments, draw

import tribridge as tb
from tribridge.envs.encoding import Rules

GAME = Rules.of("2x2", "contract", doubles=False)


class InformationSet:
    """Nodes that a player cannot tell apart, and what the player does there."""

    def __init__(self, actions):
        self.nodes, self.gains = [], 0
        self.regrets, self.total = np.zeros((2, actions))
        self.strategy = self.average = np.full(actions, 1 / actions)

    def update(self):
        """Choose in proportion to the regrets, none of which is negative in CFR+."""
        self.regrets, self.gains = np.maximum(self.regrets + self.gains, 1e-12), 0
        self.strategy = self.regrets / self.regrets.sum()
        self.average = (self.total + 1e-12) / (self.total + 1e-12).sum()


class Node:
    """A choice of a player, or the end of a game with the points of all three."""

    def __init__(self, table, sets):
        while len(table.legal) == 1:  # nothing to choose
            table = table.apply(table.legal[0])
        self.player, self.points = table.turn, GAME.payoffs(table)
        if not table.over:
            seen = GAME.encoding.observe(tb.view(table, self.player)).tobytes()
            key, new = (len(table.history), seen), InformationSet(len(table.legal))
            self.place = sets[self.player].setdefault(key, new)
            self.place.nodes.append(self)
            self.children = [Node(table.apply(action), sets) for action in table.legal]


def learn(node, player, own, others, weight):
    """The value of a node to a player who is led there by its own choices and those of others."""
    if node.player is None:
        return node.points[player]
    place, parts = node.place, list(zip(node.children, node.place.strategy.tolist(), strict=True))
    if node.player != player:
        return sum(p * learn(child, player, own, others * p, weight) for child, p in parts if p)
    values = np.array([learn(child, player, own * p, others, weight) for child, p in parts])
    place.gains = place.gains + others * (values - place.strategy @ values)
    place.total += weight * own * place.strategy
    return float(place.strategy @ values)


def value(node, player, best, others=1.0):
    """The value of a node when all play their averages, but the player follows `best`, if given."""
    if node.player is None:
        return node.points[player]
    node.others, own = others, node.player == player
    if own and node.place in best:
        return value(node.children[best[node.place]], player, best, others)
    parts = zip(node.children, node.place.average.tolist(), strict=True)
    return sum(p * value(child, player, best, others * (1 if own else p)) for child, p in parts)


def gain(roots, sets, player):
    """What a player's best response adds, against the averages of the two others."""
    average, best = sum(value(root, player, {}) for root in roots), {}
    for _, place in sorted(sets[player].items(), reverse=True):  # the last choices first
        nodes = ((node, child) for node in place.nodes for child in node.children)
        worth = [node.others * value(child, player, best, node.others) for node, child in nodes]
        best[place] = int(np.reshape(worth, (-1, len(place.total))).sum(0).argmax())
    return (sum(value(root, player, best) for root in roots) - average) / len(roots)


def main():
    """Run CFR+ and follow NashConv."""
    iterations, out = arguments(256, "iterations")
    sets, curve = {seat: {} for seat in tb.Seat}, []
    hands = permutations(tb.Hand([card]) for card in GAME.encoding.cards)
    roots = [Node(tb.new_table(tb.Deal.of(four, GAME.deck)), sets) for four in hands]
    for iteration in range(1, iterations + 1):
        for player in tb.Seat:
            for root in roots:
                learn(root, player, 1.0, 1.0, iteration)
            for place in sets[player].values():
                place.update()
        if iteration & (iteration - 1) == 0 or iteration == iterations:
            curve.append((iteration, sum(gain(roots, sets, player) for player in tb.Seat)))
    draw(out, ("iterations", "NashConv, points per deal"), {"CFR+": curve}, scale="log")


if __name__ == "__main__":
    main()
