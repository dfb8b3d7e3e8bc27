"""Where the published vectors are: beside the checkout. They are never copied into the project."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="published vectors not found beside the checkout")
