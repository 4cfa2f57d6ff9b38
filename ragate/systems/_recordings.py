"""Recorded outputs by sample: under their ids, else under their questions."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ragate.core.conversation import told_by_question
from ragate.errors import DatasetError
from ragate.models import Sample
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.outputs_file import OutputLocation
from ragate.outputs.recordings import CopiedOutput, KeptOutputs, read_recorded


class Recordings(Mapping[str, list[OutputLocation | CopiedOutput]]):
    """Where each sample's outputs stand, in order of run, under its id or else its question."""

    def __init__(self) -> None:
        self.kept = KeptOutputs()
        self._numbers: dict[str, tuple[int, ...]] = {}
        self._named: dict[
            str, str
        ] = {}  # by question, the key of the lines that have an id as well

    def add(self, key: str, numbers: Iterable[int]) -> None:
        """Add runs of a sample, by the numbers of their places."""
        self._numbers[key] = (*self._numbers.get(key, ()), *numbers)

    def name(self, question: str, key: str) -> None:
        """Let lines with an id of their own be found by their question too.

        People's ids are often those of a trace. Where lines of several ids ask the same, none is.
        """
        known = self._named.setdefault(question, key)
        if known != key:
            self._named[question] = ""

    def of(self, sample: Sample) -> list[OutputLocation | CopiedOutput]:
        """Return the runs of a sample, found by its id, else by its question; or none.

        Not by a question that does not tell it from others.
        """
        question = _by_query(sample.query)
        told = told_by_question(sample)
        by_question = (question, self._named.get(question, "")) if told else ()
        for key in (_by_id(sample.id), *by_question):
            if key in self._numbers:
                return self[key]
        return []

    def __getitem__(self, key: str) -> list[OutputLocation | CopiedOutput]:
        return [self.kept.get(number) for number in self._numbers[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def read_recordings(files: list[Path], mapping: RecordMapping | None = None) -> Recordings:
    """Return where the outputs of `files` stand; files follow one another.

    Args:
        mapping: How their lines are read; None for ragate's own format.

    Raises:
        DatasetError: a line is no recorded output, or a sample's second one of the same run.
    """
    recordings = Recordings()
    for file in files:
        _add_file(recordings, file, mapping or RecordMapping())
    return recordings


def _add_file(recordings: Recordings, file: Path, mapping: RecordMapping) -> None:
    """Add the outputs of a file; a line's own ``run`` counts inside it."""
    lines: dict[str, list[tuple[int, int]]] = {}  # run and place by key
    numbered: set[tuple[str, int]] = set()
    for where, kept, recorded in read_recorded(file, mapping):
        key = _by_id(recorded.id) if recorded.id else _by_query(recorded.question)
        if recorded.run is not None:
            if (key, recorded.run) in numbered:
                raise DatasetError(
                    f"{where}: a second output for {key} in run {recorded.run}",
                    remedy="leave `run` out, or number the runs of a sample 0, 1, 2",
                )
            numbered.add((key, recorded.run))
        if recorded.id and recorded.question:
            recordings.name(_by_query(recorded.question), key)
        lines.setdefault(key, []).append((recorded.run or 0, recordings.kept.add(kept)))
    for key, runs in lines.items():
        recordings.add(key, [number for _, number in sorted(runs)])


def _by_id(sample_id: str) -> str:
    return f"id:{sample_id}"


def _by_query(query: str) -> str:
    return f"query:{' '.join(query.split())}"
