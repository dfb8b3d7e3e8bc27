"""A Flask application whose pages have absolute links."""

from flask import Flask

from linkfix.hooks.wsgi import Absolutize

app = Flask(__name__)


@app.route("/docs/page")
def page() -> str:
    return "<a href=next>next page</a>"


app.wsgi_app = Absolutize(app.wsgi_app, base_url="https://example.com/")  # type: ignore[method-assign]
