"""LF102 to LF104: fragments that the target does not have."""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import FragmentStatus, Issue, MissingFragment, fragment_rule
from linkfix.audit.suggestions import reference_to


@fragment_rule("LF102", Level.ERROR, cause_kind="fragment")
def missing_fragment(missing: MissingFragment) -> Issue | None:
    """The file exists, and no element in it has the ID after "#".

    Browsers look for an element with that `id`, as written and then percent-decoded, and for an `a` element with that
    `name` (HTML §7.4.6.3); "" and "top" mean the top of the page. Where nothing is found, the page is shown from its
    top. Ranges of lines (`#12-34`, both ends have to exist), text fragments (`#:~:text=`) and pages that redirect
    together with the fragment are understood.

    Fails::

        <a href="other.html#nowhere">nowhere</a>

    Fails::

        <p id="here"></p> <a href="#Here">names are case-sensitive</a>

    Fails::

        <template><p id="inside"></p></template> <a href="#inside">a template's content is not in the page</a>

    Passes::

        <a href="other.html#chapter">there</a> <a href="#top">top</a> <a href="#">top</a>

    Passes::

        <a href="listing.html#3-7">lines 3 to 7</a> <a href="moved.html#chapter">a redirect that carries it on</a>

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
    return Issue(f"nothing in {where} has that ID", hint, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF103", Level.WARNING, cause_kind="fragment")
def dropped_fragment(missing: MissingFragment) -> Issue | None:
    """The page redirects and drops the fragment.

    The new page has the ID, but a refresh goes to its URL as written: the page is shown from its top. Link to the new
    page instead.

    Fails::

        <a href="gone-on.html#chapter">a refresh alone</a>

    Passes::

        <a href="moved.html#chapter">its script carries the fragment on</a> <a href="gone-on.html">no fragment</a>
    """
    if missing.status is not FragmentStatus.DROPPED:
        return None
    hint = Hint(f"{missing.redirected_to} has it", reference_to(missing.audited, missing.redirected_to))
    return Issue(f"{missing.file} redirects without the fragment", hint, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF104", Level.NOTE, cause_kind="fragment")
def scripted_fragment(missing: MissingFragment) -> Issue | None:
    """Only a script of the page knows the fragment.

    No element has the ID. A script in the page contains it, or reads the fragment and redirects; or a script of the
    tree that the page loads gives an element that ID; or the fragment is a route, as in `#/guide`, and a script reads
    fragments. Only running the script shows whether it works. Without scripts the page is shown from its top.

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
    return Issue(f"only {script} knows whether there is such an ID", cause=f"{missing.file}#{missing.fragment}")
