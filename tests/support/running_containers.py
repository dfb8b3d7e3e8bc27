"""Reading and rewriting a container in a test."""

from __future__ import annotations

import io

from linkfix.containers.part import Limits
from linkfix.model import PROBLEMS, Envelope


def read(module, data, *, envelope=None, limits=None):
    """The parts of a container, and its problems."""
    problems = []
    parts = list(module.parts(io.BytesIO(data), envelope or Envelope(), problems.append, limits or Limits()))
    assert {problem.code for problem in problems} <= PROBLEMS.keys()
    return parts, problems


def rewrite(module, data, change, *, envelope=None, limits=None):
    """The container with the parts that `change` changes, and the problems."""
    problems = []
    out = io.BytesIO()
    module.rewrite(io.BytesIO(data), out, envelope or Envelope(), change, problems.append, limits or Limits())
    return out.getvalue(), problems


def codes(problems):
    return [problem.code for problem in problems]


def nothing(_part):
    return None
