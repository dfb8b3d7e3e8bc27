"""`linkfix base`: explains the base URL of a document, layer by layer."""

from __future__ import annotations

from pathlib import Path

import click

from linkfix.cli import COMMANDS
from linkfix.cli.help import OUTPUT, Command, group, options
from linkfix.cli.inputs import documents, paths_argument
from linkfix.cli.options import DOCUMENT, RESOLVER, SCRIPTING
from linkfix.cli.report import format_message, no_layout_line, print_problems
from linkfix.cli.run_options import ORIGIN
from linkfix.cli.settings import configurable
from linkfix.display import display_name, json_text, visible, visible_path
from linkfix.document.base import LAYERS
from linkfix.document.document import Document
from linkfix.model import Base, Layer

#: The text for the empty base URL of RFC 1808 §3.4.
_EMPTY = "(empty)"


def _decision(base: Base, spec: str) -> list[dict[str, str | bool | None]]:
    """The layers of a specification as rows: one for the chosen base, for each rejected base, and for each empty layer.

    A layer that the specification lacks has rows only if a base was rejected in it.
    """
    rows: list[dict[str, str | bool | None]] = []
    for layer in Layer:
        rule = LAYERS[spec].get(layer)
        name, section = (layer.value, "") if rule is None else (rule.name, rule.section)
        common = {"layer": layer.value, "section": section, "name": name}
        found = []
        if base.layer is layer is not Layer.NONE:
            found.append({**common, "url": base.url, "where": base.where, "used": True, "reason": None})
        found += [
            {**common, "url": other.reference, "where": other.where, "used": False, "reason": other.reason}
            for other in base.rejected
            if other.layer is layer
        ]
        nothing = {**common, "url": None, "where": None, "used": False, "reason": "none"}
        rows += found or ([] if rule is None else [nothing])
    return rows


def _text(name: str, document: Document[bytes]) -> str:
    base = document.base
    spec = document.options.spec
    is_numbered = all(rule.section for rule in LAYERS[spec].values())
    rows: list[tuple[str, str]] = []
    for row in _decision(base, spec):
        title = f"{row['section']} {row['name']}".lstrip() if is_numbered else f"{row['name']}"
        if row["url"] is None:
            rows.append((title, f"{row['reason']}"))
        else:
            verdict = "used" if row["used"] else f"not used: {row['reason']}"
            rows.append((title, f"{row['url'] or _EMPTY}  ({row['where']})  {verdict}"))
    rows.append(("encoding", f"{document.encoding.name}  ({document.encoding.where})"))
    width = max(len(title) for title, _ in rows)
    url = _EMPTY if base.url == "" else base.url or "no base URL"
    return "\n".join(
        [f"{visible_path(name)}: {visible(url)}", *(visible(f"  {title:<{width}} {text}") for title, text in rows)]
    )


def _json(name: str, document: Document[bytes]) -> str:
    base, encoding = document.base, document.encoding
    row = {
        "path": display_name(name),
        "url": base.url,
        "layer": base.layer.value,
        "fallback": base.fallback,
        "spec": document.options.spec,
        "layers": _decision(base, document.options.spec),
        "encoding": {"name": encoding.name, "source": encoding.source, "where": encoding.where},
    }
    return json_text(row)


_FORMATS = {"text": _text, "json": _json}


@click.command(
    "base",
    short_help=COMMANDS["base"].summary,
    cls=Command,
    examples={
        "Explain the base URL of a page": "linkfix base page.html --url https://example.com/dir/page.html",
        "Find the URLs of saved pages": "linkfix base saved/ --layout auto",
    },
)
@paths_argument
@options(
    DOCUMENT,
    ORIGIN,
    RESOLVER,
    SCRIPTING,
    group(
        OUTPUT,
        click.option(
            "--format",
            "form",
            type=click.Choice(list(_FORMATS)),
            default="text",
            show_default=True,
            help="json: one object per line and document.",
        ),
    ),
)
@configurable
@click.pass_context
def command(ctx: click.Context, /, form: str, **_: object) -> None:
    """Print the base URL of a document and the reason for it.

    Each line names a place that can give the base URL, the URL found there, and whether it is used. The last line names
    the character encoding. PATH is a document, an archive or message that contains documents (MHTML, WARC, EPUB, ...),
    a folder, or '-' for standard input.
    """
    failed = is_found = False
    for name, document, message, error, problems in documents(ctx):
        failed = failed or error
        if document is not None:
            is_found = is_found or document.base.url is not None
            click.echo(_FORMATS[form](name, document))
        elif message:
            click.echo(format_message(name, message), err=True)
        print_problems(name, problems)
    if ctx.params["layout"] == "auto" and not is_found:
        paths = ctx.params["paths"]
        click.echo(no_layout_line(is_folder=len(paths) > 1 or Path(paths[0]).is_dir()), err=True)
    ctx.exit(2 if failed else 0)
