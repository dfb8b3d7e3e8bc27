from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from support.running import ENVIRONMENT

from linkfix.lazy import cached_property, lazy_module


class Page:
    made = 0

    @cached_property
    def size(self):
        """How large it is."""
        self.made += 1
        return self.made


class Frame(Page):
    pass


def test_a_cached_property_is_made_once_for_each_object():
    page, frame = Page(), Frame()
    assert [page.size, page.size, frame.size] == [1, 1, 1]
    assert (page.made, frame.made) == (1, 1)


def test_a_cached_property_can_be_set_and_made_again():
    page = Page()
    page.size = 7
    assert (page.size, page.made) == (7, 0)
    del page.size
    assert page.size == 1


def test_a_cached_property_of_the_class_is_itself():
    assert Page.size is Page.__dict__["size"]
    assert Page.size.__doc__ == "How large it is."


@pytest.fixture
def seldom(tmp_path, monkeypatch):
    """Gives what `import` gives of a module `seldom`."""
    (tmp_path / "seldom.py").write_text("def double(number):\n    return 2 * number\n\n\nSIZE = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda: import_module("seldom")
    sys.modules.pop("seldom", None)


def is_imported(module):
    return getattr(sys.modules[module.__name__], "__spec__", None) is not None


class TestModule:
    def test_it_is_imported_for_its_attributes(self, seldom):
        lazy_module("seldom")
        module = seldom()
        assert not is_imported(module)
        assert module.SIZE == 3
        assert is_imported(module)
        assert module.double(4) == seldom().double(4) == 8
        with pytest.raises(AttributeError, match="module 'seldom' has no attribute 'triple'"):
            _ = module.triple

    def test_easy_questions_do_not_import_it(self, seldom):
        lazy_module("seldom", double={0: 0, 1: 2}.get)
        module = seldom()
        assert (module.double(0), module.double(1), is_imported(module)) == (0, 2, False)
        assert (module.double(7), is_imported(module)) == (14, True)
        assert (module.double(1), module.double(7)) == (2, 14)

    def test_one_that_is_imported_stays(self, seldom):
        module = seldom()
        lazy_module("seldom", double=str)
        assert seldom() is module
        assert module.double(4) == 8


@pytest.mark.parametrize(("arguments", "needs"), [(["resolve", "http://a/", "b"], False), (["resolve", "-h"], True)])
def test_a_command_imports_inspect_for_its_help_alone(arguments, needs):
    """`inspect` is a twentieth of a short run."""
    program = (
        f"import atexit, sys\nsys.argv = ['linkfix', *{arguments}]\n"
        "atexit.register(lambda: print('inspect' in sys.modules, 'dis' in sys.modules))\n"
        "from linkfix.__main__ import main\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, text=True, check=False)
    assert done.stdout.splitlines()[-1] == f"True {needs}", done.stderr
