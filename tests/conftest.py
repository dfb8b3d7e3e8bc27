"""Settings of all tests: the tests that run, the number of examples in property tests, and the tested linkfix."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
import support.sizes
import support.tested
from hypothesis import HealthCheck, settings
from support.paths import CHECKOUT

import linkfix
import linkfix.kernels.compiled

PACKAGE = Path(linkfix.__file__).parent
#: Tests that `pytest` alone leaves out.
MARKED = "browser or growth or slow"

# Tests import the fuzzer too, from the checkout. Last: the linkfix that is tested may be one that is installed.
if str(CHECKOUT) not in sys.path:
    sys.path.append(str(CHECKOUT))

# Processes that tests start import the tested package, not a package in the folder they start in.
os.environ["PYTHONSAFEPATH"] = "1"
os.environ["PYTHONPATH"] = str(PACKAGE.parent)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help=f"run all tests, with all examples of properties: also those marked {MARKED}",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave out marked tests, unless the call chooses: by `--everything`, `-m`, or the id of a test."""
    wrong = support.tested.what_is_wrong(os.environ.get("LINKFIX_EXPECT"))
    if wrong:
        raise pytest.UsageError(wrong)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as after `nohup … &`: processes that tests start inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    everything = config.option.everything
    if not (everything or config.option.markexpr or any("::" in argument for argument in config.args)):
        config.option.markexpr = f"not ({MARKED})"
    support.sizes.few_examples = not everything
    settings.register_profile(
        "linkfix",
        deadline=None,  # machines are shared
        max_examples=support.sizes.examples(100),
        derandomize=bool(os.environ.get("CI")),  # the same examples every time
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    settings.load_profile("linkfix")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the browser's tests, the longest files: no process has to wait for another's at the end."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_collection_finish() -> None:
    """Spare the collector of garbage the many objects that tests are: it would go through them again and again."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Print which linkfix is tested, and which tests are left out."""
    left_out = [] if config.option.everything else [f"marks: {config.option.markexpr or 'all'} (--everything runs all)"]
    return [f"linkfix: {linkfix.kernels.compiled.SPEED}, from {os.path.relpath(PACKAGE, config.rootpath)}", *left_out]
