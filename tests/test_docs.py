"""The documents: their doctests run, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_examples_in_the_documents_are_true(document: Path) -> None:
    failed, _ = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_the_readme_opens_with_the_two_commands() -> None:
    head = (ROOT / "README.md").read_text("utf-8").splitlines()[:6]
    assert any(line.strip().startswith("make paper") for line in head)
    assert any(line.strip().startswith("make test") for line in head)
