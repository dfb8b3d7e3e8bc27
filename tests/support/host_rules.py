"""Rules of `_redirects` without a tree."""

from __future__ import annotations

from linkfix.auditing.hosts.find import NO_HOST
from linkfix.auditing.hosts.netlify import DIALECTS, read_redirects
from linkfix.auditing.hosts.rules import HostRules


def redirects_rules(text, host="netlify"):
    """The rules of a file `_redirects`. `host`: a key of `DIALECTS`."""
    dialect = DIALECTS[host]
    rules = HostRules(ignores_slash=dialect.ignores_slash, ignores_own=dialect.ignores_slash)
    read_redirects(text, rules, dialect)
    return rules


def host_of(redirects):
    """A host whose only file is `_redirects`; one without files for None."""
    return NO_HOST if redirects is None else NO_HOST._replace(rules=(redirects_rules(redirects),))
