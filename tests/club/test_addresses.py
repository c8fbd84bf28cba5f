"""Links that others can open, and the host names that a server answers to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.club.browsing import chromium, new_page
from tests.club.helpers import open_table, running
from tests.club.serving import serving
from tests.library.cli.helpers import tribridge
from tribridge.club.server import addresses
from tribridge.club.server.addresses import (
    LOOPBACK,
    answered_hosts,
    network_address,
    own_address,
    read_host,
    read_public_url,
)
from tribridge.common.errors import SettingError

pytestmark = pytest.mark.anyio


LAN = "http://192.168.1.5:8013"
PUBLIC = "https://cards.example"


def test_the_address_in_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "own_address", lambda: "192.168.1.5")
    assert network_address("0.0.0.0", 8013) == LAN
    assert network_address("::", 8013) == LAN
    assert network_address("10.0.0.7", 80) == "http://10.0.0.7:80"
    assert network_address("fd00::7", 80) == "http://[fd00::7]:80"
    assert network_address("cards.lan", 80) == "http://cards.lan:80"
    for host in ("127.0.0.1", "localhost", "::1"):
        assert network_address(host, 8013) is None
    monkeypatch.setattr(addresses, "own_address", lambda: None)
    assert network_address("0.0.0.0", 8013) is None


def test_the_address_of_this_machine_is_not_a_local_one() -> None:
    found = own_address()
    assert found is None or not addresses.is_local(found)


def test_the_names_that_a_server_answers_to() -> None:
    def names(host: str, url: str | None = None, *allowed: str, proxied: bool = False) -> set[str]:
        return set(answered_hosts(host, url, frozenset(allowed), proxied=proxied))

    assert names("127.0.0.1") == LOOPBACK
    assert names("127.0.0.1", proxied=True) == set()  # only the proxy knows the name
    assert names("127.0.0.1", PUBLIC, proxied=True) == {"cards.example", *LOOPBACK}
    assert names("0.0.0.0") == set()
    assert names("0.0.0.0", PUBLIC) == set()
    assert names("0.0.0.0", PUBLIC, "other") == {"cards.example", "other", *LOOPBACK}
    assert names("192.168.1.5", None, "other") == {"other", *LOOPBACK}


@pytest.mark.parametrize(
    "text",
    ["cards.example", "ftp://a", "http://", "https://a/b", "http://a:x", "http://127.0.0.1:1", ""],
)
def test_public_addresses_that_do_not_work(text: str) -> None:
    with pytest.raises(SettingError, match="--public-url"):
        read_public_url(text)


def test_hosts_are_names_without_a_port() -> None:
    assert [read_host(text) for text in ("Cards.Example", "[fd00::7]")] == [
        "cards.example",
        "fd00::7",
    ]
    for text in ("a:80", "http://a", "a/b", ""):
        with pytest.raises(SettingError, match="--allowed-host"):
            read_host(text)


def test_the_command_names_bad_addresses(tmp_path: Path) -> None:
    data = ("--no-browser", "--port", "0", "--data", str(tmp_path / "x"))
    for option, text in (("--public-url", "http://0.0.0.0:8013"), ("--allowed-host", "a b")):
        failed = tribridge("play", option, text, *data)
        assert failed.returncode == 2
        assert f"{option} {text}" in failed.stderr
        assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "settings", "expected"),
    [
        ("localhost", {"network_address": LAN}, LAN),
        ("127.0.0.1:8013", {"network_address": LAN}, LAN),
        ("0.0.0.0:8013", {"network_address": LAN}, LAN),
        ("cards.lan:8013", {"network_address": LAN}, "http://cards.lan:8013"),
        ("localhost", {"network_address": LAN, "public_url": PUBLIC}, PUBLIC),
        ("cards.lan:8013", {"public_url": PUBLIC}, PUBLIC),
        ("localhost", {}, ""),
    ],
)
async def test_links_for_others(
    tmp_path: Path, host: str, settings: dict[str, str], expected: str
) -> None:
    hosts: frozenset[str] = frozenset()
    async with running(tmp_path, hosts=hosts, **settings) as (_, client):
        client.headers["host"] = host
        assert (await client.get("/share")).text == expected
        opened = (await client.post("/api/tables", json={})).json()
        link = f"{expected}/table/{opened['table']}" if expected else None
        assert opened["url"] == link


async def test_a_form_of_the_public_address_may_act(tmp_path: Path) -> None:
    async with running(tmp_path, public_url=PUBLIC) as (_, client):
        for origin, status in (
            (PUBLIC, 201),
            ("http://localhost", 201),
            ("https://localhost", 201),
            ("https://elsewhere.example", 403),
            ("null", 403),
        ):
            answer = await client.post("/api/tables", json={}, headers={"origin": origin})
            assert answer.status_code == status, origin
        await open_table(client)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(chromium() is None, reason="Chromium is not installed")
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"public_url": PUBLIC}, f"Copied: {PUBLIC}/table/"),
        ({"network_address": LAN}, f"Copied: {LAN}/table/"),
        ({}, "Only this computer"),
    ],
    ids=["public", "network", "alone"],
)
def test_a_copied_link_can_be_opened_by_others(
    tmp_path: Path, chrome: Browser, errors: list[str], settings: dict[str, Any], expected: str
) -> None:
    with serving(tmp_path, **settings) as (address, _):
        page = new_page(chrome, errors, (1280, 860), permissions=["clipboard-write"])
        with page.expect_response("**/share"):
            page.goto(address)
        with page.expect_response("**/share"):
            page.click("form[action='/open'] button")
        page.wait_for_selector("[data-copy]")
        page.click("[data-copy]")
        said = page.wait_for_selector("#toast p")
        assert said is not None
        assert said.inner_text().startswith(expected)
        page.context.close()


async def test_cookies_set_over_tls_are_secure(tmp_path: Path) -> None:
    hosts = frozenset({"cards.example", "localhost"})
    public = "https://cards.example"
    async with running(tmp_path, public_url=public, hosts=hosts) as (_, client):
        for host, secure in (("cards.example", True), ("localhost", False)):
            answer = await client.post("/play", headers={"host": host})
            cookies = answer.headers.get_list("set-cookie")
            named = [cookie.partition("=")[0].partition("-")[0] for cookie in cookies]
            assert {"player", "seat", "rules"} <= set(named)
            for cookie in cookies:
                assert ("Secure" in cookie.split("; ")) is secure, cookie
                assert "HttpOnly" in cookie
        page = await client.get("/", headers={"host": "cards.example"})
        assert "set-cookie" not in page.headers
