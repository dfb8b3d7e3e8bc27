"""The base of a part by each specification, beside a table that was worked out from their texts."""

from __future__ import annotations

import io

import pytest
from support.each import for_each
from support.paths import TESTS

from linkfix import BaseSource, Document, Envelope, Layer, Options
from linkfix.containers import Limits, container
from linkfix.document import LAYERS
from linkfix.document.base import LayerRule
from linkfix.resolvers import RESOLVERS

mime = container("mime")

#: Source of a base -> its URL. "part.Base" is the field Base of the part.
URLS = {
    "BASE": "http://element.example/a/",
    "part.Content-Base": "http://part.example/content-base/",
    "part.Content-Location": "http://part.example/content-location/",
    "part.Base": "http://part.example/base/",
    "message.Content-Base": "http://message.example/content-base/",
    "message.Content-Location": "http://message.example/content-location/",
    "message.Base": "http://message.example/base/",
    "url": "http://retrieved.example/a/",
    "default": "http://default.example/a/",
    "thismessage:/": "thismessage:/",
    "(empty)": "",
    "-": None,
}


def rows():
    lines = (TESTS / "containers" / "layers.tsv").read_text("utf-8").splitlines()
    head, *others = (line.split("\t") for line in lines if not line.startswith("#"))
    for has, *expected in others:
        yield tuple(has.replace("-", "", has == "-").split()), dict(zip(head[1:], expected, strict=True))


ROWS = list(rows())


def message(has):
    """A message with one HTML part; both have the given fields, in alphabetical order."""

    def header(entity):
        fields = sorted(name.partition(".")[2] for name in has if name.startswith(f"{entity}."))
        return "".join(f"{name}: {URLS[f'{entity}.{name}']}\n" for name in fields)

    element = f'<base href="{URLS["BASE"]}">' if "BASE" in has else ""
    return (
        f"MIME-Version: 1.0\n{header('message')}Content-Type: multipart/related; boundary=x\n\n--x\n"
        f"{header('part')}Content-Type: text/html\n\n<head>{element}</head><a href=g>\n--x--\n"
    ).encode()


def bases(has):
    """The base by each specification."""
    around = Envelope(url=URLS["url"] if "url" in has else None, default=URLS["default"] if "default" in has else None)
    (part,) = mime.parts(io.BytesIO(message(has)), around, pytest.fail, Limits())
    return {spec: Document(part.data, envelope=part.envelope, spec=spec).base for spec in RESOLVERS}


def differences():
    """The rows of the table that are not so, with their specifications."""
    return [
        (has, spec) for has, expected in ROWS for spec, base in bases(has).items() if base.url != URLS[expected[spec]]
    ]


def test_the_table_has_every_combination():
    fields = [name for name in URLS if "." in name]
    with_fields = {has for has, _ in ROWS if "default" not in has}
    assert len(with_fields) == len([has for has, _ in ROWS if "default" not in has]) == 2 ** (len(fields) + 2)
    assert len(ROWS) - len(with_fields) == 4  # BASE and the retrieval URL beside a default
    assert all(list(expected) == list(RESOLVERS) for _, expected in ROWS)


@for_each(ROWS)
def test_the_source_of_the_base(has, expected):
    assert {spec: base.url for spec, base in bases(has).items()} == {
        spec: URLS[name] for spec, name in expected.items()
    }


@for_each(ROWS)
def test_all_combinations_are_tested(has, expected):
    """Each URL that there is decides, or is listed with the reason why not."""
    for spec, base in bases(has).items():
        urls = [base.url, *(candidate.reference for candidate in base.rejected)]
        missing = {URLS[name] for name in has} - set(urls)
        assert missing == set(), spec
        assert len(urls) == len(set(urls)), spec
        assert all(candidate.reason for candidate in base.rejected), spec
        assert expected[spec] in has or base.layer in {Layer.NONE, Layer.DEFAULT}, spec


BLINK = b"""MIME-Version: 1.0
Base: http://a.example/base/
Content-Type: multipart/related; boundary=x

--x
Content-Type: text/html
Content-Location: http://a.example/location/

<head>%s</head>%s<iframe src="cid:frame-1@mhtml.blink"></iframe>
--x
Content-Type: text/css
Content-Location: cid:css-1@mhtml.blink

a { background: url(g) }
--x
Content-Type: text/html
Content-ID: <frame-1@mhtml.blink>

<a href=g></a>
--x--
"""
RETRIEVED, BASE_FIELD, LOCATION = (
    f"http://{rest}" for rest in ("got.example/", "a.example/base/", "a.example/location/")
)


@for_each(
    [
        (b"", b"", (RETRIEVED, BASE_FIELD, LOCATION, LOCATION, LOCATION)),
        # Only the two later specifications let a BASE element's URL be relative.
        (b"<base href=sub/>", b"", (RETRIEVED, BASE_FIELD, LOCATION, f"{LOCATION}sub/", f"{LOCATION}sub/")),
        (b"<base href=http://b.example/>", b"", ("http://b.example/",) * 5),
        (b"", b"<p><base href=http://b.example/>", ("http://b.example/",) * 5),
    ]
)
def test_parts_that_blink_saves_without_a_url_have_the_base_of_their_document(head, body, expected):
    for spec, url in zip(RESOLVERS, expected, strict=True):
        options = Options(spec=spec)
        around = Envelope(url=RETRIEVED)
        found = mime.parts(io.BytesIO(BLINK % (head, body)), around, pytest.fail, Limits(options=options))
        documents = [Document(part.data, envelope=part.envelope, options=options) for part in found]
        assert [document.base.url for document in documents] == [url] * 3, spec
        assert [document.links[-1].target for document in documents[1:]] == [f"{url}g"] * 2, spec


def test_a_default_is_not_the_base_of_a_document_for_its_frames():
    data = BLINK.replace(b"Content-Location: http:", b"X: ").replace(b"Base: ", b"X: ") % (b"", b"")
    *_, frame = mime.parts(io.BytesIO(data), Envelope(), pytest.fail, Limits())
    assert Document(frame.data, envelope=frame.envelope).base.layer is Layer.DEFAULT


def changed_tables():
    """The table of layers with one source less, or two sources or layers in the other order."""
    for spec, rules in LAYERS.items():
        for layer, rule in rules.items():
            for number, source in enumerate(rule.sources):
                if layer is Layer.EMBEDDED or source in {BaseSource.ENCLOSING_DOCUMENT, BaseSource.FEED}:
                    continue  # document/test_layers.py and document/test_json_feed.py have these
                fewer = rule.sources[:number] + rule.sources[number + 1 :]
                yield f"{spec} without {source}", spec, {**rules, layer: rule._replace(sources=fewer)}
                swapped = (*rule.sources[:number], *reversed(rule.sources[number : number + 2]))
                swapped += rule.sources[number + 2 :]
                if swapped != rule.sources:
                    yield f"{spec} {source} later", spec, {**rules, layer: rule._replace(sources=swapped)}
        items = list(rules.items())
        for number in range(1, len(items) - 1):
            order = [*items[:number], items[number + 1], items[number], *items[number + 2 :]]
            yield f"{spec} {items[number][0]} later", spec, dict(order)
        for layer in (Layer.ENCAPSULATING, Layer.DEFAULT):
            if layer not in rules:
                added = {**rules, layer: LayerRule(LAYERS["rfc2396"][layer].sources, "added")}
                yield f"{spec} with {layer}", spec, added


@pytest.mark.parametrize(("spec", "rules"), [pytest.param(*one[1:], id=one[0]) for one in changed_tables()])
def test_every_entry_of_the_table_of_layers_matters(spec, rules, monkeypatch):
    monkeypatch.setitem(LAYERS, spec, rules)
    assert differences() != []
