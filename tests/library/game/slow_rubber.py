"""Rubbers once more, as plain imperative code with whole numbers and no tables of laws.

A deal is `(declarer, level, strain, factor, tricks, honours)`, with players 0 to 2, strains 0 to 4
from clubs to notrump, and the number of honours in the hands of players 0, 1, 2 and dummy; None is
a deal that was passed out.
"""

from __future__ import annotations

Played = tuple[int, int, int, int, int, tuple[int, int, int, int]]


class SlowRubber:
    """The columns of three players, written as at a card table."""

    def __init__(self, laws: str) -> None:
        self.laws = laws
        self.above = [0, 0, 0]
        self.below = [0, 0, 0]
        self.part = [0, 0, 0]
        self.games = [0, 0, 0]

    def over(self) -> bool:
        return max(self.games) == 2

    def play(self, deal: Played | None) -> None:
        if deal is None:
            return
        declarer, level, strain, factor, tricks, honours = deal
        if self.laws == "contract-rubber":
            won = self.contract(declarer, level, strain, factor, tricks)
        else:
            won = self.auction(declarer, level, strain, factor, tricks)
        for player in range(3):
            own = honours[player]
            other = honours[3] if player == declarer else 0
            self.above[player] += self.honours(strain, own, other)
        self.below[declarer] += won
        self.part[declarer] += won
        if self.part[declarer] >= (100 if self.laws == "contract-rubber" else 30):
            self.part = [0, 0, 0]
            self.games[declarer] += 1
            if self.laws in ("auction-rubber-games", "whist-club"):
                self.above[declarer] += 125
            if self.games[declarer] == 2:
                if self.laws != "contract-rubber":
                    self.above[declarer] += 250
                elif sum(self.games) == 2:
                    self.above[declarer] += 700
                else:
                    self.above[declarer] += 500

    def auction(self, declarer: int, level: int, strain: int, factor: int, tricks: int) -> int:
        """The points below the line; all others are written down."""
        won = 0
        if tricks >= 6 + level:
            won = (6, 7, 8, 9, 10)[strain] * (tricks - 6) * factor
            if factor > 1:
                self.above[declarer] += 25 * factor * (1 + tricks - 6 - level)
        for player in range(3):
            taken = tricks if player == declarer else 13 - tricks
            if taken == 12:
                self.above[player] += 50
            if taken == 13:
                self.above[player] += 100
            if player != declarer and tricks < 6 + level:
                self.above[player] += 50 * factor * (6 + level - tricks)
        return won

    def contract(self, declarer: int, level: int, strain: int, factor: int, tricks: int) -> int:
        vulnerable = self.games[declarer] == 1
        down = 6 + level - tricks
        if down > 0:
            cost = 0
            for trick in range(1, down + 1):
                if factor == 1:
                    cost += 100 if vulnerable else 50
                elif vulnerable:
                    cost += (200 if trick == 1 else 300) * factor // 2
                else:
                    cost += (100 if trick == 1 else 200 if trick <= 3 else 300) * factor // 2
            for player in range(3):
                if player != declarer:
                    self.above[player] += cost
            return 0
        each = 20 if strain < 2 else 30
        if factor == 1:
            self.above[declarer] += each * -down
        else:
            self.above[declarer] += 25 * factor + (100 if vulnerable else 50) * factor * -down
        if level == 6:
            self.above[declarer] += 750 if vulnerable else 500
        if level == 7:
            self.above[declarer] += 1500 if vulnerable else 1000
        return (each * level + (10 if strain == 4 else 0)) * factor

    def honours(self, strain: int, own: int, other: int) -> int:
        most, all_of_them = max(own, other), own + other
        if self.laws == "contract-rubber":
            if strain == 4:
                return 150 if most == 4 else 0
            return {4: 100, 5: 150}.get(most, 0)
        if self.laws == "whist-club":
            if strain == 4:
                return sum(100 if n == 4 else 10 * n for n in (own, other))
            times = sum({4: 8, 5: 10}.get(n, n) for n in (own, other))
            return times * (6 + strain)
        if strain == 4:
            if most == 4:
                return 100
            return 10 * all_of_them if all_of_them >= 3 else 0
        if all_of_them < 3:
            times = 0
        elif all_of_them == 3:
            times = 2
        elif all_of_them == 4:
            times = 8 if most == 4 else 4
        else:
            times = {5: 10, 4: 9, 3: 5}[most]
        return times * (6 + strain)

    def totals(self) -> list[int]:
        return [self.above[player] + self.below[player] for player in range(3)]

    def settlement(self) -> list[int]:
        totals = self.totals()
        return [sum(totals[player] - other for other in totals) for player in range(3)]
