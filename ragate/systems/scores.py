"""Somebody else's scores as the system under test: nothing is asked, the metrics are the file's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ragate.models import Sample, SystemInfo, SystemOutput, failed_output
from ragate.models.run import MEASUREMENT
from ragate.protocols import Resources, Traits
from ragate.scores.settings import Settings
from ragate.settings import read_settings

if TYPE_CHECKING:
    from ragate.scores.score_table import ScoreTable

__all__ = ["Settings"]

TRAITS = Traits(runs_code=False, recorded=True, needs_database=False)


class ScoredOutputs:
    """What an evaluator wrote down of each sample."""

    def __init__(self, table: ScoreTable) -> None:
        from ragate.scores.project import ScoresBySample

        self._rows = ScoresBySample(table)
        facts = table.facts
        told = {"reader": facts.reader, "judge": table.judge, "version": facts.version}
        told[MEASUREMENT] = table.measurement
        self.info = SystemInfo(use="scores", parts={k: v for k, v in told.items() if v})
        self.identifies_state = True  # the files are all there is
        self.arranges = True  # whoever made them did
        self.max_runs: int | None = table.runs
        self._unfinished = facts.unfinished

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Nothing to prepare: files do not change, and `rebuild` has nothing to rebuild."""

    async def documents(self) -> frozenset[str] | None:
        """Return nothing: scores do not tell what could have been retrieved."""
        return None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the files hold of a sample; what they lack was not measured."""
        if self._unfinished:
            return failed_output("provider", f"no whole evaluation: {self._unfinished}")
        output = self._rows.output(sample, run)
        return output or failed_output("provider", f"no row of it in run {run + 1}")


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[ScoredOutputs]:
    """Read the scores and yield them as a system.

    Raises:
        ConfigError: a path that the policy does not allow, or that matches no file.
        DatasetError: a file cannot be read.
    """
    from ragate.scores.project import table_of

    own = read_settings(Settings, settings, where="[system]")
    yield ScoredOutputs(table_of(own, root=resources.root, allowed=resources.scores_paths))
