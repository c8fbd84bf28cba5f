"""Without an optional package: one line that says how to install it; PyTorch is never needed."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from tribridge.common.errors import MissingPackageError, missing


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("pettingzoo_env", "pettingzoo"),
        ("gymnasium_env", "gymnasium"),
        ("openspiel_game", "pyspiel"),
    ],
)
def test_a_missing_package_is_named(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"tribridge.envs.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError) as error:
        import_module(name)
    assert str(error.value) == str(missing(package))


def test_the_environments_do_not_load_pytorch() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is missing: pip install '.[envs]'")
    code = (
        "import sys; from tribridge.envs import gymnasium_env, pettingzoo_env; "
        "env = gymnasium_env.SeatEnv(deck='2x4'); env.reset(seed=1); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")
