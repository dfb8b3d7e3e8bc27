"""The rules of a host for the pages that a generator makes: redirects from paths that no page has."""

from __future__ import annotations

from urllib.parse import quote

from linkfix.auditing.hosts.rules import Asked, HostRules
from linkfix.auditing.made_pages import MadePages
from linkfix.auditing.site import FAILING, MOST_REDIRECTS, Destination, DestinationKind, path_of_url, percent_decode
from linkfix.model import Link


def place_by_rules(made: MadePages, name: str, link: Link, missing: Destination) -> tuple[Destination, Link]:
    """The destination of a link of the source `name` in the built site, and the link there.

    The rules of the host apply to a path that no page has. `made`: the pages. `missing`: the destination among the
    sources.
    """
    place, link = made.place_of(name, link) or made.meant(name, link, missing)
    found = _by_rules(made, name, link) if place.kind in FAILING else None
    return found or place, link


def _by_rules(made: MadePages, name: str, link: Link) -> Destination | None:
    """The destination of a link of the source `name` by a rule of the host; None if no rule applies."""
    if not made.served.rules:
        return None
    _, mark, query = link.reference.partition("#")[0].partition("?")
    for path in made.url_paths(name, link):
        url = made.served.origin + quote(path) + mark + query
        found = [one for rules in made.served.rules if (one := _follow(made, rules, name, link, url)) is not None]
        if found:
            return next((one for one in found if one.kind not in FAILING), found[0])
    return None


def in_made_site(made: MadePages, name: str, link: Link) -> Destination:
    """The destination of the target of a host's rule. `made`: the pages. `link`: a link of the host's file `name`."""
    found, target = made.served.destination(link.target), link.target or ""
    if found.kind not in FAILING or not made.served.is_own(target):
        return found
    path = percent_decode(path_of_url(target))
    return made.at_url(name, link, path) or Destination(DestinationKind.MISSING, path.lstrip("/"))


def _follow(made: MadePages, rules: HostRules, name: str, link: Link, url: str) -> Destination | None:
    """The destination of a URL by the rules of one host; None if none applies.

    The other arguments: as in `place_by_rules`.
    """
    site, missing = made.served, None
    for _ in range(MOST_REDIRECTS + 1):
        effect, possible = site.effect(rules, url, Asked(url[len(site.origin) :]))
        unclear = [*possible, *([effect] if effect is not None and effect.is_unknown else [])]
        if unclear:
            return Destination(DestinationKind.CONDITIONAL, near=unclear[0].place.words())
        if effect is None or effect.keeps:
            return missing
        words, target = effect.place.words(), effect.target
        if not target:
            at = percent_decode(path_of_url(url)).lstrip("/")
            forced = Destination(DestinationKind.MISSING, at, redirect=words, status=effect.status)
            return forced if effect.force else missing
        if not site.is_own(target):
            return site.destination(target)
        path, fragment = percent_decode(path_of_url(target)), target.partition("#")[2]
        found = made.at_url(name, link, path)
        if found is not None and effect.rewrites:
            return found._replace(kind=DestinationKind.CAUGHT if effect.catches_all else found.kind, redirect=words)
        if found is not None:
            return found._replace(fragment=fragment, redirect=words)
        missing = Destination(DestinationKind.MISSING, path.lstrip("/"), redirect=words)
        if effect.rewrites and not rules.repeats:
            return missing
        url = target.partition("#")[0]
    return missing
