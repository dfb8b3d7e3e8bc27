"""Journals of runs that change files: what was changed, so that a run can go on after a kill, and can be undone.

Internal: it can change in any release.
"""
