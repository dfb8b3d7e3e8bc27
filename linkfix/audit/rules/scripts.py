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
    """A module of the page imports a name that the page's import map does not have.

    The name is no URL (it begins with none of `/`, `./` and `../`), and the import map has no entry for it, or one
    without an address: browsers throw a TypeError, and nothing of the script runs (HTML §8.1.6.2, "resolve a module
    specifier"). Modules in the page are meant, and those in files that it loads. Names in others are only counted; so
    are those of `import("…")`, which may be for other programs, such as Node.js.

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
    hint = Hint('begin it with "./" if it is a file, or add it to the import map')
    return Issue("the import map has no address for this name: browsers do not run the script", hint)


def _is_dynamic(audited: AuditedLink) -> bool:
    """Whether a module is the argument of `import()`."""
    data, start = audited.page.document.source.data, audited.link.start
    return _ARGUMENT.search(data[max(start - _LOOK_BACK, 0) : start]) is not None


@link_rule("LF113", Level.NOTE, concerns=lambda link: link.syntax in SOURCE_MAP_SYNTAXES)
def missing_source_map(audited: AuditedLink) -> Issue | None:
    """The source map of a script or style sheet is not in the tree.

    The file ends with a `sourceMappingURL` comment. Browsers ask for the map only when the developer tools are open: a
    reader notices nothing, and server logs have a 404.

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
    return Issue("the source map is not in the tree", cause="source maps")
