from __future__ import annotations

import json

import pytest

from linkfix.html.syntaxes import SYNTAXES

find = SYNTAXES["webmanifest"]

MANIFEST = {
    "id": "not-a-reference",
    "name": "Example",
    "start_url": "start",
    "scope": "scope/",
    "icons": [{"src": "icon-1", "sizes": "any"}, {"src": "icon-2"}, {"sizes": "1x1"}, 5],
    "screenshots": [{"src": "screenshot", "url": "no"}],
    "shortcuts": [{"name": "x", "url": "shortcut", "icons": [{"src": "shortcut-icon"}]}],
    "related_applications": [{"platform": "play", "url": "https://play.example/", "id": "no"}],
    "share_target": {"action": "share", "params": {"url": "no"}},
    "file_handlers": [{"action": "open", "accept": {"text/csv": ["no"]}, "icons": [{"src": "file-icon"}]}],
    "protocol_handlers": [{"protocol": "web+x", "url": "handle?u=%s"}],
    "note_taking": {"new_note_url": "note"},
    "prefer_related_applications": False,
}


def test_every_member_that_has_a_url():
    roles = {found.reference: found.role for found in find(json.dumps(MANIFEST))}
    assert roles == {
        **dict.fromkeys(("start", "shortcut", "https://play.example/", "open", "note"), "hyperlink"),
        **dict.fromkeys(("icon-1", "icon-2", "screenshot", "shortcut-icon", "file-icon"), "resource"),
        "share": "form",
        "scope/": "identifier",
        "handle?u=%s": "identifier",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"start_url": "a", "start_url": "b"}', ["b"]),
        ('{"start_url": "a", "start_url": 5}', []),
        ('{"icons": {"src": "a"}, "start_url": ["b", {"x": "y"}], "shortcuts": "c", "screenshots": null}', ["a", "b"]),
        ('["start_url"]', []),
        ('{"start_url": "\\u002e\\/a"}', ["./a"]),
        ("{}", []),
    ],
)
def test_repeated_members_and_wrong_types(text, expected):
    assert [found.reference for found in find(text)] == expected


def test_no_json():
    assert [(found.kind, found.start, found.problem) for found in find('{"icons": [,]}')] == [
        ("fault", 11, "json-syntax")
    ]
