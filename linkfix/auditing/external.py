"""The results of a link checker for URLs on other sites: the JSON report of lychee, for `--external-results`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from linkfix.errors import InvalidOption
from linkfix.urls import hide_passwords

#: The maps of lychee's report with broken URLs: versions before 0.16 have the second instead of the first.
_ERRORS = ("error_map", "fail_map")

_TIMEOUTS = "timeout_map"

#: The largest report that is read, in bytes.
_LARGEST = 1 << 28

#: The beginning of lychee's text for a status that it does not accept.
_REJECTED = "Rejected status code: "

#: Its text for a page that did not answer in time.
_TIMEOUT = "Timeout"

#: Statuses by which hosts refuse programs, or ask them to come later: the page may be there.
_REFUSALS = frozenset({401, 402, 403, 405, 406, 407, 408, 409, 418, 421, 425, 426, 429, 451, 999})

_SERVER_ERROR = 500


class ExternalFailure(NamedTuple):
    """The result of a link checker for a URL that it found broken."""

    text: str
    """The result in words."""
    is_certain: bool
    """Whether the page is gone. If not, its host may have refused the link checker, or have been busy."""


def read_results(path: str) -> Mapping[str, ExternalFailure]:
    """The broken URLs in a JSON report of lychee. Raises `InvalidOption` for any other file, and `OSError`.

    `lychee --format json` writes the URLs as the URL parser does (URL standard §4.5).
    """
    file = Path(path)
    if file.stat().st_size > _LARGEST:
        raise _wrong(path, "the file is too large")
    try:
        report = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        raise _wrong(path, "the file is not JSON") from None
    if not isinstance(report, dict) or not any(isinstance(report.get(name), dict) for name in _ERRORS):
        raise _wrong(path, f"there is no {_ERRORS[0]}")
    found: dict[str, ExternalFailure] = {}
    for name in (_TIMEOUTS, *_ERRORS):
        places = report.get(name, {})
        for entries in places.values() if isinstance(places, dict) else [places]:
            for entry in entries if isinstance(entries, list) else [entries]:
                if not isinstance(entry, dict) or not isinstance(entry.get("url"), str):
                    raise _wrong(path, f"{name} has an entry without a URL")
                found[entry["url"]] = _failure(entry.get("status"), is_timeout=name == _TIMEOUTS)
    return found


def _failure(status: object, *, is_timeout: bool) -> ExternalFailure:
    fields = status if isinstance(status, dict) else {"text": status}
    code, details, text = fields.get("code"), fields.get("details"), fields.get("text")
    words = details if isinstance(details, str) and not isinstance(code, int) else text
    words = words if isinstance(words, str) and words else "timeout" if is_timeout else "broken"
    is_timeout = is_timeout or text == _TIMEOUT
    is_refusal = isinstance(code, int) and (code in _REFUSALS or code >= _SERVER_ERROR)
    return ExternalFailure(hide_passwords(words.removeprefix(_REJECTED)), not (is_timeout or is_refusal))


def failure_at(failures: Mapping[str, ExternalFailure], target: str | None) -> ExternalFailure | None:
    """The failure at a target, or at the same target without its fragment; None for none."""
    if not failures or target is None:
        return None
    return failures.get(target) or failures.get(target.partition("#")[0])


def _wrong(path: str, fault: str) -> InvalidOption:
    message = f"external-results {path!r}: not a JSON report of lychee: {fault}; write one with 'lychee --format json'"
    return InvalidOption(message)
