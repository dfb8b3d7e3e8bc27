"""A Spark of two cores on this machine, which tries a task up to four times. Its tests are skipped without Spark."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings

import pytest
from support.paths import TESTS

#: Options of Java: tests are short, and machines small.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.log.level": "OFF"}


def lacking():
    """The name of a missing requirement on this machine, or ""."""
    if importlib.util.find_spec("pyspark.sql.classic") is None:
        return "pyspark has no Spark: it is pyspark-client"
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        return "there is no Java: apt-get install openjdk-17-jre-headless"
    return ""


@pytest.fixture(scope="session")
def spark_environment():
    """The variables for a process that starts Spark."""
    if lacking():
        pytest.skip(lacking())
    paths = os.pathsep.join([os.environ["PYTHONPATH"], str(TESTS)])  # workers import the tests' functions
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": paths,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JAVA_OPTIONS,
    }


@pytest.fixture(scope="session")
def spark(spark_environment):
    os.environ |= spark_environment
    import pyspark.sql  # if it is installed

    import linkfix.spark

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = pyspark.sql.SparkSession.builder.master("local[2,4]").appName("linkfix")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    linkfix.spark.register(session)
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _what_pyspark_warns_of():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        warnings.filterwarnings("ignore", category=ResourceWarning)
        yield
