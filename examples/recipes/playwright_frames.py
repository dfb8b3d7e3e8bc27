"""Playwright, async: the links of all frames of a page, each resolved by the base of its frame.

Run it: `python examples/recipes/playwright_frames.py URL`.
"""

import asyncio
import sys

from playwright.async_api import async_playwright

from linkfix.hooks.playwright import frames_async


async def main() -> None:
    """Open the page, and print the targets of the links in its frames."""
    async with async_playwright() as playwright, await playwright.chromium.launch() as browser:
        page = await browser.new_page()
        await page.goto(sys.argv[1])
        for frame, content in (await frames_async(page)).items():
            print(frame.url, *[link.target for link in content.links if link.target], sep="\n  ")


asyncio.run(main())
