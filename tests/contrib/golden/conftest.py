"""Fixtures of this folder."""

from tests.integration.golden.conftest import project  # noqa: F401
