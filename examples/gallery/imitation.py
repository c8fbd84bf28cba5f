"""Can a network learn from good players by watching them? Imitation, in NumPy.

The teacher is the player `human`, which plays as experts do. The student sees what the teacher saw
and learns to name the card, from the cards that left a choice. On deals that it has not seen, it is
asked again: does it play the same card?
"""

import numpy as np
from curves import arguments, draw

import tribridge as tb
from tribridge.envs.encoding import Encoding

TEACHER, LESSONS, PASSES, HIDDEN, RATE = "points+human", 200, 12, 128, 0.002
ENCODING = Encoding(tb.Deck("4x13"))


def lessons(first, deals):
    """What was seen, allowed and played in the teacher's games with itself, and by others there."""
    rows = []
    for number in range(first, first + deals):
        table = tb.play_game(TEACHER, TEACHER, TEACHER, seed=3, number=number)
        while isinstance(card := table.history[-1], tb.Card):
            table = table.undo()
            if len(table.legal) > 1:
                view = tb.view(table, table.turn)
                maxim = tb.choose("maxims", table).action if first == 0 else card
                mask, seen = ENCODING.mask(table.legal), ENCODING.observe(view)
                rows.append((seen, mask, ENCODING.number(card), maxim == card))
    return [np.array(column) for column in zip(*rows, strict=True)]


class Student:
    """A network with one hidden layer, trained by gradient descent (Adam)."""

    def __init__(self, rng):
        first = rng.normal(0, 0.05, (ENCODING.size, HIDDEN)).astype(np.float32)
        self.weights = [first, np.zeros((HIDDEN, ENCODING.actions), np.float32)]
        self.means = [np.zeros_like(weights) for weights in self.weights]
        self.squares = [np.zeros_like(weights) for weights in self.weights]
        self.time = 0

    def chances(self, seen, mask):
        """The hidden layer, and the chance of each card."""
        hidden = np.maximum(seen @ self.weights[0], 0)
        scores = np.where(mask == 1, hidden @ self.weights[1], -np.inf)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return hidden, powers / powers.sum(1, keepdims=True)

    def agreement(self, seen, mask, action, *_):
        """How often the student's favourite is the teacher's card, in percent."""
        return 100 * float((self.chances(seen, mask)[1].argmax(1) == action).mean())

    def learn(self, seen, mask, action):
        """A step towards the teacher's cards."""
        hidden, push = self.chances(seen, mask)
        push = -push
        push[np.arange(len(action)), action] += 1
        self.time += 1
        steps = seen.T @ (push @ self.weights[1].T * (hidden > 0)), hidden.T @ push
        for at, step in enumerate(steps):
            step = step / len(seen)
            self.means[at] += 0.1 * (step - self.means[at])
            self.squares[at] += 0.001 * (step**2 - self.squares[at])
            mean = self.means[at] / (1 - 0.9**self.time)
            square = self.squares[at] / (1 - 0.999**self.time)
            self.weights[at] += RATE * mean / (np.sqrt(square) + 1e-8)


def main():
    """Watch, learn, and compare on other deals."""
    deals, out = arguments(LESSONS, "deals of the teacher")
    rng = np.random.default_rng(1)
    other, known = lessons(0, max(deals // 5, 2)), lessons(10_000, deals)
    student, curves = Student(rng), {"deals it has seen": [], "other deals": []}
    for number in range(PASSES + 1):
        for name, rows in zip(curves, (known, other), strict=True):
            curves[name].append((number, student.agreement(*rows)))
        for part in np.array_split(rng.permutation(len(known[0])), len(known[0]) // 64 + 1):
            student.learn(*(column[part] for column in known[:3]))
    chance = 100 * float((1 / other[1].sum(1)).mean())
    levels = {"maxims": 100 * float(other[3].mean()), "at random": chance}
    draw(out, (f"passes over {len(known[0]):,} cards", "same card, %"), curves, levels)


if __name__ == "__main__":
    main()
