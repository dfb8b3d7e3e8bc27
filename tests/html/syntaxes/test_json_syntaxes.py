"""The syntaxes that are written in JSON: which of its strings are references."""

from __future__ import annotations

import json

import pytest

from linkfix.html.syntaxes import SYNTAXES


def references(syntax, text):
    found = SYNTAXES[syntax](text)
    assert all(json.loads(f'"{text[one.start : one.end]}"') == one.reference for one in found)
    assert {one.kind for one in found} <= {"url", "specifier", "scope"}
    return [one.reference for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"imports":{"a":"./b.js","c/":"/d/","e":"../f","g":"https://x/h","i":"bare","j":null,"k":[]}}',
         ["./b.js", "/d/", "../f", "https://x/h"]),
        ('{"imports":{"./a.js":"/b.js","http://x/c":"bare","a/./b":"x:y"}}', ["./a.js", "/b.js", "http://x/c", "x:y"]),
        ('{"imports":{"a":".b","c":"..","d":"","e":" ./f","g":" H:","h":"1:2","i":"../"}}', [" H:", "../"]),
        ('{"scopes":{"a/":{"b":"./c","d":"e"},"":{},"/f":[1,"./g"]}}', ["a/", "./c", "", "/f"]),
        ('{"integrity":{"./a.js":"./sha","b":"/c","/d.js":1}}', ["./a.js", "/d.js"]),
        ('{"imports":"./a","scopes":["./b"],"integrity":null,"other":{"c":"./d"}}', []),
        ('{"scopes":{},"imports":{"b":"./a"}}', ["./a"]),
        ('{"imports":{"a":"./b","a":"./c"}}', ["./b", "./c"]),
        ('{"imports":{"./a":"./b","./a":"./c"}}', ["./a", "./b", "./a", "./c"]),
        ('{"scopes":{"d/":{"a":"./b"},"d/":{"a":"./c"}}}', ["d/", "./b", "d/", "./c"]),
        ('{"integrity":{"./a":"b","./a":"c","./a":1}}', ["./a", "./a", "./a"]),
        ('{"imports":{"a":"./b"},"imports":{"c":"./d"}}', ["./d"]),
        ('{"imports":{"a":"\\u002e\\/b"}}', ["./b"]),
        ('["./a"]', []),
        ('"./a"', []),
    ],
)  # fmt: skip
def test_import_maps(text, expected):
    assert references("importmap", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"prefetch":[{"urls":["a","b"]},{"source":"list","urls":["c"]}],"prerender":[{"urls":["d"]}]}', list("abcd")),
        ('{"prerender_until_script":[{"urls":["a"],"relative_to":"document","eagerness":"eager"}]}', ["a"]),
        ('{"prefetch":[{"source":"document","urls":["a"]},{"source":1,"urls":["b"]},{"where":{},"urls":["c"]}]}', []),
        ('{"prefetch":[{"where":{"and":[{"href_matches":"/*"},{"not":{"href_matches":["/a"]}}]}}]}', []),
        ('{"prefetch":[{"urls":["a",1,null,["b"],{"c":"d"},"e"]},"f",{"urls":{"g":"h"}},["i"]]}', ["a", "e"]),
        ('{"prefetch":{"urls":["a"]},"other":[{"urls":["b"]}],"tag":"c"}', []),
        ('[{"urls":["a"]}]', []),
        ('{"prefetch":[{"urls":["a"]}],"prefetch":[{"urls":["b"],"urls":["c"]}]}', ["c"]),
    ],
)
def test_speculation_rules(text, expected):
    assert references("speculationrules", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"@context":"https://x/","@id":"#a","@type":"Thing","name":"b","url":"c"}', ["https://x/", "#a", "c"]),
        ('{"@context":["d.jsonld",{"e":"f","g":{"@id":"h"}}],"@graph":[{"@id":"i"},{"image":["j",{"url":"k"},1]}]}',
         ["d.jsonld", "i", "j", "k"]),
        ('[{"logo":{"@type":"ImageObject","contentUrl":"a"}},[{"sameAs":["b","c"]}]]', ["a", "b", "c"]),
        ('{"itemListElement":[{"item":"a"},{"item":{"@id":"b","name":"c"}}],"mainEntityOfPage":true}', ["a", "b"]),
        ('{"@id":"_:b0","sameAs":["_:b1","a"]}', ["a"]),
        ('{"potentialAction":{"target":"/s?q={q}","url":"/t"},"target":{"urlTemplate":"/u"}}', ["/t"]),
        ('{"a":{"@context":{"@base":"http://x/"},"@id":"b","c":{"url":"d"}},"url":"e"}', ["e"]),
        ('{"@context":["http://y/",{"@base":null}],"url":"a"}', []),
        ('{"url":"a","url":"b"}', ["b"]),
        ('{"url":[["a"]],"Url":"b","URL":"c"}', []),
        ('"a"', []),
        ("null", []),
    ],
)  # fmt: skip
def test_json_ld(text, expected):
    assert references("json-ld", text) == expected
