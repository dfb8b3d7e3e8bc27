"""The directives of `.htaccess` that Apache 2.4 refuses: those of the server's configuration, and misspelled ones.

The names are those of `apache2 -L`, which says where each directive is allowed; only the usual ones are here. Modules
of others have directives, too: a name that is like none here may be one of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkfix.comparison import distance
from linkfix.display import visible


def _names(text: str) -> dict[str, str]:
    """Names in lower case, in which they count, and as they are written."""
    return {name.lower(): name for name in text.split()}


#: Directives and sections that files `.htaccess` may have.
ALLOWED = _names(
    """
    AcceptPathInfo AddCharset AddDefaultCharset AddEncoding AddHandler AddLanguage AddOutputFilter
    AddOutputFilterByType AddType allow AuthGroupFile AuthName AuthType AuthUserFile BrowserMatch CheckSpelling
    DefaultLanguage deny DirectoryIndex DirectorySlash ErrorDocument ExpiresActive ExpiresByType ExpiresDefault
    FallbackResource FileETag Files FilesMatch ForceType Header IfDefine IfModule IfVersion IndexIgnore
    IndexOptions LanguagePriority Limit LimitExcept Options order Redirect RedirectMatch RedirectPermanent
    RedirectTemp RemoveHandler RemoveType RequestHeader Require RequireAll RequireAny RequireNone RewriteBase
    RewriteCond RewriteEngine RewriteOptions RewriteRule Satisfy ServerSignature SetEnv SetEnvIf SetEnvIfNoCase
    SetHandler SetOutputFilter
    """
)

#: Those that only the server's configuration may have.
OF_SERVER = _names(
    """
    AccessFileName Alias AliasMatch AllowOverride CustomLog Define Directory DirectoryMatch DocumentRoot
    ErrorLog H2Direct Include IncludeOptional KeepAlive KeepAliveTimeout Listen LoadModule Location
    LocationMatch LogFormat LogLevel MaxClients Proxy ProxyMatch ProxyPass ProxyPassMatch ProxyPassReverse
    RewriteMap ScriptAlias ScriptAliasMatch ServerAdmin ServerAlias ServerName ServerRoot ServerTokens
    SSLCertificateFile SSLCertificateKeyFile SSLEngine SSLProtocol Timeout TraceEnable UnDefine UseCanonicalName
    VirtualHost
    """
)

#: Names up to this length are like another one if they differ by one letter, longer ones by two; the least length.
_SHORT, _LEAST = 7, 5


#: The names that the directive `Options` has (`set_options` of Apache's core).
_OPTIONS = frozenset(
    "all execcgi followsymlinks includes includesnoexec indexes multiviews none symlinksifownermatch".split()
)


def fault_of_options(names: Sequence[str]) -> str:
    """Why Apache refuses the words of `Options`, in lower case, as a clause; "" if it accepts them."""
    wrong = next((name for name in names if name.lstrip("+-") not in _OPTIONS), "")
    if wrong:
        return f"Options has no {visible(wrong)}"
    signed = [name.startswith(("+", "-")) for name in names]
    return "" if all(signed) or not any(signed) else "some options have a sign, + or -, and some have none"


def fault_of_directive(name: str) -> str:
    """Why Apache refuses a directive or section in a file `.htaccess`, as a clause; "" if it may know it."""
    key = name.lower()
    if key in OF_SERVER:
        return f"{OF_SERVER[key]} is allowed only in the server's configuration"
    if key in ALLOWED or len(key) < _LEAST:
        return ""
    like = next((shown for one, shown in ALLOWED.items() if _is_like(key, one)), "")
    return f"Apache has no directive {visible(name)}: {like} is similar" if like else ""


def _is_like(key: str, one: str) -> bool:
    limit = 1 if len(one) <= _SHORT else 2
    return len(one) >= _LEAST and distance(key, one, limit) <= limit
