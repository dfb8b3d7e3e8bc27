"""Runs over many files: plan, workers, conversion, unpacking, diffs."""
