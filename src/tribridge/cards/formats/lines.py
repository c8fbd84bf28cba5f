"""The lines of a text file of any size and encoding, with bounded memory.

Bridge files come in UTF-8, in Latin-1 and its kin, and in UTF-16; with the line ends of Unix,
Windows or old Macs; with a Ctrl-Z at the end, as DOS wrote it. A line that is longer than `LONGEST`
is cut there. Bytes that are no text, an archive for example, are refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Final

from tribridge.common.errors import FormatError

LONGEST: Final = 1 << 20
"""Characters of a line that are read; the rest of it is skipped."""

_BLOCK: Final = 1 << 16
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")
_WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_PACKED: Final = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a rar archive",
}


def file_lines(path: Path) -> Iterator[str]:
    """The lines of a file, without their ends."""
    return chain.from_iterable(_blocks(path))


def text_lines(text: str) -> Iterator[str]:
    """The lines of a text, as those of a file."""
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff").replace("\x1a", " "))
    return (line[:LONGEST] for line in lines)


def _blocks(path: Path) -> Iterator[list[str]]:
    """The lines, some at a time."""
    with path.open("rb") as file:
        yield from _read_blocks(file, str(path))


def _read_blocks(file: IO[bytes], name: str) -> Iterator[list[str]]:
    rest, long = b"", False
    block = file.read(_BLOCK)
    for start, kind in _PACKED.items():
        if block.startswith(start):
            raise FormatError(f"{name}: not a text file but {kind}: unpack it first")
    if block[:2] in _WIDE:
        yield from _wide_blocks(file, block, name)
        return
    block = block.removeprefix(codecs.BOM_UTF8)
    while block:
        if _CONTROL.search(block):
            raise FormatError(f"{name}: not a text file")
        if b"\r" in block:
            if block.endswith(b"\r"):  # is it half of a Windows line end?
                block += file.read(1)
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        whole, end, last = block.rpartition(b"\n")
        if end:
            if long:  # the first line is the rest of one that is cut
                whole = rest + b"\n" + whole.partition(b"\n")[2] if b"\n" in whole else rest
            else:
                whole = rest + whole
            yield _decoded(whole)
            rest, long = b"", False
        if not long:
            rest += last
            if len(rest) > LONGEST:
                rest, long = rest[:LONGEST], True
        block = file.read(_BLOCK)
    if rest:
        yield _decoded(rest)


def _decoded(text: bytes) -> list[str]:
    """Some lines; if they are not all UTF-8, each by itself."""
    text = text.replace(b"\x1a", b" ")
    try:
        return text.decode().split("\n")
    except UnicodeDecodeError:
        return [_read(line) for line in text.split(b"\n")]


def _read(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _wide_blocks(file: IO[bytes], block: bytes, name: str) -> Iterator[list[str]]:
    """The lines of a file in UTF-16, which few programs write."""
    decoder = codecs.getincrementaldecoder(_WIDE[block[:2]])()
    block, rest = block[2:], ""
    try:
        while True:
            *whole, rest = re.split(r"\r\n|\n", rest + decoder.decode(block, final=not block))
            yield [line[:LONGEST].replace("\x1a", " ") for line in whole]
            rest = rest[:LONGEST]
            if not block:
                break
            block = file.read(_BLOCK)
    except UnicodeDecodeError:
        raise FormatError(f"{name}: not a text file") from None
    if rest:
        yield [rest]
