"""One validation for every way to give options."""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import get_type_hints

import click
import pytest
from support.running import run

import linkfix
from linkfix import AuditFields, DocumentFields, InvalidOption, OptionFields, Options, Row
from linkfix.auditing import AuditOptions
from linkfix.cli import COMMANDS, cli
from linkfix.constraints import check, constraint, constraints_of, words
from linkfix.hooks.generic import from_headers
from linkfix.hooks.response import SettingFields, Settings, settings
from linkfix.runs import RunSettings
from linkfix.saved import Retrieval

WRONG = [
    ("lazy", "no", "True or False"),
    ("lazy", 1, "True or False"),
    ("normalize", None, "True or False"),
    ("keep", "x", "a function of a URL, or None"),
    ("srcdoc_depth", -1, "a whole number, 0 or more"),
    ("srcdoc_depth", True, "a whole number, 0 or more"),
    ("srcdoc_depth", 8.0, "a whole number, 0 or more"),
    ("fragments", "drop", "'keep' or 'absolutize'"),
    ("fragments", [], "'keep' or 'absolutize'"),
    ("base_element", None, "'keep', 'drop-href', 'empty', 'remove', 'insert' or 'ignore'"),
    ("excess_dots", "none", "'keep', 'drop' or 'error', or None"),
    ("spec", 3986, "a string"),
    ("rows", [Row("a", "b", "url", "hyperlink")], "a tuple of linkfix.Row"),
    ("rows", (("a", "b", "url", "hyperlink"),), "a tuple of linkfix.Row"),
    ("rows", (Row("a", None, "url", "hyperlink"),), "a tuple of linkfix.Row"),
    ("default_base", b"http://h/", "a string or None"),
    ("placeholders", ("%%*%%", ""), "each with other characters than '*', such as '%%*%%'"),
    ("placeholders", ("*",), "each with other characters than '*', such as '%%*%%'"),
    ("placeholders", ("***",), "each with other characters than '*', such as '%%*%%'"),
    ("placeholders", ["%%*%%"], "a tuple of strings"),
    ("placeholders", (1,), "a tuple of strings"),
]
WRONG_OF_HOOKS = [
    ("max_size", "10", "a whole number of bytes, 0 or more"),
    ("max_size", -1, "a whole number of bytes, 0 or more"),
    ("max_size", 1e6, "a whole number of bytes, 0 or more"),
    ("media_types", "text/html", "a set of media types in lower case"),
    ("media_types", ["image/png"], "linkfix reads text/html"),
    ("media_types", [1], "a set of media types"),
    ("media_types", None, "a set of media types"),
]


@pytest.mark.parametrize(("option", "value", "expected"), WRONG)
@pytest.mark.parametrize(
    "call",
    [
        lambda **given: linkfix.absolutize(b"<a href=x>", "http://h/", **given),
        lambda **given: linkfix.links("<p>", "http://h/", **given),
        lambda **given: from_headers("http://h/", {"Content-Type": "image/png"}, b"", **given),
        settings,
    ],
)
def test_a_wrong_value_is_named_with_the_expected_values(call, option, value, expected):
    with pytest.raises(InvalidOption) as error:
        call(**{option: value})
    assert error.value.value == value
    assert expected in error.value.expected
    assert str(error.value) == f"{error.value.option}={value!r}: expected {error.value.expected}"
    assert error.value.option == option


@pytest.mark.parametrize(("option", "value", "expected"), WRONG_OF_HOOKS)
def test_a_wrong_setting_is_named_when_the_hook_is_created(option, value, expected):
    for make in (settings, Settings):
        with pytest.raises(InvalidOption) as error:
            make(**{option: value})
        assert error.value.option == option
        assert expected in error.value.expected


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (RunSettings, {"max_size": "1G"}),
        (RunSettings, {"in_place": "yes"}),
        (RunSettings, {"options": {}}),
        (RunSettings, {"keep_existing": 1}),
        (AuditOptions, {"processes": 0}),
        (AuditOptions, {"ignore": "LF1"}),
        (AuditOptions, {"include": ["*"]}),
        (AuditOptions, {"per_file_ignores": (("a", "LF1"),)}),
        (AuditOptions, {"per_file_ignores": ((),)}),
        (AuditOptions, {"per_file_ignores": ("ab",)}),
        (AuditOptions, {"mounts": ("ab",)}),
        (AuditOptions, {"mounts": (("/x", "a", "b"),)}),
        (AuditOptions, {"mounts": [("/x", "a")]}),
        (AuditOptions, {"mounts": (("/x", 1),)}),
        (AuditOptions, {"known": "x"}),
        (AuditOptions, {"only": 3}),
        (Retrieval, {"layout": "curl"}),
        (Retrieval, {"trust_canonical": "no"}),
        (Retrieval, {"archived_links": "both"}),
        (RunSettings, {"revisits": None}),
        (AuditOptions, {"heading_ids": "gitea"}),
        (AuditOptions, {"wikilinks": ""}),
    ],
)
def test_runs_and_audits_look_at_their_settings_too(make, given):
    with pytest.raises(InvalidOption) as error:
        make(**given)
    assert {error.value.option: error.value.value} == given


@pytest.mark.parametrize("option", ["url", "charset", "media_type", "default_base"])
def test_facts_about_a_document_are_text(option):
    with pytest.raises(InvalidOption, match=f"{option}=3: expected a string or None"):
        linkfix.Document(b"", **{option: 3})


def test_options_are_options():
    with pytest.raises(InvalidOption, match=r"options=\{\}: expected an Options"):
        linkfix.Document(b"", options={})
    with pytest.raises(InvalidOption, match="options="):
        Settings(options=None)


def test_an_error_can_be_pickled_and_quotes_no_megabytes():
    with pytest.raises(InvalidOption) as error:
        check("lazy", "x" * 1_000_000, "bool")
    assert len(str(error.value)) < 300
    again = pickle.loads(pickle.dumps(error.value))  # noqa: S301 - its own
    assert (str(again), again.option, again.expected) == (str(error.value), "lazy", "True or False")


@pytest.mark.parametrize("owner", [Options, Settings, RunSettings, AuditOptions])
def test_every_field_is_checked(owner):
    assert {field.name for field in fields(owner)} - {name for name, _, _ in constraints_of(owner)} <= {
        "url_map",
        "files",
    }
    for name, _, is_met in constraints_of(owner):
        assert is_met(getattr(owner(), name))
        assert not is_met(object())


def test_keywords_have_the_types_of_fields():
    """Type checkers read the keywords of functions from a `TypedDict`, which repeats the fields of the class."""
    types = {name: reference.__forward_arg__ for name, reference in OptionFields.__annotations__.items()}
    assert list(types.items()) == list(Options.__annotations__.items())
    own = SettingFields.__annotations__.keys() - types
    assert own | {"options"} == Settings.__annotations__.keys()
    assert get_type_hints(DocumentFields).items() >= get_type_hints(OptionFields).items()
    of_audits = {name: reference.__forward_arg__ for name, reference in AuditFields.__annotations__.items()}
    assert [("base_url", "str | None"), *of_audits.items()] == list(AuditOptions.__annotations__.items())


def test_a_type_without_a_check_is_a_mistake():
    with pytest.raises(KeyError, match="complex"):
        constraint("lazy", "complex | None")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_line_offers_the_values_of_the_fields(name):
    fields = AuditOptions.__annotations__ | RunSettings.__annotations__ | Options.__annotations__
    for option in cli.get_command(click.Context(cli), name).params:
        type_ = fields.get(option.name)
        if not isinstance(option, click.Option) or type_ is None:
            continue
        assert option.is_flag == type_.startswith("bool")
        if words(type_):
            assert tuple(option.type.choices) == words(type_)


@pytest.mark.parametrize(
    ("given", "setting"),
    [(["--fragments", "drop"], 'fragments = "drop"'), (["--max-size", "-1"], "max-size = -1"), ([], 'lazy = "no"')],
)
def test_files_and_the_command_line_print_one_message(tmp_path, monkeypatch, given, setting):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").touch()
    (tmp_path / "linkfix.toml").write_text(setting)
    results = [run("absolutize", "a.html", "--no-config", *given)] if given else []
    for result in (*results, run("absolutize", "a.html")):
        assert result.exit_code == 2
        assert setting.partition(" ")[0] in result.stderr
