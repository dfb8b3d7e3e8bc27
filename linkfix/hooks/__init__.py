"""Right links in the tools that people already use: a module a framework.

Hooks for clients adapt a response to bytes and an envelope (`linkfix.hooks.response`); those for parsers, of
`linkfix.trees`, adapt a tree's elements. Each imports its own framework and no other.
"""

from __future__ import annotations

from linkfix.trees import TREES, absolutize_tree

__all__ = ["TREES", "absolutize_tree"]
