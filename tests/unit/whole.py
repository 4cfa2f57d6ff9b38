"""Tests of pages and lists that tell of all that stands beside the core."""

from __future__ import annotations

import pytest

from ragate import extension

of_the_whole = pytest.mark.skipif(
    bool(extension.absent()), reason="tells of ragate.contrib, of which a part is absent"
)
