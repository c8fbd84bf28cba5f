"""Files are written whole or not at all, through links, and named as the user named them."""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from tribridge.common import files
from tribridge.common.errors import FormatError


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    files.write_atomic(path, "one")
    files.write_atomic(path, b"two")
    assert path.read_text() == "two"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    files.write_atomic(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        files.write_atomic(path, "new")
    assert error.value.filename == str(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_is_followed_and_a_device_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")
    files.write_atomic(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.write_atomic(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize(("name", "reason"), [("no/such/x", "No such file"), ("", "directory")])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    with pytest.raises(OSError, match=reason) as error:
        files.write_atomic(path, "x")
    assert error.value.filename == str(path)


def test_old_encodings_are_read_and_binary_data_refused(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes("\ufeffé".encode())
    assert files.read_text(path) == "é"
    path.write_bytes(b"\xe9")
    assert files.read_text(path) == "é"
    path.write_bytes(b"\x00")
    with pytest.raises(FormatError, match="text file"):
        files.read_text(path)


def test_a_new_file_has_usual_permissions_and_the_mask_of_the_process_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All threads share the mask: a change, even for a moment, reaches the files of others."""
    (tmp_path / "plain").write_text("text")

    def refuse(mask: int) -> int:
        raise AssertionError("umask is called")

    monkeypatch.setattr(os, "umask", refuse)
    files.write_atomic(tmp_path / "whole", "text")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_arrays_are_read_as_written_and_anything_else_is_refused() -> None:
    arrays = {"a": np.arange(3), "b": np.array("text")}
    again = files.load_arrays(BytesIO(files.dumps_arrays(arrays)), "x.npz: not arrays")
    assert again.keys() == arrays.keys()
    assert (again["a"].tolist(), str(again["b"])) == ([0, 1, 2], "text")
    single = BytesIO()
    np.save(single, np.arange(3))
    objects = BytesIO()
    np.savez(objects, a=np.array([{}], object))
    for data in (
        b"",
        b"no",
        single.getvalue(),
        files.dumps_arrays(arrays)[:40],
        objects.getvalue(),
    ):
        with pytest.raises(FormatError, match=r"x\.npz: not arrays"):
            files.load_arrays(BytesIO(data), "x.npz: not arrays")


def _packed(header: bytes) -> bytes:
    """A NumPy file whose array begins with a header of one's own."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        size = len(header).to_bytes(2, "little")
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + size + header)
    return buffer.getvalue()


def _flagged(at: int, value: int) -> bytes:
    """A NumPy file with another byte in the head of its part, there and in the directory."""
    data = bytearray(files.dumps_arrays({"a": np.zeros(3)}))
    data[at] = data[data.rfind(b"PK\x01\x02") + at + 2] = value
    return bytes(data)


HOSTILE = {
    "a bracket that does not close": _packed(b"(" * 9000),
    "more than fits": _packed(
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"
    ),
    "half a header": _packed(b"{'descr': '<f8', 'shape': (1"),
    "encrypted": _flagged(6, 1),
    "packed in a way that nobody knows": _flagged(8, 99),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_numpy_file_is_refused_in_one_line(what: str) -> None:
    with pytest.raises(FormatError, match=r"x\.npz: ") as refused:
        files.load_arrays(BytesIO(HOSTILE[what]), "x.npz")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_arrays_that_would_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = files.dumps_arrays({"zeros": np.zeros(1_000_000)})
    assert len(packed) < 20_000
    monkeypatch.setattr(files, "MOST_UNPACKED", 1_000_000)
    with pytest.raises(FormatError, match="unpacked") as refused:
        files.load_arrays(BytesIO(packed), "x.npz")
    assert "\n" not in str(refused.value)


def test_what_gzip_holds_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a line\n" * 1000
    assert files.unzipped(gzip.compress(text)) == text
    assert files.unzipped(gzip.compress(text) + gzip.compress(text)) == text + text
    whole = gzip.compress(text)
    flipped = whole[:20] + bytes([whole[20] ^ 0xFF]) + whole[21:]
    for bad in (b"", b"text", whole[:-1], whole + b"more", flipped):
        with pytest.raises(FormatError, match="gzip"):
            files.unzipped(bad)
    monkeypatch.setattr(files, "MOST_UNPACKED", len(text))
    assert files.unzipped(whole) == text
    for large in (gzip.compress(text + b"."), whole + gzip.compress(b".")):
        with pytest.raises(FormatError, match="unpacked"):
            files.unzipped(large)


def test_a_table_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    packed = files.dumps_table({"zeros": np.zeros(1_000_000, np.int8)}, compression="zstd")
    assert len(packed) < 20_000
    monkeypatch.setattr(files, "MOST_UNPACKED", 1_000_000)
    assert len(files.loads_table(packed)[0]["zeros"]) == 1_000_000
    monkeypatch.setattr(files, "MOST_UNPACKED", 999_999)
    with pytest.raises(FormatError, match="unpacked"):
        files.loads_table(packed)


def weights_in_two_bytes() -> bytes:
    """A NumPy file as training writes it; the parts begin at odd and at even bytes."""
    rng = np.random.default_rng(1)
    arrays = {"a" * at: rng.normal(0, 0.1, (200, 300)).astype(np.float16) for at in range(1, 6)}
    buffer = BytesIO()
    np.savez(buffer, **arrays, odd=np.zeros(7, np.int8), text=np.array("text"))  # type: ignore[arg-type]
    return buffer.getvalue()


def test_a_split_file_is_smaller_and_joins_to_the_same_bytes() -> None:
    for data in (whole := weights_in_two_bytes(), files.dumps_arrays({"a": np.arange(5)})):
        assert files.joined(files.split(data)) == data
        assert files.joined(data) == data
    assert len(files.split(whole)) < 0.95 * len(zlib.compress(whole, 9))
    arrays = files.load_arrays(BytesIO(files.split(whole)), "x.npz.split")
    assert arrays.keys() == dict(np.load(BytesIO(whole))).keys()


def test_a_split_file_that_is_damaged_or_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = files.split(weights_in_two_bytes())
    first, _, rest = data.partition(b"\n")
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 0xFF
    damaged = [
        data[:-1], data[: len(data) // 2], bytes(flipped), first, b"split \n" + rest,
        b"split x\n" + rest, b"split -5\n" + rest, first + b" 99999999\n" + rest, b"split 0\n",
    ]  # fmt: skip
    for bad in damaged:
        with pytest.raises(FormatError, match=r"^x: not arrays: .+") as refused:
            files.load_arrays(BytesIO(bad), "x: not arrays")
        assert "\n" not in str(refused.value)
    monkeypatch.setattr(files, "MOST_UNPACKED", 1000)
    with pytest.raises(FormatError, match=r"too large"):
        files.load_arrays(BytesIO(data), "x")
