"""Record or compare: see the package."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tools import answers
from tools.answers.html import visible
from tools.answers.story import tell
from tools.answers.walk import fixed


def record(file: Path) -> None:
    """Write all answers to a file."""
    with tempfile.TemporaryDirectory() as folder, fixed():
        told = asyncio.run(tell(Path(folder)))
    file.write_text("".join(json.dumps(answer) + "\n" for answer in told), "utf-8")
    print(f"{len(told)} answers in {file}")


def compare(before: Path, after: Path) -> int:
    """Name the answers that differ; how many there are."""
    different = 0
    lines = (file.read_text("utf-8").splitlines() for file in (before, after))
    for old, new in zip_longest(*(map(json.loads, read) for read in lines)):
        if old != new and _shown(old) != _shown(new):
            different += 1
            print((old or new)["asked"])
    print(f"{different} answers differ")
    return different


def _shown(answer: dict[str, Any] | None) -> Any:
    if answer is None:
        return None
    kind = answer.get("headers", {}).get("content-type", "")
    if "json" in kind or answer["asked"].startswith("json"):
        return answer
    return answer | {"body": visible(answer["body"].replace("\ndata: ", "\n"))}


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(answers.__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.what == "record":
        record(given.files[0])
    else:
        sys.exit(bool(compare(*given.files)))


if __name__ == "__main__":
    main()
