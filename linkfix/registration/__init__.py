"""Checks of scheme names, URIs and registration templates by RFC 4395, and the import of IANA's registry.

Internal: it can change in any release.
"""
