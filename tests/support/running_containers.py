"""Reading and rewriting a container in a test: its parts, its new bytes, and the problems."""

from __future__ import annotations

import io

from linkfix import PROBLEMS, Envelope
from linkfix.containers import Limits


def read(module, data, *, envelope=None, limits=None):
    """The parts, and the problems."""
    problems = []
    parts = list(module.parts(io.BytesIO(data), envelope or Envelope(), problems.append, limits or Limits()))
    assert {problem.code for problem in problems} <= PROBLEMS.keys()
    return parts, problems


def rewritten(module, data, change, *, envelope=None, limits=None, **options):
    """The container with the parts that `change` changes, and the problems."""
    problems = []
    out = io.BytesIO()
    module.rewrite(
        io.BytesIO(data), out, envelope or Envelope(), change, problems.append, limits or Limits(), **options
    )
    return out.getvalue(), problems


def codes(problems):
    """The codes of problems, in order."""
    return [problem.code for problem in problems]


def nothing(_part):
    """A change that changes no part."""
    return
