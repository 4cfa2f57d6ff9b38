"""A function of a project in a worker: an interpreter without any package, ragate included."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragate.models import Sample, SystemOutput
from tests.unit.systems.using import ask, module

BARE = [sys.executable, "-S"]


def asked(
    root: Path,
    code: str,
    name: str = "answer",
    *,
    samples: Sequence[Sample] | None = None,
    timeout_s: float = 20.0,
    resources: dict[str, Any] | None = None,
    use: str = "python",
    **settings: Any,
) -> list[SystemOutput]:
    """Return what a worker answers for each sample."""
    target = f"{module(root, code)}:{name}"
    keys = {"target": target, "interpreter": BARE, **settings}
    return ask(use, keys, root, samples=samples, timeout_s=timeout_s, **(resources or {}))


def one(root: Path, code: str, name: str = "answer", **settings: Any) -> SystemOutput:
    """Return the output for one sample."""
    return asked(root, code, name, **settings)[0]
