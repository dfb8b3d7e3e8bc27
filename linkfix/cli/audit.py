"""`linkfix audit`: finds the broken references of a folder of pages, and reports them."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

from linkfix.audit.model import Audit, Level
from linkfix.audit.reporters import reporter
from linkfix.audit.reporters.common import checked_nothing, verdict
from linkfix.cli import COMMANDS
from linkfix.cli.audit_options import NEVER, REPORT, SCOPE, SELECTION
from linkfix.cli.audit_run import AuditRun
from linkfix.cli.options import FOUND, SCRIPTING, STDOUT, journal_mistakes, options
from linkfix.cli.report import buffered_output, write_bytes, write_file
from linkfix.cli.settings import configurable
from linkfix.display import pluralize, visible

__all__ = ["command"]

#: The last suffix of --output -> the format that it stands for.
_SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
    ".xml": "junit",
    ".csv": "csv",
    ".md": "markdown",
    ".htm": "html",
    ".html": "html",
}


@click.command(
    "audit",
    short_help=COMMANDS["audit"].summary,
    epilog="Example: linkfix audit site/ --root-url https://example.com/docs/ --output report.html",
)
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, path_type=str))
@options(SCOPE, SCRIPTING, FOUND, SELECTION, REPORT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Find the broken references in a folder of pages, offline.

    DIR is a folder that a server serves, or a folder of saved pages. Exit codes: 0 no findings; 1 findings (see
    --fail-on); 2 wrong usage, or a file that could not be read or written; 3 no reference could be checked.
    """
    parameters = ctx.params
    folder = Path(parameters["folder"])
    alone = visible(f"{folder.parent} --include /{folder.name}")
    form = _report_format(parameters)
    mistakes = {
        f"{visible(str(folder))} is not a folder: give the folder that contains it, where its links lead; "
        f"'{alone}' checks that page only": not folder.is_dir(),
        "--diff shows what --fix would write: add --fix": parameters["diff"] and not parameters["fix"],
        "--prune-baseline removes entries from a file: add --baseline FILE": parameters["prune_baseline"]
        and not parameters["baseline"],
        "--prune-baseline and --diff cannot be combined: --diff writes nothing": parameters["prune_baseline"]
        and parameters["diff"],
        "--tree needs --root-url, the URL that DIR is served at": parameters["trees"] and not parameters["root_url"],
        "--tree cannot be combined with --fix or --diff-base: give one folder, and the others by --mount": parameters[
            "trees"
        ]
        and (parameters["fix"] or parameters["diff_base"]),
        "--write-baseline and --diff-base cannot be combined: a baseline has all findings": parameters["write_baseline"]
        and parameters["diff_base"],
        "--write-baseline and --diff cannot be combined: --diff writes nothing": parameters["write_baseline"]
        and parameters["diff"],
        "--format html cannot be printed to a terminal: add --output report.html": form == "html"
        and not parameters["output"]
        and not parameters["write_baseline"]
        and sys.stdout.isatty(),
        **journal_mistakes(parameters, "--fix", writes=parameters["fix"]),
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    run = AuditRun.of(parameters)
    result = run.audit()
    run.say_archives(result)
    failed = False
    if parameters["fix"]:
        from linkfix.cli.audit_fixes import fix, print_fixes  # noqa: PLC0415 - most audits change nothing

        result, failed = (result, print_fixes(result, run)) if parameters["diff"] else fix(ctx, result, run)
    if parameters["prune_baseline"]:
        result = _prune_baseline(run, result, parameters)
    if parameters["write_baseline"]:
        _write_baseline(result, parameters)
    elif not parameters["diff"] or parameters["output"]:
        _report(result, form, parameters)
    _exit(ctx, result, failed=failed)


def _report_format(parameters: dict[str, Any]) -> str:
    suffix = Path(parameters["output"] or "").suffix.lower()
    return parameters["form"] or _SUFFIXES.get(suffix, "text")


def _report(result: Audit, form: str, parameters: dict[str, Any]) -> None:
    """Write the report.

    In GitHub Actions annotations are printed beside the report and not instead of it: the log shows only the message of
    an annotation, and the checks show ten of them.
    """
    if parameters["output"]:
        text = io.StringIO(newline="")
        _write(result, form, text, parameters)
        data = text.getvalue().encode("utf-8", "backslashreplace")
        write_file(parameters["output"], data, quiet=parameters["quiet"])
    else:
        with buffered_output() as out:
            _write(result, form, out, parameters)
    if not parameters["form"] and os.environ.get("GITHUB_ACTIONS") == "true":
        with buffered_output() as out:
            reporter("github").write(result, out)
    if not parameters["quiet"] and (parameters["output"] or form != "text"):
        click.echo(f"linkfix audit: {visible(verdict(result))}", err=True)


def _write(result: Audit, form: str, out: TextIO, parameters: dict[str, Any]) -> None:
    if form == "text" and parameters["full"]:
        from linkfix.audit.reporters import text  # noqa: PLC0415 - one of many formats

        text.write(result, out, full=True)
    else:
        reporter(form).write(result, out)


def _write_baseline(result: Audit, parameters: dict[str, Any]) -> None:
    from linkfix.audit import baseline  # noqa: PLC0415 - few runs write one

    path = parameters["write_baseline"]
    data = baseline.dump(result.findings)
    if path == STDOUT:
        write_bytes(data)
    else:
        write_file(path, data, quiet=parameters["quiet"])
    if not parameters["quiet"]:
        place = "standard output" if path == STDOUT else visible(path)
        click.echo(f"{pluralize(len(result.findings), 'finding')} written to {place}", err=True)


def _prune_baseline(run: AuditRun, result: Audit, parameters: dict[str, Any]) -> Audit:
    """Remove from the baseline what no longer occurs. Returns the audit without it."""
    from linkfix.audit import baseline  # noqa: PLC0415 - few runs write one

    outdated = run.outdated(result)
    if outdated:
        kept = [entry for entry in run.baseline if entry not in outdated]
        write_file(parameters["baseline"], baseline.dump(kept), quiet=parameters["quiet"])
    if not parameters["quiet"]:
        removed = pluralize(len(outdated), "finding")
        click.echo(f"{removed} removed from {visible(parameters['baseline'])}: no longer there", err=True)
    return replace(result, outdated=0)


def _exit(ctx: click.Context, result: Audit, *, failed: bool) -> NoReturn:
    """Exit with the code of the result."""
    fail_on = ctx.params["fail_on"]
    worst = min((finding.level.rank for finding in result.findings), default=len(Level))
    code = 0
    if failed:
        code = 2
    elif fail_on != NEVER and worst <= Level(fail_on).rank and not ctx.params["write_baseline"]:
        code = 1
    elif checked_nothing(result):
        code = 3
    ctx.exit(code)
