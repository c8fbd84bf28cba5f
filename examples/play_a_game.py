"""How do I play a deal from code, together with strategies?"""

import tribridge as tb

OPPONENT = "points+maxims"  # a caller and a player

# I am South and bid 1NT with 15 points or more; a strategy plays my cards.
table = tb.new_table(seed=1, dealer="S")
points = {tb.Rank.ACE: 4, tb.Rank.KING: 3, tb.Rank.QUEEN: 2, tb.Rank.JACK: 1}
while table.turn is not None:
    if table.turn is tb.Seat.SOUTH and table.contract is None:
        mine = tb.view(table, "S")  # what South may see, and nothing else
        strong = sum(points.get(card.rank, 0) for card in mine.hand) >= 15
        table = table.call("1NT" if strong and table.can("1NT") else "pass")
    else:
        choice = tb.choose(OPPONENT, table)
        print(f"{table.turn}: {choice.action}. {choice.reason}")
        table = table.apply(choice.action)

print(table)
print("Points:", table.scores("auction"))
