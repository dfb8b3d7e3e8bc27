"""Threads convert at the same time: the same documents too, and with objects that a process makes at first use.

Under Python's global lock they take turns as often as possible; on free-threaded Python, they run at once.
"""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from support.each import for_each
from support.paths import CHECKOUT
from support.vectors import CORPUS

import linkfix

THREADS = 8
MEDIA_TYPES = {
    ".html": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".css": "text/css",
    ".xml": "application/xml",
}
FIXTURES = [path for path in sorted((CHECKOUT / "fixtures").rglob("*")) if path.suffix in MEDIA_TYPES]
PAGES = {str(path): (path.read_bytes(), MEDIA_TYPES[path.suffix]) for path in [*FIXTURES, *CORPUS[:10]]}
#: Lines end in three ways, and characters have several bytes: hardest for the computation of lines and columns.
MIXED = "\r\n".join(f'é\r<p>中\n<a href="x/{n}?é">{n}</a><img src="http://[">' for n in range(40)).encode()
PAGES["mixed"] = b"<meta charset=utf-8>" + MIXED, "text/html"

#: Calls on a document.
QUESTIONS = {
    "absolutize": lambda document: document.absolutize(),
    "base": lambda document: document.base,
    "convert": lambda document: document.convert(),
    "links": lambda document: document.links,
    "problems": lambda document: document.problems,
    "rewrite": lambda document: document.rewrite(lambda link: link.target),
}


@pytest.fixture(autouse=True)
def take_turns_often():
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def document_of(page):
    data, media_type = page
    return linkfix.Document(data, url="https://example.com/a/b.html?c#d", media_type=media_type)


def answers(document, names=tuple(QUESTIONS)):
    return {name: QUESTIONS[name](document) for name in names}


def in_threads(work):
    """The results of `work(number)` in all threads, which start at once."""
    barrier = Barrier(THREADS)

    def start(number):
        barrier.wait(60)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


def test_documents_of_their_own():
    assert len(PAGES) > 100
    expected = [answers(document_of(page)) for page in PAGES.values()]
    for found in in_threads(lambda _: [answers(document_of(page)) for page in PAGES.values()]):
        assert found == expected


@for_each(PAGES)
def test_a_shared_document(name):
    """Each thread asks in an order of its own, so that all of them come first to something."""
    expected = answers(document_of(PAGES[name]))
    shared = document_of(PAGES[name])

    def ask(thread):
        names = list(QUESTIONS)
        random.Random(thread).shuffle(names)  # noqa: S311
        return answers(shared, names)

    for found in in_threads(ask):
        for question, answer in found.items():
            assert answer == expected[question], question


FIRST_USE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

sys.setswitchinterval(1e-6)
import linkfix
barrier = Barrier(8)

def convert(number):
    barrier.wait(60)
    converted = linkfix.absolutize(b"<a href=x>\\xe9<img srcset='y 2x'>", url="https://h/d/")
    return converted, len(linkfix.links("<a href=z>"))

with ThreadPoolExecutor(8) as pool:
    print({*pool.map(convert, range(8))})
"""


@pytest.mark.slow
def test_the_first_use_of_a_process():
    expected = {(b"<a href=https://h/d/x>\xe9<img srcset='https://h/d/y 2x'>", 1)}
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, check=True, text=True, timeout=60)
        assert done.stdout == f"{expected}\n"


@pytest.mark.skipif(getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python is not free-threaded")
def test_no_module_takes_the_lock_back():
    program = "import sys, linkfix; linkfix.absolutize(b'<a href=x>', url='https://h/'); print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout == "False\n"
