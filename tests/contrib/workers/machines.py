"""One project on several machines: of who submits, of two workers, and one that is alone."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from ragate.answers.ready_system import OpensSystem, open_here
from ragate.answers.run_profile import Selection
from ragate.config import Config, load_config
from ragate.contrib.workers.submit import opens_on_workers
from ragate.contrib.workers.work import work
from ragate.models import Report
from ragate.resources.operations import Operations, read_operations
from tests.projects import write_docs_project
from tests.repositories import commit, git
from tests.runs import check
from tests.servers.openai_server import FakeOpenAI

CHAT = """
[policy.providers.local]
base_url = "{url}"
{pace}
[policy.providers.local.prices.answer-1]
input_usd_per_million = 1000
output_usd_per_million = 1000
[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""


class Machines:
    """A RAG that asks a model, with prices, in a folder for each machine.

    Args:
        caps: Lines of ``[policy]``.
        pace: Lines of its provider.
    """

    def __init__(
        self, folder: Path, database: str, provider: FakeOpenAI, caps: str = "", pace: str = ""
    ) -> None:
        self.database = database
        root = folder / "gate"
        write_docs_project(root)
        path = root / "ragate.toml"
        text = path.read_text().replace("[policy]\n", f"[policy]\n{caps}\n", 1)
        path.write_text(text + CHAT.format(url=provider.base_url, pace=pace))
        git(root, "init", "-q")
        commit(root)
        self.roots = [root, *(folder / name for name in ("one", "two", "alone"))]
        for other in self.roots[1:]:
            shutil.copytree(root, other)

    def setup(self, root: Path) -> tuple[Config, Operations]:
        environment = {"RAGATE_DATABASE_URL": self.database, "RAGATE_CONCURRENCY": "3"}
        return load_config(root / "ragate.toml"), read_operations(root, environment)

    async def check(self, root: Path, opens: OpensSystem, resume: str = "") -> Report:
        config, operations = self.setup(root)
        return await check(config, operations, Selection(runs=1), opens=opens, resume=resume)

    def check_alone(self) -> Report:
        """Return the report where one process asks all questions."""
        return asyncio.run(self.check(self.roots[-1], open_here))

    def check_with_workers(self, queue: str) -> Report:
        """Return the report where two workers ask them."""

        async def main() -> Report:
            workers = [
                asyncio.create_task(work(*self.setup(root), queue, slots=3, idle_s=None))
                for root in self.roots[1:3]
            ]
            try:
                return await self.check(self.roots[0], opens_on_workers(queue))
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

        return asyncio.run(main())
