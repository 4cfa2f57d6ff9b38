"""A service over HTTP as the system under test: ``use = "http"``; see docs/system-http.md."""

from ragate.systems.http.settings import Settings
from ragate.systems.http.system import create

__all__ = ["Settings", "create"]
