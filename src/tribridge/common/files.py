"""Reading and writing files so that a failure leaves nothing half written; tables and arrays."""

from __future__ import annotations

import errno
import math
import os
import re
import secrets
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from tribridge.common.errors import FormatError, RunError, first_line, need

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    """Read a text file in UTF-8, in Latin-1 as in older bridge files, or in UTF-16."""
    try:
        return decoded(path.read_bytes())
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")
"""Characters that no text has."""


def decoded(data: bytes) -> str:
    """The text of a file."""
    try:
        text = data.decode("utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if _NO_TEXT.search(text):
        raise FormatError("not a text file")
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


MOST_UNPACKED = 1 << 30
"""Bytes of a file when unpacked; those of the package have a few million."""


def unzipped(data: bytes) -> bytes:
    """What was compressed by gzip; a `FormatError` if it is damaged or would be too large."""
    parts, left = list[bytes](), MOST_UNPACKED
    while data or not parts:
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            parts.append(unpacker.decompress(data, left + 1))
        except zlib.error:
            raise FormatError("not compressed by gzip, or damaged") from None
        left -= len(parts[-1])
        if left < 0:
            raise FormatError(f"more than {MOST_UNPACKED:,} bytes when unpacked")
        if not unpacker.eof:
            raise FormatError("not compressed by gzip, or its end is missing")
        data = unpacker.unused_data
    return b"".join(parts)


def dumps_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The NumPy file of some arrays, compressed."""
    import numpy as np

    buffer = BytesIO()
    np.savez_compressed(buffer, **cast("dict[str, Any]", dict(arrays)))
    return buffer.getvalue()


def load_arrays(file: IO[bytes], refusal: str) -> dict[str, NDArray[Any]]:
    """The arrays of a NumPy file, split or not; anything else is refused, with these words."""
    import numpy as np

    try:
        whole = BytesIO(joined(file.read()))
        with zipfile.ZipFile(whole) as packed:
            size = sum(part.file_size for part in packed.infolist())
        _check_size(size)
        with np.load(whole, allow_pickle=False) as arrays:
            return dict(arrays)
    except Exception as error:  # a damaged file can raise anything
        raise FormatError(f"{refusal}: {first_line(error)}") from None


def _check_size(size: int) -> None:
    if size > MOST_UNPACKED:
        raise ValueError(f"{size:,} bytes when unpacked: at most {MOST_UNPACKED:,}")


_SPLIT = b"split "
"""How a split file begins; then, on its first line, where the parts of the NumPy file do."""


def split(data: bytes) -> bytes:
    """A NumPy file of numbers of two bytes, made smaller; `joined` gives back the same bytes.

    Of a weight in 16 bits one byte is sign and exponent, which repeats, and the other is as good as
    random. Apart from each other they compress better.
    """
    with zipfile.ZipFile(BytesIO(data)) as packed:
        starts = [0, *(_start(data, part.header_offset) for part in packed.infolist())]
    parts = [data[start:end] for start, end in pairwise([*starts, len(data)])]
    halves = b"".join([*(part[::2] for part in parts), *(part[1::2] for part in parts)])
    packer = zlib.compressobj(9, memLevel=9, strategy=zlib.Z_FILTERED)
    first_line = _SPLIT + " ".join(map(str, starts)).encode() + b"\n"
    return first_line + packer.compress(halves) + packer.flush()


def _start(data: bytes, header: int) -> int:
    """Where the bytes of an archive's part begin, after its header, its name and what is extra."""
    lengths = (data[header + at : header + at + 2] for at in (26, 28))
    return header + 30 + sum(int.from_bytes(length, "little") for length in lengths)


def joined(data: bytes) -> bytes:
    """The bytes of a NumPy file that was split; those of any other file as they are."""
    if not data.startswith(_SPLIT):
        return data
    first_line, _, rest = data.partition(b"\n")
    unpacker = zlib.decompressobj()
    halves = unpacker.decompress(rest, MOST_UNPACKED)
    if not unpacker.eof:
        raise ValueError("the end is missing, or it is too large")
    starts = [*map(int, first_line.split()[1:]), len(halves)]
    whole, at = bytearray(len(halves)), 0
    for half in (0, 1):
        for start, end in pairwise(starts):
            count = (end - start + 1 - half) // 2
            whole[start + half : end : 2] = halves[at : at + count]
            at += count
    return bytes(whole)


def dumps_table(
    columns: Mapping[str, Any], metadata: Mapping[bytes, bytes] | None = None, **options: Any
) -> bytes:
    """The Parquet file of some columns, arrays or lists; options are those of `write_table`."""
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    table = pyarrow.table(dict(columns))
    if metadata is not None:
        table = table.replace_schema_metadata(dict(metadata))
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, **options)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def loads_table(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[bytes, bytes]]:
    """Columns and metadata from the bytes of a Parquet file; `FormatError` if it cannot be read.

    Read in the calling thread alone: a thread of pyarrow may still hold the Python object that it
    read from when the interpreter ends, and then the process is aborted ("terminate called without
    an active exception").
    """
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    try:
        file = parquet.ParquetFile(pyarrow.BufferReader(data))
        kinds = [column.type for column in file.schema_arrow]
        widths = [kind.bit_width / 8 if pyarrow.types.is_primitive(kind) else 8 for kind in kinds]
        _check_size(math.ceil(file.metadata.num_rows * sum(widths)))
        table = file.read(use_threads=False)
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except (OSError, ValueError, KeyError, pyarrow.ArrowException) as error:
        raise FormatError(first_line(error)) from None
    return columns, table.schema.metadata or {}
