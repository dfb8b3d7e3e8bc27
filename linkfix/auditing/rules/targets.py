"""LF101 to LF110, LF114 to LF117: targets, fragments, image maps, circles, and pages without references to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from operator import attrgetter

from linkfix.auditing.detours import detour as find_detour
from linkfix.auditing.interpretation import (
    destination_of,
    excess_dots,
    interpretation,
    is_for_program,
    is_own_address,
    is_relative_path,
    is_root_relative,
    is_shown_for_errors,
)
from linkfix.auditing.model import Finding, FindingLevel, Hint, Refresh
from linkfix.auditing.page_document import PageDocument, effective_base, image_maps
from linkfix.auditing.rule import (
    DECLARE_UTF_8,
    AuditedLink,
    AuditedPage,
    FragmentStatus,
    Issue,
    MissingFragment,
    MissingPath,
    TreeFacts,
    fragment_rule,
    link_rule,
    page_rule,
    tree_rule,
)
from linkfix.auditing.site import FAILING, DestinationKind, Site, is_program
from linkfix.auditing.suggestions import (
    direct_reference,
    reference_to,
    reference_to_path,
    suggest_file,
    unencoded_file,
    with_file_case,
)
from linkfix.display import clip, pluralize
from linkfix.html.vocabulary import SOURCE_MAP_SYNTAXES
from linkfix.lazy import lazy_pattern
from linkfix.saved.companions import is_companion
from linkfix.urls import strip_url

_SLASHES = lazy_pattern(r"//+")


@link_rule("LF101", FindingLevel.ERROR, cause_kind="file", concerns=lambda link: link.kind is DestinationKind.MISSING)
def missing_target(audited: AuditedLink) -> Issue | None:
    """The site has no file at the target of the reference.

    A server would answer with 404. The hint suggests the file that was probably intended: a compressed file with the
    same name, or a file in the same folder with a similar name (one or two letters differ). If the reference
    percent-encodes a name twice, the hint suggests the file with that name. For files that a browser saved with a page,
    the hint names the folder that belongs beside the page.

    It is a warning if the file exists without repeated slashes, which some servers merge. It is also a warning if the
    reference is the address of a form, without the suffix of a page: a program may answer. Forms that are sent with
    POST are not checked, nor is the canonical link of an error page (`404.html`).

    If a rule of the host leads to the missing file (`_redirects`, `.htaccess`, …), the message names its line. So it
    does for an image, a style sheet, a script or the like that a rule answers with a page (`/* /index.html 200`). If
    the rule leads to a program of the site (`RewriteRule . /index.php`), it is a warning: the program may answer.

    A file that `ignore` of `firebase.json`, `.vercelignore` or `.assetsignore` leaves out is not deployed, so it is
    missing.

    With `--wikilinks`, no file of the tree has the name in a wikilink. The hint is a file with a similar name.

    Fails::

        <a href="gone.html">gone</a>

    Fails::

        <!-- saved from url=(0015)https://h.test/ --><html><img src="./Old name_files/gone.png">

    Passes::

        <a href="other.html">there</a>

    Passes::

        <a href="https://elsewhere.example/gone.html">other sites are not checked</a>
    """
    destination = audited.destination
    if audited.link.syntax in SOURCE_MAP_SYNTAXES:
        return None
    if destination.kind is not DestinationKind.MISSING or interpretation(audited).explains_missing_target:
        return None
    site = audited.page.site
    if destination.mount or destination.name in site.host.left_out:
        return _not_in_tree(audited)
    merged = _SLASHES.sub("/", destination.name) if "//" in destination.name else destination.name
    if merged != destination.name and site.has(merged):
        hint = Hint(f"{merged} exists", reference_to(audited, merged))
        message = f"servers that do not merge repeated slashes find no such file{_by_rule(audited)}"
        return Issue(message, hint, level=FindingLevel.WARNING)
    folder = site.missing_folder(destination.name)
    if _is_folder_of_saved_page(audited.page, folder):
        name = folder.rpartition("/")[2]
        hint = Hint(f"put the folder {name}/ beside the page, or save the page again")
        return Issue("the folder with the files that a browser saved with the page is missing", hint, f"{folder}/")
    excess = excess_dots(audited.link)
    more = f', and its ".." go {pluralize(excess.number, "folder")} above the root' if excess else ""
    more += _by_base(audited) + _by_rule(audited)
    level = FindingLevel.WARNING if is_program(destination.near) else None
    if is_for_program(audited.link):
        more, level = f"{more}: a form works only if a program of the server answers", FindingLevel.WARNING
    if destination.name.startswith("../"):
        message = "the reference leads out of the folder of the sources: the site has no page for it"
        return Issue(message, cause=destination.name, level=level)
    if folder and folder not in site.numbers:
        return Issue(f"the site has no folder {folder}/{more}", suggest_file(audited), f"{folder}/", level=level)
    is_hidden = destination.near and destination.name in site.numbers  # by a rule that applies to all paths
    message = "the file exists, but is not served" if is_hidden else "the site has no such file"
    return Issue(f"{message}{more}", None if is_hidden else suggest_file(audited), destination.name, level=level)


def _not_in_tree(audited: AuditedLink) -> Issue:
    """The issue of a file that a mounted folder lacks, or that the tree has, but the host does not get."""
    destination = audited.destination
    if destination.mount:
        where = f"the mounted folder {destination.mount} has no such file{_by_rule(audited)}"
        return Issue(where, suggest_file(audited), cause=destination.name)
    what = audited.page.site.host.left_out[destination.name]
    more = _by_rule(audited) if destination.redirect != what else ""
    return Issue(f"the file is not deployed: {what} leaves it out{more}", cause=destination.name)


def _by_rule(audited: AuditedLink) -> str:
    """The end of a message about a target that a rule of the host leads to; "" for others."""
    destination = audited.destination
    rule, name, near = _rule_of(audited), destination.name, destination.near
    if not rule:
        return ""
    if destination.status:
        return f" ({rule} answers {destination.status})"
    if destination.kind is not DestinationKind.MISSING or not near:
        return f" ({rule} leads to {name or './'})"
    if is_program(near):
        return f" ({rule} leads to the program {near}, which would have to make it)"
    return f" ({rule} answers with {near})"


def _rule_of(audited: AuditedLink) -> str:
    """The place of the last rule of the host that leads to the destination of a link, in words; "" for none."""
    site, destination, target = audited.page.site, audited.destination, audited.link.target
    if destination.redirect or destination.kind in FAILING or not target or not site.rules:
        return destination.redirect
    redirects = site.walk(target.partition("#")[0]).redirects
    return redirects[-1].place.words() if redirects else ""


def _by_base(audited: AuditedLink) -> str:
    """The end of a message about a relative reference that the page's BASE element moves; "" for others."""
    document, link = audited.page.document, audited.link
    depends = document.may_have_base and is_relative_path(link) and not is_root_relative(strip_url(link.reference))
    tag = effective_base(document) if depends else None
    return f" (the reference is relative to BASE in line {document.positions.of(tag.start)[0]:,})" if tag else ""


def _is_folder_of_saved_page(page: AuditedPage, folder: str) -> bool:
    """Whether a missing folder held the files that a browser saved with the page. The page may have a new name."""
    above, _, name = folder.rpartition("/")
    return is_companion(name) and above == page.name.rpartition("/")[0] and _is_saved_by_browser(page.document)


@lru_cache(maxsize=1)  # called for each reference of a page
def _is_saved_by_browser(document: PageDocument) -> bool:
    from linkfix.saved.markers import find_marks  # few trees have saved pages

    return any(one.links == "folder" for one in find_marks(document.source.data))


_FOLDERS = frozenset({DestinationKind.NO_INDEX, DestinationKind.SLASHED})


@link_rule("LF105", FindingLevel.ERROR, concerns=lambda link: link.kind is DestinationKind.CASE)
def case_mismatch(audited: AuditedLink) -> Issue | None:
    """The reference and the file name differ in upper and lower case.

    The reference works on file systems that ignore case, as on Windows and macOS, but fails on most servers.

    Fails::

        <a href="upper.html">the file is Upper.html</a>

    Passes::

        <a href="Upper.html">as it is written</a>
    """
    destination = audited.destination
    if destination.kind is not DestinationKind.CASE:
        return None
    reference = with_file_case(audited)
    hint = Hint(f"the file is {destination.near}", reference, certain=reference is not None)
    message = f"the file name differs in upper and lower case{_by_rule(audited)}"
    return Issue(message, hint, cause=f"{destination.name} for {destination.near}")


@link_rule("LF106", FindingLevel.ERROR, cause_kind="file", concerns=lambda link: link.kind in _FOLDERS)
def folder_without_index(audited: AuditedLink) -> Issue | None:
    """The folder has no index page.

    A server lists the folder's contents, or answers with 403 or 404. With `--clean-urls`, it is a warning if the name
    without the slash leads to a page: `a/` for `a.html`. GitHub Pages and most servers answer such an address with 404.
    Netlify, Cloudflare Pages and Render show the page or redirect to it.

    Fails::

        <a href="empty/">a folder with no index.html</a>

    Passes::

        <a href="folder/">a folder with one</a> <a href="folder">a server adds the slash</a>
    """
    destination = audited.destination
    if destination.kind is DestinationKind.SLASHED:
        host = audited.page.site.host.name
        servers = f"{host} finds" if host else "GitHub Pages and most servers find"
        message = f"{destination.near} has no folder: with the slash, {servers} no page{_by_rule(audited)}"
        hint = Hint("remove the slash" + ": Netlify and Cloudflare Pages do" * (not host), _without_slash(audited))
        level = FindingLevel.ERROR if host else FindingLevel.WARNING
        return Issue(message, hint, f"{destination.name}/", level=level)
    if destination.kind is not DestinationKind.NO_INDEX:
        return None
    return Issue(f"the folder has no index page{_by_rule(audited)}", cause=f"{destination.name}/")


def _without_slash(audited: AuditedLink) -> str | None:
    """The reference without the slash at the end of its path; None if it then has another target."""
    reference = audited.link.reference
    end = len(reference.partition("#")[0].partition("?")[0])
    other = reference[: end - 1] + reference[end:] if reference[:end].endswith("/") else ""
    near = audited.destination.near
    return other if other and destination_of(audited, other).name == near else None


@link_rule(
    "LF107", FindingLevel.WARNING, cause_kind="file", concerns=lambda link: link.kind is DestinationKind.UNFOLLOWED
)
def link_out_of_tree(audited: AuditedLink) -> Issue | None:
    """The target is behind a symbolic link that leaves the site, is broken, or forms a circle.

    Such a link works only on one computer: a copy of the site does not contain its target. It is an error if nobody can
    follow it: the target does not exist, or links or redirects form a circle.

    Fails::

        <a href="outside.html">a symbolic link to a file outside the site</a>

    Passes::

        <a href="linked.html">a symbolic link within the site</a>
    """
    destination = audited.destination
    if destination.kind is not DestinationKind.UNFOLLOWED:
        return None
    reason = audited.page.site.dangling.get(destination.near, "redirects form a circle")
    if destination.redirect:
        reason += f" ({destination.redirect})"
    level = FindingLevel.WARNING if "out of the site" in reason else FindingLevel.ERROR
    name = destination.near or destination.name
    return Issue(f"{name}: {reason}", cause=name, level=level)


#: The kinds of destinations that a reference may lead to by a detour.
_REACHED = frozenset({DestinationKind.FILE, DestinationKind.EXTERNAL})

#: References by names, not URLs.
_OTHER_SYNTAXES = frozenset({"wikilink", "importmap", *SOURCE_MAP_SYNTAXES})


@link_rule("LF121", FindingLevel.NOTE, opt_in=True, finds_detours=True, concerns=lambda link: link.kind in _REACHED)
def detour(audited: AuditedLink) -> Issue | None:
    """The reference works, but another one leads to the same file directly.

    Only with `--select detour`. A rule of the host redirects it (`_redirects`, `.htaccess`, …), or the host does:
    from the name of a folder to the URL with a slash, from `a.html` to `a`. Or it names the index of a folder, which
    has two URLs then, or a host that ignores upper and lower case finds the file. `--fix` writes the direct reference,
    unless a redirect is temporary or its query is not known. The address of a form stays: after a redirect, browsers
    send no data of a form, and a server may refuse them. A fragment that a redirect sets replaces that of the
    reference, as in browsers.

    Fails::

        <a href="folder">the host adds a slash</a>

    Fails::

        <a href="folder/index.html">the index of a folder</a>

    Passes::

        <a href="folder/">a folder</a> <a href="other.html">a page</a>
    """
    link = audited.link
    if link.target is None or audited.destination.mount or link.syntax in _OTHER_SYNTAXES:
        return None
    site = audited.page.site
    found = find_detour(site, link.target)
    if found is None or is_own_address(audited.page.document, link):
        return None
    reference = direct_reference(audited, found.url)
    is_same = reference is None or destination_of(audited, reference).number != audited.destination.number
    sends = link.role == "form" or link.attribute == "ping"
    # A page for errors has other folders at other addresses.
    moves = is_relative_path(link) and is_shown_for_errors(site, audited.page.name)
    is_certain = found.is_certain and not (is_same or sends or moves)
    hint = Hint(f"the direct URL is {site.shown(found.url)}", reference, certain=is_certain)
    return Issue(found.words, hint, cause=site.shown(link.target.partition("#")[0]))


@link_rule("LF108", FindingLevel.WARNING, concerns=lambda link: link.kind is DestinationKind.OUTSIDE)
def outside_tree(audited: AuditedLink) -> Issue | None:
    """The reference begins with "/" and points outside the site's folder on its host.

    The site is one folder of its host (`--root-url https://host/docs/`), and "/x" is outside that folder. If the site
    has a file with that name, the reference was probably written for a site at the root of a host.

    Fails, in a site at https://site.example/sub/::

        <a href="/index.html">the site's index.html is at /sub/index.html</a>

    Passes, in a site at https://site.example/sub/::

        <a href="/sub/index.html">there</a> <a href="/elsewhere/">unknown: not checked</a>
    """
    destination, site = audited.destination, audited.page.site
    if destination.kind is not DestinationKind.OUTSIDE or not audited.link.reference.startswith("/"):
        return None
    name = site.name_at_root(destination.name)
    if name is None:
        return None
    hint = Hint(f"the site has a file {name}", reference_to_path(audited, site.prefix + destination.name.lstrip("/")))
    message = f"the reference points outside {site.prefix}, the folder of the site{_by_rule(audited)}"
    return Issue(message, hint, cause=site.prefix)


#: The least number of missing targets that one finding replaces, and their least share of all references that begin
#: with "/".
_LEAST = 5

_SHARE = 0.5

#: The number of folders above the tree that are tried.
_DEPTH = 3

#: If there are fewer missing paths than this, the message names them all, else the given number of examples.
_FEW = 20

_EXAMPLES = 2

#: The folders at the top of a file system (FHS 3.0 §3, macOS). Few sites have folders with these names.
_FILE_SYSTEM = frozenset({"usr", "home", "Users", "Volumes", "var", "opt", "srv", "mnt", "media", "tmp", "root"})


def _is_root_relative_miss(finding: Finding, tree: TreeFacts) -> bool:
    """Whether a finding is about a reference that LF109 counts. Those that a rule explains by themselves stay."""
    if finding.code not in {"LF101", "LF108"} or not is_root_relative(finding.reference):
        return False
    return tree.site.path_of(tree.site.destination(finding.target)) in _counted(tree)


@tree_rule("LF109", FindingLevel.ERROR, supersedes=_is_root_relative_miss)
def root_relative(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """Most references that begin with "/" have no target, for one common reason.

    The folder is not the whole site of its host. Either it is served below a path, which `--root-url` must name, or
    other parts of the site are missing here. This finding replaces the findings about single references, and names all
    missing targets if there are fewer than 20. References with another reason keep their own findings: a name in
    another case, a folder without an index, a host without a scheme, a page without its suffix.

    Fails::

        <a href="/app/docs/other.html">1</a> <a href="/app/docs/index.html">2</a> <a href="/app/docs/Upper.html">3</a>
        <a href="/app/docs/listing.html">4</a> <a href="/app/docs/moved.html">5</a> <a href="/app/">6</a>

    Passes::

        <a href="/docs/other.html">there</a> <a href="/app/docs/other.html">a single missing target</a>
    """
    missing = _counted(tree)
    above = _folder_above(tree)
    count = _count(missing)
    if count < _LEAST or count < _SHARE * tree.root_relative:
        return
    message = f"{count:,} of {tree.root_relative:,} references that begin with / have no target"
    published = tree.site.host.published
    if published is not None and _in_published(published.folder, missing, tree.site) >= count * _SHARE:
        hint = Hint(f"{published.file} publishes the folder {published.folder}/: audit that folder")
        yield "", Issue(f"{message}, {_examples(missing)}", hint, "/")
        return
    if above is not None:
        folder, explained, needs_clean_urls = above
        options = "--clean-urls, and --root-url" if needs_clean_urls else "--root-url"
        hint = Hint(f"give {options} with the path /{folder}/: then {explained:,} of them are files of the site")
        yield "", Issue(f"{message}, {_examples(missing)}", hint, "/")
        return
    first, number = _first_segments(missing).most_common(1)[0]
    where = f"most of them below /{first}/" if number > count * _SHARE and first else "in many places"
    hint = Hint("if the site is one folder of a host, give its URL with --root-url")
    if number > count * _SHARE and first in _FILE_SYSTEM:
        folder = _common_folder(path for path in missing if path.startswith(f"/{first}/"))
        hint = Hint(f"{folder}/ is a folder of a computer: to check these references in DIR, give --mount {folder}=DIR")
    yield "", Issue(f"{message}, {where}, {_examples(missing)}", hint, "/")


def _in_published(folder: str, missing: Mapping[str, MissingPath], site: Site) -> int:
    """The number of references to missing paths that are files of an inner folder."""
    names = ((f"{folder}/{path.removeprefix(site.prefix).lstrip('/')}", one.number) for path, one in missing.items())
    return sum(number for name, number in names if site.has(name))


@lru_cache(maxsize=1)  # asked once for each finding
def _unexplained(tree: TreeFacts) -> dict[str, MissingPath]:
    """The missing paths that clean URLs do not explain."""
    missing, site = tree.root_relative_missing, tree.site
    if site.clean_urls:
        return missing
    names = {path: path.removeprefix(site.prefix).rstrip("/") for path in missing if path.startswith(site.prefix)}
    return {path: one for path, one in missing.items() if not site.page_of_clean(names.get(path, ""))}


@lru_cache(maxsize=1)
def _counted(tree: TreeFacts) -> dict[str, MissingPath]:
    """The missing paths that LF109 counts."""
    missing = _unexplained(tree)
    if _folder_above(tree) is None:  # files outside a known folder of a host may exist
        missing = {path: one for path, one in missing.items() if path.startswith(tree.site.prefix)}
    return missing


def _examples(missing: dict[str, MissingPath]) -> str:
    """The missing paths, the most frequent first, each with a page that refers to it."""
    paths = sorted(missing, key=lambda path: (-missing[path].number, path))
    are_few = len(paths) < _FEW
    shown = ", ".join(f"{path} (in {missing[path].page})" for path in (paths if are_few else paths[:_EXAMPLES]))
    return f"namely {shown}" if are_few else f"such as {shown}"


def _common_folder(paths: Iterable[str]) -> str:
    """The folder of all paths, at most three levels deep: a mount covers more than these references."""
    parts = [path.split("/")[1:-1][:_DEPTH] for path in paths]
    common = (names[0] for names in zip(*parts, strict=False) if len(set(names)) == 1)
    return "".join(f"/{name}" for name in common)


def _first_segments(missing: dict[str, MissingPath]) -> Counter[str]:
    segments: Counter[str] = Counter()
    for path, one in missing.items():
        segments[path.lstrip("/").partition("/")[0]] += one.number
    return segments


def _count(missing: dict[str, MissingPath]) -> int:
    return sum(one.number for one in missing.values())


@lru_cache(maxsize=1)
def _folder_above(tree: TreeFacts) -> tuple[str, int, bool] | None:
    """The folder below which most missing targets would be files of the tree, and the number of their references.

    Also whether some of them would be files only with clean URLs.
    """
    votes: Counter[str] = Counter()
    clean: set[str] = set()
    for path, one in _unexplained(tree).items():
        parts = path.lstrip("/").split("/")
        for depth in range(1, min(_DEPTH + 1, len(parts))):
            name, folder = "/".join(parts[depth:]), "/".join(parts[:depth])
            if (is_file := tree.site.has(name)) or tree.site.page_of_clean(name):
                votes[folder] += one.number
                if not is_file:
                    clean.add(folder)
                break
    if not votes:
        return None
    folder, number = votes.most_common(1)[0]
    return (folder, number, folder in clean) if number > _SHARE * _count(_unexplained(tree)) else None


def _is_suffixless_miss(finding: Finding, tree: TreeFacts) -> bool:
    """Whether a finding is about a reference that would lead to a page with clean URLs."""
    if finding.code not in {"LF101", "LF106"} or not tree.suffixless:
        return False
    place = tree.site.destination(finding.target)
    return place.kind in FAILING and place.name in tree.suffixless


@tree_rule("LF117", FindingLevel.ERROR, supersedes=_is_suffixless_miss)
def clean_urls(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """Most missing targets are pages whose name is written without its suffix.

    Many hosts answer `/guide` with `guide.html`. With `--clean-urls`, the audit does so, too. This finding replaces the
    findings about single references.

    Fails::

        <a href="other">1</a> <a href="listing">2</a> <a href="moved">3</a> <a href="gone-on">4</a> <a href="page">5</a>

    Passes::

        <a href="other.html">there</a> <a href="listing">a single missing target</a>
    """
    count = _count(tree.suffixless)
    if count < _LEAST or count < _SHARE * tree.failing:
        return
    message = f"{count:,} of {tree.failing:,} references without a target name a page without its suffix"
    hint = Hint("if the host answers /guide with guide.html, give --clean-urls; if not, write the suffix")
    yield "", Issue(f"{message}, {_examples(tree.suffixless)}", hint, ".html")


#: The number of pages of a circle that a message names.
_CIRCLE = 5


#: Files by which Google, Yandex and Baidu check who owns a site.
_OF_OWNERS = lazy_pattern(r"(?:google|yandex_|baidu_verify_)[\w-]{10,}\.html")


@tree_rule("LF110", FindingLevel.NOTE, opt_in=True)
def orphan_page(tree: TreeFacts) -> Iterator[tuple[str, Issue]]:
    """No page of the site links to this page.

    Only with `--select orphan-page`. The index page of the root needs no link, nor do pages for errors (`404.html`),
    targets of the host's rules, and files by which search engines check the owner of a site. A page is linked by any
    reference in another page: a link, a frame, a redirect. A page that only a feed or sitemap lists is an orphan.

    Fails::

        <p>No page of the example site links to this page.</p>

    Passes, as index.html::

        <p>The index page of the root.</p>
    """
    for name in tree.pages:
        is_asked_for = name in tree.entry or is_shown_for_errors(tree.site, name) or _OF_OWNERS.fullmatch(name)
        if name not in tree.linked and not is_asked_for:
            yield name, Issue("no page of the site links to this page", cause=name)


@tree_rule("LF114", FindingLevel.WARNING)
def endless_refresh(tree: TreeFacts) -> Iterator[tuple[Refresh, Issue]]:
    """The page refreshes to itself at once, or in a circle of pages.

    Each page of the circle has a refresh with the time 0, so browsers load the pages again and again. Only a refresh
    that certainly runs counts: not one in noscript, with a query or a fragment in its URL, or in a page with a script
    that navigates. A refresh without a URL, or with an empty URL, is `malformed-refresh`.

    Fails::

        <meta http-equiv="refresh" content="0; url=page.html">

    Passes::

        <meta http-equiv="refresh" content="60; url=page.html">

    Passes::

        <meta http-equiv="refresh" content="0; url=page.html?seen">
    """
    done: set[str] = set()
    for start in tree.refreshes:
        path: dict[str, int] = {}
        name = start
        while name in tree.refreshes and name not in done:
            done.add(name)
            path[name] = len(path)
            name = tree.refreshes[name].name
        if name not in path:
            continue
        circle = list(path)[path[name] :]
        first = circle.index(min(circle))
        circle = circle[first:] + circle[:first]
        shown = " → ".join(map(clip, [*circle[:_CIRCLE], *["…"] * (len(circle) > _CIRCLE), circle[0]]))
        what = "to itself" if len(circle) == 1 else f"in a circle of {pluralize(len(circle), 'page')}: {shown}"
        for one in circle:
            yield tree.refreshes[one], Issue(f"the page refreshes at once {what}", cause=f"circle of {circle[0]}")


@page_rule("LF115", FindingLevel.WARNING, concerns=attrgetter("may_use_image_maps"))
def missing_image_map(page: AuditedPage) -> Iterator[Issue]:
    """The image map that an image uses is not in the page.

    `usemap` is "#" and the name of a `map` element (HTML §2.3.9, "rules for parsing a hash-name reference"). Names are
    case-sensitive, and the element must be in the same page. An `id` of the `map` element counts as well. Without the
    map, the areas of the image are no links. Scripts may add a map later.

    Fails::

        <img src="img.png" alt="" usemap="#areas"> <map name="Areas"><area href="other.html" alt="other"></map>

    Fails::

        <img src="img.png" alt="" usemap="areas"> <map name="areas"><area href="other.html" alt="other"></map>

    Passes::

        <img src="img.png" alt="" usemap="#areas"> <map name="areas"><area href="other.html" alt="other"></map>
    """
    names, uses = image_maps(page.document)
    for text, start, end in uses:
        _, mark, name = text.partition("#")
        if text.strip("#") == "" or (mark and name in names):
            continue
        wanted = name if mark else text
        near = next((one for one in sorted(names) if one.casefold() == wanted.casefold()), None)
        hint = Hint(f"did you mean #{near}?", f"#{near}") if near is not None else None
        message = f"the page has no map with the name {clip(wanted)}" if mark else 'usemap must begin with "#"'
        yield Issue(message, hint, f"usemap {wanted}", (start, end))


# LF102 to LF104: fragments that the target does not have.


@fragment_rule("LF102", FindingLevel.ERROR, cause_kind="fragment")
def missing_fragment(missing: MissingFragment) -> Issue | None:
    """The file exists, but no element in it has the ID after "#".

    Browsers search for an element with that `id`, as written and then percent-decoded, and for an `a` element with that
    `name` (HTML §7.4.6.3). "" and "top" mean the top of the page. If there is no such element, browsers show the top of
    the page. The audit supports ranges of lines (`#12-34`: both ends must exist), text fragments (`#:~:text=`) and
    pages whose redirect keeps the fragment. In Markdown that a host of repositories shows, line numbers
    (`code.py#L3-L7`) are compared with the file. There, an ID in another case is a note, since GitHub finds it. In
    wikilinks of Obsidian, the fragment is the text of a heading, or the ID of a block.

    Fails::

        <a href="other.html#nowhere">nowhere</a>

    Fails::

        <p id="here"></p> <a href="#Here">names are case-sensitive</a>

    Fails::

        <template><p id="inside"></p></template> <a href="#inside">content of a template is not in the page</a>

    Fails::

        <p id="Gruß"></p> <a href="#Gru%C3%9F">the page declares no encoding, so browsers read windows-1252</a>

    Passes::

        <a href="other.html#chapter">there</a> <a href="#top">top</a> <a href="#">top</a>

    Passes::

        <a href="listing.html#3-7">lines 3 to 7</a> <a href="moved.html#chapter">a redirect that keeps it</a>

    Passes::

        <a href="other.html#Gru%C3%9F">percent-encoded</a> <a href="other.html#:~:text=chapter">text</a>
    """
    result = missing.result
    is_note = result.status is FragmentStatus.FOUND_IN_OTHER_CASE
    if result.status is not FragmentStatus.NOT_FOUND and not is_note:
        return None
    is_name = missing.audited.link.syntax == "wikilink" and missing.fragment.startswith("#")
    cause = f"{missing.file}#{missing.fragment.removeprefix('#' if is_name else '')}"
    if result.reason:
        return Issue(result.reason + _by_rule(missing.audited), cause=cause)
    hint = None
    if result.suggestion is not None:
        name, is_certain = result.suggestion
        certain = is_certain and not result.redirected_to
        hint = Hint(f"did you mean #{name.removeprefix('#' if is_name else '')}?", missing.with_fragment(name), certain)
    else:
        hint = unencoded_file(missing.audited)
    where = "the page" if missing.is_same_page else missing.file
    if result.redirected_to:
        where = f"{result.redirected_to}, to which {missing.file} redirects,"
    if is_note:
        message = (
            f"only GitHub finds this ID of {where}, which differs in upper and lower case{_by_rule(missing.audited)}"
        )
        return Issue(message, hint, cause, level=FindingLevel.NOTE)
    message = f"no element of {where} has this ID"
    if is_name:
        message = f"{where} has no {'block with this ID' if missing.fragment.startswith('#^') else 'such heading'}"
    message += _by_rule(missing.audited)
    if result.misread_as:
        hint = Hint(DECLARE_UTF_8)
        message += f": it declares no encoding, so browsers read {result.misread_as}; read as UTF-8, an element has it"
    return Issue(message, hint, cause)


@fragment_rule("LF103", FindingLevel.WARNING, cause_kind="fragment")
def dropped_fragment(missing: MissingFragment) -> Issue | None:
    """The page redirects and drops the fragment.

    The new page has the ID, but the refresh loads the URL without the fragment, so browsers show the top of the page.
    Link to the new page instead.

    Fails::

        <a href="gone-on.html#chapter">a refresh alone</a>

    Passes::

        <a href="moved.html#chapter">its script keeps the fragment</a> <a href="gone-on.html">no fragment</a>
    """
    result = missing.result
    if result.status is not FragmentStatus.LOST_IN_REDIRECT:
        return None
    hint = Hint(f"{result.redirected_to} has this ID", reference_to(missing.audited, result.redirected_to))
    message = f"the redirect of {missing.file} drops the fragment{_by_rule(missing.audited)}"
    return Issue(message, hint, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF104", FindingLevel.NOTE, cause_kind="fragment")
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
    if missing.result.status is not FragmentStatus.ONLY_IN_SCRIPT:
        return None
    where = "the page" if missing.is_same_page else missing.file
    name = missing.result.script
    script = f"{name}, a script of {where}," if name else f"a script of {where}"
    message = f"no element has this ID, but {script} may handle it{_by_rule(missing.audited)}"
    return Issue(message, cause=f"{missing.file}#{missing.fragment}")


@fragment_rule("LF116", FindingLevel.WARNING, opt_in=True, reads_texts=True, cause_kind="fragment")
def missing_text(missing: MissingFragment) -> Issue | None:
    """The page does not contain the text of a text fragment.

    Only with `--select missing-text`. A link to `page.html#:~:text=words` scrolls to the words in the page (URL
    Fragment Text Directives, WICG), and `text=[prefix-,]start[,end][,-suffix]` names a longer text. Case, accents and
    white space do not matter, but words must be whole. The rule compares the text in the page's HTML: text that a
    script or a style sheet adds is not in it.

    Fails::

        <a href="other.html#:~:text=Chap">only a part of the word</a>

    Fails::

        <p>one two three</p> <a href="#:~:text=three,one">in another order</a>

    Passes::

        <a href="other.html#:~:text=chapter">the whole word</a>

    Passes::

        <p>one <b>two</b> three</p> <a href="#:~:text=one-,Two,-three">between two words</a>
    """
    if missing.result.status is not FragmentStatus.TEXT_NOT_FOUND:
        return None
    where = "the page" if missing.is_same_page else missing.file
    return Issue(f"{where} does not contain the text of the text fragment{_by_rule(missing.audited)}")
