"""A system made from settings and asked, as the pipeline does it."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.answers.collected_outputs import run_pass
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols import Resources, system_abilities
from tests.factories import sample_factory

_NUMBER = itertools.count()


def resources_of(root: Path, **fields: Any) -> Resources:
    """Return resources without a database or a model."""
    defaults: dict[str, Any] = {
        "state": root / ".ragate",
        "database": None,
        "chat": None,
        "embedder": None,
        "environment": dict(os.environ),
        "concurrency": 4,
    }
    return Resources(root=root, **(defaults | fields))


def module(root: Path, code: str) -> str:
    """Write a module that no other test has imported, and return its name."""
    name = f"project_{os.getpid()}_{next(_NUMBER)}"
    (root / f"{name}.py").write_text(textwrap.dedent(code))
    return name


@contextmanager
def path_kept(resources: Resources) -> Iterator[None]:
    """Take the folder of code that was asked live off the path: the next one has its own."""
    path = list(sys.path)
    yield
    if resources.live:
        sys.path[:] = path


async def asked(
    use: str,
    settings: dict[str, Any],
    resources: Resources,
    samples: Sequence[Sample],
    *,
    timeout_s: float = 60.0,
) -> list[SystemOutput]:
    """Return an output for each sample, in order."""
    async with plugins.system(use, settings, resources) as system:
        await system.prepare()
        limit = system_abilities(system).max_concurrency
        outputs = await run_pass(
            system,
            samples,
            run=0,
            concurrency=limit or resources.concurrency,
            timeout_s=timeout_s,
            on_output=lambda *_: None,
        )
    return [outputs[sample.id] for sample in samples]


def ask(
    use: str,
    settings: dict[str, Any],
    root: Path,
    *,
    samples: Sequence[Sample] | None = None,
    timeout_s: float = 60.0,
    **fields: Any,
) -> list[SystemOutput]:
    """Return what the system answers, in a loop of its own."""
    wanted = samples if samples is not None else [sample_factory()]
    resources = resources_of(root, **{"timeout_s": timeout_s, **fields})
    with path_kept(resources):
        return asyncio.run(asked(use, settings, resources, wanted, timeout_s=timeout_s))


def info(use: str, settings: dict[str, Any], root: Path, **fields: Any) -> SystemInfo:
    """Return what the system tells of itself, asked live where it is code of a project."""
    resources = resources_of(root, **{"live": True, **fields})

    async def told() -> SystemInfo:
        async with plugins.system(use, settings, resources) as system:
            return system.info

    with path_kept(resources):
        return asyncio.run(told())


def message(output: SystemOutput) -> str:
    """Return the message of a system's failure."""
    assert output.error is not None
    assert output.error.kind == "system"
    return output.error.message
