"""`linkfix audit`: finds the broken references in a folder of pages, and reports them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TextIO

import click
from click.core import ParameterSource

from linkfix.auditing.archive import archive_format
from linkfix.auditing.listing import page_at
from linkfix.auditing.model import Audit, AuditOptions, FindingLevel
from linkfix.auditing.private_hosts import AllowedHosts
from linkfix.auditing.reporters import REPORTERS, reporter
from linkfix.auditing.reporters.common import checked_nothing, verdict
from linkfix.auditing.rules import rules, unread_rule
from linkfix.auditing.selection import IgnoredTargets, Replacements, chosen_codes, codes_matching
from linkfix.auditing.suggestions import closest
from linkfix.cli import COMMANDS
from linkfix.cli.audit_run import AuditRun
from linkfix.cli.help import CHECKING, FINDINGS, INPUT, OUTPUT, Command, group, options
from linkfix.cli.options import (
    COLORS,
    JOURNAL,
    NONSTANDARD_LINKS,
    SCRIPTING,
    STDOUT,
    TypedPatterns,
    charset_option,
    color_option,
    field_options,
    is_typed,
    jobs_option,
    journal_mistakes,
    max_size_option,
    pattern_option,
    quiet_option,
    refuse_inputs,
    root_url_option,
)
from linkfix.cli.report import (
    buffered_output,
    is_stream,
    write_bytes,
    write_file,
)
from linkfix.cli.settings import ExistingPath, FileCodes, ParamType, configurable
from linkfix.containers.formats import explain_unread
from linkfix.display import pluralize, visible, visible_path
from linkfix.errors import LinkfixError, UnknownRule
from linkfix.files.folder import HEAD_SIZE
from linkfix.model import PROBLEMS
from linkfix.urls import hide_passwords

# The options of `linkfix audit`. Two of them, `--explain` and `--list-rules`, only print something and exit.


#: The characters that paths and patterns have, and that no code or name of a rule has.
_PATH_MARKS = frozenset("/\\.*")
#: Code of a problem -> the code of the rule that reports it under another name, for `--explain`.
_RULES_OF_PROBLEMS = {
    "base-in-body": "LF206",
    "charset-late": "LF902",
    "charset-unknown": "LF902",
    "css-bad-url": "LF504",
    "excess-dots": "LF313",
    "json-syntax": "LF503",
    "srcset-descriptor": "LF501",
}
#: The value of --fail-on for which the exit code is never 1.
NEVER = "never"


def _words(text: str) -> tuple[str, ...]:
    """The words of a list, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _join(_ctx: click.Context, _parameter: click.Parameter, lists: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The words of an option that is given several times."""
    return tuple(word for words in lists for word in words)


def _check_writable(ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """The real path of an output file. Refuses a file that cannot be written, before the audit begins."""
    if path is None or path == STDOUT or is_stream(path):
        return path
    real = Path(os.path.realpath(path))
    message = ""
    if os.path.isdir(real):
        message = f"{visible(path)!r} is not a regular file: it is a folder; give the name of a file."
    elif os.path.islink(real):  # what `realpath` leaves is a loop
        message = f"{visible(path)!r} is a symbolic link to itself: give another name."
    elif not os.path.isdir(real.parent):
        message = f"the folder of {visible(path)!r} does not exist: create it, or give another name."
    elif not os.access(real.parent, os.W_OK | os.X_OK):
        message = f"the folder of {visible(path)!r} cannot be written to: give a name in another folder."
    if message:
        raise click.BadParameter(message, ctx, parameter)
    return str(real)


def _check_reports(ctx: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str | None, ...]:
    """The real paths of reports; None for `STDOUT`."""
    found = tuple(None if path == STDOUT else _check_writable(ctx, parameter, path) for path in paths)
    for path, real in zip(paths, found, strict=True):
        if found.count(real) > 1:
            message = f"{visible(path)!r} is given twice: give it once."
            raise click.BadParameter(message, ctx, parameter)
    return found


def _folders(ctx: click.Context, parameter: click.Parameter, folders: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of the command line, else those of a settings file, else the current folder."""
    name = str(parameter.name)
    set_: list[str] = (ctx.default_map or {}).get(name) or []
    if set_ and not folders:  # older versions of click use `default_map` for options only
        ctx.set_parameter_source(name, ParameterSource.DEFAULT_MAP)
        folders = tuple(set_)
    gone = next((folder for folder in folders if not os.path.lexists(folder)), None)
    if gone is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        message = f"the settings name the folder {visible(gone)}, which does not exist: build it first, or give DIR"
        raise click.UsageError(message, ctx)
    if gone is not None and "://" in gone:
        raise click.UsageError(_advice_on_url(gone), ctx)
    for folder in folders:
        ExistingPath().convert(folder, parameter, ctx)
    return folders or (os.curdir,)


def _advice_on_url(url: str) -> str:
    """The message about a URL in place of DIR: what to do instead, with the commands."""
    shown = visible(hide_passwords(url))
    import shlex  # for an error alone

    wget = "wget --mirror --page-requisites --no-host-directories --directory-prefix=mirror"
    return (
        f"{shown} is a URL, and linkfix fetches nothing: build the site, and give its folder; "
        f"or mirror your own server: {wget} {shlex.quote(shown)}; linkfix audit mirror --root-url {shlex.quote(shown)}"
    )


#: The value of --index for folders without index files.
NO_INDEX = "none"


def _index_names(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names of --index; None if the option is not given."""
    names = _join(ctx, parameter, tuple(map(_words, values)))
    wrong = next((name for name in names if "/" in name or name in {".", ".."}), None)
    if values and not names:
        message = f"give the name of a file, or {NO_INDEX!r}."
        raise click.BadParameter(message, ctx, parameter)
    if wrong is not None:
        advice = "give one such as index.php" if "/" in wrong else "to accept folders without one, give --ignore LF106"
        message = f"{visible(wrong)!r} is not the name of an index file: {advice}."
        raise click.BadParameter(message, ctx, parameter)
    if NO_INDEX in names and len(set(names)) > 1:
        message = f"{NO_INDEX!r} means that no folder has an index: give it alone, or give only names."
        raise click.BadParameter(message, ctx, parameter)
    return (() if NO_INDEX in names else names) if names else None


class MountOption(ParamType[tuple[str, str]]):
    """A path or URL, and the folder that is served at it: `/usr/share/javascript=javascript`."""

    name = "url=folder"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Split a mount into URL and folder."""
        url, mark, folder = str(value).partition("=")
        if not mark or not url or not folder:
            self.fail(f"{value!r} is not URL=FOLDER: write for example '/usr/share/javascript=javascript'.", param, ctx)
        return url, folder


class ReplaceOption(ParamType[str]):
    """A replacement of `--replace`, checked when the command line is parsed."""

    name = "pattern=replacement"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a replacement."""
        try:
            Replacements([str(value)])
        except LinkfixError as error:
            self.fail(str(error).removeprefix(f"replace {value!r}: "), param, ctx)
        return str(value)


class RuleCodes(ParamType[tuple[str, ...]]):
    """Rules, separated by commas, checked when the command line is parsed. At least one is named, except to ignore."""

    name = "codes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Read the words of a list."""
        words = _words(str(value))
        is_ignored = param is not None and param.name == "ignore"
        path = next((word for word in words if not _PATH_MARKS.isdisjoint(word)), None)
        if path is not None and is_ignored:  # other tools ignore files by an option of this name
            message = f"--ignore takes rules (--list-rules); to hide links to a file: --ignore-target {visible(path)}"
            self.fail(f"unknown rule {visible(path)!r}: {message}", param, ctx)
        if not (words or is_ignored):
            self.fail("no rule is named, so none would run: name rules, or leave the option out.", param, ctx)
        try:
            codes_matching(words)
        except UnknownRule as error:
            self.fail(str(error), param, ctx)
        return words


class AllowedHost(ParamType[str]):
    """A host of `--allow-host`, checked when the command line is parsed."""

    name = "host"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a host."""
        try:
            AllowedHosts([str(value)])
        except LinkfixError as error:
            self.fail(str(error).removeprefix("allow-host "), param, ctx)
        return str(value)


class TargetPattern(ParamType[str]):
    """A pattern of `--ignore-target`, checked when the command line is parsed."""

    name = "pattern"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check a pattern."""
        try:
            IgnoredTargets([str(value)])
        except LinkfixError as error:
            self.fail(str(error).partition(": ")[2], param, ctx)
        return str(value)


def _explain(ctx: click.Context, _parameter: click.Parameter, word: str | None) -> None:
    if word is None or ctx.resilient_parsing:
        return
    from linkfix.cli.next_steps import NEXT_STEPS  # used by few runs

    pages = []
    problem = word.lower()
    if problem in PROBLEMS:
        pages.append(f"{problem} (a problem)\n\n{_sentence(PROBLEMS[problem])}\n\nNext step: {NEXT_STEPS[problem]}")
    codes = _rules_of(word, problem)
    for rule in rules():
        info = rule.info
        if info.code in codes:
            how = f"{info.level}, only with --select" if info.opt_in else info.level
            step = NEXT_STEPS[info.code]
            pages.append(f"{info.code} {info.name} ({how})\n\n{info.help.strip()}\n\nNext step: {step}")
    click.echo("\n\n\n".join(pages))
    ctx.exit()


def _rules_of(word: str, problem: str) -> Collection[str]:
    """The codes of the rules to explain: those that the word selects, or that report the problem."""
    try:
        return codes_matching([_RULES_OF_PROBLEMS.get(problem, word)])
    except UnknownRule:
        if problem in PROBLEMS:
            return ()
        near = closest(problem, [*PROBLEMS, *(rule.info.name for rule in rules())])
        if not near:
            raise
        message = f"unknown rule or problem {word!r}; did you mean {near[0]}?"
        raise UnknownRule(message) from None


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _list_rules(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    infos = [rule.info for rule in rules()]
    wide = max(len(info.name) for info in infos)
    for info in infos:
        opt_in = " Only with --select." if info.opt_in else ""
        click.echo(f"{info.code}  {info.level:<7}  {info.name:<{wide}}  {info.summary}{opt_in}")
    ctx.exit()


#: The options for the pages to check, and for the URL of the folder.
SCOPE = group(
    INPUT,
    root_url_option(
        "The URL at which DIR is served. By default, it is inferred from the pages and the settings of the generator."
    ),
    click.option(
        "--mount",
        "mounts",
        type=MountOption(),
        metavar="URL=FOLDER",
        multiple=True,
        help="Serve FOLDER at this path ('/lib=FOLDER') or URL, beside DIR. Links to its files are "
        "checked; its own pages are not.",
    ),
    click.option(
        "--tree",
        "trees",
        type=MountOption(),
        metavar="URL=FOLDER",
        multiple=True,
        help="Also check the pages of FOLDER, which is served at this path or URL. Needs --root-url.",
    ),
    *field_options(
        AuditOptions,
        clean_urls="Resolve '/a' to '/a.html', as many servers do. By default, the settings of the site generator "
        "decide.",
        host="The host of the site, whose files (netlify.toml, vercel.json, .htaccess, ...) say what a URL means, and "
        "which answers '/a' with '/a.html' or not. none: no such file counts. By default, the files that are there.",
    ),
    click.option(
        "--index",
        "indexes",
        metavar="NAME",
        multiple=True,
        callback=_index_names,
        help="The file that the URL of a folder leads to, as Apache's DirectoryIndex: index.php, README.md. The first "
        "of several that exists; 'none': a folder has none. By default, the names that servers know: index.html first.",
    ),
    *field_options(
        AuditOptions,
        site="The generator that built DIR, or that makes pages of its Markdown files: its settings count, and its "
        "URLs of pages. none: no generator. By default, it is inferred from settings files.",
        heading_ids="The program or host that makes pages of the Markdown files, and so the IDs of their headings. "
        "any: accept the IDs of all of them. By default: mkdocs or vitepress if its settings are there, else any.",
        wikilinks="Check wikilinks in Markdown, [[Page#Heading]], as this program does. obsidian: also Foam. github: "
        "the wikis of GitHub, GitLab and Gollum. mkdocs: its plugins ezlinks and roamlinks. By default, they are text.",
    ),
    charset_option("The character encoding of the pages, as in a Content-Type header."),
    pattern_option("--include", "Check only pages that match this pattern (as in .gitignore, relative to DIR)."),
    pattern_option(
        "--exclude",
        "Skip pages that match this pattern (as in .gitignore, relative to DIR). Links may still lead to them.",
    ),
    *field_options(
        AuditOptions,
        include_ignored="Also check pages that git ignores (.gitignore), and pages in node_modules/ and .git/.",
    ),
    max_size_option("Skip larger files."),
)

#: The options for the links that are checked.
CHECKED = group(
    CHECKING,
    *NONSTANDARD_LINKS,
    click.option(
        "--replace",
        "replacements",
        type=ReplaceOption(),
        metavar="PATTERN=REPLACEMENT",
        multiple=True,
        help=r"Judge links as if each match of this regular expression were replaced, in the order of the options: "
        r"'^/docs/v\d+/=/docs/'. In REPLACEMENT, \1 is the first group; in PATTERN, write \= for =.",
    ),
)

#: The options that choose findings.
SELECTION = group(
    FINDINGS,
    click.option(
        "--select",
        type=RuleCodes(),
        metavar="CODES",
        multiple=True,
        callback=_join,
        help="Use only these rules: codes, prefixes of codes ('LF3') or names, separated by commas. 'all': all rules, "
        "including opt-in rules.",
    ),
    click.option(
        "--ignore",
        type=RuleCodes(),
        metavar="CODES",
        multiple=True,
        callback=_join,
        help="Do not use these rules.",
    ),
    click.option(
        "--per-file-ignores",
        type=FileCodes(),
        metavar="GLOB:CODES",
        multiple=True,
        help="Do not use these rules in files that match the pattern (as in .gitignore, relative to DIR).",
    ),
    click.option(
        "--ignore-target",
        type=TargetPattern(),
        metavar="PATTERN",
        multiple=True,
        help="Do not report links to targets that match: 'libs/**' (as in .gitignore, relative to DIR), "
        "'https://*.example/**', 're:EXPRESSION'. For one rule only: 'LF102:api/**'.",
    ),
    click.option(
        "--external-results",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=str),
        help="Report the URLs on other sites that lychee found broken (LF703), each at its place. FILE: the report of "
        "'lychee --format json' on the output of 'linkfix links --only external --format html'.",
    ),
    click.option(
        "--allow-host",
        type=AllowedHost(),
        metavar="HOST",
        multiple=True,
        help="Do not report links to this private host (LF701): 'localhost:3000', '*.local'; without a port, any.",
    ),
    click.option(
        "--baseline",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=str),
        help="Report only findings that are not in this file, which --write-baseline wrote.",
    ),
    click.option(
        "--write-baseline",
        metavar="FILE",
        callback=_check_writable,
        help="Write all findings to this file ('-': standard output) instead of a report, and exit with 0.",
    ),
    click.option(
        "--prune-baseline", is_flag=True, help="With --baseline: remove findings that no longer occur from the file."
    ),
    click.option(
        "--diff-base",
        metavar="REV",
        help="Report only findings in files that changed since this git revision, committed or not, and findings about "
        "links to files that were changed, renamed or deleted.",
    ),
)

#: The options for the report, for corrections and for the run.
REPORT = group(
    OUTPUT,
    click.option(
        "--format",
        "form",
        type=click.Choice(list(REPORTERS)),
        help="The format of a single report, and of a report on standard output. By default, the suffix of --output "
        "decides, else text; in GitHub Actions, annotations are printed too.",
    ),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        multiple=True,
        callback=_check_reports,
        help="Write the report to this file. '-': standard output, the default. Repeat the option for several reports: "
        "the suffix of each file is its format.",
    ),
    click.option(
        "-v", "--full/--no-full", help="Print every place in the text report. By default, long lists are shortened."
    ),
    click.option(
        "--fail-on",
        type=click.Choice([*(level.value for level in FindingLevel), NEVER]),
        default="error",
        show_default=True,
        help="Exit with 1 if there are findings of this level or a more severe level.",
    ),
    click.option(
        "--fix", is_flag=True, help="Correct links whose correction is certain, and report the remaining findings."
    ),
    click.option(
        "--diff",
        is_flag=True,
        help="With --fix: write nothing, and print the changes as a unified diff, for 'patch -p1'.",
    ),
    *JOURNAL,
    jobs_option("The number of processes."),
    color_option("the text report"),
    quiet_option("Print only the report and errors."),
    click.option(
        "--explain",
        metavar="CODE",
        is_eager=True,
        expose_value=False,
        callback=_explain,
        help="Print the documentation of a rule, or the meaning of a problem, and the next step.",
    ),
    click.option(
        "--list-rules",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_rules,
        help="List the rules, one per line.",
    ),
)


#: The format for each last suffix of --output.
_SUFFIXES = {
    "": "text",
    ".txt": "text",
    ".log": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
    ".xml": "junit",
    ".csv": "csv",
    ".md": "markdown",
    ".htm": "html",
    ".html": "html",
}


#: Suffixes of several formats -> the formats, in addition to that in `_SUFFIXES`.
_SHARED_SUFFIXES = {
    "": frozenset(REPORTERS),
    ".txt": frozenset(REPORTERS),
    ".log": frozenset(REPORTERS),
    ".json": frozenset({"jsonl", "sarif"}),
    ".md": frozenset({"text", "github"}),
}

_KNOWN_SUFFIXES = ", ".join(filter(None, _SUFFIXES))


@click.command(
    "audit",
    short_help=COMMANDS["audit"].summary,
    cls=Command,
    examples={
        "Check a built site": "linkfix audit site/ --root-url https://example.com/docs/",
        "Write a report for a browser": "linkfix audit site/ -o report.html",
        "Correct the certain cases": "linkfix audit site/ --fix",
        "Accept the present findings": "linkfix audit site/ --write-baseline known.json",
    },
)
@click.argument("dir", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=str), callback=_folders)
@options(SCOPE, SCRIPTING, CHECKED, SELECTION, REPORT)
@configurable
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Find broken links in a folder of pages, offline.

    DIR is a folder that a server serves, or a folder of saved pages; by default, the current folder. Each of several
    DIRs is a site of its own: --tree is for folders of one site. DIR may also be an archive (EPUB, WARC, WACZ, HAR,
    MHTML and others), whose links are checked against the archive itself.

    Exit codes: 0 no findings; 1 findings (see --fail-on); 2 wrong usage, or a file that could not be read or written,
    whatever the findings are; 3 no link could be checked, or none in one of several DIRs.
    """
    parameters = ctx.params
    reports = _reports(ctx)
    mistakes = {
        **_mistakes_about_folders(parameters),
        "--diff shows what --fix would write: add --fix": parameters["diff"] and not parameters["fix"],
        "--prune-baseline removes entries from a file: add --baseline FILE": parameters["prune_baseline"]
        and not parameters["baseline"],
        "--prune-baseline and --diff cannot be combined: --diff writes nothing": parameters["prune_baseline"]
        and parameters["diff"],
        "--prune-baseline and --write-baseline cannot be combined: --write-baseline writes the file anew": parameters[
            "prune_baseline"
        ]
        and parameters["write_baseline"],
        "--write-baseline writes all findings, also the known ones of another --baseline: give only one of them": (
            is_typed(ctx, "baseline")
            and parameters["write_baseline"]
            and os.path.realpath(parameters["baseline"]) != parameters["write_baseline"]
        ),
        "--diff prints the changes instead of a report: leave out --format, or give --output FILE": parameters["diff"]
        and (is_typed(ctx, "form") or is_typed(ctx, "output"))
        and any(report.path is None for report in reports),
        "--write-baseline and --diff-base cannot be combined: a baseline has all findings": parameters["write_baseline"]
        and parameters["diff_base"],
        "--write-baseline and --diff cannot be combined: --diff writes nothing": parameters["write_baseline"]
        and parameters["diff"],
        "--format html cannot be printed to a terminal: add --output report.html": ReportFile(None, "html") in reports
        and not parameters["write_baseline"]
        and sys.stdout.isatty(),
        **journal_mistakes(parameters, "--fix", writes=parameters["fix"]),
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    _check_files(ctx, reports)
    run = AuditRun.of(parameters)
    if not chosen_codes(run.options):
        message = "no rule is left to run: --ignore names every rule that would run; leave out some, or --select others"
        raise click.UsageError(message, ctx)
    result = run.audit()
    run.say_archives(result)
    typed = TypedPatterns(ctx)
    for name in run.names(result):
        typed.see(name)
    if line := typed.line():
        run.say(f"linkfix audit: {line}")
    failed = False
    if parameters["fix"]:
        from linkfix.cli.audit_fixes import fix, print_fixes  # most audits change no files

        result, failed = (result, print_fixes(result, run)) if parameters["diff"] else fix(ctx, result, run)
    if parameters["prune_baseline"]:
        result = _prune_baseline(run, result, parameters)
    if parameters["write_baseline"]:
        _write_baseline(result, parameters)
    else:
        _write_reports(result, [one for one in reports if one.path or not parameters["diff"]], parameters)
    _exit(ctx, result, failed=failed)


#: Texts that each report with the name of a page has, in HTML and in Markdown.
_REPORTS = (b"<footer><p>Written by linkfix.", b"## linkfix audit\n")


def _check_files(ctx: click.Context, reports: list[ReportFile]) -> None:
    """Raise `UsageError` if the baseline cannot be read, or a report or baseline would replace a file that is read."""
    baseline, written = ctx.params["baseline"], ctx.params["write_baseline"]
    is_set = ctx.get_parameter_source("baseline") is ParameterSource.DEFAULT_MAP
    whose = "the baseline of the settings," if is_set else "--baseline"
    name = visible(baseline or "") + "," * is_set
    if baseline and not written and not os.path.lexists(baseline):
        import shlex  # for an error alone

        message = f"{whose} {name} does not exist: make it with --write-baseline {visible(shlex.quote(baseline))}"
        raise click.UsageError(message, ctx)
    if baseline and is_set and os.path.lexists(baseline) and not Path(baseline).is_file():  # a pipe may never end
        message = f"{whose} {name} is not a regular file: give one that --write-baseline wrote"
        raise click.UsageError(message, ctx)
    for report in reports if not written else ():
        if report.path:
            refuse_inputs(ctx, report.path, f"--output {report.path}", baseline, *ctx.params["dir"])
            _refuse_page(ctx, report.path)
    if written and written != STDOUT:
        refuse_inputs(ctx, written, f"--write-baseline {written}", *ctx.params["dir"])
        _refuse_page(ctx, written)


def _refuse_page(ctx: click.Context, path: str) -> None:
    """Raise `UsageError` if a report would replace a page of an audited folder. An earlier report is no page."""
    real = Path(os.path.realpath(path))
    folders = [Path(os.path.realpath(folder)) for folder in ctx.params["dir"]]
    inside = [(folder, real.relative_to(folder)) for folder in folders if real.is_relative_to(folder)]
    if not real.is_file() or not any(page_at(str(folder), name.as_posix()) for folder, name in inside):
        return
    data = real.read_bytes()
    if not any(text in data for text in _REPORTS):
        message = f"{visible(path)} is a file of the audited folder: give another name"
        raise click.UsageError(message, ctx)


def _mistakes_about_folders(parameters: dict[str, Any]) -> dict[str, bool]:
    """The usage errors about DIR, each with whether it was made."""
    folders = [Path(folder) for folder in parameters["dir"]]
    several, trees = len(folders) > 1, bool(parameters["trees"])
    formats = {visible(path): archive_format(path) for path in parameters["dir"]}
    archive = next((path for path, format_ in formats.items() if format_), "")
    file = next((folder for folder in folders if not folder.is_dir() and not archive), Path())
    alone = visible(f"{file.parent} --include /{file.name}")
    unread = _why_unread(file) if file.is_file() else ""
    real = [Path(os.path.realpath(folder)) for folder in folders]
    inner = [
        (visible(str(folder)), visible(str(folders[other])))
        for number, folder in enumerate(folders)
        for other in range(len(folders))
        if number != other and real[number].is_relative_to(real[other])
    ]
    first, outer = inner[0] if inner else ("", "")
    changes = bool(parameters["fix"] or parameters["diff_base"])
    beside = several or trees or changes or bool(parameters["mounts"])
    unusable = _unusable_mount(parameters)
    return {
        unusable: bool(unusable),
        f"{visible(str(file))} is {unread}": bool(unread),
        f"{visible(str(file))} is not a folder: give the folder that contains it; "
        f"'{alone}' checks that page only": not file.is_dir(),
        f"{archive} is an archive: give it alone, without other folders, --mount, --tree, --fix and --diff-base": bool(
            archive
        )
        and beside,
        "--external-results is for folders: pages of archives are not checked against it": bool(archive)
        and bool(parameters["external_results"]),
        f"{first} is inside {outer}: give only one of them": bool(inner),
        "--root-url is the URL of one DIR: give the other folders with --tree URL=FOLDER": several
        and parameters["root_url"] is not None,
        "--fix and --diff-base need a single DIR: run linkfix once for each": several and changes,
        "--tree needs --root-url, the URL that DIR is served at": trees and not parameters["root_url"],
        "--tree cannot be combined with --fix or --diff-base: give one folder, and the others by --mount": trees
        and changes,
    }


def _why_unread(file: Path) -> str:
    """The format of an archive that linkfix does not read, and the next step; "" for any other file."""
    with file.open("rb") as opened:
        return explain_unread(opened.read(HEAD_SIZE), file.name)


def _unusable_mount(parameters: dict[str, Any]) -> str:
    """The message about the first folder of --mount or --tree that cannot be read; "" for none."""
    for name in ("mount", "tree"):
        for url, folder in parameters[f"{name}s"]:
            try:
                ExistingPath(file_okay=False).convert(folder, None, None)
            except click.BadParameter as error:
                return f"--{name} {visible(url)}: {visible(error.message)}"
    return ""


class ReportFile(NamedTuple):
    """A report to write."""

    path: str | None
    """The path of its file; None for standard output."""
    form: str
    """The format: a key of `REPORTERS`."""


def _reports(ctx: click.Context) -> list[ReportFile]:
    """The reports to write. Raises `UsageError` if the format of one is not known."""
    given: str | None = ctx.params["form"]
    paths: tuple[str | None, ...] = ctx.params["output"] or (None,)
    if given and len(paths) > 1 and None not in paths:
        message = "with several --output, the suffix of each file is its format: leave out --format"
        raise click.UsageError(message, ctx)
    return [
        ReportFile(path, _report_format(ctx, path, given if path is None or len(paths) == 1 else None))
        for path in paths
    ]


def _report_format(ctx: click.Context, path: str | None, given: str | None) -> str:
    suffix = Path(path or "").suffix.lower()
    if path is None or is_stream(path):
        return given or "text"
    if given and given not in {_SUFFIXES.get(suffix, given), *_SHARED_SUFFIXES.get(suffix, ())}:
        if is_typed(ctx, "form"):
            name = visible(Path(path).name)
            better = visible(Path(path).stem) + next(
                (one for one in _SUFFIXES if one and _SUFFIXES[one] == given), ".txt"
            )
            message = f"{name} is the name of a report in the format {_SUFFIXES[suffix]}: leave out --format, or write "
            raise click.UsageError(message + better, ctx)
        given = None  # a format in a settings file is for reports whose names have none
    if given:
        return given
    if suffix not in _SUFFIXES:
        message = f"the suffix of {visible(path)} is not that of a format: give --format, or one of {_KNOWN_SUFFIXES}"
        raise click.UsageError(message, ctx)
    return _SUFFIXES[suffix]


def _write_reports(result: Audit, reports: list[ReportFile], parameters: dict[str, Any]) -> None:
    """Write the reports.

    In GitHub Actions, annotations are printed in addition to the reports. They do not replace them: the log shows only
    the message of an annotation, and the checks show only ten annotations.
    """
    for report in reports:
        if report.path is None:
            with buffered_output() as out:
                _write(result, report.form, out, parameters)
        else:
            text = io.StringIO(newline="")
            _write(result, report.form, text, parameters)
            write_file(report.path, text.getvalue().encode("utf-8", "backslashreplace"), quiet=parameters["quiet"])
    if reports and not parameters["form"] and os.environ.get("GITHUB_ACTIONS") == "true":
        with buffered_output() as out:
            reporter("github")(result, out)
    if parameters["quiet"]:
        return
    if reports and ReportFile(None, "text") not in reports:
        click.echo(f"linkfix audit: {visible(verdict(result))}", err=True)
    written = [_shown(report.path) for report in reports if report.path is not None and not is_stream(report.path)]
    if written:
        click.echo(f"written: {', '.join(written)}", err=True)


def _shown(path: str) -> str:
    """The path of a written file for messages, relative to the current folder if the file is in it."""
    here = os.path.realpath(os.curdir)
    return visible_path(os.path.relpath(path, here) if Path(path).is_relative_to(here) else path)


def _write(result: Audit, form: str, out: TextIO, parameters: dict[str, Any]) -> None:
    if form == "text" and (parameters["full"] or parameters["color"] != "auto"):
        from linkfix.auditing.reporters import text  # one of many formats

        text.write(result, out, full=parameters["full"], color=COLORS[parameters["color"]])
    else:
        reporter(form)(result, out)


def _write_baseline(result: Audit, parameters: dict[str, Any]) -> None:
    from linkfix.auditing.findings import dump_baseline  # few runs write one

    path = parameters["write_baseline"]
    data = dump_baseline(result.findings)
    if path == STDOUT:
        write_bytes(data)
    else:
        write_file(path, data, quiet=parameters["quiet"])
    if not parameters["quiet"]:
        place = "standard output" if path == STDOUT else visible(path)
        click.echo(f"{pluralize(len(result.findings), 'finding')} written to {place}", err=True)


def _prune_baseline(run: AuditRun, result: Audit, parameters: dict[str, Any]) -> Audit:
    """Remove findings that no longer occur from the baseline. Returns the audit without outdated entries."""
    from linkfix.auditing.findings import dump_baseline  # few runs write one

    outdated = run.outdated(result)
    if outdated:
        kept = [entry for entry in run.baseline if entry not in outdated]
        write_file(parameters["baseline"], dump_baseline(kept), quiet=parameters["quiet"])
    if not parameters["quiet"]:
        removed = pluralize(len(outdated), "finding")
        click.echo(f"{removed} removed from {visible(parameters['baseline'])}: no longer there", err=True)
    return replace(result, outdated=0)


def _exit(ctx: click.Context, result: Audit, *, failed: bool) -> NoReturn:
    """Exit with the exit code for the result. `failed`: whether a file could not be corrected.

    A file that could not be read counts only as a finding: to accept it, hide the finding.
    """
    fail_on, is_report = ctx.params["fail_on"], not ctx.params["write_baseline"]
    unread = unread_rule().info.code
    refused = any(one.code == unread and one.path in result.coverage.refused for one in result.findings)
    worst = min((finding.level.rank for finding in result.findings), default=len(FindingLevel))
    code = 0
    if failed or (refused and is_report):
        code = 2
    elif fail_on != NEVER and worst <= FindingLevel(fail_on).rank and is_report:
        code = 1
    elif checked_nothing(result):
        code = 3
    ctx.exit(code)
