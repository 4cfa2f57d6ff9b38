"""The scores that a project names in ``[system]``: read once, for samples and system."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ragate.errors import DatasetError
from ragate.files.find_files import named_files
from ragate.models import ReportedScore, Sample, SystemOutput
from ragate.models.base import lean
from ragate.scores.did_not_run import consistent
from ragate.scores.score_table import ScoreTable, read_runs
from ragate.scores.settings import Settings
from ragate.scores.table_run import TableSamples, output_of


def table_of(settings: Settings, *, root: Path, allowed: Sequence[str]) -> ScoreTable:
    """Return the scores that a project names.

    Args:
        allowed: `scores_paths` of the policy.

    Raises:
        ConfigError: a path is not allowed, or leads to no file.
        DatasetError: a file cannot be read.
    """
    paths = [path for name in settings.paths for path in _named(name, root, allowed)]
    state = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths)
    return _read(state, settings.reader)


@lru_cache(maxsize=2)
def _read(state: tuple[tuple[Path, int, int], ...], reader: str) -> ScoreTable:
    return consistent(read_runs([path for path, _, _ in state], reader))


def _named(name: str, root: Path, allowed: Sequence[str]) -> list[Path]:
    first = "the evaluator run first, and write there"
    return named_files(name, root=root, allowed=allowed, key="scores_paths", first=first)


def scored_samples(settings: Settings, *, root: Path, allowed: Sequence[str]) -> Sequence[Sample]:
    """Return the samples that the scores tell of, for a project without a golden set."""
    table = table_of(settings, root=root, allowed=allowed)
    return TableSamples(table, told=table.has_inputs)


class ScoresBySample:
    """Finds the row of a sample: by its id, else by its question."""

    def __init__(self, table: ScoreTable) -> None:
        self._table = table
        self._keys = {key: number for number, key in enumerate(table.keys)}
        self._questions: dict[str, list[int]] = {}
        for number in range(len(table.keys)):
            asked = _words(table.of_sample(number).input)
            if asked:
                self._questions.setdefault(asked, []).append(number)

    def output(self, sample: Sample, run: int) -> SystemOutput | None:
        """Return what the file holds of a sample in a run, with its scores; None for nothing.

        Raises:
            DatasetError: several rows without its id ask its question.
        """
        number = self._keys.get(sample.id)
        if number is None:
            rows = self._questions.get(_words(sample.query), [])
            if len(rows) > 1:
                raise DatasetError(
                    f"{self._table.paths[0]}: {len(rows)} samples ask {sample.query[:80]!r}, and "
                    f"none has the id {sample.id!r}",
                    remedy="write the golden set's ids into the file of scores",
                )
            number = rows[0] if rows else None
        if number is None or run >= self._table.runs:
            return None
        row = int(self._table.rows[number, run])
        if row < 0:
            return None
        return lean(output_of(self._table.detail(row)), reported=self._reported(row))

    def _reported(self, row: int) -> dict[str, ReportedScore]:
        table, detail = self._table, self._table.detail(row)
        judge = " ".join(filter(None, (table.judge, table.facts.version)))
        scores = {}
        for name, column in table.columns.items():
            value = float(column[row])
            if value == value:
                reason = detail.reasons.get(name, "")
                scores[name] = ReportedScore(value=value, reason=reason, judge=judge)
            else:
                lack = table.lack(name, row)
                scores[name] = ReportedScore(reason=lack.reason, silent=lack.silent, judge=judge)
        return scores


def _words(question: str) -> str:
    return " ".join(question.split())
