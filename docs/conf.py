"""The settings of the site: `sphinx-build -nW docs build/site` makes it, without a network.

An unresolved reference fails the build. The exceptions are below, each with its reason.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # the extension, and the package of this checkout

import linkfix  # noqa: E402 - it is found now

project = "linkfix"
author = "the linkfix authors"
copyright = "the linkfix authors"  # noqa: A001 - Sphinx's name
release = version = linkfix.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click", "site_extension"]
exclude_patterns = ["site_extension", "architecture.md", "compiled.md"]  # contributors read these in the checkout

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
default_role = "code"
smartquotes = False
suppress_warnings = ["misc.highlighting_failure"]  # examples of faulty HTML for the audit
#: Names in annotations for which the site has no page.
nitpick_ignore_regex = [
    # Python's own, and the libraries that hooks are for: the site is built without a network, and so without their
    # inventories.
    ("py:class", r"(asyncio|collections|collections\.abc|os)\..+"),
    ("py:class", r"(aiohttp|bs4|httpx2?|parsel|playwright|pyarrow|pyspark|requests|scrapy|selectolax|yarl)\..+"),
    ("py:class", "ClientSession|Trace|SparkSession"),  # as aiohttp and linkfix.spark name them in annotations
    ("py:class", r"dict\[str"),  # as Sphinx splits an annotation of linkfix.hooks.wsgi
    # Type variables of one module.
    ("py:class", r"linkfix\.hooks\.(generic\.Doc|httpx2?\._Client|httpx_like\._Inner|requests\._Session)"),
]

html_theme = "furo"
html_title = f"linkfix {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_copy_source = False  # the audit would check the copies, which have the links of the checkout
html_show_sphinx = False
html_last_updated_fmt = None
