"""Reviews of deals that were played."""

from __future__ import annotations

from collections.abc import Callable

from tribridge.api.reading import as_whole
from tribridge.dealer import check_seed
from tribridge.errors import SettingError, shown
from tribridge.game.record import Record
from tribridge.game.table import Table
from tribridge.reviews.judging import LAYOUTS, Plan
from tribridge.reviews.judging import review as review_deal
from tribridge.reviews.values import Judgement, Review


def review(
    table: Table | Record,
    *,
    layouts: int = LAYOUTS,
    seed: int = 1,
    scheme: str | None = None,
    processes: int = 1,
    progress: Callable[[Judgement], None] = lambda judgement: None,
) -> Review:
    """Judge every call and card of a deal by what its player could know.

    Each choice is valued over up to `layouts` layouts drawn from its player's beliefs, in points of
    the table's rubber or scheme (or of `scheme`), and compared with double dummy on the actual
    deal. The result depends only on the deal, `layouts` and `seed`. `progress` is called with each
    judgement as it is made; `processes=0` uses all cores.

    Examples:
        >>> import tribridge as tb
        >>> table = tb.new_table("N:AJ.AK 98.QJ Q7.T9 KT.87", deck="2x8")
        >>> for action in "2NT pass pass CQ C7 C9 CA DJ D8 DT DQ".split():
        ...     table = table.apply(action)
        >>> mistakes = [one for one in tb.review(table).cards if one.verdict.wrong]
        >>> print(mistakes[0].action, mistakes[0].verdict, mistakes[0].reason)
        ... # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
        ♦T mistake ♦K was certain to make the contract. ♦K averages 4.0 tricks and ... points over
        10 layouts, ♦T 3.3 tricks and ... points; it gains most when South holds ♦Q (69% likely).

    Raises:
        SettingError: nothing has been called or played, or a number is out of range.
        NotFoundError: there is no such scheme.
    """
    if not isinstance(table, (Table, Record)):
        raise SettingError(f"{shown(table)} is neither a table nor a record")
    seed = as_whole(seed, "seed")
    check_seed(seed)
    plan = Plan(
        layouts=as_whole(layouts, "layouts"),
        seed=seed,
        scheme=scheme,
        processes=as_whole(processes, "processes"),
    )
    return review_deal(table, plan, progress)
