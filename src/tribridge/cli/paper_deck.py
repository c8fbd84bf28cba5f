"""`tribridge paper --deck`: the report on another deck, budget, reading or scoring."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Changed:
    """The options that differ from the paper; None or nothing where it is followed."""

    deck: str | None
    budget: int | None
    reading: str | None
    schemes: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """The options as they are typed."""
        words = [] if self.deck is None else [f"--deck {self.deck}"]
        words += [] if self.budget is None else [f"--budget {self.budget}"]
        words += [] if self.reading is None else [f"--reading {self.reading}"]
        return words + [f"--scheme {scheme}" for scheme in self.schemes]


def deck_paper(
    changed: Changed,
    seed: int,
    threads: int,
    out: Path | None,
    *,
    quick: bool,
    as_json: bool,
    pdf: bool,
) -> None:
    """Simulate and count the setting, and write its report."""
    from tribridge import parallel
    from tribridge.cli.simulate_study import setting, show
    from tribridge.report.deck import deck_report, write_deck_report
    from tribridge.report.provenance import RunInfo
    from tribridge.studies.other_deck import PAPER, PIECE, QUICK, simulate, study

    deals = QUICK if quick else PAPER
    schemes = list(changed.schemes)
    wanted = setting(changed.deck, changed.budget, changed.reading, schemes, deals, seed)
    start = time.monotonic()
    result = study(wanted, simulate(wanted, parallel.Cores(threads, PIECE)))
    words = ["tribridge paper", *changed.words(), *(["--quick"] if quick else [])]
    words += [f"--seed {seed}"] if seed != 1 else []
    seconds = time.monotonic() - start
    info = RunInfo(" ".join(words), seed, wanted.describe(), seconds, quick=quick, runs=1)
    name = f"paper-{wanted.work.deck}-{wanted.work.budget}-{wanted.work.reading}"
    out = out or Path("out") / (f"{name}-quick" if quick else name)
    page, no_pdf = write_deck_report(result, info, out, pdf=pdf)
    if no_pdf:
        print(f"tribridge: {no_pdf}", file=sys.stderr)
    if as_json:
        print(json.dumps(deck_report(result, info)))
        return
    show(result)
    print(f"{page}  ({time.monotonic() - start:.0f} s)")
