"""Files on disk: folders, media types, atomic replacement.

Internal: it can change in any release.
"""
