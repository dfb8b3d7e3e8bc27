"""Tables of scheme names, each from a specification: relative references, hierarchy, ports; unregistered schemes.

Resolvers take the names of schemes only from this module, and most rules do. Importing it reads no data. All names are
in lower case. IANA's registry is in `linkfix.schemes.registry`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

#: A scheme's use of relative references: never; always, since the generic syntax parses all of its URLs; sometimes, if
#: the base follows the generic syntax; "" if no specification says.
Relative: TypeAlias = Literal["never", "always", "sometimes", ""]


def _table(text: str) -> dict[str, str]:
    """Name -> description, from lines of `description | names`; an empty description repeats the last one."""
    found: dict[str, str] = {}
    description = ""
    for line in text.strip().splitlines():
        before, _, names = line.partition("|")
        description = before.strip() or description
        found.update(dict.fromkeys(names.split(), description))
    return found


#: Fielding 1994, before rule 1: schemes that "cannot be used in relative form". The first three "do not follow this
#: property" that "/", "." and ".." form a hierarchy; the last two do not use the common Internet scheme syntax.
NO_RELATIVE_FORM = frozenset({"gopher", "telnet", "wais", "mailto", "news"})

#: A scheme -> its use of relative references, and the section that states it. RFC 1808 §2.3 has three groups, for the
#: schemes of RFC 1738. https is "always" because its URIs differ from http's only in the scheme's name.
RELATIVE: dict[str, tuple[Relative, str]] = {
    **dict.fromkeys(("mailto", "news", "telnet"), ("never", "RFC 1808 §2.3")),
    **dict.fromkeys(("gopher", "prospero", "wais"), ("sometimes", "RFC 1808 §2.3")),
    **dict.fromkeys(("file", "ftp", "http", "nntp"), ("always", "RFC 1808 §2.3")),
    "https": ("always", "RFC 2818 §2.4"),
}

#: RFC 1808 §2.3: schemes that "are never used with relative URLs".
NEVER_RELATIVE = frozenset(name for name, (use, _) in RELATIVE.items() if use == "never")

#: RFC 1808 §2.3: schemes that "can always be parsed using the generic-RL syntax". RFC 2396 §5.2 step 3 means these when
#: it refers to schemes "known to always use the <hier_part> syntax" without naming any.
GENERIC_SYNTAX = frozenset(name for name, (use, _) in RELATIVE.items() if use == "always")

#: URL standard §4.2: the special schemes and their default ports; None if a scheme has no port.
SPECIAL: dict[str, int | None] = {"ftp": 21, "file": None, "http": 80, "https": 443, "ws": 80, "wss": 443}

#: Default ports from RFC 1738 §3.2-§3.11, and the ports of the special schemes (RFC 2818 §2.3, RFC 6455 §3).
DEFAULT_PORTS = {
    **{name: port for name, port in SPECIAL.items() if port is not None},
    "gopher": 70,
    "nntp": 119,
    "prospero": 1525,
    "telnet": 23,
    "wais": 210,
}

#: URL standard §4.4, query state: the special schemes without ws and wss.
QUERY_IN_DOCUMENT_ENCODING = frozenset(SPECIAL) - {"ws", "wss"}

#: Schemes with "//" and a host after the colon: the common Internet scheme syntax (RFC 1738 §3.1), and special schemes.
HIERARCHICAL = frozenset({*SPECIAL, "gopher", "nntp", "prospero", "telnet", "wais"})

#: A scheme -> the section that defines a syntax without authority and hierarchy, so that no "//" follows the colon (RFC
#: 4395 §2.2). Schemes with both forms (dns, go, ham, news, xmpp) and schemes without a definition are not included.
WITHOUT_HIERARCHY = _table(
    """
    RFC 2392 §2       | cid mid
    RFC 2397 §3       | data
    RFC 2609 §2.1     | service
    RFC 2806 §2       | fax modem
    RFC 2838 §2       | tv
    RFC 3261 §19.1.1  | sip sips
    RFC 3508          | h323
    RFC 3859          | pres
    RFC 3860          | im
    RFC 3966 §3       | tel
    RFC 4151 §2.1     | tag
    RFC 4452          | info
    RFC 4918          | opaquelocktoken
    RFC 5456          | iax
    RFC 5724 §2       | sms
    RFC 5870 §3.3     | geo
    RFC 6068 §2       | mailto
    RFC 6501          | xcon xcon-userid
    RFC 6694 §2.1     | about
    RFC 6787          | session
    RFC 6920 §7       | nih
    RFC 7064 §3.1     | stun stuns
    RFC 7065 §3.1     | turn turns
    RFC 7512 §2.3     | pkcs11
    RFC 7565 §7       | acct
    RFC 8141 §2       | urn
    RFC 8589          | leaptofrogans
    RFC 8959 §2       | secret-token
    RFC 9171          | ipn
    HTML §7.4.2       | javascript
    File API §8       | blob
    DID Core §3.1     | did
    BIP 21            | bitcoin
    ERC-681           | ethereum
    """
)

#: Schemes of `WITHOUT_HIERARCHY` whose syntax allows a "/" that is not hierarchical.
SLASH_IN_SYNTAX = frozenset(
    {"blob", "data", "did", "ethereum", "iax", "info", "javascript", "mid", "service", "sip", "sips", "tag", "urn"}
)

#: A scheme that is in use without being registered -> the programs or the purpose that it is used for.
UNREGISTERED = _table(
    """
    a script in a page (HTML §7.4.2)              | javascript
    Android                                       | android-app geo-navigation intent mmsto smsto
    iOS and macOS                                 | facetime-audio help ios-app itms-apps itms-appss itms-services itpc
                                                  | man pcast podcast rdar x-apple-helpbasic x-apple.systempreferences
                                                  | x-help-action x-man-page
    Windows                                       | clsid its mk ms-its ms-windows-store winget
    GNOME's help                                  | ghelp
    Firefox                                       | moz-anno moz-extension moz-icon
    packaged web applications                     | app
    messaging and meetings                        | discord fb-messenger fb-messenger-api kakaolink line mattermost
                                                  | msteams shareit slack tg viber wechat weixin whatsapp zoommtg zoomus
    social networks                               | fb instagram pinterest pintrest snapchat snssdk1128 tiktok twitter
                                                  | web+mastodon
    travel                                        | comgooglemaps lyft uber waze
    payment and identity                          | bankid swish
    other programs                                | anydesk github-mac obsidian org-protocol tbird teamviewer
                                                  | thunderbird vbox zotero
    version control                               | git+http git+https git+ssh hg svn+http svn+https svn+ssh
    databases                                     | jdbc mssql mysql odbc postgres postgresql
    cloud storage                                 | aws gs s3
    other protocols                               | amqp amqps ftps gemini imaps ntp rlogin rtp spartan titan unix
                                                  | webcals zeroconf
    identifiers that are also URNs                | isbn uuid
    """
)
