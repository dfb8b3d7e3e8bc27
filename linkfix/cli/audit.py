"""`linkfix audit`: which references of a tree are broken, and why; what mends itself, and what is known already."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from linkfix.audit import baseline
from linkfix.audit.checkout import Changes, changes, narrowed
from linkfix.audit.engine import audit
from linkfix.audit.fix import fixed
from linkfix.audit.listing import listed
from linkfix.audit.model import Audit, Level
from linkfix.audit.options import AuditOptions
from linkfix.audit.reporters import REPORTERS, reporter
from linkfix.audit.reporters.common import judged_nothing, verdict
from linkfix.audit.rules import rules
from linkfix.audit.selection import matching
from linkfix.cli import COMMANDS
from linkfix.cli.options import FOUND, options
from linkfix.cli.progress import Progress
from linkfix.cli.report import put_diff
from linkfix.cli.settings import FileCodes, Size, configurable
from linkfix.display import counted, visible
from linkfix.encodings.codecs import lookup
from linkfix.files import atomic
from linkfix.files.folder import selector
from linkfix.runs.diff import difference
from linkfix.runs.workers import core_count

__all__ = ["command"]

#: The last suffix of --output -> the format that it asks for.
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
#: --fix mends until nothing is left to mend: a mended reference can be mended again, but not for ever.
_ROUNDS = 10
_NEVER = "never"


def _words(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a list that is given at once, or in several options."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def _target(ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """A file that can be replaced, found out before the work and not after it; a symbolic link's target is."""
    if path is None:
        return None
    real = Path(path).resolve()
    message = ""
    if real.exists() and not real.is_file():
        message = f"{visible(path)!r} is no file that can be replaced; for standard output, leave the option out."
    elif not real.parent.is_dir():
        message = f"{visible(path)!r} lies in a folder that does not exist."
    if message:
        raise click.BadParameter(message, ctx, parameter)
    return str(real)


def _explain(ctx: click.Context, _parameter: click.Parameter, word: str | None) -> None:
    if word is None or ctx.resilient_parsing:
        return
    codes = matching([word])
    pages = []
    for rule in rules():
        info = rule.info
        if info.code in codes:
            how = f"{info.level}, only with --select" if info.opt_in else info.level
            pages.append(f"{info.code} {info.name} ({how})\n\n{info.help.strip()}")
    click.echo("\n\n\n".join(pages))
    ctx.exit()


def _list_rules(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  # click's call
    if not wanted or ctx.resilient_parsing:
        return
    infos = [rule.info for rule in rules()]
    wide = max(len(info.name) for info in infos)
    for info in infos:
        opt_in = " Only with --select." if info.opt_in else ""
        click.echo(f"{info.code}  {info.level:<7}  {info.name:<{wide}}  {info.summary}{opt_in}")
    ctx.exit()


_JUDGING = (
    click.option(
        "--base-url", metavar="URL", help="The URL that DIR is served at; else it is inferred from what pages say."
    ),
    click.option("--clean-urls/--no-clean-urls", help="'/a' stands for '/a.html', as many servers have it."),
    click.option("--charset", metavar="LABEL", help="The character encoding, as a Content-Type header would state it."),
    click.option("--include", metavar="GLOB", multiple=True, help="Judge only files that match, as in .gitignore."),
    click.option("--exclude", metavar="GLOB", multiple=True, help="Do not judge files that match; they are targets."),
    click.option(
        "--max-size", type=Size(), metavar="SIZE", default="1G", show_default=True, help="Do not judge larger files."
    ),
)

_CHOOSING = (
    click.option(
        "--select",
        metavar="CODES",
        multiple=True,
        callback=_words,
        help="Only these rules: codes, their beginnings ('LF3'), names, with commas between; 'all': opt-in ones too.",
    ),
    click.option("--ignore", metavar="CODES", multiple=True, callback=_words, help="Not these rules."),
    click.option(
        "--per-file-ignores",
        type=FileCodes(),
        metavar="GLOB:CODES",
        multiple=True,
        help="Not these rules in files that match, as in .gitignore.",
    ),
    click.option(
        "--baseline",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=str),
        help="Report only what is not in this file of --write-baseline.",
    ),
    click.option(
        "--write-baseline",
        metavar="FILE",
        callback=_target,
        help="Write all findings to this file, and no report; exit with 0.",
    ),
    click.option(
        "--diff-base",
        metavar="REV",
        help="Report only findings in files changed since this git revision, committed or not, and in references to "
        "files that were changed, renamed or deleted.",
    ),
)

_TELLING = (
    click.option(
        "--format",
        "form",
        type=click.Choice(list(REPORTERS)),
        help="How findings are told. Without it: what the suffix of --output asks for, else text; in GitHub Actions "
        "annotations follow.",
    ),
    click.option("--output", metavar="FILE", callback=_target, help="Write the report to this file."),
    click.option(
        "--fail-on",
        type=click.Choice([*(level.value for level in Level), _NEVER]),
        default="error",
        show_default=True,
        help="Exit with 1 where there are findings of this level or a worse one.",
    ),
    click.option(
        "--fix", is_flag=True, help="Write the references that are right beyond doubt; report what is left to mend."
    ),
    click.option("--diff", is_flag=True, help="With --fix: write nothing; print what would change, for 'patch -p1'."),
    click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many processes work.  [default: the cores]"),
    click.option("--quiet/--no-quiet", help="Say nothing but the report and errors."),
    click.option(
        "--explain",
        metavar="CODE",
        is_eager=True,
        expose_value=False,
        callback=_explain,
        help="Print what a rule is about, with examples.",
    ),
    click.option(
        "--list-rules",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_rules,
        help="List the rules, a line each.",
    ),
)


@click.command(
    "audit",
    short_help=COMMANDS["audit"].summary,
    epilog="Example: linkfix audit site/ --base-url https://example.com/docs/ --output report.html",
)
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, path_type=str))
@options(_JUDGING, FOUND, _CHOOSING, _TELLING)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Find the broken references of a tree of pages, offline.

    DIR is the folder that a server serves, or that pages were saved to. Exits with 0 where nothing is to be told, 1
    where findings are (--fail-on), 2 for wrong use or a file that cannot be read or written, 3 where no reference
    could be judged.
    """
    parameters = ctx.params
    folder = Path(parameters["folder"])
    alone = visible(f"{folder.parent} --include /{folder.name}")
    form = _form(parameters)
    mistakes = {
        f"{visible(str(folder))} is no folder: give the one that it is in, where its references lead to; "
        f"'{alone}' judges that page alone": not folder.is_dir(),
        "--diff shows what --fix would write: give both": parameters["diff"] and not parameters["fix"],
        "--write-baseline writes all findings: leave --diff-base out": parameters["write_baseline"]
        and parameters["diff_base"],
        "--write-baseline writes all findings, and --fix --diff nothing: give one of them": parameters["write_baseline"]
        and parameters["diff"],
        "--format html is for a browser, not for a terminal: give --output report.html": form == "html"
        and not parameters["output"]
        and not parameters["write_baseline"]
        and sys.stdout.isatty(),
    }
    for message, broken in mistakes.items():
        if broken:
            raise click.UsageError(message, ctx)
    run = _Run.of(parameters)
    result = run.audit()
    failed = False
    if parameters["diff"]:
        failed = _show(result, run)
    elif parameters["fix"]:
        result, failed = _mend(result, run)
    if parameters["write_baseline"]:
        _write_baseline(result, parameters)
    elif not parameters["diff"] or parameters["output"]:
        _report(result, form, parameters)
    _leave(ctx, result, failed=failed)


#: The parameters that are fields of `AuditOptions` by the same name.
_FIELDS = frozenset(AuditOptions.__dataclass_fields__)


class _Run(NamedTuple):
    """An audit that can be done again: of which folder, how, for which changes; and what is said on the way."""

    folder: str
    options: AuditOptions
    changes: Changes | None
    quiet: bool

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> _Run:
        """The run that a command's parameters ask for. Raises `LinkfixError` and `OSError`."""
        if parameters["charset"] is not None:
            lookup(parameters["charset"])
        chosen = AuditOptions(**{name: value for name, value in parameters.items() if name in _FIELDS})
        chosen = replace(chosen, processes=parameters["jobs"] or core_count())
        if parameters["baseline"] and not parameters["write_baseline"]:
            chosen = replace(chosen, known=baseline.read(parameters["baseline"]))
        folder, revision = parameters["folder"], parameters["diff_base"]
        changed = None if revision is None else changes(folder, revision)
        return cls(folder, chosen, changed, parameters["quiet"])

    def audit(self) -> Audit:
        """Judge the tree as it is now."""
        with Progress(drawn=sys.stderr.isatty() and not self.quiet, measure=self._size) as progress:
            result = audit(
                self.folder, self.options, progress=lambda size, links: progress.advance(size=size, links=links)
            )
        changed = self.changes
        return result if changed is None else narrowed(result, lambda finding: changed.touch(result, finding))

    def _size(self) -> int:
        return listed(os.path.realpath(self.folder), selector(self.options.include, self.options.exclude)).size

    def say(self, line: str) -> None:
        """Print a line on standard error, unless nothing but errors is wanted there."""
        if not self.quiet:
            click.echo(line, err=True)


def _form(parameters: dict[str, Any]) -> str:
    """The format of the report."""
    suffix = Path(parameters["output"] or "").suffix.lower()
    return parameters["form"] or _SUFFIXES.get(suffix, "text")


def _report(result: Audit, form: str, parameters: dict[str, Any]) -> None:
    """Write the report.

    The log of GitHub Actions shows of an annotation its message alone, and the checks ten of them: annotations are
    an addition to a report that people can read, not one in its place.
    """
    if parameters["output"]:
        written = io.StringIO(newline="")
        reporter(form).write(result, written)
        atomic.write(parameters["output"], written.getvalue().encode("utf-8", "backslashreplace"))
    else:
        reporter(form).write(result, sys.stdout)
    if not parameters["form"] and os.environ.get("GITHUB_ACTIONS") == "true":
        reporter("github").write(result, sys.stdout)
    if not parameters["quiet"] and (parameters["output"] or form != "text"):
        click.echo(f"linkfix audit: {visible(verdict(result))}", err=True)


def _write_baseline(result: Audit, parameters: dict[str, Any]) -> None:
    path = parameters["write_baseline"]
    atomic.write(path, baseline.written(result.findings))
    if not parameters["quiet"]:
        click.echo(f"{counted(len(result.findings), 'finding')} written to {visible(path)}", err=True)


def _show(result: Audit, run: _Run) -> bool:
    """Print what would be mended; whether a file could not be read."""
    failed = False
    for one in fixed(result, run.options):
        name = str(Path(run.folder, one.name))
        if one.error:
            failed = True
            click.echo(f"{visible(name)}: {visible(one.error)}", err=True)
        put_diff(difference(name, one.old, one.new, one.encoding))
    return failed


def _mend(result: Audit, run: _Run) -> tuple[Audit, bool]:
    """Mend what can be mended; the audit of what is left, and whether a file could not be read or written."""
    references = failed = 0
    mended: set[str] = set()
    for _ in range(_ROUNDS):
        done = 0
        for one in fixed(result, run.options):
            name = str(Path(run.folder, one.name))
            try:
                if not one.error:
                    atomic.write(one.path, one.new, like=one.path, expected=one.status)
            except OSError as error:
                one = one._replace(error=error.strerror or str(error))  # noqa: PLW2901 - the same, and what became of it
            if one.error:
                failed += 1
                click.echo(f"{visible(name)}: {visible(one.error)}", err=True)
                continue
            done += len(one.findings)
            mended.add(one.name)
            for finding in one.findings:
                new = finding.hint.reference if finding.hint else ""
                place = f"{name}:{finding.line}:{finding.column}"
                run.say(visible(f"{place}: {finding.reference} -> {new} [{finding.code}]"))
        if not done:
            break
        references += done
        result = run.audit()
        if failed:
            break
    run.say(f"{counted(references, 'reference')} mended in {counted(len(mended), 'file')}")
    return result, bool(failed)


def _leave(ctx: click.Context, result: Audit, *, failed: bool) -> NoReturn:
    """Exit with the code that the audit comes to."""
    fail_on = ctx.params["fail_on"]
    worst = min((finding.level.rank for finding in result.findings), default=len(Level))
    code = 0
    if failed:
        code = 2
    elif fail_on != _NEVER and worst <= Level(fail_on).rank and not ctx.params["write_baseline"]:
        code = 1
    elif judged_nothing(result):
        code = 3
    ctx.exit(code)
