"""The options that several commands share, and their conversion to `linkfix.model.Options`."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from linkfix.cli.help import ADVANCED, ARCHIVES, COMMON, INPUT, ORIGINS, OUTPUT, REWRITING, Decorator, group
from linkfix.cli.report import is_stream
from linkfix.cli.settings import EMPTY_PATH, ExistingPath, Glob, ParamType, Size, settings_file
from linkfix.constraints import CONSTRAINTS, words
from linkfix.display import visible
from linkfix.lazy import lazy_pattern
from linkfix.model import DOCUMENT_KINDS, Options, Row, Scripting
from linkfix.resolvers import RESOLVERS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class PastedReference(ParamType[str]):
    """A reference that a person typed or pasted: `<URL:http://a/>` is `http://a/` (RFC 2396 Appendix E)."""

    name = "reference"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Remove delimiters and embedded white space."""
        from linkfix.text import strip_delimiters  # its regular expressions are slow to compile

        return strip_delimiters(str(value))


class MediaType(ParamType[str]):
    """A media type that linkfix reads."""

    name = "type"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Convert to lower case, and check that linkfix reads the type."""
        type_ = str(value).strip().lower()
        if type_ not in DOCUMENT_KINDS:
            self.fail(f"linkfix does not read {value!r}: give one of {', '.join(DOCUMENT_KINDS)}.", param, ctx)
        return type_


class Placeholder(ParamType[str]):
    """A pattern of placeholders: `%%*%%`."""

    name = "pattern"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse a pattern that is in every link."""
        pattern = str(value)
        if not CONSTRAINTS["placeholders"].is_met((pattern,)):
            self.fail(f"{pattern!r} is in every link: write other characters than '*' too, as in '%%*%%'.", param, ctx)
        return pattern


#: A row of `--row`: element, attribute, condition, syntax.
_ROW = lazy_pattern(r"\s*([^\s\[\]=]+)\[([^\s\[\]=]+)\](?:\[([^\[\]]+)\])?\s*=\s*([A-Za-z-]+)\s*")

#: The syntaxes of `--row`.
_ROW_SYNTAXES = ("url", "srcset", "space-list", "comma-list", "css", "srcdoc")


class RowOption(ParamType[Row]):
    """A place of URLs: `amp-img[src]=url`."""

    name = "row"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Row:
        """Make a row of the vocabulary."""
        if isinstance(value, Row):
            return value
        match = _ROW.fullmatch(str(value))
        if match is None:
            self.fail(f"{value!r}: write ELEMENT[ATTRIBUTE]=SYNTAX, as in 'amp-img[src]=url'.", param, ctx)
        element, attribute, guard, syntax = match.groups("")
        syntax = syntax.lower()
        if syntax not in _ROW_SYNTAXES:
            self.fail(f"{value!r}: unknown syntax {syntax!r}: give one of {', '.join(_ROW_SYNTAXES)}.", param, ctx)
        role = "document" if syntax == "srcdoc" else "resource"
        row = Row(element.lower(), attribute.lower(), syntax, role, guard.strip().lower(), "--row")
        from linkfix.html.vocabulary import hidden_row  # few runs have rows

        if hidden_row(row) is not None:
            self.fail(f"{value!r}: {row.element}[{row.attribute}] is read already.", param, ctx)
        return row


def field_options(owner: type[DataclassInstance], **helps: str) -> Iterator[Decorator]:
    """Yield an option for each named field of a class of options, with its help.

    The fields take words, or True and False. An option has the values and the default of its field.
    """
    for name, help_text in helps.items():
        field, flag = owner.__dataclass_fields__[name], name.replace("_", "-")
        choices = words(str(field.type))
        yield click.option(
            f"--{flag}" if choices else f"--{flag}/--no-{flag}",
            type=click.Choice(choices) if choices else None,
            default=field.default,
            show_default=bool(field.default),
            help=help_text,
        )


def spec_option(*more: str) -> Decorator:
    """The option --spec. Its values are the names of the resolvers and the values in `more`."""
    return click.option(
        "--spec",
        type=click.Choice([*RESOLVERS, *more]),
        default="whatwg",
        show_default=True,
        help="The specification for finding the base URL and resolving references.",
    )


#: The options for choices that the specifications leave open.
resolver_choices: tuple[Decorator, ...] = group(
    ADVANCED,
    *field_options(
        Options,
        excess_dots="The treatment of '..' segments above the root (RFC 2396 §5.2).  "
        "[default: the specification's own]",
        same_scheme="The meaning of 'http:g' on an http base.  [default: the specification's own]",
    ),
)

#: The options for resolving references.
RESOLVER: tuple[Decorator, ...] = (*group(ADVANCED, spec_option()), *resolver_choices)


def pattern_option(name: str, help_text: str) -> Decorator:
    """An option for patterns of file names."""
    return click.option(name, metavar="GLOB", type=Glob(), multiple=True, help=help_text)


def charset_option(help_text: str) -> Decorator:
    """The option --charset."""
    return click.option("--charset", metavar="LABEL", help=help_text)


def max_size_option(help_text: str) -> Decorator:
    """The option --max-size."""
    return click.option("--max-size", type=Size(), metavar="SIZE", default="1G", show_default=True, help=help_text)


def root_url_option(help_text: str) -> Decorator:
    """The option --root-url, the URL of a folder."""
    return click.option("--root-url", metavar="URL", type=PastedReference(), help=help_text)


#: The limits for decoding a container.
DECODING: tuple[Decorator, ...] = group(
    ARCHIVES,
    click.option(
        "--max-ratio",
        type=click.IntRange(1),
        metavar="N",
        default=200,
        show_default=True,
        help="Skip a part of an archive or message that decodes to more than N times its size, such as a decompression "
        "bomb. If all parts together decode to more, skip the rest. The first 16M of a part, and of all parts "
        "together, are always decoded.",
    ),
    click.option(
        "--max-total",
        type=Size(),
        metavar="SIZE",
        default="64G",
        show_default=True,
        help="Decode at most this many bytes of an archive or message, and skip the rest.",
    ),
)

#: The options for facts about the documents, and for the files of a folder to process.
DOCUMENT: tuple[Decorator, ...] = (
    *group(
        COMMON,
        click.option(
            "--url",
            metavar="URL",
            type=PastedReference(),
            help="The URL of the document. Documents in archives keep their own.",
        ),
        root_url_option("The URL of the folder PATH, or of the folder that the files are in."),
        pattern_option("--include", "Process only files that match this pattern (as in .gitignore)."),
        pattern_option("--exclude", "Skip files that match this pattern (as in .gitignore)."),
    ),
    *group(
        INPUT,
        charset_option("The character encoding of the documents, as in a Content-Type header."),
        click.option(
            "--media-type",
            metavar="TYPE",
            type=MediaType(),
            help="The media type of the files PATH or of standard input, whatever their names and content suggest: "
            "text/html, text/css, image/svg+xml, ...",
        ),
        max_size_option("Skip larger files."),
    ),
    *group(
        ORIGINS,
        click.option(
            "--default-base", metavar="URL", type=PastedReference(), help="The base URL of documents without any other."
        ),
    ),
    *DECODING,
)

#: The help of `Options.conditional_comments`.
CONDITIONAL_COMMENTS = "Include the HTML in conditional comments, <!--[if mso]>, and VML: <v:fill src>, ..."

#: The options for links that the HTML standard does not define.
NONSTANDARD_LINKS: tuple[Decorator, ...] = group(
    REWRITING,
    *field_options(
        Options,
        lazy="Include data-src, data-srcset and data-href, which lazy loaders use.",
        social="Include the URLs in Open Graph and Twitter meta elements.",
        json_ld="Include the URLs in JSON-LD scripts.",
        templates="Include the HTML in scripts of template libraries: <script type=text/html>, text/x-template, ...",
        feed_base="The base URL of the HTML in feeds without xml:base. retrieval: as for the feed's own links. "
        "item: the link of the item, or else of the channel. channel: the link of the channel.",
        object_params="Include the URLs in <param> elements for plug-ins: <param name=movie>, src, url, ...",
        conditional_comments=CONDITIONAL_COMMENTS,
    ),
    click.option(
        "--row",
        "rows",
        type=RowOption(),
        metavar="ELEMENT[ATTRIBUTE]=SYNTAX",
        multiple=True,
        help="Include the URLs in another attribute: 'img[large]=url', '*[styles]=css'. With a condition: "
        "'param[value][name=movie src]=url'. SYNTAX is url, srcset, space-list, comma-list, css or srcdoc.",
    ),
)

#: The option for scripting, which decides how NOSCRIPT is parsed.
SCRIPTING: tuple[Decorator, ...] = group(
    ADVANCED,
    click.option(
        "--scripting",
        type=click.Choice(get_args(Scripting)),
        default="off",
        show_default=True,
        help="on: ignore <base> and refresh inside <noscript>, as a browser that runs scripts does.",
    ),
)

#: The value of --output for standard output.
STDOUT = "-"
#: The beginning of the message for a command that cannot write to standard output; `{}`: the kind of output.
STDOUT_TAKES = f"--output {STDOUT} is standard output, which takes {{}} (./{STDOUT} is a folder of that name)"


class OutputPath(click.Path):
    """The path of an output file or folder. '-' is standard output, even if the current folder has that name."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Check a path. `click.Path(allow_dash=True)` would check a file named '-' if the output is a folder."""
        if not value:  # else the current folder
            self.fail(EMPTY_PATH, param, ctx)
        return STDOUT if value == STDOUT else super().convert(value, param, ctx)


class _SingleOption(click.Option):
    """An option that is refused if it is given twice. click would drop all values but the last."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser collect the values."""
        parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """Return the value, and its source. Raises `UsageError` for several."""
        first, *more = opts.get(str(self.name), ())[:2] or [None]
        if more:
            folder = ": for several files, give a folder" if "FILE" in str(self.metavar) else ""
            message = f"{self.opts[-1]} can be given once{folder}"
            raise click.UsageError(message, ctx)
        return super().consume_value(ctx, {**opts, self.name: first} if first is not None else opts)


def output_option(metavar: str, help_text: str, **fields: Any) -> Decorator:
    """The option --output."""
    type_ = OutputPath(path_type=str)
    return click.option("-o", "--output", metavar=metavar, type=type_, help=help_text, cls=_SingleOption, **fields)


def output_file(ctx: click.Context, *, suffixes: Collection[str] = ()) -> str | None:
    """The file that --output names, with symbolic links resolved; None for a folder, and for standard output.

    A stream, such as /dev/null, is a file; so is a name with a suffix that no folder has. `suffixes`: the only ones
    that are written. Raises `UsageError` for another suffix, and for a file that cannot be written or is an input.
    """
    output: str | None = ctx.params["output"]
    if output in {None, "", STDOUT} or is_stream(output):
        return output if output and output != STDOUT else None
    name = visible(output)
    is_folder = output.endswith(("/", os.sep)) or Path(output).is_dir()
    suffix = Path(output).suffix.lower()
    if is_folder or not (suffix or os.path.lexists(output)):
        return None
    real = os.path.realpath(output)
    mistakes = {
        f"{name} is a file: give a folder, or a file name with a suffix": not suffix,
        f"{name}: the suffix must be one of {', '.join(suffixes)} (a folder has none, or is written {name}/)": (
            suffixes and suffix not in suffixes
        ),
        f"the folder of {name} does not exist: create it, or give another name": not Path(real).parent.is_dir(),
    }
    for message, made in mistakes.items():
        if made:
            raise click.UsageError(message, ctx)
    refuse_inputs(ctx, real, f"--output {output}")
    return real


def make_output_folder(ctx: click.Context, folder: str) -> None:
    """Make the folder that a run writes to. Raises `UsageError`, so that not every file has the same error."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is in a file" if isinstance(error, NotADirectoryError) else error.strerror
        message = f"the folder {visible(folder)} cannot be made: {reason}: give --output another name"
        raise click.UsageError(message, ctx) from None


def refuse_inputs(ctx: click.Context, target: str, written: str, *more: str | None) -> None:
    """Raise `UsageError` if a file that is written is one that the command reads, under this or another name.

    `written`: the option and its value, for the message. `more`: files that the command reads, beside its usual ones.
    """
    parameters = ctx.params
    usual = (*parameters.get("paths", ()), parameters.get("path"), parameters.get("url_map"), settings_file(ctx))
    for path in filter(None, (*usual, *more)):
        is_stdin = path == STDOUT
        with contextlib.suppress(OSError):
            if os.path.samestat(Path(target).stat(), os.fstat(0) if is_stdin else Path(path).stat()):
                name = "file of standard input" if is_stdin else f"input {visible(path)}"
                can = " or --in-place" if "in_place" in parameters and not is_stdin else ""
                message = f"{visible(written)} is the {name}: give another name{can}"
                raise click.UsageError(message, ctx)


def _check_journal(ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse `STDOUT`: a journal is read and written during the run, and read by 'linkfix undo'."""
    if path == STDOUT:
        message = f"{STDOUT} is standard output, which cannot hold a journal: give a file (./{STDOUT} has that name)."
        raise click.BadParameter(message, ctx, parameter)
    return path


#: The options for the journal.
JOURNAL: tuple[Decorator, ...] = group(
    OUTPUT,
    click.option(
        "--journal",
        metavar="FILE",
        type=OutputPath(dir_okay=False, path_type=str),
        callback=_check_journal,
        help="Write the journal for 'linkfix undo' to this new file instead of beside the changed files.",
    ),
    click.option("--no-journal", is_flag=True, help="Write no journal. The changes cannot be undone."),
)


def journal_root(need: str) -> Decorator:
    """The option for the folders that a journal is about. `need`: when they are needed, after "Needed if it"."""
    advice = f"The folder that the run changed. Needed if it {need}. Repeat the option for each folder of the run."
    return click.option("--root", metavar="DIR", multiple=True, type=ExistingPath(file_okay=False), help=advice)


STRICT: tuple[Decorator, ...] = group(
    OUTPUT, click.option("--strict/--no-strict", help="Exit with 1 if there are problems.")
)


def quiet_option(help_text: str) -> Decorator:
    """The option --quiet."""
    return click.option("-q", "--quiet/--no-quiet", help=help_text)


#: The values of --color, each with whether to use colours; None: as the terminal and the environment say.
COLORS: dict[str, bool | None] = {"auto": None, "always": True, "never": False}


def color_option(output: str) -> Decorator:
    """The option --color. `output`: the coloured output, in words."""
    return click.option(
        "--color",
        type=click.Choice(list(COLORS)),
        default="auto",
        show_default=True,
        help=f"Colours in {output}. auto: on a terminal, or if FORCE_COLOR is set; not if NO_COLOR is set.",
    )


def jobs_option(help_text: str) -> Decorator:
    """The option --jobs."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help=f"{help_text}  [default: the number of cores]",
    )


def is_typed(ctx: click.Context, *names: str) -> bool:
    """Whether a parameter has a value that was typed, which is no default and not from a settings file."""
    return any(ctx.params[name] and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)


class TypedPatterns:
    """The patterns of --include, --exclude and --per-file-ignores that were typed, without those that matched a name.

    A settings file serves several folders and commands: its patterns need not match.
    """

    def __init__(self, ctx: click.Context) -> None:
        from linkfix.files.patterns import NamePatterns  # used by few runs

        typed = [
            (f"--{name.replace('_', '-')}", value if isinstance(value, str) else value[0])
            for name in ("include", "exclude", "per_file_ignores")
            if ctx.params.get(name) and is_typed(ctx, name)
            for value in ctx.params[name]
        ]
        self._left = [(option, glob, NamePatterns([glob.removeprefix("!")])) for option, glob in typed]
        folders = ctx.params.get("dir") or ctx.params.get("paths") or ()
        self._others = [
            (option, glob, other, NamePatterns([other.removeprefix("!")]))
            for option, glob in typed
            for other in _as_patterns(glob, folders)
        ]
        #: Option and pattern -> the pattern that was probably meant.
        self._meant: dict[tuple[str, str], str] = {}

    def see(self, name: str) -> None:
        """Note the name of a file, with "/" between folders."""
        if self._left:
            self._left = [row for row in self._left if not row[-1].match(name)]
        for option, glob, other, patterns in self._others:
            if (option, glob) not in self._meant and patterns.match(name):
                self._meant[option, glob] = other

    def line(self) -> str:
        """A line about the patterns that matched no name; "" for none."""
        given = visible(" ".join(f"{option} {shlex.quote(glob)}" for option, glob, _ in self._left))
        return f"no file matches {given}{self.hint()}" if given else ""

    def hint(self) -> str:
        """A clause with the patterns that were probably meant by those that matched no name; "" for none."""
        meant = [
            f"{option} {shlex.quote(self._meant[option, glob])}"
            for option, glob, _ in self._left
            if (option, glob) in self._meant
        ]
        return visible(f": did you mean {' '.join(meant)}?") if meant else ""


def _as_patterns(path: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the patterns that a path may stand for. They have "/" between folders, and begin in one of the folders."""
    mark = "!" if path.startswith("!") else ""
    slashed = path.removeprefix("!").replace("\\", "/")
    if slashed != path.removeprefix("!"):
        yield mark + slashed
    if slashed.startswith("./"):
        yield mark + slashed[1:]
    for folder in folders:
        with contextlib.suppress(ValueError):  # no path, or another drive
            inner = Path(os.path.relpath(slashed, folder)).as_posix()
            if inner.partition("/")[0] not in {".", ".."}:
                yield f"{mark}/{inner}"


def fields_of(owner: type, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters that are fields of a class of options."""
    return {name: value for name, value in parameters.items() if name in owner.__annotations__}


def journal_mistakes(parameters: dict[str, Any], needed: str, *, writes: bool) -> dict[str, bool]:
    """The usage errors of the journal options, each with whether it was made.

    `needed`: the option that makes the command change files. `writes`: whether the command changes files.
    """
    return {
        f"--journal and --no-journal are for runs that change files: add {needed}": not writes
        and bool(parameters["journal"] or parameters["no_journal"]),
        "--journal and --no-journal cannot be combined: give only one of them": bool(
            parameters["journal"] and parameters["no_journal"]
        ),
    }
