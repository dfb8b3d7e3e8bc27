"""LF401 to LF409: the scheme of a reference, and the slashes after it."""

from __future__ import annotations

from linkfix.auditing.interpretation import (
    InterpretationKind,
    interpretation,
    is_loaded,
    keeps_target,
    missing_slashes_of,
    why_obsolete,
)
from linkfix.auditing.model import FindingLevel, Hint
from linkfix.auditing.rule import AuditedLink, Issue, containing, link_rule
from linkfix.auditing.site import DestinationKind, percent_decode
from linkfix.auditing.suggestions import reference_to
from linkfix.files.data_formats import DATA_TYPES
from linkfix.lazy import lazy_pattern
from linkfix.schemes.registry import near
from linkfix.schemes.uses import WITHOUT_HIERARCHY
from linkfix.urls import strip_url

#: Elements whose requests are upgraded to https: (Mixed Content §3.1): the destination is image, audio or video, and
#: the initiator is not imageset.
_UPGRADED = frozenset({"audio", "feimage", "image", "img", "input", "source", "video"})
#: URLs with an IP address, which are not upgraded (Mixed Content §4.1).
_ADDRESS = lazy_pattern(r"http://(?:[0-9.]+|\[[^\]]*\])(?=[:/?#]|\Z)")
#: Potentially trustworthy URLs, which are not mixed content (Secure Contexts §3.1).
_OWN_MACHINE = lazy_pattern(r"http://(?:(?:[^/?#]*\.)?localhost|127\.[0-9.]+|\[::1\])(?=[:/?#]|\Z)")
#: The number of segments of a local file's path that are compared with names of the tree.
_DEEPEST = 16
#: The roles of references that load or send something.
_LOADED = frozenset({"resource", "module", "form"})


@link_rule("LF401", FindingLevel.WARNING, concerns=lambda link: link.role in _LOADED)
def mixed_content(audited: AuditedLink) -> Issue | None:
    """A page that is served with https: loads a file or sends a form with http:.

    Browsers block scripts, style sheets, frames, fonts and image candidates of a srcset. They load images, audio and
    video with https: instead (Mixed Content §4.1, §4.4), and show nothing if that fails. They warn before they send a
    form without encryption. Hyperlinks and targets on the reader's own computer are not reported.

    Fails::

        <script src="http://elsewhere.example/x.js"></script>

    Fails::

        <link rel="stylesheet" href="http://elsewhere.example/x.css">

    Passes::

        <script src="//elsewhere.example/x.js"></script>

    Passes::

        <link rel="canonical" href="http://elsewhere.example/page.html">
    """
    link, page = audited.link, audited.page
    target = link.target or ""
    if not target.startswith("http:") or link.role not in _LOADED or not page.site.known:
        return None
    if not page.url.startswith("https:") or _OWN_MACHINE.match(target):
        return None
    if page.document.envelope.media_type in DATA_TYPES:  # no page: programs that read it load nothing into a page
        return None
    if link.role != "form" and not is_loaded(page.document, link):
        return None
    text = strip_url(link.reference)
    hint = Hint("use https: if the host supports it", f"https{text[4:]}") if text[:5].lower() == "http:" else None
    if link.role == "form":
        message = "the page is served with https:, but the form is sent with http:, so browsers show a warning"
    else:
        upgraded = link.element in _UPGRADED and link.syntax != "srcset" and not _ADDRESS.match(target)
        reaction = "browsers use https: instead" if upgraded else "browsers block it"
        if link.syntax == "css":
            reaction = "browsers block it, or use https: for images"
        message = f"the page is served with https:, but loads this with http: ({reaction})"
    return Issue(message, hint)


@link_rule("LF402", FindingLevel.NOTE, opt_in=True, concerns=containing(":"))
def javascript_link(audited: AuditedLink) -> Issue | None:
    """The hyperlink is a script.

    It does nothing if scripts do not run: in saved pages, in mail, in other programs, in a new tab. Use a button
    instead. With slashes after the scheme, the rule is `needless-slashes`. Only with `--select javascript-link`,
    because sites with such links have many of them.

    Fails::

        <a href="javascript:void(0)">menu</a>

    Passes::

        <a href="other.html">menu</a>
    """
    if not _is_script(audited) or _is_concealed(audited):
        return None
    return Issue("the link is a script, and does nothing if scripts do not run", Hint("use a button"), "javascript:")


@link_rule("LF409", FindingLevel.WARNING, concerns=containing(":"))
def concealed_script(audited: AuditedLink) -> Issue | None:
    r"""The hyperlink is a script whose scheme is disguised by white space.

    Browsers remove tabs and line breaks from a URL before they read its scheme. Such links get into pages that show
    text from other people, if a filter searches only for `javascript:`.

    Fails::

        <a href="java&#9;script:alert(1)">a tab in the scheme</a>

    Passes::

        <a href="javascript:void(0)">not disguised: javascript-link reports it</a>
    """
    if not _is_script(audited) or not _is_concealed(audited):
        return None
    return Issue("the link is a script, disguised by white space that browsers remove")


def _is_script(audited: AuditedLink) -> bool:
    kind, scheme, _ = interpretation(audited)
    is_hyperlink = audited.link.role == "hyperlink" and kind is InterpretationKind.SCHEME
    return is_hyperlink and scheme == "javascript"


def _is_concealed(audited: AuditedLink) -> bool:
    return not audited.link.reference.lstrip().lower().startswith("javascript:")


#: The prefixes of private schemes: HTML §8.7.1.1 "web+"; RFC 6648 and RFC 7595 §3.8 on private names.
_PRIVATE = lazy_pattern(r"web\+|x-|ms-|(?:com|edu|gov|io|net|org)\.")


@link_rule("LF403", FindingLevel.WARNING, concerns=containing(":"))
def unknown_scheme(audited: AuditedLink) -> Issue | None:
    """The scheme of the reference is unknown.

    The scheme is neither in IANA's registry (RFC 4395 §5) nor a scheme in use that nobody registered. Its name is not
    private either (`web+…`, `x-…`, `ms-…`, a reversed domain name). If the reference is a file name with a colon, write
    `./` before it (RFC 3986 §4.2). Certain mistakes are reported as `misspelt-scheme` or `colon-in-first-segment`.

    Fails::

        <a href="Category:Links">no scheme has this name</a>

    Passes::

        <a href="mailto:someone@example.com">a scheme</a>

    Passes::

        <a href="./Category:Links">a file</a>
    """
    kind, scheme, _ = interpretation(audited)
    if kind is not InterpretationKind.UNKNOWN or _PRIVATE.match(scheme) or audited.link.problem:
        return None
    text = strip_url(audited.link.reference)
    similar = near(scheme)
    hint = None
    if similar is not None:
        hint = Hint(f"did you mean {similar}:?", similar + text[len(scheme) :])
    elif not text.startswith(("//", ":"), len(scheme) + 1):
        hint = Hint("if it is a file name, write ./ before it", f"./{text}")
    return Issue("the text before the colon is not a known scheme", hint, f"{scheme}:")


@link_rule("LF404", FindingLevel.WARNING, concerns=containing(":"))
def historical_scheme(audited: AuditedLink) -> Issue | None:
    """The scheme of the reference is obsolete.

    IANA's registry lists the scheme as historical (RFC 4395 §4) or obsolete, or browsers no longer follow its links.

    Fails::

        <a href="wais://elsewhere.example/x">historical</a>

    Fails::

        <a href="gopher://elsewhere.example/">no longer followed</a>

    Passes::

        <a href="ftp://elsewhere.example/">still in use</a>
    """
    kind, scheme, _ = interpretation(audited)
    if kind is not InterpretationKind.OBSOLETE:
        return None
    return Issue(f"the scheme {why_obsolete(scheme)}", cause=f"{scheme}:")


#: The kind of the destination -> the consequence of a misspelled scheme.
_CONSEQUENCES = {
    DestinationKind.NONE: "the reference is not a URL",
    DestinationKind.OPAQUE: "no program knows this scheme",
    DestinationKind.EXTERNAL: "the reference points to a wrong host",
}


@link_rule("LF405", FindingLevel.ERROR, concerns=containing(":", "//", "\t", "\n", "\r"))
def misspelt_scheme(audited: AuditedLink) -> Issue | None:
    """The scheme, or the separator after it, is misspelled.

    Examples are `htpp:`, `http//`, `http;//`, `mailo:`, a repeated scheme, three slashes, and a bracket or curly
    quotation mark before the scheme. The rule compares names with the schemes that pages use most. The rest of the
    reference must fit the scheme. It is a warning if browsers read the reference as intended.

    Fails::

        <a href="htpp://example.com/">letters</a>

    Fails::

        <a href="http//example.com/">the colon</a>

    Fails::

        <a href="https://http://example.com/">twice</a>

    Fails::

        <a href="mailo:someone@example.com">a letter</a>

    Passes::

        <a href="https://elsewhere.example/?url=http://example.com/">a URL in another's query</a>

    Passes::

        <a href="mailto:someone@example.com">write</a>
    """
    kind, _, intended = interpretation(audited)
    if kind is not InterpretationKind.MISSPELLED or intended is None:
        return None
    if keeps_target(audited, intended):
        hint = Hint("write it as browsers read it", intended, certain=True)
        return Issue(
            "the separator after the scheme is misspelled, but browsers accept it", hint, level=FindingLevel.WARNING
        )
    consequence = _CONSEQUENCES.get(audited.destination.kind, "the reference is read as a path")
    message = f"the scheme or its separator is misspelled: {consequence}"
    return Issue(message, Hint("correct the scheme", intended))


#: The schemes after which slashes can certainly be dropped: an address or a number follows.
_WITHOUT_SLASHES = frozenset({"mailto", "tel"})


@link_rule("LF406", FindingLevel.WARNING, concerns=containing(":"))
def needless_slashes(audited: AuditedLink) -> Issue | None:
    """There are slashes after a scheme that has no hosts.

    "//" begins a host, so schemes without a hierarchy should not have it after the colon (RFC 4395 §2.2). Programs read
    the slashes as part of the address, the number or the data. In a script, they begin a comment. It is an error if
    browsers cannot parse the reference as a URL.

    Fails::

        <a href="mailto://someone@example.com">write</a>

    Fails::

        <a href="tel://+15551234">call</a>

    Passes::

        <a href="mailto:someone@example.com">write</a>

    Passes::

        <a href="news://elsewhere.example/x">has hosts</a>
    """
    kind, scheme, intended = interpretation(audited)
    if kind is not InterpretationKind.SLASHED:
        return None
    if scheme == "javascript":
        return Issue('"//" begins a comment in the script, so its first line does nothing')
    return Issue(
        f'"//" begins a host, but {scheme}: URLs have none ({WITHOUT_HIERARCHY[scheme]})',
        Hint("remove the slashes", intended, scheme in _WITHOUT_SLASHES),
        level=FindingLevel.ERROR if audited.link.problem == "unresolvable" else None,  # the text after them is no host
    )


@link_rule("LF407", FindingLevel.WARNING, concerns=containing(":"))
def missing_slashes(audited: AuditedLink) -> Issue | None:
    """The reference has fewer than two slashes before its host.

    If the base has another scheme, browsers read `http:/host/` and `http:host/` as `http://host/`. By RFC 3986, these
    references have no host. If the base has the same scheme, the rule is `same-scheme-relative`.

    Fails::

        <a href="http:/elsewhere.example/">one slash</a>

    Passes::

        <a href="http://elsewhere.example/">two</a>
    """
    found = missing_slashes_of(audited.link)
    if found is None or found.is_base_scheme or interpretation(audited).kind is not InterpretationKind.SCHEME:
        return None
    reference = found.scheme + "://" + found.rest.lstrip("/\\")
    return Issue(
        "fewer than two slashes before the host: browsers add the missing ones, other programs find no host",
        Hint("write both slashes", reference, keeps_target(audited, reference)),
    )


@link_rule("LF408", FindingLevel.ERROR, cause_kind="url", concerns=containing(":"))
def local_file(audited: AuditedLink) -> Issue | None:
    r"""The reference leads to a file on one computer.

    It is a `file:` URL, or begins with a drive letter. Browsers do not follow it from a page of a server, and other
    computers do not have the file. If the site itself has a `file:` URL (`--root-url`), only drive letters are
    reported.

    Fails::

        <a href="file:///home/me/site/docs/other.html">a file of one computer</a>

    Fails::

        <a href="C:\docs\x.html">a drive letter is read as a scheme</a>

    Passes::

        <a href="other.html">a file of the site</a>
    """
    kind, scheme, _ = interpretation(audited)
    is_drive = kind is InterpretationKind.DRIVE
    if not is_drive and (kind is not InterpretationKind.SCHEME or scheme != "file"):
        return None
    if not is_drive and audited.page.site.url.startswith("file:"):
        return None
    message = "the drive letter is read as a scheme, and other" if is_drive else "other"
    return Issue(f"{message} computers do not have this file", _in_tree(audited))


def _in_tree(audited: AuditedLink) -> Hint | None:
    """A hint at the file of the tree whose name is the end of a local file's path; None for no such file."""
    path = percent_decode(strip_url(audited.link.reference).partition("#")[0].partition("?")[0]).replace("\\", "/")
    parts = [part for part in path.split("/") if part][1:]
    for number in range(max(0, len(parts) - _DEEPEST), len(parts)):
        name = "/".join(parts[number:])
        if name in audited.page.site.numbers and ("/" in name or not audited.page.site.is_index(name)):
            return Hint(f"the site has a file {name}", reference_to(audited, name))
    return None
