"""Playwright: the content of a page after its scripts have run, with absolute links.

Run it: `python examples/playwright_page.py URL`.
"""

import sys

from playwright.sync_api import sync_playwright

from linkfix.hooks.playwright import absolutize

with sync_playwright() as playwright, playwright.chromium.launch() as browser:
    page = browser.new_page()
    page.goto(sys.argv[1])
    content = absolutize(page)  # .html is page.content() with absolute links; .links .base .problems
print(*(link.target for link in content.links), sep="\n")
