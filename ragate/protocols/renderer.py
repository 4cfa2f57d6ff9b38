"""A form of the report."""

from typing import Protocol

from ragate.models import Report


class Renderer(Protocol):
    """A module of ragate.renderers: a pure function of the report."""

    def render(self, report: Report) -> str: ...
