"""Runs over many files: plan, workers, conversion, unpacking, diffs.

Internal: it can change in any release.
"""
