"""The addresses of a server: where others reach it, and the host names it answers to."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from tribridge.common.errors import SettingError

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_NAME: Final = re.compile(r"[a-z0-9._-]+")
_OUTSIDE: Final = ("192.0.2.1", 9)
"""An address for documentation: nothing is sent to it, the system only picks a route."""


def is_local(host: str) -> bool:
    """Whether an address or name leads nowhere from another machine.

    >>> [is_local(host) for host in ("127.0.0.1", "0.0.0.0", "::", "localhost", "192.168.1.5")]
    [True, True, True, True, False]
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    return address.is_loopback or address.is_unspecified


def listens_to_all(host: str) -> bool:
    """Whether it is the address that stands for all addresses of this machine."""
    with suppress(ValueError):
        return ip_address(host).is_unspecified
    return False


def own_address() -> str | None:
    """The address of this machine in its network; None if it is in none."""
    addresses = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_OUTSIDE)
        addresses.append(str(probe.getsockname()[0]))
    with suppress(OSError):
        addresses += socket.gethostbyname_ex(socket.gethostname())[2]
    return next((address for address in addresses if not is_local(address)), None)


def read_public_url(text: str) -> str:
    """The address at which a server is reached from outside, without a slash at the end.

    >>> read_public_url("https://cards.example/")
    'https://cards.example'
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or parts.scheme not in ("http", "https") or port == 0:
        raise SettingError(
            f"--public-url {text}: expected an address such as https://cards.example"
        )
    if is_local(host):
        raise SettingError(
            f"--public-url {text}: others cannot open {host}; give the name or address by which "
            "they reach this machine"
        )
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise SettingError(
            f"--public-url {text}: expected an address without a path; the pages are served at /"
        )
    return f"{parts.scheme}://{parts.netloc}"


def read_host(text: str) -> str:
    """A host name or address for the list of those that the server answers to."""
    host = text.strip().strip("[]").lower()
    with suppress(ValueError):
        return str(ip_address(host))
    if not _NAME.fullmatch(host):
        raise SettingError(
            f"--allowed-host {text}: expected a host name or address without a port, such as "
            "cards.example"
        )
    return host


def web_address(host: str, port: int) -> str:
    """The address of a server by its host and port.

    >>> web_address("192.168.1.5", 8013), web_address("::1", 80)
    ('http://192.168.1.5:8013', 'http://[::1]:80')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_address(host: str, port: int) -> str | None:
    """Where other machines reach a server that listens on a host; None if they cannot."""
    reached = own_address() if listens_to_all(host) else host
    return None if reached is None or is_local(reached) else web_address(reached, port)


def answered_hosts(
    host: str, public_url: str | None, allowed: frozenset[str], *, proxied: bool
) -> frozenset[str]:
    """The host names that a server answers to; empty for any.

    A server that only this machine can reach answers to its own names alone, so that no page from
    elsewhere can reach it under another name. A list of names, or behind a proxy the public
    address, replaces this. Others who reach it directly may use any name that leads here.
    """
    names = allowed
    if public_url is not None:
        names |= {(urlsplit(public_url).hostname or "").lower()}
    direct = listens_to_all(host) or not is_local(host)
    if allowed or (names and not direct):
        return names | LOOPBACK
    return frozenset() if direct or proxied else LOOPBACK
