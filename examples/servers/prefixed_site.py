"""A Flask application behind a proxy that shows it in a folder of another host."""

from flask import Flask

from linkfix.hooks.wsgi import Absolutize

BACKEND, PUBLIC = "http://backend:8000/", "https://example.com/shop/"


app = Flask(__name__)


@app.route("/docs/page")
def page() -> str:
    return "<a href=next>next page</a> <a href=https://other.example/>other</a>"


def public(url: str) -> str | None:
    """The public URL of a page of the application; None for all other URLs, which stay."""
    return PUBLIC + url.removeprefix(BACKEND) if url.startswith(BACKEND) else None


site = Absolutize(app, base_url=BACKEND, rewrite=public, header_fields=True)
