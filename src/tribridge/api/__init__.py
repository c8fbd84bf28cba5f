"""The functions behind `import tribridge as tb`: they parse text and call the packages below.

They contain no logic of their own. Heavy parts (NumPy, Numba, the networks) are imported when a
function that needs them is called.
"""

from __future__ import annotations

from numbers import Integral

from tribridge.common.errors import SettingError, shown


def as_whole(given: float, name: str) -> int:
    """A whole number; a float such as `1e6` is accepted."""
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, Integral) and not isinstance(given, bool):
        return int(given)  # NumPy's whole numbers too
    raise SettingError(f"{name} must be a whole number, not {shown(given)}")
