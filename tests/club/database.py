"""A PostgreSQL of the tests' own: in a temporary folder, on a socket, without a port."""

from __future__ import annotations

import atexit
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where it is not installed."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent  # it may be a link to where the others are
    there = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return there[-1].parent if there else None


class Database:
    """A database server that can be stopped, killed and started again."""

    def __init__(self, folder: Path) -> None:
        bin_folder = programs()
        if bin_folder is None:
            pytest.skip("PostgreSQL is not installed: apt install postgresql")
        self.bin, self.folder = bin_folder, folder
        self.user = pwd.getpwuid(os.getuid()).pw_name
        self._as: list[str] = []
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            self.user = "postgres"
            self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
            shutil.chown(folder, "postgres", "postgres")
        options = ["-A", "trust", "-U", "tribridge", "-E", "UTF8", "--no-sync"]
        self._run("initdb", "-D", str(folder / "data"), *options)
        self.process: subprocess.Popen[bytes] | None = None

    def _run(self, program: str, *args: str) -> None:
        command = [*self._as, str(self.bin / program), *args]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)

    def start(self, port: int = 0) -> None:
        """Start it and wait until it answers; with a port, on the loopback address too."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder)}
        if port:
            settings |= {"listen_addresses": "127.0.0.1", "port": str(port)}
        options = [f"-c{name}={value}" for name, value in settings.items()]
        options += ["-cfsync=off", "-cmax_connections=300"]
        command = [*self._as, str(self.bin / "postgres"), "-D", str(self.folder / "data")]
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 60
        ready = [str(self.bin / "pg_isready"), "-q", "-h", str(self.folder)]
        ready += ["-p", str(port)] if port else []
        while subprocess.run(ready, check=False).returncode:
            assert time.monotonic() < until, "PostgreSQL does not start"
            time.sleep(0.1)

    def stop(self, *, kill: bool = False) -> None:
        """End it at once, cleanly or not."""
        if self.process is not None:
            (self.process.kill if kill else self.process.terminate)()
            if not kill:  # SIGINT: connections are cut
                self.process.send_signal(2)
            self.process.wait()
            self.process = None

    def url(self, schema: str = "", host: str = "") -> str:
        """The address of a new schema, or of a known one."""
        import psycopg

        plain = f"postgresql://tribridge@/postgres?host={quote(host or str(self.folder))}"
        name = schema or f"t{secrets.token_hex(6)}"
        if not schema:
            with psycopg.connect(plain, autocommit=True) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
        return f"{plain}&options=-csearch_path%3D{name}"


@contextmanager
def database() -> Iterator[Database]:
    """A running database; everything it wrote is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="tb-pg-"))
    folder.chmod(0o755)
    made = Database(folder)
    made.start()
    try:
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def pgbouncer(behind: Database) -> Iterator[str]:
    """The address of a new database behind PgBouncer, in the mode that the documents ask for."""
    import psycopg

    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed: apt install pgbouncer")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tb-pgbouncer-")))
        folder.chmod(0o777)
        settings = folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={behind.folder} user=tribridge\n[pgbouncer]\n"
            f"listen_addr =\nunix_socket_dir = {folder}\nauth_type = any\npool_mode = session\n"
        )
        command = [*behind._as, program, str(settings)]
        process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        stack.callback(process.kill)
        name = f"t{secrets.token_hex(6)}"
        with psycopg.connect(behind.url("public"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        until = time.monotonic() + 30
        while not (folder / ".s.PGSQL.6432").exists():
            assert process.poll() is None, "PgBouncer does not start"
            assert time.monotonic() < until, "PgBouncer does not listen"
            time.sleep(0.05)
        yield f"postgresql://tribridge@/{name}?host={quote(str(folder))}&port=6432"


@cache
def shared_database() -> Database:
    """One database for all tests of this process that are content with a schema of their own."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(database())
