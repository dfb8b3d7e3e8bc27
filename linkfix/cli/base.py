"""`linkfix base`: how the base URL of a document was decided, layer by layer."""

from __future__ import annotations

import click

from linkfix.cli import COMMANDS
from linkfix.cli.inputs import documents, paths_argument
from linkfix.cli.options import DOCUMENT, RESOLVER, SCRIPTING, options
from linkfix.cli.report import format_message, print_problems
from linkfix.cli.run_options import ORIGIN
from linkfix.cli.settings import configurable
from linkfix.display import display_name, json_text, visible, visible_path
from linkfix.document.document import Document
from linkfix.model import Base, Layer

__all__ = ["command"]

#: The layers of RFC 3986 §5.1, innermost first, with their sections.
_LAYERS = {Layer.EMBEDDED: "5.1.1", Layer.ENCAPSULATING: "5.1.2", Layer.RETRIEVAL: "5.1.3", Layer.DEFAULT: "5.1.4"}


def _decision(base: Base) -> list[dict[str, str | bool | None]]:
    """The layers, with a row for the base that was chosen, for each that was rejected, and for each empty layer."""
    rows: list[dict[str, str | bool | None]] = []
    for layer, section in _LAYERS.items():
        common = {"layer": layer.value, "section": section}
        found = []
        if base.layer is layer:
            found.append({**common, "url": base.url, "where": base.where, "used": True, "reason": None})
        found += [
            {**common, "url": other.reference, "where": other.where, "used": False, "reason": other.reason}
            for other in base.rejected
            if other.layer is layer
        ]
        rows += found or [{**common, "url": None, "where": None, "used": False, "reason": "none"}]
    return rows


def _text(name: str, document: Document[bytes]) -> str:
    lines = []
    for row in _decision(document.base):
        head = f"  {row['section']} {row['layer']:<13}"
        if row["url"] is None:
            lines.append(f"{head} {row['reason']}")
        else:
            verdict = "used" if row["used"] else f"not used: {row['reason']}"
            lines.append(f"{head} {row['url']}  ({row['where']})  {verdict}")
    lines.append(f"  encoding            {document.encoding.name}  ({document.encoding.where})")
    head = f"{visible_path(name)}: {visible(document.base.url or 'no base URL')}"
    return "\n".join([head, *map(visible, lines)])


def _json(name: str, document: Document[bytes]) -> str:
    base, encoding = document.base, document.encoding
    row = {
        "path": display_name(name),
        "url": base.url,
        "layer": base.layer.value,
        "fallback": base.fallback,
        "layers": _decision(base),
        "encoding": {"name": encoding.name, "source": encoding.source, "where": encoding.where},
    }
    return json_text(row)


_FORMATS = {"text": _text, "json": _json}


@click.command(
    "base",
    short_help=COMMANDS["base"].summary,
    epilog="Example: linkfix base page.html --url https://example.com/dir/page.html",
)
@paths_argument
@options(DOCUMENT, ORIGIN, RESOLVER, SCRIPTING)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_FORMATS)),
    default="text",
    show_default=True,
    help="json: one object per line and document.",
)
@configurable
@click.pass_context
def command(ctx: click.Context, /, form: str, **_: object) -> None:
    """Explain which base URL a document has, and why.

    Lists what each layer of RFC 3986 §5.1 gives, and why it is used or not; then the character encoding. PATH is a
    document, a container of documents (MHTML, WARC, EPUB, ...), a folder of them, or '-' for standard input.
    """
    failed = False
    for name, document, message, error, problems in documents(ctx):
        failed = failed or error
        if document is not None:
            click.echo(_FORMATS[form](name, document))
        elif message:
            click.echo(format_message(name, message), err=True)
        print_problems(name, problems)
    ctx.exit(2 if failed else 0)
