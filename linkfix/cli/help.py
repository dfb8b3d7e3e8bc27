"""The help of a command: its options by groups, and an example for each main use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import click

Decorator = Callable[[Any], Any]
F = TypeVar("F", bound=Callable[..., Any])

#: The titles of the groups of options, in the order of the help.
COMMON = "Common options"
INPUT = "Input"
ORIGINS = "Origin of pages"
REWRITING = "Links to rewrite"
CHECKING = "Links to check"
FINDINGS = "Findings to report"
OUTPUT = "Output"
ARCHIVES = "Archives"
ADVANCED = "Advanced"
OTHER = "Other options"
GROUPS = (COMMON, INPUT, ORIGINS, REWRITING, CHECKING, FINDINGS, OUTPUT, ARCHIVES, ADVANCED, OTHER)

#: The attribute of an option that names its group.
_GROUP = "linkfix_group"


def group(title: str, *options: Decorator) -> tuple[Decorator, ...]:
    """Put options into a group of the help. `options`: decorators of `click.option`."""

    def grouped(add: Decorator) -> Decorator:
        def decorate(command: F) -> F:
            decorated: F = add(command)
            option = vars(decorated)["__click_params__"][-1]  # click keeps the options of a function there
            setattr(option, _GROUP, title)
            return decorated

        return decorate

    return tuple(map(grouped, options))


def options(*groups: tuple[Decorator, ...]) -> Callable[[F], F]:
    """A decorator that adds groups of options to a command, in the given order."""

    def decorate(command: F) -> F:
        for several in reversed(groups):
            for option in reversed(several):
                command = option(command)
        return command

    return decorate


class ExampleCommand(click.Command):
    """A command whose epilog is an example: one command, or several separated by semicolons."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example. Its lines are not wrapped, so that they can be copied."""
        if self.epilog:
            with formatter.section("Example"):
                for line in self.epilog.removeprefix("Example: ").split("; "):
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Command(click.Command):
    """A command whose help shows its options by groups, and its examples line by line."""

    examples: Mapping[str, str]
    """Commands, by their purposes."""

    def __init__(self, *arguments: Any, examples: Mapping[str, str], **fields: Any) -> None:
        fields["epilog"] = f"Example: {next(iter(examples.values()))}"  # for readers that know no other attribute
        super().__init__(*arguments, **fields)
        self.examples = examples

    def grouped_options(self, ctx: click.Context) -> Iterator[tuple[str, list[click.Option]]]:
        """Yield the groups that have options which are shown, in the order of `GROUPS`."""
        options = (option for option in self.get_params(ctx) if isinstance(option, click.Option))
        shown = [option for option in options if option.get_help_record(ctx)]
        for title in GROUPS:
            members = [option for option in shown if getattr(option, _GROUP, OTHER) == title]
            if members:
                yield title, members

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        for title, members in self.grouped_options(ctx):
            with formatter.section(title):
                formatter.write_dl([record for option in members if (record := option.get_help_record(ctx))])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples. Their lines are not wrapped, so that they can be copied."""
        with formatter.section("Examples"):
            for number, (purpose, line) in enumerate(self.examples.items()):
                if number:
                    formatter.write_paragraph()
                formatter.write_text(f"{purpose}:")
                formatter.write(f"{'':{formatter.current_indent + 2}}{line}\n")
