"""Metrics that a judge gives."""

from __future__ import annotations

from typing import Any

from ragate import plugins


def metric(name: str, **settings: Any) -> Any:
    return plugins.metric(name, settings=settings)
