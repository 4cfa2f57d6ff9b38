"""A system around another one, in which a subclass changes something."""

from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols import DateReader, IdentifiedSystem, LimitedSystem, PassageArranger, System


class WrappedSystem:
    """Everything about it is as it is in `system`; a `System` with all that one may have."""

    def __init__(self, system: System) -> None:
        self.system = system

    @property
    def info(self) -> SystemInfo:
        return self.system.info

    @property
    def max_runs(self) -> int | None:
        return self.system.max_runs

    @property
    def max_concurrency(self) -> int | None:
        return self.system.max_concurrency if isinstance(self.system, LimitedSystem) else None

    @property
    def identifies_state(self) -> bool:
        return isinstance(self.system, IdentifiedSystem) and self.system.identifies_state

    @property
    def reads_date(self) -> bool:
        return isinstance(self.system, DateReader) and self.system.reads_date

    @property
    def arranges(self) -> bool:
        return isinstance(self.system, PassageArranger) and self.system.arranges

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Bring the system up to date."""
        await self.system.prepare(rebuild=rebuild)

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents that can be retrieved."""
        return await self.system.documents()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample in pass `run`."""
        return await self.system.answer(sample, run=run)
