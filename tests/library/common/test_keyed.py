"""Mappings by strain and by seat: text as keys, and nothing that changes."""

from __future__ import annotations

import pickle

import pytest

from tribridge.cards.cards import Strain
from tribridge.cards.deals import BySeat, ByStrain, Seat
from tribridge.common.errors import FormatError

TRICKS = ByStrain({strain: 5 + strain.index for strain in Strain})


@pytest.mark.parametrize("text", ["NT", "nt", "N"])
def test_keys_may_be_text(text: str) -> None:
    assert TRICKS[text] == TRICKS[Strain.NOTRUMP] == TRICKS.get(Strain.NOTRUMP) == 9
    assert TRICKS.__contains__(text)
    assert BySeat({Seat.EAST: 1})["east"] == 1


def test_a_key_that_names_nothing_is_refused_and_one_that_is_missing_is_a_key_error() -> None:
    with pytest.raises(FormatError, match="unknown strain 'Z'"):
        TRICKS["Z"]
    with pytest.raises(KeyError):
        ByStrain({Strain.CLUBS: 1})["NT"]


def test_they_are_mappings_like_any_other() -> None:
    assert dict(TRICKS) == {strain: 5 + strain.index for strain in Strain}
    assert dict(TRICKS) == TRICKS
    assert list(TRICKS) == list(Strain)
    assert repr(TRICKS) == "{C: 5, D: 6, H: 7, S: 8, NT: 9}"
    assert pickle.loads(pickle.dumps(TRICKS)) == TRICKS
    with pytest.raises(TypeError):
        TRICKS["NT"] = 3  # type: ignore[index]
