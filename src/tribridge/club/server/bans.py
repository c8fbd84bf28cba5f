"""Bans: addresses and networks that a server does not answer, from a file that may change."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Container
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Final

from tribridge.common.errors import SettingError

_OFTEN: Final = 2.0
"""Seconds between two looks at the file."""
_LOG: Final = logging.getLogger("tribridge.club")

Network = IPv4Network | IPv6Network


def read_bans(text: str, source: str) -> tuple[Network, ...]:
    r"""The networks of a file: an address or a network on each line, and remarks after `#`.

    >>> [str(one) for one in read_bans("203.0.113.7  # floods\n2001:db8::/32\n", "bans.txt")]
    ['203.0.113.7/32', '2001:db8::/32']
    """
    networks = []
    for number, line in enumerate(text.splitlines(), 1):
        if word := line.partition("#")[0].strip():
            try:
                networks.append(ip_network(word, strict=False))
            except ValueError:
                raise SettingError(
                    f"{source}, line {number}: {word!r} is not an address or a network, as in "
                    "203.0.113.0/24"
                ) from None
    return tuple(networks)


class Bans(Container[str]):
    """Who is not answered; the file is read again when it changes."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._clock = path, clock
        self._changed = self._looked = -1.0
        self._networks: tuple[Network, ...] = ()
        try:
            self._read()
        except OSError as error:
            raise SettingError(f"{path}: {error.strerror}") from None

    def __contains__(self, address: object) -> bool:
        if self._clock() > self._looked + _OFTEN:
            try:
                self._read()
            except (OSError, SettingError) as error:  # those of before hold
                _LOG.error("bans are as they were: %s", error)
        return _matches(str(address), self._networks)

    def _read(self) -> None:
        self._looked = self._clock()
        changed = self.path.stat().st_mtime
        if changed != self._changed:
            self._changed = changed
            self._networks = read_bans(self.path.read_text("utf-8"), str(self.path))


@lru_cache(maxsize=4096)
def _matches(address: str, networks: tuple[Network, ...]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    plain = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(plain in network for network in networks)
