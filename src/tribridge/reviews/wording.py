"""Reviews in words: a reason for each choice, and a sentence about each player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tribridge.cards.cards import Card
from tribridge.cards.deals import Seat
from tribridge.common.sentences import Sentence, Words, counted, decimal
from tribridge.forecast.distribution import percent
from tribridge.game.auction import PASS, Call, Contract, said
from tribridge.game.table import Action, Table
from tribridge.game.tricks import Chair
from tribridge.reviews.values import (
    Judgement,
    Key,
    Luck,
    Option,
    Verdict,
    decisive,
    ends,
    needed_tricks,
    result_turned,
    turning_point,
    well_played,
)
from tribridge.strategies.choices import AVERAGES
from tribridge.strategies.human import ALL, Popular, experts_say
from tribridge.strategies.learned.auctions import End

_FAR: Final = 10.0
"""Points behind the best from which a call is not said to be close to it."""
Names = Sequence[str]
"""What to call North, East and South."""
SEATS: Final = tuple(str(seat) for seat in Seat)

_ONLY_CARD: Final = "{card} is the only legal card."
_ONLY_CALL: Final = "{call} is the only legal call."
FULL_DECK_ONLY: Final = "Calls are judged with the full deck only."
_ALIKE: Final = "All legal cards average {tricks} declarer tricks over {layouts}."
_WORTH: Final = "{tricks} tricks and {points} points"
_WORTH_FIRST: Final = "{tricks} tricks and {points} points per opponent"
_WORTH_POINTS: Final = "{points} points"
_WORTH_POINTS_FIRST: Final = "{points} points per opponent"
"""Declarer's points, with their unit where they are named first."""
_BESIDE: Final = {
    True: "{card} averages {own} over {layouts}, {other} {value}",
    False: "{card} holds declarer to {own} on average over {layouts}, {other} to {value}",
}
_NEXT: Final = {
    True: "{card} averages {own} over {layouts}; the next best, {other}, {value}",
    False: "{card} holds declarer to {own} on average over {layouts}; the next best, {other}, "
    "to {value}",
}
"""Declarer's cards, and those of the defenders."""
_END: Final = "{text}."
_CLOSE: Final = "{text}: a difference within the error."
_SMALL: Final = "{text}: a difference of less than a tenth of what is at stake."
_GAINS: Final = "{text}; it gains most when {name} holds {card} ({chance}% likely)."
_CERTAIN: Final = {
    True: "{card} was certain to make the contract.",
    False: "{card} was certain to defeat the contract.",
}
_EXCUSED: Final = "A card that half of the experts would play is blamed only for a clear loss."
_SAID_FOR: Final = "{card}: {reason}"
_LUCKY: Final = "It cost nothing on the actual deal."
_UNLUCKY: Final = "On the actual deal {better} would have gained {tricks}."
_AVOIDABLE: Final = (
    "On the actual deal {better} would have gained {tricks}. That is not called bad luck: at least "
    "half of the experts would have played a better card."
)
_BECAUSE: Final = (
    "It cost {tricks} to {better} because {name} held {card}, which was {chance}% likely."
)
_LUCKY_CALL: Final = "With best play by everyone it cost nothing on the actual deal."
_UNLUCKY_CALL: Final = "On the actual deal {better} would have gained {points}, double dummy."
_COST_CALL: Final = "On the actual deal it cost {points} against {better}, double dummy."
_ENDS_IN: Final = "{text} By how the bots bid, it would have ended in {bid} by {name}."
_ENDS_IN_NOTHING: Final = "{text} By how the bots bid, nobody would have bid."
_DECIDED: Final = "What decided it: {action} by {name}. As the cards lay it cost {cost}; {better}."
_DECIDED_BY_LUCK: Final = (
    "Bad luck decided it: {action} by {name} was no mistake, and cost {cost} as the cards lay."
)
_DECIDED_BY_A_CALL: Final = (
    "Bad luck decided it: {action} by {name} was no mistake. It averages {average} points per "
    "opponent; as the cards lay it was worth {actual} with best play by everyone."
)
_BEST_PLAY: Final = "{cost} with best play by everyone"
"""What a call cost: nobody at the table had to pay just that."""
_COSTLIEST: Final = "{luck} The costliest mistake: {action} by {name}. It cost {cost}; {better}."
_NEVER_CHANGED: Final = "The play never changed whether the contract made. {text}"
_CHANGED_BACK: Final = {
    True: "The contract was lost for a while and won back: the result is that of best play. {text}",
    False: "The contract was on for a while and lost again: the result is that of best play. "
    "{text}",
}
_ENDED_THE_SAME: Final = {
    True: "The contract was lost for a while and won back: it made, as with best play, but with "
    "{tricks}. {text}",
    False: "The contract was on for a while and lost again: it failed, as with best play, but by "
    "{tricks}. {text}",
}
"""Of a contract that made, and of one that failed."""
_MORE: Final = "{number} trick more", "{number} tricks more"
_FEWER: Final = "{number} trick fewer", "{number} tricks fewer"
_COST_MOST: Final = "What cost most as the cards lay: {action} by {name}, {cost}; {better}."
_LUCK_COST_MOST: Final = (
    "As the cards lay, bad luck cost most: {action} by {name} was no mistake, and cost {cost}."
)
_SPARED: Final = (
    "The largest mistake, {action} by {name}, cost nothing as the cards lay; by what could be "
    "known, {best} was better."
)
_BRIEFLY: Final = "What decided it: {action} by {name}; {better}."
_LUCK_BRIEFLY: Final = "Bad luck decided it: {action} by {name}."
_MOST_BRIEFLY: Final = "What cost most: {action} by {name}; {better}."
_LUCK_MOST_BRIEFLY: Final = "Bad luck cost most: {action} by {name}."
_OWN: Final = "Your costliest mistake as the cards lay: {action}, {cost}; {better}."
_WAS_BETTER: Final = "{best} was better"
_COSTS_NOTHING: Final = "{best} would have cost nothing"
"""Of a card that is better as the cards lay alone: the review suggests another one."""
_NO_MISTAKE: Final = "You made no mistake."
_CARDS_DECIDED: Final = "As the cards lay, no mistake cost anything: the cards decided."
_WELL_PLAYED: Final = (
    "Well played: {card} by {name}. About {share}% of experts would lose something here."
)
_WELL_PLAYED_BESIDE_ALL: Final = (
    "Well played: {card} by {name}. Nearly all experts would lose something here."
)
_NEARLY: Final = (
    "Against strong players, {call} averages {own} points per opponent, close to the best: "
    "{best}, {value}."
)
_WITHIN: Final = (
    "Against strong players, {call} averages {own} points per opponent, {best} {value}: a "
    "difference within the error."
)
_BETTER: Final = "{best} was better."
_NOTHING: Final = "{name} had nothing to decide."
_FAULTLESS: Final = "{name} made no mistake in {decisions}"
_WRONG: Final = "{name} got {wrong} of {decisions} wrong and gave up {what}"
_BOTH: Final = "{play} and {auction}"
_IN_PLAY: Final = "{points} on average in the play, {most}"
_IN_AUCTION: Final = "{points} on average in the auction, {most}"
_AFTER: Final = "{call} after {bid}"
_BEFORE_ANY_BID: Final = "{call} before any bid"
_MOST: Final = "most of it with {action} (better: {best})"
_WITH: Final = "with {action} (better: {best})"
_BAD_LUCK: Final = "{text}; as the cards lay, bad luck cost {tricks}."
_LESS: Final = "less than a point"
_LAYOUTS: Final = "{number} layout", "{number} layouts"
_A_TRICK: Final = "a trick"
_TRICKS: Final = "{number} trick", "{number} tricks"
_POINTS: Final = "{number} point", "{number} points"
_POINTS_EACH: Final = "{number} point per opponent", "{number} points per opponent"
_DECISIONS: Final = "{number} decision", "{number} decisions"


def card_reason(
    judgement: Judgement, small: float, key: Key | None, contract: Contract | None, names: Names
) -> Sentence:
    """Why a card is judged as it is, from what its player could know.

    A loss of less than `small` points is said to be a tenth of what is at stake.
    """
    card, best, chosen = judgement.action, judgement.best, judgement.chosen
    if judgement.verdict is Verdict.FORCED:
        return Sentence(_ONLY_CARD, {"card": said(card)})
    assert best is not None
    assert chosen is not None
    layouts = counted(*_LAYOUTS, judgement.layouts)
    behind = next((option for option in judgement.options if option.points_loss > 1e-9), None)
    if behind is None and not judgement.verdict.wrong:
        return Sentence(_ALIKE, {"tricks": decimal(chosen.expected), "layouts": layouts})
    declaring = judgement.chair is not None and judgement.chair.declaring
    pattern, end, first, second = _BESIDE[declaring], _END, chosen, best
    more: dict[str, str | Sentence] = {}
    if judgement.verdict is Verdict.BEST and behind is not None:
        pattern, second = _NEXT[declaring], behind
    elif judgement.verdict is Verdict.GOOD:
        if chosen.within_error:
            end = _CLOSE
        elif chosen.points_loss < small:
            end = _SMALL
    else:
        first, second = best, chosen
        if key is not None and contract is not None:
            end, more = _GAINS, _held(key, contract, names)
    own, value = _apart(first, second)
    fields = {"card": said(first.action), "other": said(second.action), "layouts": layouts}
    return Sentence(end, more | {"text": Sentence(pattern, fields | {"own": own, "value": value})})


def beside(judgement: Judgement, option: Option, other: Option) -> Sentence:
    """Two options of a choice in numbers, the better one first."""
    if judgement.chair is None:
        own, value = decimal(option.expected, "+"), decimal(other.expected, "+")
        said_of = {"call": said(option.action), "best": said(other.action)}
        return Sentence(AVERAGES, said_of | {"own": own, "value": value})
    worth = dict(zip(("own", "value"), _apart(option, other), strict=True))
    layouts = counted(*_LAYOUTS, judgement.layouts)
    cards = {"card": said(option.action), "other": said(other.action), "layouts": layouts}
    return Sentence(_END, {"text": Sentence(_BESIDE[judgement.chair.declaring], cards | worth)})


def certain(judgement: Judgement) -> Sentence:
    """Why it was wrong not to play the best card, where that decides the contract."""
    assert judgement.best is not None
    declaring = judgement.chair is not None and judgement.chair.declaring
    return Sentence(_CERTAIN[declaring], {"card": said(judgement.best.action)})


def said_for(card: Action, reason: Words) -> Sentence:
    """What there is to say for a card or call, as in a hint."""
    return Sentence(_SAID_FOR, {"card": said(card), "reason": reason.sentence})


def experts(popular: Sequence[Popular], card: Card, *, excused: bool) -> tuple[Sentence, ...]:
    """What experts would have played, unless nearly all of them would have played the same."""
    share = experts_say(popular, card)
    if share is None:
        return ()
    return (share, Sentence(_EXCUSED)) if excused else (share,)


def card_luck(
    luck: Luck | None, cost: int, better: Action, key: Key | None, contract: Contract, names: Names
) -> Sentence:
    """What the actual deal adds to the reason; without luck, of a good card that cost something."""
    if luck is Luck.LUCKY:
        return Sentence(_LUCKY)
    tricks = Sentence(_A_TRICK) if cost == 1 else counted(*_TRICKS, cost)
    fields = {"tricks": tricks, "better": said(better)}
    if luck is None:
        return Sentence(_AVOIDABLE, fields)
    if key is None:
        return Sentence(_UNLUCKY, fields)
    return Sentence(_BECAUSE, fields | _held(key, contract, names))


def only_call(call: Call) -> Sentence:
    """The reason of a call without a choice."""
    return Sentence(_ONLY_CALL, {"call": said(call)})


def call_reason(judgement: Judgement, best: Option, chosen: Option) -> tuple[Sentence, ...]:
    """Why a call is judged as it is."""
    first, second, pattern = chosen, best, _NEARLY
    if judgement.verdict.wrong:
        first, second, pattern = best, chosen, AVERAGES
    elif judgement.verdict is Verdict.BEST:
        second = next(option for option in judgement.options if option is not chosen)
        pattern = AVERAGES
    elif chosen.points_loss > _FAR and chosen.within_error:
        pattern = _WITHIN
    why = Sentence(
        pattern,
        {
            "call": said(first.action),
            "own": decimal(first.expected, "+"),
            "best": said(second.action),
            "value": decimal(second.expected, "+"),
        },
    )
    better = Sentence(_BETTER, {"best": said(best.action)})
    return (better, why) if judgement.verdict.wrong else (why,)


def call_luck(luck: Luck, cost: float, other: Action, end: End) -> Sentence:
    """The same for a call, and where the other one would have ended."""
    if luck is Luck.LUCKY:
        return Sentence(_LUCKY_CALL)
    points = counted(*_POINTS_EACH, round(cost))
    return _ending(Sentence(_UNLUCKY_CALL, {"better": said(other), "points": points}), other, end)


def call_cost(cost: float, better: Action, end: End) -> Sentence:
    """What a wrong call cost on the actual deal, and where the better one would have ended."""
    points = counted(*_POINTS_EACH, round(cost))
    return _ending(Sentence(_COST_CALL, {"better": said(better), "points": points}), better, end)


def _ending(text: Sentence, call: Action, end: End) -> Sentence:
    """A sentence about a call, and the contract it leads to, unless that is the call itself."""
    if end.bid is None or end.declarer is None:
        return Sentence(_ENDS_IN_NOTHING, {"text": text})
    if end.bid == call:
        return text
    name = Sentence(SEATS[end.declarer.index])  # whoever reads it knows what the seat is called
    return Sentence(_ENDS_IN, {"text": text, "bid": said(end.bid), "name": name})


def cost_of(judgement: Judgement) -> Sentence:
    """What a choice cost on the actual deal: a call points, and a card tricks.

    The points of a trick stand on no sheet: they are those of a result that was not reached, and in
    a rubber what that is worth in the end.
    """
    if judgement.chair is None:
        return counted(*_POINTS_EACH, round(judgement.points_cost or 0))
    return counted(*_TRICKS, int(judgement.cost or 0))


def headline(judgements: Sequence[Judgement], names: Names = SEATS) -> Sentence:
    """What decided a deal, in full: the choice, what it cost, and whether it was bad luck."""
    named = named_in_headline(judgements)
    if not named:
        return Sentence(_CARDS_DECIDED)
    first, same = named[0], not result_turned(judgements)
    by_luck = _DECIDED_BY_LUCK if first.chair is not None else _DECIDED_BY_A_CALL
    patterns = (_COST_MOST, _LUCK_COST_MOST) if same else (_DECIDED, by_luck)
    pattern = _SPARED if first.luck is Luck.LUCKY else patterns[first.luck is Luck.BAD]
    text = Sentence(pattern, _costly(first, judgements, names))
    if same:
        text = _unchanged(judgements, text)
    if not named[1:]:
        return text
    return Sentence(_COSTLIEST, _costly(named[1], judgements, names) | {"luck": text})


def brief_headline(judgements: Sequence[Judgement], names: Names = SEATS) -> Sentence:
    """The choice that the headline names first and what was better, where there is little room."""
    named = named_in_headline(judgements)
    if not named:
        return Sentence(_CARDS_DECIDED)
    first, same = named[0], not result_turned(judgements)
    patterns = (_MOST_BRIEFLY, _LUCK_MOST_BRIEFLY) if same else (_BRIEFLY, _LUCK_BRIEFLY)
    pattern = _SPARED if first.luck is Luck.LUCKY else patterns[first.luck is Luck.BAD]
    return Sentence(pattern, _costly(first, judgements, names))


def own_words(judgements: Sequence[Judgement], seat: Seat) -> Sentence | None:
    """What a player could have done better, as they are told, if the headline does not say it.

    None if it does, if all their mistakes cost nothing, or if they had nothing to decide.
    """
    own = [judgement for judgement in judgements if judgement.seat is seat]
    costliest = own_costliest(judgements, seat)
    if costliest is not None:
        named = any(judgement is costliest for judgement in named_in_headline(judgements))
        return None if named else Sentence(_OWN, _costly(costliest, judgements, SEATS))
    if any(judgement.verdict.wrong for judgement in own) or not any(map(_decided, own)):
        return None
    return Sentence(_NO_MISTAKE)


def own_costliest(judgements: Sequence[Judgement], seat: Seat) -> Judgement | None:
    """The mistake of a player that cost most as the cards lay; None if none cost anything."""
    own = (one for one in decisive(judgements) if one.verdict.wrong and one.seat is seat)
    return next(own, None)


def named_in_headline(judgements: Sequence[Judgement]) -> list[Judgement]:
    """What the headline names: what decided and, if that was no mistake, the worst mistake.

    A mistake that was larger but cost nothing comes before tricks that changed no result.
    """
    first, spared = turning_point(judgements), _spared(judgements)
    if first is None:
        return [] if spared is None else [spared]
    if first.verdict.wrong:
        return [first]
    larger = spared is not None and spared.points_loss >= (first.points_cost or 0.0)
    if spared is not None and larger and not result_turned(judgements):
        return [spared]
    return [first, *[one for one in decisive(judgements) if one.verdict.wrong][:1]]


def _unchanged(judgements: Sequence[Judgement], text: Sentence) -> Sentence:
    """What to say of a play in which the contract ended as with best play, made or failed."""
    needed, (first, last) = needed_tricks(judgements), ends(judgements)
    if needed is None or not _changed(judgements):
        return Sentence(_NEVER_CHANGED, {"text": text})
    made = last >= needed
    if first == last:
        return Sentence(_CHANGED_BACK[made], {"text": text})
    forms = _MORE if made == (last > first) else _FEWER  # tricks, or tricks down
    fields = {"tricks": counted(*forms, abs(last - first)), "text": text}
    return Sentence(_ENDED_THE_SAME[made], fields)


def _changed(judgements: Sequence[Judgement]) -> bool:
    """Whether some choice that went wrong changed, for a while, whether the contract makes."""
    needed = needed_tricks(judgements)
    return needed is not None and any(each.turns(needed) for each in decisive(judgements))


def _spared(judgements: Sequence[Judgement]) -> Judgement | None:
    """The largest mistake in the play that cost nothing on the actual deal."""
    spared = (
        judgement
        for judgement in judgements
        if judgement.chair is not None and judgement.luck is Luck.LUCKY
    )
    return max(spared, key=lambda judgement: judgement.points_loss, default=None)


def praise(judgements: Sequence[Judgement], names: Names = SEATS) -> Sentence | None:
    """The card that few experts would find; None if there is none."""
    played = well_played(judgements)
    if played is None:
        return None
    best, share = played
    fields = {"card": said(best.action), "name": names[best.seat.index], "share": percent(share)}
    return Sentence(_WELL_PLAYED_BESIDE_ALL if fields["share"] in ALL else _WELL_PLAYED, fields)


def _costly(
    judgement: Judgement, judgements: Sequence[Judgement], names: Names
) -> dict[str, str | Sentence]:
    best, chosen, cost = judgement.best, judgement.chosen, cost_of(judgement)
    better = judgement.better_as_it_lay
    assert best is not None
    assert better is not None
    assert chosen is not None
    pattern = _WAS_BETTER if better is best else _COSTS_NOTHING
    return {
        "action": _told(judgement, judgements),
        "name": names[judgement.seat.index],
        "cost": cost if judgement.chair is not None else Sentence(_BEST_PLAY, {"cost": cost}),
        "best": said(best.action),
        "better": Sentence(pattern, {"best": said(better.action)}),
        "average": decimal(chosen.expected, "+", 0),
        "actual": decimal(chosen.actual or 0.0, "+", 0),
    }


def summary(judgements: Sequence[Judgement], seat: Seat, names: Names) -> Sentence:
    """One sentence about a player."""
    own, name = [judgement for judgement in judgements if judgement.seat is seat], names[seat.index]
    decided = [judgement for judgement in own if _decided(judgement)]
    if not decided:
        return Sentence(_NOTHING, {"name": name})
    wrong = [judgement for judgement in decided if judgement.verdict.wrong]
    parts: dict[str, str | Sentence] = {}
    if cards := [judgement for judgement in wrong if judgement.chair is not None]:
        given = {"points": _points(cards), "most": _most(cards, judgements)}
        parts["play"] = Sentence(_IN_PLAY, given)
    if calls := [judgement for judgement in wrong if judgement.chair is None]:
        given = {"points": _points(calls), "most": _most(calls, judgements)}
        parts["auction"] = Sentence(_IN_AUCTION, given)
    fields: dict[str, str | Sentence] = {
        "name": name,
        "decisions": counted(*_DECISIONS, len(decided)),
    }
    text = Sentence(_FAULTLESS, fields)
    if parts:
        what = Sentence(_BOTH, parts) if len(parts) > 1 else next(iter(parts.values()))
        text = Sentence(_WRONG, fields | {"wrong": str(len(wrong)), "what": what})
    unlucky = int(
        sum(
            judgement.cost or 0
            for judgement in own
            if judgement.luck is Luck.BAD and judgement.chair is not None
        )
    )
    if unlucky:
        return Sentence(_BAD_LUCK, {"text": text, "tricks": counted(*_TRICKS, unlucky)})
    return Sentence(_END, {"text": text})


def _decided(judgement: Judgement) -> bool:
    """Whether there was something to decide."""
    differ = any(option.points_loss > 1e-9 for option in judgement.options)
    return judgement.verdict.wrong or (judgement.verdict.right and differ)


def summaries(judgements: Sequence[Judgement], names: Names = SEATS) -> dict[Seat, Sentence]:
    """One sentence about each player."""
    return {seat: summary(judgements, seat, names) for seat in Seat}


def _most(wrong: Sequence[Judgement], judgements: Sequence[Judgement]) -> Sentence:
    """The worst of some wrong choices."""
    worst = max(wrong, key=lambda judgement: judgement.points_loss)
    assert worst.best is not None
    fields = {"action": _told(worst, judgements), "best": said(worst.best.action)}
    return Sentence(_MOST if len(wrong) > 1 else _WITH, fields)


def _told(judgement: Judgement, judgements: Sequence[Judgement]) -> str | Sentence:
    """A choice, told apart from the same call of its player earlier or later in the deal."""
    if isinstance(judgement.action, Card):
        return said(judgement.action)
    calls = [one for one in judgements if one.chair is None]
    same = [one for one in calls if (one.seat, one.action) == (judgement.seat, judgement.action)]
    before = [
        one.action
        for one in calls
        if one.number < judgement.number and not isinstance(one.action, Card)
    ]
    return told_call(judgement.action, before, again=len(same) > 1)


def told_call(call: Call, before: Sequence[Call], *, again: bool) -> str | Sentence:
    """A call by its name and, if its player makes it again, by what it follows."""
    if not again:
        return said(call)
    last = next((one for one in reversed(before) if one is not PASS), None)
    if last is None:
        return Sentence(_BEFORE_ANY_BID, {"call": said(call)})
    return Sentence(_AFTER, {"call": said(call), "bid": said(last)})


def heading(table: Table, names: Names = SEATS) -> str:
    """What a deal came to."""
    if table.contract is None:
        return "passed out" if table.over else "the auction is not over"
    outcome = table.outcome
    result = "not played to the end" if outcome is None else f"{outcome.tricks} tricks"
    contract, declarer = str(table.contract), table.contract.declarer
    return f"{contract.removesuffix(str(declarer))}{names[declarer.index]}, {result}"


def line(judgement: Judgement, names: Names = SEATS) -> str:
    """One judgement as a line of text."""
    who = "dummy" if judgement.chair is Chair.DUMMY else names[judgement.seat.index]
    verdict = judgement.verdict.value
    if judgement.luck is not None:
        verdict += f", {judgement.luck.value}"
    return f"{judgement.number:3} {who:5} {judgement.action!s:4} {verdict:16} {judgement.reason}"


def _held(key: Key, contract: Contract, names: Names) -> dict[str, str | Sentence]:
    """Who held a card, and how likely that was."""
    name = names[key.chair.player(contract.declarer).index]
    return {"name": name, "card": str(key.card), "chance": f"{100 * key.chance:.0f}"}


def _apart(option: Option, other: Option) -> tuple[Sentence, Sentence]:
    """Two averages, of tricks and points, with as few decimals as tell them apart.

    Tricks that two decimals do not tell apart are left out.
    """
    tricks = _digits(option.expected, other.expected, 1)
    points = _digits(option.points, other.points, 0)

    def worth(one: Option, pattern: str, without: str) -> Sentence:
        fields = {"points": decimal(one.points, "+", 2 if points is None else points)}
        if tricks is None:
            return Sentence(without, fields)
        return Sentence(pattern, fields | {"tricks": decimal(one.expected, digits=tricks)})

    first = worth(option, _WORTH_FIRST, _WORTH_POINTS_FIRST)
    return first, worth(other, _WORTH, _WORTH_POINTS)


def _digits(one: float, other: float, least: int) -> int | None:
    """The fewest decimals, up to two, that tell two numbers apart; None if none do."""
    decimals = range(least, 3)
    return next((at for at in decimals if decimal(one, "", at) != decimal(other, "", at)), None)


def _points(judgements: Sequence[Judgement]) -> Sentence:
    points = round(sum(judgement.points_loss for judgement in judgements))
    return counted(*_unit(judgements[0]), points) if points else Sentence(_LESS)


def _unit(judgement: Judgement) -> tuple[str, str]:
    """What the points of a choice are called.

    Those of a defender's card are what the settlement changes by, all others are half of it.
    """
    defending = judgement.chair is not None and not judgement.chair.declaring
    return _POINTS if defending else _POINTS_EACH
