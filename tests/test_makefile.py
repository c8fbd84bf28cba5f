"""The Makefile keeps what it says: only `make system` changes the machine."""

from __future__ import annotations

import re
from pathlib import Path

MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text("utf-8")
RULES = {
    found[1]: (found[2].split(), found[3])
    for found in re.finditer(r"^([\w./-]+):([^=\n]*)\n((?:\t.*\n|\t.*\\\n.*\n)*)", MAKEFILE, re.M)
}


def reached(target: str) -> set[str]:
    """A target and all that it needs."""
    needs = RULES.get(target, ([], ""))[0]
    return {target}.union(*(reached(need) for need in needs))


def test_only_one_target_installs_packages_of_the_system() -> None:
    installing = {name for name, (_, lines) in RULES.items() if "$(INSTALL)" in lines}
    assert installing == {"system"}
    for target in RULES.keys() - {"system", ".PHONY"}:
        assert "system" not in reached(target), target
