"""Copying by the system, and the fallback without it."""

from __future__ import annotations

import errno
import os

import pytest

from linkfix.files import descriptors
from linkfix.files.descriptors import copy_content

SIZES = [0, 1, descriptors._CHUNK - 1, descriptors._CHUNK, 3 * descriptors._CHUNK + 7]


def refuse(*_):
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def nothing(*_):
    """The answer of a file system whose files have no size."""
    return 0


def slow(source, target, count):
    """Copies a few bytes with each call."""
    return os.write(target, os.read(source, min(count, 300_001)))


def stops(source, target, count):
    """Copies some bytes, and then says that it cannot."""
    if os.lseek(source, 0, os.SEEK_CUR):
        raise OSError(errno.EINVAL, "Invalid argument")
    return slow(source, target, count)


@pytest.fixture
def opened(tmp_path):
    def open_pair(data):
        (tmp_path / "source").write_bytes(data)
        source = os.open(tmp_path / "source", os.O_RDONLY)
        target = os.open(tmp_path / "target", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        descriptors.extend((source, target))
        return source, target

    descriptors = []
    yield open_pair
    for descriptor in descriptors:
        os.close(descriptor)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "ways", [None, (), (refuse, slow), (refuse, refuse), (stops, refuse), (stops, slow), (nothing, nothing)]
)
def test_the_content_is_the_same(opened, tmp_path, monkeypatch, ways, size):
    if ways is not None:
        monkeypatch.setattr(descriptors, "_WAYS", ways)
    data = os.urandom(size)
    assert copy_content(*opened(data), size) == size
    assert (tmp_path / "target").read_bytes() == data


@pytest.mark.parametrize("way", range(len(descriptors._WAYS)))
def test_each_way_copies(opened, tmp_path, monkeypatch, way):
    monkeypatch.setattr(descriptors, "_WAYS", descriptors._WAYS[way : way + 1])
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    assert copy_content(*opened(b"x" * 100_000), 100_000) == 100_000
    assert (tmp_path / "target").read_bytes() == b"x" * 100_000


@pytest.mark.parametrize("size", [0, 2, 5])
def test_a_file_with_a_changed_size_is_reported(opened, size):
    """The caller compares sizes: it is read again."""
    source, target = opened(b"new")
    copied = copy_content(source, target, size)
    assert copied == 2 if size == 2 else copied == 3


def test_a_failure_is_raised(opened, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(descriptors, "_WAYS", (fail,))
    with pytest.raises(OSError, match="No space"):
        copy_content(*opened(b"new"), 3)
