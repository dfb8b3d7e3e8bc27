"""LF102 to LF104: fragments that the target does not have."""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import FragmentStatus, Issue, MissingFragment, fragment_rule
from linkfix.audit.suggestions import reference_to


@fragment_rule("LF102", Level.ERROR, cause_kind="fragment")
def missing_fragment(missing: MissingFragment) -> Issue | None:
    """The file exists, but no element in it has the ID after "#".

    Browsers search for an element with that `id`, as written and then percent-decoded, and for an `a` element with that
    `name` (HTML §7.4.6.3). "" and "top" mean the top of the page. If there is no such element, browsers show the top of
    the page. The audit supports ranges of lines (`#12-34`: both ends must exist), text fragments (`#:~:text=`) and
    pages whose redirect keeps the fragment.

    Fails::

        <a href="other.html#nowhere">nowhere</a>

    Fails::

        <p id="here"></p> <a href="#Here">names are case-sensitive</a>

    Fails::

        <template><p id="inside"></p></template> <a href="#inside">content of a template is not in the page</a>

    Passes::

        <a href="other.html#chapter">there</a> <a href="#top">top</a> <a href="#">top</a>

    Passes::

        <a href="listing.html#3-7">lines 3 to 7</a> <a href="moved.html#chapter">a redirect that keeps it</a>

    Passes::

        <a href="other.html#Gru%C3%9F">percent-encoded</a> <a href="other.html#:~:text=chapter">text</a>
    """
    if missing.status is not FragmentStatus.MISSING:
        return None
    hint = None
    if missing.suggestion is not None:
        name, is_certain = missing.suggestion
        certain = is_certain and not missing.redirected_to
        hint = Hint(f"did you mean #{name}?", missing.with_fragment(name), certain)
    where = "the page" if missing.is_same_page else missing.file
    if missing.redirected_to:
        where = f"{missing.redirected_to}, to which {missing.file} redirects,"
    return Issue(f"no element of {where} has this ID", hint, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF103", Level.WARNING, cause_kind="fragment")
def dropped_fragment(missing: MissingFragment) -> Issue | None:
    """The page redirects and drops the fragment.

    The new page has the ID, but the refresh loads the URL without the fragment, so browsers show the top of the page.
    Link to the new page instead.

    Fails::

        <a href="gone-on.html#chapter">a refresh alone</a>

    Passes::

        <a href="moved.html#chapter">its script keeps the fragment</a> <a href="gone-on.html">no fragment</a>
    """
    if missing.status is not FragmentStatus.DROPPED:
        return None
    hint = Hint(f"{missing.redirected_to} has this ID", reference_to(missing.audited, missing.redirected_to))
    return Issue(f"the redirect of {missing.file} drops the fragment", hint, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF104", Level.NOTE, cause_kind="fragment")
def scripted_fragment(missing: MissingFragment) -> Issue | None:
    """Only a script of the page can find the fragment.

    No element has the ID, but a script may handle it. A script in the page contains the ID, or reads the fragment and
    redirects. A script of the site that the page loads sets the ID of an element. Or the fragment is a route, as in
    `#/guide`, and a script reads fragments. Without scripts, browsers show the top of the page.

    Fails::

        <a href="#old">kept for old links</a>
        <script>const to = {"#old": "other.html"}[location.hash]; if (to) location = to;</script>

    Fails::

        <a href="#/guide">a route</a> <script>addEventListener("hashchange", show)</script>

    Passes::

        <a href="#new" id="new">there without scripts</a> <script>const names = ["#new"];</script>
    """
    if missing.status is not FragmentStatus.SCRIPTED:
        return None
    where = "the page" if missing.is_same_page else missing.file
    script = f"{missing.script}, a script of {where}," if missing.script else f"a script of {where}"
    return Issue(f"no element has this ID, but {script} may handle it", cause=f"{missing.file}#{missing.fragment}")
