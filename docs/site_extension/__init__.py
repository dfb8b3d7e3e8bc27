"""The site's additions to Sphinx, MyST and the theme: pages of the checkout, tables from the code, public names."""

from __future__ import annotations

from sphinx.application import Sphinx

from site_extension import commands, made, names, pages, public

__all__ = ["setup"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add all of it."""
    for module in (commands, made, names, pages, public):
        module.add_to(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
