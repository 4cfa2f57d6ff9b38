"""Keys of an HTTP system that do not fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError
from tests.integration.systems.http.services import refused

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"url_env": "URL"}, "give url, or url_env"),
        ({"version_url": "http://x/"}, "version_url needs"),
        ({"url": "http://x/?q={query}"}, "is asked as it is, braces too"),
        ({"version_header": "A", "version_pointer": "/a"}, "not both"),
        ({"pointers": {"answer": "$.answer"}}, 'begins with "/"'),
        ({"pointers": {"text": "/a"}}, "unknown key 'text'"),
    ],
)
def test_keys_that_do_not_fit_together_are_refused(tmp_path: Path, settings: Any, told: str):
    refused(tmp_path, ConfigError, told, **settings)
