"""`tribridge study`: one study of the report, its tables and its refusals."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from tribridge.common.errors import TribridgeError
from tribridge.lab.commands.study import study
from tribridge.lab.studies.suite import STUDIES

app = typer.Typer()
app.command()(study)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_help_names_every_study() -> None:
    words = set(run("--help").replace(",", " ").replace(".", " ").split())
    assert set(STUDIES) <= words


def test_a_study_prints_its_tables() -> None:
    text = run("conditions", "--deals", "1000")
    assert "Table 1: captures where both conditions hold" in text
    data = json.loads(run("conditions", "--deals", "1000", "--json"))
    assert (data["study"], data["seed"]) == ("conditions", 1)
    assert list(data["tables"]) == ["captures", "conditions", "tests"]
    assert data["figures"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chess", "unknown study 'chess': expected conditions"),
        ("paid --deals 100", "takes no number of deals"),
        ("conditions --deals 0", "deals"),
        ("conditions --deals 1.5", "--deals"),
        ("conditions --seed -1", "seed"),
        ("conditions --gpu --cluster x", "cannot be combined"),
    ],
)
def test_bad_input_is_refused_in_one_line(words: str, message: str) -> None:
    with pytest.raises(TribridgeError, match=message) as caught:
        CliRunner().invoke(app, words.split(), catch_exceptions=False)
    assert "\n" not in str(caught.value)
