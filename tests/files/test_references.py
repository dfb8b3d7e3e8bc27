from __future__ import annotations

import pytest

from linkfix.files import FileReference, readings, resolve_reference


@pytest.mark.parametrize(
    ("reference", "folder", "expected"),
    [
        ("a.html", "", FileReference("a.html", None, "")),
        ("a.html", "docs", FileReference("docs/a.html", None, "")),
        ("a.html", "docs/", FileReference("docs/a.html", None, "")),
        ("./../a.html", "docs/x/", FileReference("docs/a.html", None, "")),
        ("..\\a.html", "docs", FileReference("a.html", None, "")),
        ("b//a.html", "docs//x", FileReference("docs/x/b/a.html", None, "")),
        ("a.html?", "", FileReference("a.html", "", "")),
        ("a.html?x/../y#z?", "", FileReference("a.html", "x/../y", "#z?")),
        ("%61%20%C3%BC%ff.html", "50%25", FileReference("50%25/a ü\udcff.html", None, "")),
        ("%2e%2e/a.html", "docs", FileReference("a.html", None, "")),
        ("a.html", "docs/../x", FileReference("x/a.html", None, "")),
    ],
)
def test_the_file_that_a_reference_names(reference, folder, expected):
    assert resolve_reference(reference, folder) == expected


@pytest.mark.parametrize(
    "reference", ["", "#x", "?q", "/a", "\\a", "//h/a", "a/", "..", "../../a", "a%00", "x" * 5000, "%2e%2e/../a"]
)
def test_other_references_name_no_file(reference):
    assert resolve_reference(reference, "docs") is None
    assert resolve_reference(".", "") is None


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ("a b/c.png", ["d/a b/c.png"]),
        ("a%20b/c.png", ["d/a b/c.png", "d/a%20b/c.png"]),
        ("100% of it/c.png", ["d/100% of it/c.png"]),
        ("C# in depth/c.png", ["d/C", "d/C# in depth/c.png"]),
        ("c.png?v=1", ["d/c.png"]),
        ("a%20b?v=/c.png", ["d/a b"]),
        ("../../x%", []),
        ("/c%.png", []),
        ("c%00.png", ["d/c%00.png"]),
        ("", []),
    ],
)
def test_a_name_may_be_written_unchanged(reference, names):
    assert readings(reference, "d") == names
