"""The files of `deploy`: what they run exists, and the programs that read them accept them.

Those programs are asked where they are installed: `systemd-analyze verify`, `nginx -t`, `caddy
validate`, `promtool check rules`, `docker compose config`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.library.cli.helpers import tribridge

DEPLOY = Path(__file__).parents[2] / "deploy"
_SYSTEM = "/usr/sbin:/sbin:/usr/local/sbin"
"""Where programs for administrators are, though not everybody's shell looks there."""


def _commands() -> list[str]:
    """The commands of this program in the units, and in Compose."""
    units = [path.read_text("utf-8").replace("\\\n", " ") for path in DEPLOY.glob("*.service")]
    started = [line for text in units for line in re.findall(r"^ExecStart=\S+ (.*)", text, re.M)]
    composed = (DEPLOY / "compose.yaml").read_text("utf-8")
    folded = re.findall(r"command: >-\n((?: {6}.*\n)+)", composed)
    plain = re.findall(r"command: ((?!>-).*)", composed)
    return [*started, *(" ".join(text.split()) for text in folded), *plain]


def test_what_is_started_exists() -> None:
    commands = _commands()
    assert len(commands) == 4
    for command in commands:
        name, *words = shlex.split(re.sub(r"\$\{(\w+)[^}]*\}|%i", r"\1", command))
        known = set(re.findall(r"--[a-z-]+", tribridge(name, "--help").stdout))
        assert {word for word in words if word.startswith("--")} <= known


def _program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=_SYSTEM)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _accepts(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert not done.returncode, f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize("unit", ["tribridge@.service", "tribridge-worker.service"])
def test_systemd_accepts_the_units(tmp_path: Path, unit: str) -> None:
    there = tmp_path / unit.replace("@", "@8013")
    text = (DEPLOY / unit).read_text("utf-8")
    there.write_text(text.replace("/opt/tribridge/bin/tribridge", "/bin/true"))
    verify = [_program("systemd-analyze"), "verify", str(there)]
    done = subprocess.run(verify, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")  # what it does not know it only names


def test_caddy_accepts_its_file() -> None:
    _accepts(_program("caddy"), "validate", "--adapter", "caddyfile", "--config",
             str(DEPLOY / "Caddyfile"))  # fmt: skip


def test_prometheus_accepts_the_rules() -> None:
    _accepts(_program("promtool"), "check", "rules", str(DEPLOY / "alerts.yaml"))


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    program, openssl = _program("nginx"), _program("openssl")
    keys = ["-keyout", str(tmp_path / "privkey.pem"), "-out", str(tmp_path / "fullchain.pem")]
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=cards.example"]
    subprocess.run([*made, *keys], check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text("utf-8")
    site = site.replace("/etc/letsencrypt/live/cards.example", str(tmp_path))
    (tmp_path / "site.conf").write_text(site)
    parts = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{part}_temp_path {tmp_path / part};" for part in parts)
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path / 'pid'}; error_log {tmp_path / 'errors'};\n"
        f"events {{}} http {{ access_log off; {folders} include {tmp_path / 'site.conf'}; }}\n"
    )
    _accepts(program, "-t", "-p", str(tmp_path), "-c", str(whole))


def _compose() -> list[str]:
    """Compose, as a part of Docker or by itself."""
    docker = shutil.which("docker")
    if docker is not None:
        plugin = [docker, "compose"]
        if not subprocess.run([*plugin, "version"], check=False, capture_output=True).returncode:
            return plugin
    return [_program("docker-compose")]


def test_compose_accepts_its_file_and_asks_for_what_is_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = [*_compose(), "-f", str(DEPLOY / "compose.yaml"), "config", "-q"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode
    assert "set it in .env" in done.stderr
    monkeypatch.setenv("PASSWORD", "secret")
    monkeypatch.setenv("SITE", "table.example.org")
    _accepts(*command)
