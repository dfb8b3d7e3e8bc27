"""aiohttp: all pages that a session reads have absolute links.

Run it: `python examples/aiohttp_session.py URL`.
"""

import asyncio
import sys

import aiohttp

from linkfix.hooks.aiohttp import absolutize


async def main() -> None:
    async with aiohttp.ClientSession(middlewares=[absolutize]) as session, session.get(sys.argv[1]) as page:
        print(await page.text())  # with absolute links; linkfix.hooks.outcome(page) knows each of them


asyncio.run(main())
