"""Header fields, as the standard library reads them."""

from __future__ import annotations

from email.message import Message

__all__ = ["content_type"]


def content_type(value):
    """The media type of a Content-Type, "" for none, and its charset, None for none."""
    message = Message()
    message["Content-Type"] = value
    return message.get_content_type() if value else "", message.get_content_charset()
