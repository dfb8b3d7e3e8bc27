"""Which references of a tree of pages are broken, offline, and why.

Internal: it can change in any release.
"""
