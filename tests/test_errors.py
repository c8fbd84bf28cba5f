"""Errors can be told apart, and all are of one family."""

from __future__ import annotations

import pytest

from tribridge import errors
from tribridge.errors import NotFoundError, RunError, TribridgeError
from tribridge.parallel import ClusterError, WorkerError


@pytest.mark.parametrize(
    "kind",
    [
        one
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, BaseException)
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
