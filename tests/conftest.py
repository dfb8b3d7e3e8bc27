"""Settings of the property tests: machines are shared, so no deadline; in CI the same examples every time."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, settings
from support.sizes import examples

import linkfix

# Processes that tests start import the very package that is tested, not what lies in the folder they start in.
os.environ["PYTHONSAFEPATH"] = "1"
os.environ["PYTHONPATH"] = str(Path(linkfix.__file__).parents[1])

settings.register_profile(
    "linkfix",
    deadline=None,
    max_examples=examples(100),
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("linkfix")
