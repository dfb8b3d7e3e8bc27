"""Reader that makes documents, each with its envelope, from the files of a run and the parts of containers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from linkfix.containers.part import Limits, Part, Siblings
from linkfix.document.decide import validate
from linkfix.document.document import Document
from linkfix.document.relocation import relative_to
from linkfix.encodings.encoding import get_encoding
from linkfix.errors import LinkfixError
from linkfix.files.atomic import opener_beside
from linkfix.files.data_formats import GENERIC_TYPES, sniff_xml
from linkfix.files.descriptors import FilePath
from linkfix.files.folder import URL_OF_TREE, EntryKind, FileTree
from linkfix.model import HEADER_TYPES, MARKUP_TYPES, PROBLEMS, Envelope, Options, Problem
from linkfix.runs.file_map import FileMap
from linkfix.runs.plan import FILES, InputPath, RunSettings
from linkfix.saved.neighbours import ArchiveMember, HostFolder
from linkfix.saved.retrieval import Retrieval, Suggestion
from linkfix.urls import without_fragment


class PartDocument(NamedTuple):
    """The document of a part."""

    document: Document[bytes] | None
    """None if the part's envelope is invalid, so that it has no document."""
    problems: tuple[Problem, ...] = ()
    """The problems of the envelope, without the document's own problems."""


def part_problem(problem: Problem, part: Part) -> Problem:
    """A problem of a part, as a problem of its container. Line and column still refer to the part."""
    return problem._replace(message=f"{part.name}: {problem.message}")


class DocumentReader:
    """Makes documents by the settings of a run. It caches neighbouring files, so each process needs its own reader."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._retrieval = self._make_retrieval(None)
        self._known: dict[str, Envelope] = {}
        options = settings.options
        asked = {"text/plain": options.plain_text, **dict.fromkeys(HEADER_TYPES, options.header_fields)}
        self.limits: Limits = Limits(
            part=settings.max_size,
            ratio=settings.max_ratio,
            total=settings.max_total,
            media_types=MARKUP_TYPES.union(name for name, wanted in asked.items() if wanted),
            break_signatures=settings.break_signatures,
            options=options,
        )

    def map_files(self, inputs: Iterable[InputPath], *, index_names: bool) -> FileMap:
        """The map of all files in the folders of some inputs: see `FileMap`.

        The folder of a single file counts if it has a URL, a layout or a map of URLs.
        """
        made = FileMap(index_names=index_names)
        is_located = self._settings.url_map is not None or self._settings.layout is not None
        for one in inputs:
            if one.name and one.tree.url is None and not is_located:
                continue
            for entry in one.tree.entries():
                if entry.kind in FILES or (entry.kind is EntryKind.LINK and os.path.isfile(one.tree.path(entry.name))):
                    url = self._retrieval.url_of_file(one.tree, entry.name)
                    made.add(one.tree.root, url, entry.name, any_query=url == one.tree.url_of(entry.name))
        return made

    def limits_of(self, path: FilePath | None) -> Limits:
        """The limits for a container, which may have parts in other files of its folder. `path`: None for a stream."""
        return self.limits if path is None else self.limits._replace(beside=opener_beside(path))

    def _make_retrieval(self, url: str | None) -> Retrieval:
        settings = self._settings
        return Retrieval(
            url=url,
            url_map=settings.url_map,
            layout=settings.layout,
            trust_canonical=settings.trust_canonical,
            archived_links=settings.archived_links,
        )

    def document(
        self,
        data: bytes,
        media_type: str,
        *,
        tree: FileTree | None = None,
        name: str = "",
        url: str | None = None,
        options: Options | None = None,
    ) -> tuple[Document[bytes], tuple[Problem, ...]]:
        """The document of a file, and the problems of finding its retrieval URL.

        `tree`, `name`: see `Retrieval.envelope`. `url`: the URL that the caller gives for this file. `options`: replace
        the options of the settings. Raises `LinkfixError` for a caller's mistake.
        """
        settings = self._settings
        known = self._known.get(media_type)
        if known is None:
            known = Envelope(charset=settings.charset, media_type=media_type, default=settings.default_base)
            self._known[media_type] = known
        retrieval = self._make_retrieval(url) if url is not None else self._retrieval
        envelope, problems = retrieval.envelope(tree, name, data, media_type, known)
        options = options or settings.options
        if settings.on_host and envelope.url is not None:
            options = replace(options, locate=relative_to(envelope.url))
        return Document(data, envelope=envelope, options=options), problems

    def suggest(self, tree: FileTree | None, name: str, data: bytes, media_type: str) -> Suggestion | None:
        """See `Retrieval.suggest`; None unless the settings ask for suggestions."""
        return self._retrieval.suggest(tree, name, data, media_type) if self._settings.suggest_urls else None

    def host_folder(self, tree: FileTree, name: str) -> HostFolder | None:
        """See `Retrieval.host_folder`; None unless the layout of the run is to be detected."""
        return self._retrieval.host_folder(tree, name) if self._settings.layout == "auto" else None

    def validate(self, url: str | None) -> None:
        """Raise the error of `document` for a caller's mistake. `url`: the URL that the caller gives for one file."""
        self._make_retrieval(url)
        settings = self._settings
        validate(Envelope(url, settings.charset, default=settings.default_base), settings.options)

    def container_envelope(
        self, tree: FileTree | None, name: str, url: str | None = None, *, is_page: bool = False
    ) -> Envelope:
        """The envelope of a container, with the URL that the caller states, or the layout of the run if the container
        `is_page`. For the other arguments see `document`.
        """
        in_map = self._settings.url_map.find(tree, name) if self._settings.url_map else None
        in_tree = tree.url_of(name) if tree is not None else None
        in_layout = self._retrieval.layout_url(tree, name) if tree is not None and is_page else None
        stated = (
            (url, "given for this document"),
            in_map or (None, ""),
            (in_layout, "the names of its folders"),
            (in_tree, URL_OF_TREE),
        )
        chosen, where = next((one for one in stated if one[0]), (None, ""))
        return Envelope(url=chosen, default=self._settings.default_base, where=where)

    def part(self, part: Part, container: str) -> PartDocument | None:
        """The document of a part; None if the part's media type is not read.

        `container`: the name of its container in messages.
        """
        if part.media_type not in self.limits.media_types or _is_other_xml(part):
            return None
        settings = self._settings
        known, problems = _drop_unknown_charset(part.envelope._replace(media_type=part.media_type))
        is_header = part.media_type in HEADER_TYPES
        if known.charset is None and settings.charset is not None and not is_header:
            known = known._replace(charset=settings.charset)
        options = settings.options
        siblings = part.siblings if settings.keep_parts else frozenset()
        if siblings:
            options = replace(options, keep=_keep_siblings(siblings))
        envelope = known
        if not is_header:  # savers leave no marks in header fields
            member = ArchiveMember(part.name, part.files) if part.files else None
            name = f"{container}!{part.name}"
            envelope, more = self._retrieval.envelope(None, name, part.data, part.media_type, known, member)
            problems += more
        try:
            return PartDocument(Document(part.data, envelope=envelope, options=options), problems)
        except LinkfixError as error:
            return PartDocument(None, (*problems, Problem("part-url", f"{PROBLEMS['part-url']}: {error}", 0, 1, 1)))


def _is_other_xml(part: Part) -> bool:
    """Whether a part is XML in a format that is not read, usually data of programs."""
    return part.media_type in GENERIC_TYPES and sniff_xml(part.data) is None


def _drop_unknown_charset(envelope: Envelope) -> tuple[Envelope, tuple[Problem, ...]]:
    """The envelope and its problems. A charset that is not a label of the Encoding standard is removed and reported."""
    if envelope.charset is None or get_encoding(envelope.charset) is not None:
        return envelope, ()
    problem = Problem("charset-unknown", f"{PROBLEMS['charset-unknown']}: {envelope.charset!r}", 0, 1, 1)
    return envelope._replace(charset=None), (problem,)


def _keep_siblings(siblings: Siblings) -> Callable[[str], bool]:
    """A function for `Options.keep` that keeps references to other parts."""
    return lambda target: without_fragment(target) in siblings
