from __future__ import annotations

import pytest
from support.growth import processor_limit

import linkfix
from linkfix import Document, Options

URL = "https://h/d/p"
XHTML = "application/xhtml+xml"
SVG = "image/svg+xml"


def svg(content, *, attributes="", before=""):
    return f'{before}<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{content}</svg>'


def html(content, before=""):
    return f'{before}<html xmlns="http://www.w3.org/1999/xhtml">{content}</html>'


def converted(data, media_type=SVG, **options):
    return linkfix.absolutize(data, URL, media_type=media_type, **options)


def targets(data, media_type=SVG, **options):
    links = linkfix.links(data, URL, media_type=media_type, **options)
    return [(link.element, link.attribute, link.target) for link in links]


def doctype(subset, name="svg", external=""):
    return f"<!DOCTYPE {name} {external} [{subset}]>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<a href="x"/>', '<a href="https://h/d/x"/>'),
        ("<a\n href = 'x'/>", "<a\n href = 'https://h/d/x'/>"),
        ("<a href='x'>&lt;</a>", "<a href='https://h/d/x'>&lt;</a>"),
        # XML's case
        ('<a HREF="x"/>', None),
        ('<A href="x"/>', None),
        # ">" in values, and texts that look like attributes there
        ("<img alt=\"> src='y'\" src='x'/>", "<img alt=\"> src='y'\" src='https://h/d/x'/>"),
        ("<a title='href=\"y\"' href='x'/>", "<a title='href=\"y\"' href='https://h/d/x'/>"),
        (
            '<a xmlns:href="x" xmlns:x="y" x:href="z" href="w"/>',
            '<a xmlns:href="x" xmlns:x="y" x:href="z" href="https://h/d/w"/>',
        ),
        # CDATA sections, comments and processing instructions are no markup
        ('<![CDATA[<a href="x"/>]]>', None),
        ('<!--<a href="x"/>--><?a <a href="x"/>?>', None),
        ("<style>a{b:url(x)}</style>", "<style>a{b:url(https://h/d/x)}</style>"),
        ("<style><![CDATA[a{b:url(x?y&z)}]]></style>", "<style><![CDATA[a{b:url(https://h/d/x?y&z)}]]></style>"),
        ("<style>a{b:url(x?y&amp;z)}</style>", "<style>a{b:url(https://h/d/x?y&amp;z)}</style>"),
        (
            "<style>/*<![CDATA[*/@import 'x';/*]]>*/</style>",
            "<style>/*<![CDATA[*/@import 'https://h/d/x';/*]]>*/</style>",
        ),
        (
            "<style>a{b:url(x)}<!-- c{d:url(y)} --></style>",
            "<style>a{b:url(https://h/d/x)}<!-- c{d:url(y)} --></style>",
        ),
        ("<style/>url(x)<b/>", None),
        # raw text elements of HTML are elements like others
        ('<title><a href="x"/></title>', '<title><a href="https://h/d/x"/></title>'),
        ('<script><a href="x"/></script>', '<script><a href="https://h/d/x"/></script>'),
        (
            '<meta http-equiv="Refresh" content="5;url=x"/>',
            '<meta http-equiv="Refresh" content="5;url=https://h/d/x"/>',
        ),
        # escaping
        ("<a href='x&amp;y&#32;&apos;z'/>", "<a href='https://h/d/x&amp;y%20&#39;z'/>"),
        # text goes to the next tag, so that no two references overlap
        (
            '<style>a{b:url(x)}<i style="c:url(y)"/>d{e:url(z)}</style>',
            '<style>a{b:url(https://h/d/x)}<i style="c:url(https://h/d/y)"/>d{e:url(z)}</style>',
        ),
        # other vocabularies
        ('<a xmlns="" href="x"/><a xmlns="urn:x" href="x"/>', None),
        (
            '<h:a xmlns:h="http://www.w3.org/1999/xhtml" href="x"/>',
            '<h:a xmlns:h="http://www.w3.org/1999/xhtml" href="https://h/d/x"/>',
        ),
        (
            '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi href="x"/></math>',
            '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi href="https://h/d/x"/></math>',
        ),
    ],
)
def test_xhtml(content, expected):
    assert converted(html(content), XHTML) == html(expected if expected is not None else content)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<a href="x"/><use href="#y"/>', '<a href="https://h/d/x"/><use href="#y"/>'),
        ('<linearGradient href="x#y"/>', '<linearGradient href="https://h/d/x#y"/>'),
        ('<image x:href="a.png"/>', '<image x:href="https://h/d/a.png"/>'),
        ('<image xlink:href="a.png"/>', None),
        ('<rect style="fill:url(x)" fill="url(#y)"/>', '<rect style="fill:url(https://h/d/x)" fill="url(#y)"/>'),
        (
            "<style><![CDATA[a{b:url(x)}]]>c{d:url(y)}</style>",
            "<style><![CDATA[a{b:url(https://h/d/x)}]]>c{d:url(https://h/d/y)}</style>",
        ),
        (
            '<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="x"/></foreignObject>',
            '<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="https://h/d/x"/></foreignObject>',
        ),
    ],
)
def test_svg(content, expected):
    """The prefix of XLink is the document's own; here `xlink` means something else."""
    names = 'xmlns:x="http://www.w3.org/1999/xlink" xmlns:xlink="urn:other"'
    assert converted(svg(content, attributes=names)) == svg(
        expected if expected is not None else content, attributes=names
    )


def test_svg_without_its_namespace_is_no_svg():
    data = '<svg><a href="x"/></svg>'
    assert converted(data) == data
    assert targets(data) == []


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ('<?xml-stylesheet href="x"?>', '<?xml-stylesheet href="https://h/d/x"?>'),
        (
            "<?xml-stylesheet type='text/css'\n href = 'x?a&amp;b' ?>",
            "<?xml-stylesheet type='text/css'\n href = 'https://h/d/x?a&amp;b' ?>",
        ),
        (
            '<?xml-stylesheet title=" href=\'y\'" href="x"?>',
            '<?xml-stylesheet title=" href=\'y\'" href="https://h/d/x"?>',
        ),
        ('<?xml-stylesheet href="#x"?>', None),
        ('<?xml-stylesheet hrefs="x"?>', None),
        ("<?xml-stylesheet href=x?>", None),
        ("<?xml-stylesheet?>", None),
        ('<?xml-stylesheet href="?>', None),
        ('<?xml-stylesheet href="x?><!-- " -->', None),
        ('<?other href="x"?>', None),
    ],
)
def test_style_sheet_instructions(instruction, expected):
    data = '<?xml version="1.0"?>\n' + instruction + svg("")
    assert converted(data) == data.replace(instruction, expected if expected is not None else instruction)


def test_style_sheet_instructions_stand_before_the_root():
    data = svg('<?xml-stylesheet href="x"?>')
    assert converted(data) == data


#: The specifications by which `xml:base` counts in SVG.
RFCS = ["fielding1994", "rfc1808", "rfc2396", "rfc3986"]


@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?><!-- x -->'])
@pytest.mark.parametrize("media_type", [SVG, "application/xml"])
def test_xml_base_in_svg_does_not_count_in_browsers(media_type, before):
    """SVG 2 dropped it. It stays as it is: for others that read it, the links are absolute."""
    nested = svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"><a href="3"/></p></foreignObject>')
    data = svg(
        f'<image href="1"/><g xml:base="a/"><a href="2"/>{nested}</g>', attributes='xml:base="/z/"', before=before
    )
    assert targets(data, media_type) == [
        ("image", "href", "https://h/d/1"),
        ("a", "href", "https://h/d/2"),
        ("a", "href", "https://h/d/3"),
    ]
    new = converted(data, media_type)
    assert new == data.replace('"1"', '"https://h/d/1"', 1).replace('"2"', '"https://h/d/2"').replace(
        '"3"', '"https://h/d/3"'
    ).replace('version="https://h/d/1"', 'version="1.0"')
    assert converted(new, media_type) == new


@pytest.mark.parametrize("spec", RFCS)
def test_xml_base_in_svg_counts_by_the_rfcs(spec):
    data = svg('<image href="1"/>', attributes='xml:base="https://o/z/"')
    assert targets(data, spec=spec) == [("svg", "xml:base", "https://o/z/"), ("image", "href", "https://o/z/1")]


def test_xml_base_of_svg_in_xhtml_counts_still():
    data = html(svg('<image href="1"/>', attributes='xml:base="z/"'))
    assert targets(data, XHTML) == [("svg", "xml:base", "https://h/d/z/"), ("image", "href", "https://h/d/z/1")]


def test_xml_base_of_svg_in_a_feed_counts_still():
    content = svg('<image href="1"/>', attributes='xml:base="z/"')
    entry = f'<entry><content type="image/svg+xml">{content}</content></entry>'
    data = f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
    assert ("image", "href", "https://h/d/z/1") in targets(data, "application/atom+xml")


def test_xml_base():
    data = svg(
        '<image href="1"/><g xml:base="a/"><image href="2"/><g xml:base="/b/"><image href="3"/></g>'
        '<image href="4"/></g><image href="5"/>',
        attributes='xml:base="c/"',
    )
    assert [target for element, _, target in targets(data, spec="rfc3986") if element == "image"] == [
        "https://h/d/c/1",
        "https://h/d/c/a/2",
        "https://h/b/3",
        "https://h/d/c/a/4",
        "https://h/d/c/5",
    ]
    once = converted(data, spec="rfc3986")
    assert once == svg(
        '<image href="https://h/d/c/1"/><g xml:base="https://h/d/c/a/"><image href="https://h/d/c/a/2"/>'
        '<g xml:base="https://h/b/"><image href="https://h/b/3"/></g><image href="https://h/d/c/a/4"/></g>'
        '<image href="https://h/d/c/5"/>',
        attributes='xml:base="https://h/d/c/"',
    )
    assert converted(once, spec="rfc3986") == once


def test_xml_base_counts_for_the_attributes_before_it():
    data = svg('<image href="x" id="&e;" xml:base="&e;/" fill="url(y)"/>', before=doctype("<!ENTITY e 'a'>"))
    expected = data.replace('"x"', '"https://h/d/a/x"').replace('"&e;/"', '"https://h/d/a/"')
    assert converted(data, spec="rfc3986") == expected.replace("(y)", "(https://h/d/a/y)")


def test_xml_base_is_for_svg_alone():
    data = html('<p xml:base="a/"><a href="x"/></p>')
    assert converted(data, XHTML) == data.replace('href="x"', 'href="https://h/d/x"')


@pytest.mark.growth
def test_deeply_nested_xml_bases_are_skipped():
    data = svg('<g xml:base="a/">' * 3000 + '<image href="x"/>' + "</g>" * 3000)
    with processor_limit(10):
        found = targets(data, spec="rfc3986")
    assert targets(data) == [("image", "href", "https://h/d/x")]
    assert 64 <= len(found) < 70
    assert {attribute for _, attribute, _ in found} == {"xml:base"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<a href="&dir;/x"/>', '<a href="https://h/d/up/x"/>'),
        ('<a href="y" id="&dir;"/>', '<a href="https://h/d/y" id="&dir;"/>'),
        # the rest of a value is written with its only reference
        ('<rect style="fill:url(&dir;/x) red"/>', '<rect style="fill:url(https://h/d/up/x) red"/>'),
        ('<rect style="fill:url(&dir;/x),url(y)"/>', None),
        # an entity's text stands in the document type
        ("<style>a{b:url(&dir;/x)}</style>", None),
        ("&link;", None),
        ('&link;<a id="z" href="x"/>', '&link;<a id="z" href="https://h/d/x"/>'),
    ],
)
def test_entities_of_the_document(content, expected):
    before = doctype("<!ENTITY dir 'up'><!ENTITY link '<a href=\"w\">v</a>'><!ENTITY % p 'q'>")
    assert converted(svg(content, before=before)) == svg(expected if expected is not None else content, before=before)


@pytest.mark.parametrize("public", ["-//W3C//DTD XHTML 1.0 Strict//EN", "-//W3C//DTD XHTML 1.1//EN"])
def test_xhtml_entities_are_known_by_the_public_identifier(public):
    before = f'<!DOCTYPE html PUBLIC "{public}" "about:blank">'
    data = html('&nbsp;<a href="x&eacute;&amp;y&lt;"/>&hellip;<a href="z"/>', before)
    expected = html('&nbsp;<a href="https://h/d/x%C3%A9&amp;y%3C"/>&hellip;<a href="https://h/d/z"/>', before)
    assert problems(data, XHTML) == []
    assert converted(data, XHTML) == expected


def problems(data, media_type=SVG):
    document = Document(data, url=URL, media_type=media_type)
    return [(problem.code, problem.start) for problem in document.problems]


@pytest.mark.parametrize(
    "error",
    [
        '<a href="y"></b>',
        "<a href=y/>",
        "<a href='y'",
        '<a b="1" b="2"/>',
        "&nbsp;",
        '<x:a href="y"/>',
        '<a href="&y;"/>',
        "\x01",
        "]]>",
    ],
)
def test_text_after_an_error_is_skipped(error):
    """References before the error are converted, since browsers show that part."""
    data = svg('<a href="x"/>' + error + '<a href="z"/>')
    assert converted(data) in {
        data.replace('href="x"', 'href="https://h/d/x"'),
        data.replace('"x"', '"https://h/d/x"').replace('"y"', '"https://h/d/y"'),
    }
    [(code, start)] = problems(data)
    assert code == "xml-not-well-formed"
    assert data.index(error) <= start <= data.index(error) + len(error) + len('<a href="z"/></svg>')


@pytest.mark.parametrize("data", [" ", "x", "<", "<svg", "<svg/><svg/>", "\ufffe", "<?xml version='1.0'?>", "é"])
def test_data_that_is_no_document(data):
    assert converted(data) == data
    assert [code for code, _ in problems(data)] == ["xml-not-well-formed"]


def test_an_entity_that_may_be_declared_elsewhere_ends_the_reading():
    before = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    data = svg('<a href="x"/><a href="&y;/z"/><a href="w"/>', before=before)
    assert converted(data) == data.replace('"x"', '"https://h/d/x"')
    assert problems(data) == [("xml-not-well-formed", data.index("&y"))]


def test_nothing_outside_the_document_is_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("<!ENTITY x 'stolen'>", "utf-8")
    for external, subset in (
        (f'SYSTEM "{secret.as_uri()}"', ""),
        ("", f'<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;'),
        ("", f'<!ENTITY x SYSTEM "{secret.as_uri()}">'),
    ):
        data = svg('<a href="&x;"/><a href="y"/>', before=doctype(subset, external=external))
        assert converted(data) == data
        assert [code for code, _ in problems(data)] == ["xml-not-well-formed"]
    data = svg('&x;<a href="y"/>', before=doctype(f'<!ENTITY x SYSTEM "{secret.as_uri()}">'))
    assert converted(data) == data.replace('"y"', '"https://h/d/y"')


LAUGHS = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
CHAIN = "".join(f'<!ENTITY l{n} "&l{n + 1};">' for n in range(100_000)) + '<!ENTITY l100000 "ha">'
PARAMETERS = "".join(f"<!ENTITY % p{n} '&#37;p{n + 1};'>" for n in range(100_000)) + "%p0;"


@pytest.mark.growth
@pytest.mark.parametrize(
    ("subset", "content"),
    [(LAUGHS, "&l9;"), (LAUGHS, '<a href="&l9;"/>'), (CHAIN, "&l0;"), (CHAIN, '<a href="&l0;"/>'), (PARAMETERS, "")],
    ids=["laughs", "laughs in a value", "chain", "chain in a value", "parameters"],
)
def test_entities_that_explode(subset, content):
    """Neither the memory nor the stack of expat may follow them."""
    data = svg(content, before=doctype(subset))
    with processor_limit(20):
        assert [code for code, _ in problems(data)] == ["xml-not-well-formed"]


@pytest.mark.growth
@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("<g>" * 300_000 + "</g>" * 300_000, 0),
        ("<style>" * 50_000 + "url(x)" + "</style>" * 50_000, 1),
        ("<" + "n" * 500_000 + ' id="x"/>', 0),
        ("<g " + " ".join(f'a{n}=""' for n in range(100_000)) + ' style="a:url(b)"/>', 1),
        ("<html xmlns='http://www.w3.org/1999/xhtml' " + " ".join(f'a{n}=""' for n in range(100_000)) + "/>", 0),
        ('<g style="' + "x" * 1_000_000 + '"/>', 0),
        ("<style>" + "<![CDATA[x]]>" * 100_000 + "</style>", 0),
    ],
    ids=[
        "deep",
        "nested styles",
        "a long name",
        "many attributes",
        "many attributes of html",
        "a long value",
        "many sections",
    ],
)
def test_hostile_documents_take_linear_time(content, count):
    with processor_limit(20):
        assert len(targets(svg(content))) == count


@pytest.mark.growth
@pytest.mark.parametrize(
    ("declared", "content"),
    [
        ('x{} CDATA "y"', "<a/>" * 100_000),
        ('xmlns:x{} CDATA "y"', "<a/>" * 100_000),
        ('x{} CDATA "y"', "&e;" * 1_000),
        ("x{} CDATA #IMPLIED", ""),
        ("x{} ID #IMPLIED", ""),
    ],
    ids=["defaults", "namespaces", "in an entity", "implied", "IDs"],
)
@pytest.mark.parametrize("number", [1000, 30_000])
def test_attributes_that_a_dtd_declares_take_linear_time(declared, content, number):
    attributes = " ".join(declared.format(each) for each in range(number))
    entity = "<!ENTITY e '" + "<a/>" * 100 + "'>"
    data = svg(content, before=doctype(f"<!ATTLIST a {attributes}>{entity}"))
    with processor_limit(2):
        problems(data)


def test_declared_attributes_have_a_limit():
    few = "".join(f"<!ATTLIST a{number} x CDATA 'y' z CDATA #IMPLIED>" for number in range(2_000))
    few += "<!ATTLIST a " + " ".join(f"x{number} CDATA 'y'" for number in range(1000)) + ">"
    data = svg("<a href='b'/>" * 900, before=doctype(few))
    assert (len(targets(data)), problems(data)) == (900, [])
    many = "<!ATTLIST a " + " ".join(f"x{number} CDATA 'y'" for number in range(1001)) + ">"
    for data, detail in (
        (svg("<a href='b'/>", before=doctype(many)), "more than 1,000 attributes of an element"),
        (svg("<a href='b'/>" * 5000, before=doctype(few)), "too many attributes for the number of its elements"),
    ):
        (found,) = Document(data, url=URL, media_type=SVG).problems
        assert found.code == "xml-not-well-formed"
        assert found.message.endswith(f"its DTD declares {detail}")


def test_bases():
    data = html('<head><template><base href="no/"/></template><base href="a/"/></head><a href="x"/>')
    assert Document(data, url=URL, media_type=XHTML).base.url == "https://h/d/a/"
    assert converted(data, XHTML) == data.replace('"a/"', '"https://h/d/a/"').replace('"x"', '"https://h/d/a/x"')
    assert "in a template" in str(linkfix.base_url(data, URL, media_type=XHTML))
    assert linkfix.base_url(svg('<base href="a/"/>'), URL, media_type=SVG).url == URL


@pytest.mark.parametrize("encoding", ["windows-1251", "utf-16-le", "utf-16-be", "utf-8", "koi8-r"])
@pytest.mark.parametrize("mark", [True, False])
def test_encodings(encoding, mark):
    name = "utf-16" if encoding.startswith("utf-16") else encoding
    declaration = f'<?xml version="1.0" encoding="{name}"?>\r\n'
    text = declaration + svg('<text>Ж</text>\r\n<a title="Ж" href="Ж/x"/><style>/*Ж*/a{b:url(y)}</style>')
    bom = "\ufeff".encode(encoding) if mark and encoding.startswith("utf") else b""
    data = bom + text.encode(encoding)
    expected = text.replace("Ж/x", "https://h/d/%D0%96/x").replace("(y)", "(https://h/d/y)")
    assert converted(data) == bom + expected.encode(encoding)
    for link, reference in zip(linkfix.links(data, URL, media_type=SVG), ("Ж/x", "y"), strict=True):
        assert data[link.start : link.end].decode(encoding) == reference
    assert problems(data) == []


@pytest.mark.parametrize("encoding", ["windows-1252", "shift_jis"])
def test_an_error_after_characters_of_several_bytes(encoding):
    data = f'<?xml version="1.0" encoding="{encoding}"?><svg>'.encode() + b"\x00\x83\x5c"
    [problem] = Document(data, media_type=SVG).problems
    assert (problem.code, problem.line) == ("xml-not-well-formed", 1)


def test_references_to_the_root_and_fragments():
    data = html('<a href="#x"/><a href=""/><a href="//o/x"/>')
    assert converted(data, XHTML) == data.replace('"//o/x"', '"https://o/x"')
    assert 'href="https://h/d/p#x"' in converted(data, XHTML, fragments="absolutize")


def test_a_base_is_inserted_in_no_xml():
    data = html('<head/><a href="x"/>')
    found = Document(data, url=URL, media_type=XHTML, options=Options(base_element="insert")).absolutize()
    assert found == data.replace('"x"', '"https://h/d/x"')
