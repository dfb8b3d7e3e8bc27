"""Downloads published files that are too large, or that the project may not copy, from packages at a pinned version and
hash.

    python tests/vectors/fetch.py

They go to tests/vectors/fetched/, which git ignores; tests that need a missing file are skipped.
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

FETCHED = Path(__file__).resolve().parent / "fetched"


class Package(NamedTuple):
    """An archive of a package registry, and which of its files go to which folder of `fetched`."""

    url: str
    sha256: str
    folder: str
    files: tuple[str, ...]


PACKAGES = [
    # Apache-2.0. The last release whose source distribution has the tests' files; four others that the tests know are
    # in https://github.com/webrecorder/warcio alone (test/data), so that their tests are skipped.
    Package(
        "https://files.pythonhosted.org/packages/82/c2/"
        "8daac4e3106fbe5af73d6349ff90726e12aba4293bb5aadb35898b070c57/warcio-1.6.3.tar.gz",
        "3944846590145c93e9d9370e3a7e7df3f19ad2e988205a5d819085a7167cd0db",
        "warc",
        tuple(
            f"warcio-1.6.3/test/data/{name}"
            for name in (
                "example-bad-non-chunked.warc.gz",
                "example-bad.warc.gz.bad",
                "example-iana.org-chunked.warc",
                "example-resource.warc.gz",
                "example-trunc.warc",
                "example.warc",
                "example.warc.gz",
                "post-test.warc.gz",
            )
        ),
    ),
]


def unpack(package: Package, data: bytes, output: Path) -> None:
    """Write the files of a package's archive; ValueError if it is another archive."""
    found = hashlib.sha256(data).hexdigest()
    if found != package.sha256:
        message = f"{package.url} has the SHA-256 {found}, not {package.sha256}"
        raise ValueError(message)
    folder = output / package.folder
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name in package.files:
            file = archive.extractfile(name)
            if file is None:
                message = f"{name} in {package.url} is no file"
                raise ValueError(message)
            (folder / name.rpartition("/")[2]).write_bytes(file.read())


def main() -> None:
    """Get every package."""
    for package in PACKAGES:
        with urlopen(package.url, timeout=60) as answer:  # noqa: S310 - the addresses are above
            unpack(package, answer.read(), FETCHED)
        sys.stdout.write(f"{len(package.files)} files in {FETCHED / package.folder}\n")


if __name__ == "__main__":
    main()
