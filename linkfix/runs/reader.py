"""From what a run finds to documents: files and the parts of containers, each with its envelope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from linkfix.containers.part import Limits, Part
from linkfix.document.document import Document
from linkfix.document.validation import validate
from linkfix.encodings.labels import lookup
from linkfix.errors import LinkfixError, UnknownCharset
from linkfix.files.folder import Tree
from linkfix.model import DOCUMENT_KINDS, MARKUP_TYPES, PROBLEMS, Envelope, Options, Problem
from linkfix.runs.plan import Task
from linkfix.saved.retrieval import Retrieval
from linkfix.urls import without_fragment

__all__ = ["Read", "Reader", "named"]

#: RFC 2557 §5 (e): what nothing outside of a message can resolve.
_MESSAGE = "thismessage:"


class Read(NamedTuple):
    """A document, and what is wrong with what was found about it, beside its own problems.

    `document` is None where it cannot be read for that.
    """

    document: Document[bytes] | None
    problems: tuple[Problem, ...] = ()


def named(problem: Problem, part: Part) -> Problem:
    """A problem of a part as one of its container; line and column stay the part's."""
    return problem._replace(message=f"{part.name}: {problem.message}")


class Reader:
    """Makes documents by the options of a task. Remembers what stands beside them: one for each process."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._retrieval = self._ladder(None)
        wanted = frozenset(DOCUMENT_KINDS) if task.options.plain_text else MARKUP_TYPES
        self.limits: Limits = Limits(part=task.max_size, media_types=wanted)

    def _ladder(self, url: str | None) -> Retrieval:
        task = self._task
        return Retrieval(url=url, url_map=task.url_map, layout=task.layout, trust_canonical=task.trust_canonical)

    def document(  # noqa: PLR0913 - what is known of a file
        self,
        data: bytes,
        media_type: str,
        *,
        tree: Tree | None = None,
        name: str = "",
        url: str | None = None,
        options: Options | None = None,
    ) -> tuple[Document[bytes], tuple[Problem, ...]]:
        """The document that a file is, and what is wrong with the marks of its saver.

        `tree`, `name`: see `Retrieval.envelope`. `url`: given for this file. `options`: instead of the task's. Raises
        `LinkfixError` for what the caller did wrong.
        """
        task = self._task
        known = Envelope(charset=task.charset, media_type=media_type, default=task.default_base)
        ladder = self._ladder(url) if url is not None else self._retrieval
        envelope, problems = ladder.envelope(tree, name, data, media_type, known)
        return Document(data, envelope=envelope, options=options or task.options), problems

    def validate(self, url: str | None) -> None:
        """Raise what `document` raises for what the caller did wrong. `url`: given for one file."""
        self._ladder(url)
        task = self._task
        validate(Envelope(url, task.charset, default=task.default_base), task.options)

    def around(self, tree: Tree | None, name: str, url: str | None = None) -> Envelope:
        """The envelope of a container: what the caller says of its URL, and the default. See `document`."""
        mapped = self._task.url_map.find(tree, name) if self._task.url_map else None
        placed = tree.url_of(name) if tree is not None else None
        found = (
            (url, "given for this document"),
            mapped or (None, ""),
            (placed, "the URL given for the tree, and the file's name"),
        )
        chosen, where = next((one for one in found if one[0]), (None, ""))
        return Envelope(url=chosen, default=self._task.default_base, where=where)

    def part(self, part: Part, container: str) -> Read | None:
        """The document that a part is; None for one of a media type that is not wanted.

        `container`: its name, for messages.
        """
        if part.media_type not in self.limits.media_types:
            return None
        task = self._task
        known, problems = _readable(replace(part.envelope, media_type=part.media_type))
        if known.charset is None and task.charset is not None:
            known = replace(known, charset=task.charset)
        options = task.options
        kept = part.siblings if task.keep_parts else frozenset()
        if kept or _in_message(part.envelope):
            options = replace(options, keep=_keeper(kept))
        envelope, more = self._retrieval.envelope(None, f"{container}!{part.name}", part.data, part.media_type, known)
        problems += more
        try:
            return Read(Document(part.data, envelope=envelope, options=options), problems)
        except LinkfixError as error:
            return Read(None, (*problems, Problem("part-url", f"{PROBLEMS['part-url']}: {error}", 0, 1, 1)))


def _readable(envelope: Envelope) -> tuple[Envelope, tuple[Problem, ...]]:
    """An envelope without a charset that nobody knows, and the problem that this is."""
    if envelope.charset is None:
        return envelope, ()
    try:
        lookup(envelope.charset)
    except UnknownCharset:
        problem = Problem("charset-unknown", f"{PROBLEMS['charset-unknown']}: {envelope.charset!r}", 0, 1, 1)
        return replace(envelope, charset=None), (problem,)
    return envelope, ()


def _in_message(envelope: Envelope) -> bool:
    """Whether the base of last resort is the message itself."""
    entity: Envelope | None = envelope
    while entity is not None:
        if entity.default is not None and entity.default.startswith(_MESSAGE):
            return True
        entity = entity.parent
    return False


def _keeper(siblings: frozenset[str]) -> Callable[[str], bool]:
    """What stays: references to other parts, and those that only a message of its own can resolve (RFC 2557 §5 (e))."""
    return lambda target: target.startswith(_MESSAGE) or without_fragment(target) in siblings
