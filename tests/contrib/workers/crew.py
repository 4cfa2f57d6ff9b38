"""A run and its workers in one process, for tests of what they say to each other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from ragate.answers.ready_system import OpensSystem
from ragate.answers.run_profile import Selection
from ragate.config import Config, load_config
from ragate.contrib.workers.submit import opens_on_workers
from ragate.contrib.workers.work import Worked, work
from ragate.models import Report
from ragate.resources.operations import Operations, read_operations
from tests.runs import check
from tests.slow_rag import SlowProject


class Crew:
    """A project, the machine that checks it, and machines that answer.

    Attributes:
        said: The lines that the run or a worker printed.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self.project = SlowProject(folder, samples=12, seconds=0.01)
        self.url = url
        self.said: list[str] = []

    def clone(self, name: str) -> Path:
        return self.project.clone(name)

    def machine(self, root: Path) -> tuple[Config, Operations]:
        clean = {name: text for name, text in os.environ.items() if not name.startswith("RAGATE_")}
        operations = read_operations(root, clean)
        made = Operations(clean, operations.state, timeout_s=60.0, say=self.said.append)
        return load_config(root / "ragate.toml"), made

    def checked(
        self, root: Path, resume: str = "", opens: OpensSystem | None = None
    ) -> Coroutine[Any, Any, Report]:
        config, operations = self.machine(root)
        opens = opens or opens_on_workers(self.url)
        return check(config, operations, Selection(), resume=resume, opens=opens)

    def worker(self, root: Path, idle_s: float | None = None) -> Coroutine[Any, Any, Worked]:
        config, operations = self.machine(root)
        return work(config, operations, self.url, slots=4, idle_s=idle_s)

    async def until_said(self, text: str) -> None:
        await until(lambda: any(text in line for line in self.said))


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(240):
        while not condition():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
