"""Where the published vectors are: beside the checkout. They are never copied into the project."""

from __future__ import annotations

import pytest
from support.paths import SHARED

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="published vectors not found beside the checkout")
