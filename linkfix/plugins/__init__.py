"""Plugins for site generators: the findings of the audit as the generator's own warnings, at the lines of the sources.

`mkdocs` is a plugin of MkDocs, `sphinx` is an extension of Sphinx.
"""
