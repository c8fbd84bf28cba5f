"""Errors can be told apart, and all are of one family."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tribridge.common import errors
from tribridge.common.errors import NotFoundError, RunError, TribridgeError
from tribridge.common.parallel import ClusterError, WorkerError


@pytest.mark.parametrize(
    "kind",
    [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, BaseException)
        if not issubclass(one, Warning)
    ],
    ids=str,
)
def test_every_error_is_of_the_family_and_shows_its_message_as_it_stands(
    kind: type[Exception],
) -> None:
    assert issubclass(kind, TribridgeError)
    assert issubclass(kind, ValueError)
    assert str(kind("unknown study 'x'")) == "unknown study 'x'"


def test_errors_are_also_what_python_calls_them() -> None:
    assert issubclass(NotFoundError, LookupError)
    assert issubclass(RunError, RuntimeError)
    assert issubclass(WorkerError, RunError)
    assert issubclass(ClusterError, RunError)


@pytest.mark.parametrize(
    ("noted", "command"),
    [
        ({"url": "file://{here}", "dir_info": {}}, "pip install '{here}[dd]'"),
        (
            {
                "url": "https://git.example/t.git",
                "vcs_info": {"vcs": "git", "commit_id": "1f", "requested_revision": "main"},
            },
            "pip install 'tribridge[dd] @ git+https://git.example/t.git@main'",
        ),
        (
            {"url": "https://files.example/t-1.whl", "archive_info": {}},
            "pip install 'tribridge[dd] @ https://files.example/t-1.whl'",
        ),
        ({"url": "file:///nowhere/tribridge", "dir_info": {}}, "pip install 'endplay<0.6,>=0.5'"),
        (None, "pip install 'endplay<0.6,>=0.5'"),
    ],
)
def test_a_missing_package_is_installed_from_where_this_one_was(
    noted: dict[str, Any] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if noted is None else json.dumps(noted).replace("{here}", str(tmp_path))
    stated = ["numpy>=2", "endplay<0.6,>=0.5; extra == 'dd'", "numba; extra == 'speed'"]
    monkeypatch.setattr(errors, "__file__", "/usr/lib/python3/site-packages/tribridge/errors.py")
    monkeypatch.setattr(
        metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text)
    )
    monkeypatch.setattr(metadata, "requires", lambda _: stated)
    expected = f"endplay is not installed: {command.replace('{here}', str(tmp_path))}"
    assert str(errors.missing("endplay")) == expected


def test_in_a_checkout_a_missing_package_is_installed_from_there() -> None:
    root = Path(errors.__file__).parents[3]
    assert str(errors.missing("torch")).endswith(f"pip install -e '{root}[learn]'")
