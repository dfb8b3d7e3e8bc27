"""LF410 to LF412: the addresses in sitemaps and of sitemaps (robots.txt), by the protocol of sitemaps.org."""

from __future__ import annotations

from linkfix.audit.model import Hint, Level
from linkfix.audit.rule import AuditedLink, Issue, link_rule
from linkfix.audit.site import DestinationKind
from linkfix.files.media_types import GENERIC_TYPES
from linkfix.urls import scheme_of, strip_url

#: The elements of a sitemap whose text is an address, including Google's extensions.
_ADDRESSES = frozenset({"loc", "image:loc", "video:thumbnail_loc", "video:content_loc", "video:player_loc"})


def _is_address(audited: AuditedLink) -> bool:
    """Whether a reference is an address in a sitemap."""
    link = audited.link
    is_sitemap = audited.page.document.envelope.media_type in GENERIC_TYPES
    return is_sitemap and link.element in _ADDRESSES and not link.attribute and link.problem in {None, "no-base"}


@link_rule("LF410", Level.ERROR, concerns=lambda link: link.element in _ADDRESSES)
def relative_in_sitemap(audited: AuditedLink) -> Issue | None:
    """An address in a sitemap is not a full URL.

    It "must begin with the protocol (such as http)" (sitemaps.org, "XML tag definitions"): search engines do not
    resolve it against anything, and leave it out. That holds for a sitemap index, and for the addresses of Google's
    extensions for images and videos, too.

    Fails, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/docs/other.html</loc></url></urlset>

    Passes, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>https://site.example/docs/other.html</loc></url>
        </urlset>
    """
    link = audited.link
    if not _is_address(audited) or scheme_of(strip_url(link.reference)) is not None:
        return None
    is_known = audited.page.site.known and link.target is not None
    text = "write the full URL" if is_known else "write the full URL; with --root-url, --fix can"
    hint = Hint(text, link.target if is_known else None, certain=is_known)
    return Issue("an address in a sitemap has to be a full URL, with https:// and the host", hint)


@link_rule("LF411", Level.WARNING, concerns=lambda link: link.element == "loc")
def other_host_in_sitemap(audited: AuditedLink) -> Issue | None:
    """A sitemap lists a page of another host, or of another protocol, than its own.

    "All URLs listed in the Sitemap must use the same protocol … and reside on the same host as the Sitemap"
    (sitemaps.org, "Sitemap file location"): search engines leave the others out, unless the robots.txt of their host
    names this sitemap. Not checked where the URL of the tree is not known, nor for addresses of images and videos.

    Fails, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>http://www.site.example/docs/other.html</loc></url>
        </urlset>

    Passes, as sitemap.xml::

        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc>https://site.example/docs/other.html</loc></url>
        </urlset>
    """
    link, site = audited.link, audited.page.site
    if audited.destination.kind is not DestinationKind.EXTERNAL or not site.known:
        return None
    if link.element != "loc" or not _is_address(audited) or scheme_of(strip_url(link.reference)) is None:
        return None
    where = "/".join((link.target or "").split("/", 3)[:3])
    hint = Hint(f"list pages of {site.origin} alone, or name this sitemap in {where}/robots.txt")
    return Issue(f"the sitemap is one of {site.origin}, and this page is not", hint, where)


@link_rule("LF412", Level.WARNING, concerns=lambda link: link.syntax == "robots")
def relative_robots_url(audited: AuditedLink) -> Issue | None:
    """A Sitemap line of robots.txt has a relative URL.

    It has to be "the complete URL" (sitemaps.org, "Specifying the Sitemap location in your robots.txt file"): most
    crawlers ignore a relative one, and do not find the sitemap. With --root-url, --fix writes it.

    Fails, as robots.txt::

        Sitemap: /index.html

    Passes, as robots.txt::

        Sitemap: https://site.example/index.html
    """
    link = audited.link
    if link.syntax != "robots" or scheme_of(strip_url(link.reference)) is not None:
        return None
    is_known = audited.page.site.known and link.target is not None
    hint = Hint("write the full URL", link.target if is_known else None, certain=is_known)
    return Issue("the URL of a sitemap has to be absolute: most crawlers ignore this one", hint)
