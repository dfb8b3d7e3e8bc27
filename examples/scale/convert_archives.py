"""WARC files with absolute links, each by a task of Spark: spark-submit convert_archives.py OUTPUT FILE …

All workers must see the folders. An existing file is complete, and skipped.
"""

import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession


def convert(source, output):
    made = Path(output, Path(source).name)
    if not made.exists():
        command = [sys.executable, "-m", "linkfix", "absolutize", source, "--output", output, "--quiet"]
        subprocess.run(command, check=True)
    return str(made)


if __name__ == "__main__":
    output, *files = sys.argv[1:]
    context = SparkSession.builder.getOrCreate().sparkContext
    for made in context.parallelize(files, len(files)).map(lambda file: convert(file, output)).collect():
        print(made)
