"""One question to the system under test, outside of any gate."""

from ragate.config import Config
from ragate.models import Sample, SystemOutput
from ragate.pipeline.run.collect_pass import ask
from ragate.recorder.open_system import open_system
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources


async def ask_question(config: Config, operations: Operations, sample: Sample) -> SystemOutput:
    """Return what the system says to one question; nothing is stored.

    Raises:
        RagateError: the system cannot be started or asked at all.
    """
    async with (
        open_resources(config, operations) as opened,
        open_system(config, operations, opened, judged=False) as system,
    ):
        await system.prepare()
        return await ask(system, sample, run=0, timeout_s=opened.system.timeout_s)
