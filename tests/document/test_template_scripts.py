"""On request: the HTML in scripts of template libraries, and the parameters of plug-ins."""

from __future__ import annotations

import pytest

import linkfix

URL = "https://h.example/d/"
TEMPLATE = '<script type="{}" id=t><base href="/no/"><a href="{}">x</a><img src={}></script><a href="{}">'


@pytest.mark.parametrize("type_", ["text/html", "text/x-template", "TEXT/X-Handlebars-Template", "text/ng-template"])
def test_html_in_a_script(type_):
    html = TEMPLATE.format(type_, "a?x&amp;y", "b.png", "c")
    made = TEMPLATE.format(type_, f"{URL}a?x&amp;y", f"{URL}b.png", f"{URL}c")
    assert linkfix.absolutize(html, URL, templates=True) == made
    assert linkfix.absolutize(html, URL) == TEMPLATE.format(type_, "a?x&amp;y", "b.png", f"{URL}c")
    assert [link.reference for link in linkfix.links(html, URL, templates=True)] == ["/no/", "a?x&y", "b.png", "c"]


@pytest.mark.parametrize("type_", ["", "text/javascript", "module", "application/json", "text/plain"])
def test_other_scripts_stay(type_):
    html = TEMPLATE.format(type_, "a", "b", "https://x.example/")
    assert linkfix.absolutize(html, URL, templates=True) == html


def test_placeholders_in_a_template_stay():
    html = (
        '<script type="text/template"><a href="{{ url }}/x">y</a><a href="<%= url %>">z</a><a href="a">w</a></script>'
    )
    assert linkfix.absolutize(html, URL, templates=True) == html.replace('"a"', f'"{URL}a"')


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16le", "shift_jis"])
def test_encodings(encoding):
    html = '<p>§</p><script type="text/html"><a href="a">x</a></script>'.encode(encoding)
    made = linkfix.absolutize(html, URL, charset=encoding, templates=True)
    assert made == html.replace('"a"'.encode(encoding), f'"{URL}a"'.encode(encoding))


def test_parameters_of_plug_ins():
    html = (
        '<object><param name="Movie" value="m.swf"><param name="quality" value="high"><param name=src value=a></object>'
    )
    made = html.replace("m.swf", f"{URL}m.swf").replace("value=a>", f"value={URL}a>")
    assert linkfix.absolutize(html, URL, object_params=True) == made
    assert linkfix.absolutize(html, URL) == html


@pytest.mark.parametrize("base_element", ["keep", "drop-href", "empty", "remove", "ignore"])
def test_a_base_in_a_template_stays(base_element):
    html = '<script type="text/html"><base href="/no/"><a href=a></script>'
    made = linkfix.absolutize(html, URL, templates=True, base_element=base_element)
    assert made == html.replace("href=a", f"href={linkfix.resolve(URL, 'a')}")
