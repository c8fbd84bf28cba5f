"""Reading and writing files so that a failure leaves nothing half written."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tribridge.errors import FormatError, RunError


def check_place(path: Path) -> None:
    """Check that a file can be written under a name, before doing the work for it."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write a file atomically: an older one stays until the new one is complete.

    Links are followed. Devices and pipes are written to directly.
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        target = path.resolve()
        if target.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        # The name that the user gave, not that of a temporary file.
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(target: Path, content: bytes) -> None:
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:  # with the permissions of any new file
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_text(path: Path) -> str:
    """Read a text file in UTF-8, or in Latin-1 as in older bridge files."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if any(char < " " and char not in "\t\n\r\f\v\x1a" for char in text):
        raise FormatError(f"{path}: not a text file")
    return text


@contextmanager
def only_writer(folder: Path, doing: str) -> Iterator[None]:
    """Keep a second run out of a folder; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # not on this system: users must avoid two runs at once themselves
        yield
        return
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(f"{folder}: another run is {doing} there") from None
        yield
