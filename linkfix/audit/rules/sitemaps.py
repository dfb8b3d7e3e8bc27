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
    """An address in a sitemap is not an absolute URL.

    An address "must begin with the protocol (such as http)" (sitemaps.org, "XML tag definitions"). Search engines do
    not resolve relative addresses, and ignore them. This also applies to a sitemap index, and to the addresses in
    Google's extensions for images and videos.

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
    text = "write the absolute URL" if is_known else "write the absolute URL, or use --fix with --root-url"
    hint = Hint(text, link.target if is_known else None, certain=is_known)
    return Issue("an address in a sitemap must be an absolute URL, with https:// and the host", hint)


@link_rule("LF411", Level.WARNING, concerns=lambda link: link.element == "loc")
def other_host_in_sitemap(audited: AuditedLink) -> Issue | None:
    """A sitemap lists a page of another host or protocol.

    "All URLs listed in the Sitemap must use the same protocol … and reside on the same host as the Sitemap"
    (sitemaps.org, "Sitemap file location"). Search engines ignore other URLs, unless the robots.txt of their host names
    this sitemap. The rule needs a known URL of the site. It does not check addresses of images and videos.

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
    hint = Hint(f"list only pages of {site.origin}, or name this sitemap in {where}/robots.txt")
    return Issue(f"the sitemap belongs to {site.origin}, but this page does not", hint, where)


@link_rule("LF412", Level.WARNING, concerns=lambda link: link.syntax == "robots")
def relative_robots_url(audited: AuditedLink) -> Issue | None:
    """A Sitemap line of robots.txt has a relative URL.

    The line must have "the complete URL" (sitemaps.org, "Specifying the Sitemap location in your robots.txt file").
    Most crawlers ignore a relative URL and do not find the sitemap. With --root-url, --fix writes the absolute URL.

    Fails, as robots.txt::

        Sitemap: /index.html

    Passes, as robots.txt::

        Sitemap: https://site.example/index.html
    """
    link = audited.link
    if link.syntax != "robots" or scheme_of(strip_url(link.reference)) is not None:
        return None
    is_known = audited.page.site.known and link.target is not None
    hint = Hint("write the absolute URL", link.target if is_known else None, certain=is_known)
    return Issue("the URL of a sitemap must be absolute: most crawlers ignore this URL", hint)
