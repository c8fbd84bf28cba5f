"""The Makefile keeps what it says: only tests change the machine, by `make system`."""

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


def test_only_tests_install_packages_of_the_system() -> None:
    installing = {name for name, (_, lines) in RULES.items() if "$(INSTALL)" in lines}
    assert installing == {"system"}
    users = {target for target in RULES if "system" in reached(target)} - {".PHONY", "system"}
    assert users == {"test", "test-all", "test-club"}
