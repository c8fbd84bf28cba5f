"""`python -m tribridge.arena`: play games into a folder, with NumPy and DDS alone.

For machines that only play: results are worked out elsewhere from the folder, by the same
`tribridge arena` command with the same settings, which finds all games there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from tribridge.arena.contracts import FORECAST, RULES
from tribridge.arena.results import match_result, new_origin, play_result, save
from tribridge.arena.running import CHUNK, backend, run
from tribridge.arena.work import MatchWork, PlayWork
from tribridge.cards import parse_deck, parse_strain
from tribridge.dealer import check_deals
from tribridge.errors import TribridgeError

_TELL_SECONDS = 30.0


def main(arguments: list[str] | None = None) -> int:
    """Play what the arguments ask for; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        _play(options)
    except (TribridgeError, OSError) as error:
        print(f"tribridge.arena: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"tribridge.arena: interrupted: see {options.out}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tribridge.arena", description=__doc__)
    parser.add_argument("kind", choices=("play", "match"))
    parser.add_argument("strategies", nargs="+", help="strategies by name")
    parser.add_argument("--against", action="append", help="a defence; may be given again")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first deal")
    parser.add_argument("--strain", default="auto", help="strain of all contracts")
    parser.add_argument("--contracts", choices=RULES, default=FORECAST, help="rule of contracts")
    parser.add_argument("--scheme", default="auction")
    parser.add_argument("--deck", default="4x13")
    parser.add_argument("--limit", type=float, help="seconds that a choice may take")
    parser.add_argument("--on-error", choices=("go-on", "stop"), default="go-on")
    parser.add_argument("--processes", type=int, default=0, help="0: one a core")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="deals in a file")
    parser.add_argument("--out", type=Path, required=True, help="folder for records and results")
    parser.add_argument("--result", type=Path, help="write the result to this file as well")
    return parser


def _play(options: argparse.Namespace) -> None:
    names, deck, stop = tuple(options.strategies), parse_deck(options.deck), options.on_error
    work: PlayWork | MatchWork
    if options.kind == "play":
        strain = None if options.strain.lower() == "auto" else parse_strain(options.strain)
        defences = tuple(options.against or names)
        work = PlayWork(
            declarers=names,
            defences=defences,
            seed=options.seed,
            strain=strain,
            scheme=options.scheme,
            deck=deck,
            limit=options.limit,
            stop=stop == "stop",
            contracts=options.contracts,
        )
    else:
        work = MatchWork(
            strategies=names,
            seed=options.seed,
            scheme=options.scheme,
            deck=deck,
            doubles=False,
            limit=options.limit,
            stop=stop == "stop",
        )
    wanted = check_deals(options.start, options.deals)
    begin = told = time.monotonic()

    def tell(kept: int, made: int) -> None:
        nonlocal told
        now = time.monotonic()
        if made and now - told > _TELL_SECONDS:
            told = now
            left = (options.deals - kept - made) * (now - begin) / made
            print(f"{kept + made} of {options.deals} deals, {left:.0f} s left", file=sys.stderr)

    played = run(
        work,
        wanted,
        backend(options.processes),
        folder=options.out,
        chunk=options.chunk,
        progress=tell,
    )
    seconds = time.monotonic() - begin
    origin = new_origin(work, wanted[0], wanted[1] - wanted[0], seconds)
    result = (
        play_result(work, played.summaries, origin)
        if isinstance(work, PlayWork)
        else match_result(work, played.summaries, origin)
    )
    save(result, options.out / "result.json")
    if options.result is not None:
        save(result, options.result)
    told_at_end = {
        "deals": result.deals,
        "kept": played.kept,
        "made": played.made,
        "faults": len(result.faults),
        "seconds": round(seconds, 1),
    }
    print(json.dumps(told_at_end))


if __name__ == "__main__":
    sys.exit(main())
