"""Fixtures of this folder."""

from tests.integration.line.conftest import gated, project  # noqa: F401
