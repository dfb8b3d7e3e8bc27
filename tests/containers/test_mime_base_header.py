"""RFC 1808 §3.1 and §3.2: the `Base` header field of messages and of their parts."""

from __future__ import annotations

import itertools

import pytest
from support.each import for_each
from support.running_containers import read

from linkfix import Document, Envelope, Layer
from linkfix.containers import container

mime = container("mime")

RETRIEVED = "http://retrieved/d/p"


def page(message, spec="rfc1808"):
    """The HTML document of a message, as that was retrieved."""
    data = message.replace("\n", "\r\n").encode()
    found, problems = read(mime, data, envelope=Envelope(url=RETRIEVED))
    assert problems == []
    (part,) = [part for part in found if part.media_type == "text/html"]
    return Document(part.data, envelope=part.envelope, spec=spec)


@pytest.mark.parametrize("media_type", ["text/html", "multipart/mixed; boundary=b"])
def test_the_example_is_the_base_of_the_message_and_of_its_parts(media_type):
    body = "<a href=../x>"
    if media_type != "text/html":
        body = f"--b\nContent-Type: text/html\n\n{body}\n--b--\n"
    document = page(f"Base: <URL:http://www.ics.uci.edu/Test/a/b/c>\nContent-Type: {media_type}\n\n{body}")
    assert document.base.url == "http://www.ics.uci.edu/Test/a/b/c"
    assert (document.base.layer, document.base.where) == (Layer.ENCAPSULATING, "Base of the message")
    assert [link.target for link in document.links] == ["http://www.ics.uci.edu/Test/a/x"]


@pytest.mark.parametrize(
    "field",
    [
        "BASE: <URL:http://h/d/p>",
        "base: <URL:http://h/d/p>",
        "Base: <URL: http://h/d/p >",
        "Base: <URL:http://h/\n d/p>",
        "Base:\n\t<URL:\n\thttp:// h / d / p\n >",
    ],
)
def test_case_of_the_name_and_white_space_in_the_brackets_do_not_count(field):
    assert page(f"{field}\nContent-Type: text/html\n\n").base.url == "http://h/d/p"


def nested(bases, body, message):
    """Five entities, each in the one before, multipart and message by turns.

    `bases`: the URL in the Base field of each, or "". `message`: the media type of the messages.
    """
    text = ""
    for level, base in enumerate(bases):
        text += f"Base: <URL:{base}>\n" if base else ""
        if level == 4:
            text += "Content-Type: text/html\n\n"
        elif level % 2:
            text += f"Content-Type: {message}\n\n"
        else:
            text += f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"
    return f"{text}{body}\n--b2--\n\n--b0--\n"


@for_each(
    itertools.product(
        itertools.product([False, True], repeat=5),
        ["", "http://embedded/d/"],
        ["message/rfc822", "message/global", "message/news"],
    )
)
def test_the_innermost_base_has_precedence(present, embedded, message):
    bases = [f"http://h{level}/d/" if stated else "" for level, stated in enumerate(present)]
    element = f"<base href={embedded}>" if embedded else ""
    base = page(nested(bases, f"{element}<a href=x>", message)).base
    assert base.url == next(url for url in (embedded, *reversed(bases), RETRIEVED) if url)
    outer = Layer.ENCAPSULATING if any(present) else Layer.RETRIEVAL
    assert base.layer is (Layer.EMBEDDED if embedded else outer)
