"""Parquet files as bytes, read and written in the calling thread alone.

`pyarrow.parquet.read_table` hands the work to threads of pyarrow. Such a thread may still hold the
Python object that it read from when the interpreter ends, and then the process is aborted
("terminate called without an active exception"). Here nothing but memory of pyarrow is read, and no
thread is started.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tribridge.errors import FormatError, first_line


def dumps_table(
    columns: Mapping[str, Any], metadata: Mapping[bytes, bytes] | None = None, **options: Any
) -> bytes:
    """The Parquet file of some columns, arrays or lists; options are those of `write_table`."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table(dict(columns))
    if metadata is not None:
        table = table.replace_schema_metadata(dict(metadata))
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, **options)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def loads_table(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[bytes, bytes]]:
    """Columns and metadata from the bytes of a Parquet file; `FormatError` if it cannot be read."""
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(pyarrow.BufferReader(data)).read(use_threads=False)
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except (OSError, ValueError, KeyError, pyarrow.ArrowException) as error:
        raise FormatError(first_line(error)) from None
    return columns, table.schema.metadata or {}
