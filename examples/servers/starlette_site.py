"""A Starlette application whose pages have absolute links."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from linkfix.hooks.asgi import Absolutize


async def page(_request: Request) -> HTMLResponse:
    return HTMLResponse("<a href=next>next page</a>")


app = Starlette(
    routes=[Route("/docs/page", page)],
    middleware=[Middleware(Absolutize, base_url="https://example.com/")],
)
