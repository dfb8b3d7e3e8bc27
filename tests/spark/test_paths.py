from __future__ import annotations

import os

import pytest
from support.crawls import crawl
from support.extras import missing

pytest.importorskip("pyspark", reason=missing("pyspark"))

from linkfix import InvalidOption
from linkfix.spark.sources import FileSlice, file_slices, open_file

WHOLE = 1 << 40
NAMES = ["a/0.warc.gz", "a/1.warc.gz", "a/b/2.warc", "a/b/[3].warc.zst", "c/4.warc.gz", "c/5.arc.gz"]


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode() * 10)
    return tmp_path


def found(folder, *patterns, prefix):
    paths = [piece.path for piece in file_slices([f"{prefix}{folder}/{one}" for one in patterns], WHOLE)]
    assert all(path.startswith(f"{prefix}{folder}/") for path in paths)
    return [path.removeprefix(f"{prefix}{folder}/") for path in paths]


@pytest.mark.parametrize("prefix", ["", "file://"])
@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        (["a/0.warc.gz"], NAMES[:1]),
        (["a/*.warc.gz", "a/0*"], NAMES[:2]),
        (["a"], [*NAMES[:2], NAMES[2], NAMES[3]]),
        (["*"], [*NAMES[:4], NAMES[4]]),
        (["*/*.warc.gz"], [*NAMES[:2], NAMES[4]]),
        (["c/5.arc.gz"], NAMES[5:]),
        (["c/*"], NAMES[4:]),
        (["?/[0-4].warc.gz"], [*NAMES[:2], NAMES[4]]),
    ],
)
def test_files_that_patterns_name(folder, prefix, patterns, names):
    assert sorted(found(folder, *patterns, prefix=prefix)) == sorted(names)


def test_a_file_with_the_name_of_a_pattern(folder):
    assert found(folder, "a/b/[3].warc.zst", prefix="") == ["a/b/[3].warc.zst"]


def test_a_path_is_of_the_folder_that_the_driver_works_in(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert file_slices(["a/0.warc.gz"], WHOLE) == file_slices([f"{folder}/a/0.warc.gz"], WHOLE)


@pytest.mark.parametrize("prefix", ["", "file://"])
@pytest.mark.parametrize("pattern", ["nobody.warc.gz", "d*", "a/*.html"])
def test_a_pattern_that_names_nothing(folder, prefix, pattern):
    with pytest.raises(InvalidOption, match=r"no WARC file in .*; in folders, they are named \*\.warc, "):
        file_slices([f"{prefix}{folder}/{pattern}"], WHOLE)


def test_slices_have_each_byte_once(folder):
    path = f"{folder}/a/0.warc.gz"
    assert file_slices([path], 50) == [FileSlice(path, 0, 50), FileSlice(path, 50, 100), FileSlice(path, 100, 110)]
    assert file_slices([path, path], 110) == [FileSlice(path, 0, 110)]


def test_an_empty_file_is_a_slice(tmp_path):
    (tmp_path / "empty.warc").touch()
    assert [piece.start for piece in file_slices([str(tmp_path)], WHOLE)] == [0]


@pytest.mark.parametrize("url", ["nobody://h/a.warc.gz", "hdfs://127.0.0.1:1/a.warc.gz"])
def test_a_url_that_cannot_be_opened(url, monkeypatch):
    monkeypatch.setenv("CLASSPATH", "")
    with pytest.raises(InvalidOption, match=r"cannot be opened .*; linkfix\.spark\.read opens all files that Spark"):
        file_slices([url], WHOLE)


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_file_is_read_and_sought(tmp_path, prefix):
    crawl(tmp_path, files=1)
    with open_file(f"{prefix}{tmp_path}/0.warc.gz") as file:
        first = file.read(100)
        file.seek(50)
        assert file.read(50) == first[50:]
        assert file.seek(0, os.SEEK_END) == (tmp_path / "0.warc.gz").stat().st_size


def test_a_file_that_is_gone(tmp_path):
    with pytest.raises(FileNotFoundError), open_file(f"{tmp_path}/nobody.warc.gz"):
        pass
