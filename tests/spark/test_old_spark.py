"""Pyspark 3.5, which has no data sources in Python."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.extras import missing

pytest.importorskip("pyspark", reason=missing("pyspark"))

PROGRAM = """
import sys
sys.modules["pyspark.sql.datasource"] = None
import linkfix.spark
try:
    linkfix.spark.register(None)
except ImportError as error:
    print(linkfix.spark.read.__name__, error)
"""


def test_without_data_sources_the_functions_work():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False)
    message = "read data sources in Python need pyspark 4: linkfix.spark.read works with older versions\n"
    assert done.stdout == message, done.stderr
