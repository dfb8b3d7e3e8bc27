"""Markdown as GitHub, GitLab and Bitbucket show it: fragments, lines, folders, URLs of the repository's own files."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from support.audit_trees import audited, fixed, told, write

from linkfix.auditing import FindingLevel
from linkfix.auditing.repository import Repository, find_repository

HOSTED = pytest.mark.parametrize("heading_ids", ["github", "any"])

GIT = shutil.which("git")

CONFIG = '[core]\n\tbare = false\n[remote "origin"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


CODE = {"src/a.py": "1\n2\n3\n", "b.md": "1\n2", "c.html": "<p>1\n<p>2", "d.xml": "<a>\n</a>\n", "e.png": b"\0\n"}

FOLDERS = {"guide.md": "# Outside", "guide/README.md": "# Inside", "empty/a.txt": "", "rst/README.rst": ""}

TREE = {"README.md": "# Top", "docs/guide.md": "# Guide", "src/a.py": "1\n", "docs/img/a.png": b"", "x/y": ""}

ELSEWHERE = {
    "elsewhere/config": CONFIG.format("https://github.com/o/r"),
    "elsewhere/HEAD": "ref: refs/heads/main\n",
}


def reported(found):
    return [reference for *_, reference in told(found)]


@pytest.mark.parametrize(("heading_ids", "count"), [("github", 1), ("gitlab", 1), ("any", 1), ("bitbucket", 3)])
def test_math_has_no_links(tmp_path, heading_ids, count):
    files = {"a.md": "$$ [m](x) $$ and $[n](y)$ and [a](z)"}
    assert len(audited(tmp_path, files, heading_ids=heading_ids).findings) == count


def in_repository(
    tmp_path, files, url="https://github.com/o/r.git", head="ref: refs/heads/topic\n", folder="", **fields
):
    """The audit of a folder in a work tree whose remote is at a URL."""
    write(tmp_path, {".git/config": CONFIG.format(url), ".git/HEAD": head, **files})
    return audited(tmp_path / folder, base_url=None, **fields)


class TestCertainFixes:
    def test_an_id_that_only_some_programs_make_is_a_hint(self, tmp_path):
        [one] = audited(tmp_path, {"a.md": "[r](#redirectdest--code)\n\n### .redirect(dest, [code ,])\n"}).findings
        assert one.hint is not None
        assert not one.hint.certain

    def test_an_id_that_all_programs_make_is_written(self, tmp_path):
        text = "# Set up\n\n[a](#Set_Up) [b](#set%20up)\n"
        assert fixed(tmp_path, {"a.md": text}) == {"a.md": b"# Set up\n\n[a](#set-up) [b](#set-up)\n"}

    @pytest.mark.parametrize(("scheme", "written"), [("any", 0), ("gitlab", 0), ("github", 1), ("mkdocs", 1)])
    def test_the_scheme_says_which_programs_count(self, tmp_path, scheme, written):
        assert len(fixed(tmp_path, {"a.md": "# A & B\n\n[a](#A-_-B)\n"}, heading_ids=scheme)) == written

    def test_an_explicit_id_is_written(self, tmp_path):
        assert fixed(tmp_path, {"a.md": "# My heading {#own}\n\n[a](#OWN)\n"})["a.md"].endswith(b"[a](#own)\n")

    def test_the_id_of_the_text_has_a_hint_at_the_explicit_one(self, tmp_path):
        [one] = audited(tmp_path, {"a.md": "# My heading {#own}\n\n[a](#my-heading)\n"}).findings
        assert (one.hint.reference, one.hint.certain) == ("#own", False)

    def test_github_reads_no_explicit_id(self, tmp_path):
        text = "# My heading {#own}\n\n[a](#my-heading)\n"
        [one] = audited(tmp_path, {"a.md": text}, heading_ids="github").findings
        assert one.hint.reference == "#my-heading-own"


class TestFragments:
    @HOSTED
    def test_in_another_case_are_a_note(self, tmp_path, heading_ids):
        [one] = audited(tmp_path, {"a.md": "# Hello\n\n[a](#HELLO)"}, heading_ids=heading_ids).findings
        assert (one.code, one.level, one.hint.reference) == ("LF102", FindingLevel.NOTE, "#hello")

    @pytest.mark.parametrize("heading_ids", ["gitlab", "mkdocs", "pandoc"])
    def test_in_another_case_are_an_error_elsewhere(self, tmp_path, heading_ids):
        [one] = audited(tmp_path, {"a.md": "# Hello\n\n[a](#HELLO)"}, heading_ids=heading_ids).findings
        assert one.level is FindingLevel.ERROR

    def test_in_another_case_of_an_id_that_github_does_not_make_are_an_error(self, tmp_path):
        found = audited(tmp_path, {"a.md": "# A\n# A\n\n# B {#own}\n\n[a](#A_1) [b](#Own) [c](#A-1)"})
        assert [one.level for one in found.findings] == [FindingLevel.ERROR, FindingLevel.ERROR, FindingLevel.NOTE]

    def test_in_another_case_of_html_are_an_error(self, tmp_path):
        [one] = audited(tmp_path, {"a.md": "[a](b.html#HELLO)", "b.html": "<p id=hello>"}).findings
        assert one.level is FindingLevel.ERROR

    @pytest.mark.parametrize("heading_ids", ["any", "github", "gitlab"])
    def test_may_have_the_prefix_of_the_host(self, tmp_path, heading_ids):
        text = "# Hello\n\n[a](#user-content-hello) [b](#user-content-gone)"
        found = audited(tmp_path, {"a.md": text}, heading_ids=heading_ids)
        assert reported(found) == ["#user-content-gone"]

    @pytest.mark.parametrize("scheme", ["github", "any"])
    def test_footnotes_have_the_ids_of_their_host(self, tmp_path, scheme):
        names = "user-content-fn-1 fn-1 user-content-fnref-1 user-content-fnref-1-2 user-content-fn-B user-content-fn-b"
        gone = ["#user-content-fn-2", "#user-content-fnref-1-3", "#user-content-fn-c"]
        links = " ".join(f"[x]({one})" for one in [*(f"#{name}" for name in names.split()), *gone])
        text = f"# A\n\nx[^1] [^1] [^B] {links}\n\n[^1]: F\n[^B]: G\n[^c]: not used\n"
        found = audited(tmp_path, {"a.md": text}, heading_ids=scheme)
        assert reported(found) == gone

    def test_have_no_such_prefix_in_mkdocs(self, tmp_path):
        assert len(audited(tmp_path, {"a.md": "# A\n\n[a](#user-content-a)"}, heading_ids="mkdocs").findings) == 1

    @HOSTED
    def test_readme_is_in_a_readme(self, tmp_path, heading_ids):
        files = {
            "a.md": "[a](d#readme) [b](d/README.md#README) [c](#readme) [d](e#readme)",
            "d/README.md": "x",
            "e/f": "",
        }
        assert reported(audited(tmp_path, files, heading_ids=heading_ids)) == ["#readme", "e#readme"]


class TestLines:
    @HOSTED
    @pytest.mark.parametrize(
        "reference",
        [
            *[
                "src/a.py#L1",
                "src/a.py#L3",
                "src/a.py#L1-L3",
                "src/a.py#L1C5-L3C2",
                "src/a.py?plain=1#L2",
                "src/a.py#L3-L1",
            ],
            *["b.md#L2", "b.md?plain=1#L1-L2", "c.html#L2", "d.xml#L2", "e.png#L9", "src/a.py#other"],
        ],
    )
    def test_that_are_there(self, tmp_path, heading_ids, reference):
        assert not audited(tmp_path, {**CODE, "a.md": f"[a]({reference})"}, heading_ids=heading_ids).findings

    @HOSTED
    @pytest.mark.parametrize(
        ("reference", "reason"),
        [
            ("src/a.py#L4", "src/a.py has only 3 lines"),
            ("src/a.py#L1-L4", "src/a.py has only 3 lines"),
            ("src/a.py#L0", "src/a.py has only 3 lines"),
            ("b.md?plain=1#L3", "b.md has only 2 lines"),
            ("d.xml#L3", "d.xml has only 2 lines"),
        ],
    )
    def test_beyond_the_end_are_missing_with_the_reason(self, tmp_path, heading_ids, reference, reason):
        [one] = audited(tmp_path, {**CODE, "a.md": f"[a]({reference})"}, heading_ids=heading_ids).findings
        assert (one.code, one.message, one.hint) == ("LF102", reason, None)

    @pytest.mark.parametrize(
        ("heading_ids", "reference", "number"),
        [
            ("gitlab", "src/a.py#L1-3", 0),
            ("gitlab", "src/a.py#L1-4", 1),
            ("bitbucket", "src/a.py#lines-1:3", 0),
            ("bitbucket", "src/a.py#lines-4", 1),
            ("mkdocs", "src/a.py#L9", 0),
        ],
    )
    def test_of_other_hosts(self, tmp_path, heading_ids, reference, number):
        found = audited(tmp_path, {**CODE, "a.md": f"[a]({reference})"}, heading_ids=heading_ids)
        assert len(found.findings) == number

    def test_an_id_of_the_page_comes_first(self, tmp_path):
        assert not audited(tmp_path, {"a.md": "<a id=L900></a> [a](#L900)"}).findings

    def test_pages_are_judged_by_their_ids(self, tmp_path):
        found = audited(tmp_path, {**CODE, "a.html": "<a href='c.html#L1'><a href='src/a.py#L9'>"})
        assert reported(found) == ["c.html#L1"]

    def test_a_file_that_is_too_large_is_not_read(self, tmp_path):
        files = {"a.md": "[a](b.py#L99)", "b.py": "1\n" * 50}
        assert not audited(tmp_path, files, max_size=60).findings
        assert len(audited(tmp_path, files, max_size=100).findings) == 1


class TestFolders:
    def test_a_folder_beside_a_source_is_its_readme_on_github(self, tmp_path):
        text = "[a](guide#inside) [b](guide#outside) [c](guide.md#outside) [d](guide/#outside)"
        found = audited(tmp_path, {**FOLDERS, "a.md": text}, heading_ids="github")
        assert reported(found) == ["guide#outside", "guide/#outside"]

    def test_it_is_either_of_them_if_the_program_is_not_known(self, tmp_path):
        text = "[a](guide#inside) [b](guide/#outside) [c](guide#gone) [d](guide.md#inside) [e](guide/README.md#outside)"
        found = audited(tmp_path, {**FOLDERS, "a.md": text})
        assert reported(found) == ["guide#gone", "guide.md#inside", "guide/README.md#outside"]

    @HOSTED
    def test_a_folder_without_a_readme_has_no_fragments(self, tmp_path, heading_ids):
        text = "[a](empty#x) [b](empty) [c](empty/#top) [d](rst#x)"
        [one] = audited(tmp_path, {**FOLDERS, "a.md": text}, heading_ids=heading_ids).findings
        assert (one.code, one.reference, one.cause) == ("LF102", "empty#x", "empty/#x")


class TestOwnUrls:
    @pytest.mark.parametrize(
        ("remote", "there", "gone"),
        [
            (
                "https://github.com/o/r.git",
                [
                    *[
                        "/o/r#top",
                        "/o/r",
                        "/O/R/blob/main/docs/guide.md#guide",
                        "/o/r/tree/HEAD/docs",
                        "/o/r/raw/topic/src/a.py",
                    ],
                    *[
                        "/o/r/blob/master/src/a.py#L1",
                        "/o/r/blob/main/src/a.py?raw=1",
                        "/o/r/blob/v1/gone",
                        "/o/r/issues/1",
                    ],
                    *["/o/other/blob/main/gone", "/o/r2/blob/main/gone", "/o/r/blob/mainly/gone", "/o/r/blob/main/"],
                ],
                [
                    "/o/r/blob/main/gone.md",
                    "/o/r/edit/main/gone.md",
                    "/o/r/blame/main/gone.md",
                    "/o/r#gone",
                    "/o/r/tree/topic/docs/gone",
                    "/o/r/blob/main/src/a.py#L2",
                ],
            ),
            (
                "git@gitlab.com:g/sub/r.git",
                ["/g/sub/r/-/blob/main/src/a.py", "/g/sub/r/-/tree/main/x"],
                ["/g/sub/r/-/blob/main/gone.py", "/g/sub/r/-/raw/main/gone.py", "/g/sub/r/-/edit/main/gone.py"],
            ),
            (
                "ssh://git@bitbucket.org/o/r",
                ["/o/r/src/main/src/a.py", "/o/r/src/0123abc/gone"],
                ["/o/r/src/main/gone.py", "/o/r/raw/HEAD/gone.py", "/o/r/annotate/main/gone.py"],
            ),
        ],
    )
    def test_are_files_of_the_tree(self, tmp_path, remote, there, gone):
        host = remote.partition("@")[2].partition("/")[0].partition(":")[0] or "github.com"
        links = [f"https://{host}{path}" for path in (*there, *gone)]
        text = " ".join(f"[a]({link})" for link in links)
        found = in_repository(tmp_path, {**TREE, "a.md": text}, remote)
        assert reported(found) == links[len(there) :]

    def test_of_raw_files(self, tmp_path):
        raw = "https://raw.githubusercontent.com/o/r"
        text = f"![a]({raw}/main/docs/img/a.png) ![b]({raw}/refs/heads/topic/gone.png) ![c]({raw}/v1/gone.png)"
        found = in_repository(tmp_path, {**TREE, "a.md": text})
        assert reported(found) == [f"{raw}/refs/heads/topic/gone.png"]

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("blob/main/docs/giude.md?plain=1#guide", "blob/main/docs/guide.md?plain=1#guide"),
            ("raw/main/guide.md", "raw/main/docs/guide.md"),
            ("blob/main/src/%61_b.py", "blob/main/src/a-b.py"),
        ],
    )
    @pytest.mark.parametrize("page", ["a.md", "x/deep/a.md"])
    def test_a_hint_is_a_url_of_the_same_place(self, tmp_path, page, written, meant):
        files = {"docs/guide.md": "# Guide", "docs/img/README.md": "", "src/a-b.py": ""}
        own = "https://github.com/o/r/"
        [one] = in_repository(tmp_path, {**files, page: f"[a]({own}{written})"}).findings
        assert one.hint.reference == own + meant

    def test_a_correction_is_a_url_of_the_same_place(self, tmp_path):
        files = {".git/config": CONFIG.format("https://github.com/o/r"), ".git/HEAD": "ref: refs/heads/main\n", **TREE}
        own = "https://github.com/o/r/blob/main/docs"
        text = f"[a]({own}/guide.md#GUI_DE) [b]({own}/Guide.md)"
        made = fixed(tmp_path, {**files, "docs/guide.md": "# Gui de", "x/a.md": text}, base_url=None)
        assert made == {"x/a.md": text.replace("GUI_DE", "gui-de").encode()}

    def test_from_a_folder_of_the_repository(self, tmp_path):
        own = "https://github.com/o/r/blob/main"
        text = f"[a]({own}/docs/guide.md) [b]({own}/docs/gone.md) [c]({own}/gone.md) [d]({own}/docs-old/x)"
        found = in_repository(tmp_path, {**TREE, "docs/a.md": text}, folder="docs")
        assert reported(found) == [f"{own}/docs/gone.md"]
        assert found.coverage.unchecked == {"outside the folder": 2}

    def test_urls_without_marks(self, tmp_path):
        own = "https://github.com/o/r/blob/main"
        text = f"see {own}/docs/guide.md#gone, {own}/gone.md. {own}/docs/guide.md https://github.com/o/s/blob/main/gone"
        found = in_repository(tmp_path, {**TREE, "a.md": text, "b.html": f"<p>{own}/gone.md"})
        assert reported(found) == [f"{own}/docs/guide.md#gone", f"{own}/gone.md"]
        assert reported(in_repository(tmp_path, {}, heading_ids="pandoc")) == []

    def test_a_correction_of_a_url_without_marks(self, tmp_path):
        files = {".git/config": CONFIG.format("https://github.com/o/r"), ".git/HEAD": "ref: refs/heads/main\n", **TREE}
        text = "see https://github.com/o/r/blob/main/docs/guide.md#GUI_DE!"
        made = fixed(tmp_path, {**files, "docs/guide.md": "# Gui de", "x/a.md": text}, base_url=None)
        assert made == {"x/a.md": text.replace("GUI_DE", "gui-de").encode()}

    @pytest.mark.parametrize(
        ("page", "reference", "code"),
        [
            ("README.md", "../../blob/main/docs/guide.md", ""),
            ("README.md", "../../blob/main/docs/guide.md#gone", "LF102"),
            ("README.md", "../../blob/main/gone.md", "LF101"),
            ("README.md", "../../tree/topic/docs", ""),
            ("README.md", "../../tree/topic/gone", "LF101"),
            ("README.md", "../../tree/v1/gone", ""),
            ("README.md", "../../issues/1", ""),
            ("README.md", "../gone.md", ""),
            ("docs/README.md", "../../../blob/main/gone.md", "LF101"),
            ("docs/README.md", "../../blob/main/gone.md", ""),
        ],
    )
    def test_relative_references_lead_there(self, tmp_path, page, reference, code):
        found = in_repository(tmp_path, {**TREE, page: f"[a]({reference})"}).findings
        assert [(one.path, one.reference, one.code) for one in found] == [(page, reference, code)] * bool(code)

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("blob/main/docs/giude.md", "blob/main/docs/guide.md"),
            ("blob/main/docs/guide.md#giude", "blob/main/docs/guide.md#guide"),
        ],
    )
    def test_hints_about_relative_references(self, tmp_path, written, meant):
        [one] = in_repository(tmp_path, {**TREE, "README.md": f"[a](../../{written})"}).findings
        assert one.hint.reference == "../../" + meant

    def test_relative_references_at_another_host(self, tmp_path):
        files = {**TREE, "README.md": "[a](../../blob/main/gone.md)"}
        assert not in_repository(tmp_path, files, url="https://gitlab.com/o/r.git").findings

    @pytest.mark.parametrize("heading_ids", ["mkdocs", "pandoc"])
    def test_are_another_site_for_programs_that_make_pages(self, tmp_path, heading_ids):
        files = {"a.md": "[a](https://github.com/o/r/blob/main/gone)"}
        assert not in_repository(tmp_path, files, heading_ids=heading_ids).findings

    def test_are_another_site_for_pages(self, tmp_path):
        gone = "https://github.com/o/r/blob/main/gone"
        files = {"a.html": f"<a href={gone}></a>", "b.md": f"[a]({gone})", "c.html": f"<a href={gone}></a>"}
        assert [path for path, *_ in told(in_repository(tmp_path, files))] == ["b.md"]

    def test_the_only_remote_counts_and_origin_before_others(self, tmp_path):
        config = '[remote "a"]\nurl = https://h.example/a/r\n[branch "x"]\nurl = no\n'
        write(tmp_path, {".git/HEAD": "0123\n", ".git/config": config})
        assert find_repository(str(tmp_path)) == Repository("h.example/a/r", "", ("HEAD", "main", "master"))
        write(tmp_path, {".git/config": f'{config}[remote "origin"] url = "https://u:p@h.example:8443/b/r/"\n'})
        assert find_repository(str(tmp_path)).place == "h.example/b/r"
        write(tmp_path, {".git/config": f'{config}[remote "c"]\nurl = https://h.example/c/r\n'})
        assert find_repository(str(tmp_path)) is None

    @pytest.mark.parametrize("url", ["/srv/r.git", "../r", "C:/x/r", "file:///srv/r", "https://github.com/", "r", ""])
    def test_a_remote_without_pages_does_not_count(self, tmp_path, url):
        write(tmp_path, {".git/HEAD": "ref: refs/heads/main\n", ".git/config": CONFIG.format(url)})
        assert find_repository(str(tmp_path)) is None

    @pytest.mark.skipif(GIT is None, reason="git is not installed")
    def test_a_linked_work_tree_has_the_repository_of_its_main_one(self, tmp_path):
        def git(*words):
            identity = ("-c", "user.name=x", "-c", "user.email=x@x.example")
            subprocess.run([GIT, *identity, *words], cwd=tmp_path, check=True, capture_output=True, timeout=30)

        git("init", "-q", "main")
        git("-C", "main", "remote", "add", "origin", "https://github.com/o/r")
        git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x")
        git("-C", "main", "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
        assert find_repository(str(tmp_path / "side")) == Repository(
            "github.com/o/r", "", ("side", "HEAD", "main", "master")
        )


class TestFilesOfOthers:
    def test_a_git_directory_that_does_not_point_back_does_not_count(self, tmp_path):
        write(tmp_path, {**ELSEWHERE, "tree/.git": f"gitdir: {tmp_path}/elsewhere\n"})
        assert find_repository(str(tmp_path / "tree")) is None

    def test_a_common_directory_elsewhere_does_not_count(self, tmp_path):
        inside = {"tree/x/HEAD": "ref: refs/heads/main\n", "tree/x/commondir": f"{tmp_path}/elsewhere\n"}
        write(tmp_path, {**ELSEWHERE, **inside, "tree/.git": "gitdir: x\n"})
        (tmp_path / "tree/x/gitdir").write_text(f"{tmp_path}/tree/.git\n")
        assert find_repository(str(tmp_path / "tree")) is None

    def test_symbolic_links_do_not_count(self, tmp_path):
        write(tmp_path, {**ELSEWHERE, "one/a.md": "", "two/.git/HEAD": "ref: refs/heads/main\n"})
        (tmp_path / "one/.git").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "two/.git/config").symlink_to(tmp_path / "elsewhere/config")
        assert find_repository(str(tmp_path / "one")) is None
        assert find_repository(str(tmp_path / "two")) is None

    def test_a_file_of_another_user_does_not_count(self, tmp_path, monkeypatch):
        write(tmp_path, {".git/config": CONFIG.format("https://github.com/o/r"), ".git/HEAD": "ref: refs/heads/main\n"})
        assert find_repository(str(tmp_path)) is not None
        monkeypatch.setattr("linkfix.auditing.repository.reason_to_doubt", lambda *_: "stranger")
        assert find_repository(str(tmp_path)) is None

    @pytest.mark.parametrize("mark", ["gitdir: \0\n", "gitdir: ../../../../nowhere\n", "", "\xff"])
    def test_what_is_no_git_directory_does_not_count(self, tmp_path, mark):
        write(tmp_path, {".git": mark.encode("latin-1")})
        assert find_repository(str(tmp_path)) is None

    def test_a_large_configuration_is_not_read(self, tmp_path):
        config = CONFIG.format("https://github.com/o/r") + "#" * (1 << 18)
        write(tmp_path, {".git/config": config, ".git/HEAD": "ref: refs/heads/main\n"})
        assert find_repository(str(tmp_path)) is None
