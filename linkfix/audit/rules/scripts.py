"""LF112 and LF113: modules that a page imports, and the source maps of scripts and style sheets."""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import AuditedLink, Issue, link_rule
from linkfix.audit.site import DestinationKind
from linkfix.html.vocabulary import SOURCE_MAP_SYNTAXES
from linkfix.lazy import lazy_pattern

#: The text before the argument of `import()`, and the number of bytes to search for it.
_ARGUMENT = lazy_pattern(rb"\bimport[^\"'`();]*\((?:\s|/\*[^*]*\*/)*+[\"'`]\Z")
_LOOK_BACK = 256


@link_rule("LF112", Level.ERROR, concerns=lambda link: link.role == "module")
def unmapped_module(audited: AuditedLink) -> Issue | None:
    """A module of the page imports a name that the page's import map does not contain.

    The name is not a URL (it does not begin with `/`, `./` or `../`), and the import map has no entry with an address
    for it. Browsers throw a TypeError and do not run the script (HTML §8.1.6.2, "resolve a module specifier"). The rule
    checks modules in the page and in files that the page loads. Names in other files are only counted, and so are names
    in `import("…")`, which may be for other programs, such as Node.js.

    Fails::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">import "ap";</script>

    Passes::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">import "app";</script>

    Passes::

        <script type="module">import "a-name-for-a-bundler";</script>

    Passes::

        <script type="importmap">{"imports": {"app": "./style.css"}}</script>
        <script type="module">if (typeof process == "object") await import("node:fs");</script>
    """
    link = audited.link
    if link.role != "module" or link.target is not None or link.problem is not None or _is_dynamic(audited):
        return None
    hint = Hint('if it is a file, write "./" before it; otherwise, add it to the import map')
    return Issue("the import map has no address for this name, so browsers do not run the script", hint)


def _is_dynamic(audited: AuditedLink) -> bool:
    """Whether a module is the argument of `import()`."""
    data, start = audited.page.document.source.data, audited.link.start
    return _ARGUMENT.search(data[max(start - _LOOK_BACK, 0) : start]) is not None


@link_rule("LF113", Level.NOTE, concerns=lambda link: link.syntax in SOURCE_MAP_SYNTAXES)
def missing_source_map(audited: AuditedLink) -> Issue | None:
    """The source map of a script or style sheet is missing.

    The file ends with a `sourceMappingURL` comment. Browsers request the map only when the developer tools are open, so
    readers notice nothing, but the server logs a 404.

    Fails, as docs/app.js::

        let a = 1;
        //# sourceMappingURL=app.js.map

    Fails, as docs/app.css::

        p { color: black }
        /*# sourceMappingURL=app.css.map */

    Passes, as docs/app.js::

        let a = 1;
    """
    if audited.link.syntax not in SOURCE_MAP_SYNTAXES or audited.destination.kind is not DestinationKind.MISSING:
        return None
    return Issue("the source map is missing", cause="source maps")
