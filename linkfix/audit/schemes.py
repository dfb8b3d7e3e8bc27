"""Schemes by name: which are in use, which were given up, which have hosts. A few dozen of the many that there are.

Statuses are those of IANA's registry of URI schemes (RFC 4395 §4, now RFC 7595).
"""

from __future__ import annotations

from difflib import get_close_matches

__all__ = ["GIVEN_UP", "HISTORICAL", "KNOWN", "NO_SLASHES", "SPECIAL", "near_scheme"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: URL standard §4.2.
SPECIAL = frozenset({"file", "ftp", "http", "https", "ws", "wss"})

#: Without a hierarchy, so that no "//" belongs after the colon (RFC 4395 §2.2), by the syntax that each one's RFC has.
NO_SLASHES = frozenset(
    {"about", "cid", "data", "geo", "javascript", "mailto", "mid", "sip", "sips", "sms", "tag", "tel"}
)

#: Historical in IANA's registry.
HISTORICAL = _words(
    "bb drop fax filesystem grd mailserver modem p1 pack payment prospero snews upt videotex wais wpid z39.50"
)

#: Registered otherwise or not at all, and no browser follows links with them (any more).
GIVEN_UP = frozenset({"gopher", "livescript", "mocha", "vbscript", "view-source", "wyciwyg"})

_HIERARCHICAL = """
    acap afp afs amqp amqps app aws cap chrome chrome-extension coap coaps content cvs dav dict dns ed2k ethereum
    feed finger fish ftps git git+http git+https git+ssh hcp hg hxxp hxxps icap im imap imaps info ipfs ipns ipp ipps
    irc ircs jar jdbc ldap ldaps mongodb moz-extension mms mssql mysql ni nfs nih nntp ntp odbc onion pop postgres
    postgresql redis rediss resource rlogin rmi rsync rtmp rtp rtsp rtspu s3 gs sftp shttp smb smtp snmp ssh stun stuns
    svn svn+http svn+https svn+ssh teamspeak telnet tftp tn3270 turn turns udp unix vnc web+ap z39.50r z39.50s zeroconf
"""
_OPAQUE = """
    attachment bitcoin bitcoincash blob callto data doi facetime facetime-audio im isbn lid magnet matrix mmsto news
    notes oid opaquelocktoken openpgp4fpr otpauth payto pkcs11 pres res skype smsto thismessage urn uuid webcal
    webcals wtai xmpp xri
"""
_APPLICATIONS = """
    android-app apt comgooglemaps discord fb fb-messenger fb-messenger-api github-mac geo-navigation instagram intent
    ios-app itms itms-apps itms-appss itms-services kakaolink line lyft maps market mattermost message ms-excel
    ms-powerpoint ms-settings ms-windows-store ms-word msteams mumble obsidian org-protocol pinterest pintrest rdar
    shareit slack snapchat snssdk1128 spotify steam tg tiktok twitter uber vbox viber vscode vscode-insiders waze weixin
    wechat whatsapp x-apple-helpbasic x-apple.systempreferences x-man-page x-help-action zoommtg zoomus zotero man
    clsid help ghelp itpc pcast podcast tbird thunderbird teliaeid bankid swish moz-icon moz-anno ms-help ms-its mk its
    ed2k winget aim ymsgr msnim gtalk xfire teamviewer anydesk web+mastodon at did gemini spartan titan dat hyper
    view
"""

#: All that are in use, permanent, provisional or by custom, and those that were.
KNOWN = SPECIAL | NO_SLASHES | HISTORICAL | GIVEN_UP | _words(_HIERARCHICAL + _OPAQUE + _APPLICATIONS)

#: What an unknown scheme is compared with: those that pages link with.
_COMMON = sorted(KNOWN - HISTORICAL - GIVEN_UP)
#: No name of a scheme that anybody uses is longer; comparing takes the square of it.
_LONGEST = 40


def near_scheme(name: str) -> str | None:
    """The scheme in use whose name is much like `name`, or None."""
    if len(name) > _LONGEST:
        return None
    return next(iter(get_close_matches(name, _COMMON, 1, 0.8)), None)
