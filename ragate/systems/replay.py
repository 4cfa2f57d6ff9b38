"""Recorded outputs as the system under test: what your own pipeline wrote in an earlier step."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from ragate.core.conversation import told_by_question
from ragate.core.hashing import content_hash
from ragate.errors import DatasetError
from ragate.files.find_files import named_files
from ragate.models import Sample, SystemInfo, SystemOutput, failed_output
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recordings import KeptOutput, read_recorded
from ragate.protocols import Resources, Traits
from ragate.scores.ignored import ignored_scores
from ragate.settings import read_settings

TRAITS = Traits(
    runs_code=False,
    recorded=True,
    needs_database=False,
    id_remedy="record it as `doc_id`",
    retrieval_remedy="record `chunks` with doc_id and text in place of `contexts`",
)


class Settings(RecordMapping):
    """Recorded outputs; nothing is run: [Replay](replay.md).

    Attributes:
        paths: Files of recorded outputs, or patterns, in `replay_paths` of the policy; several
            files are several runs.
        preset: The [tool](replay.md) that wrote them; empty: ragate's own format, or `pointers`.
        pointers: Where the parts stand in a line of your own; the base's count on a pull request.
    """

    paths: tuple[str, ...] = Field(min_length=1)


class Replay:
    """Recorded outputs by sample; the n-th output of a sample is its n-th run."""

    def __init__(self, outputs: Recordings) -> None:
        self._outputs = outputs
        self.info = SystemInfo(use="replay")
        self.identifies_state = True  # the files are all there is
        self.max_runs: int | None = outputs.max_runs

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Nothing to prepare: recordings do not change, and `rebuild` has nothing to rebuild."""

    async def documents(self) -> frozenset[str] | None:
        """Recordings do not tell what else could have been retrieved."""
        return None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what was recorded for `sample` in pass `run`.

        A sample without a recording was not measured, so it is unscored rather than wrong.
        """
        runs = self._outputs.of(sample)
        if not runs or run >= len(runs):
            why = ", under its id: it has earlier turns" if sample.messages else ""
            return failed_output("provider", f"no recorded output in run {run + 1}{why}")
        recorded = runs[run].read()
        if recorded.hash and recorded.hash != content_hash(sample):
            return failed_output("provider", "the sample was edited after this output was recorded")
        return recorded.output()


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[Replay]:
    """Read the recordings and yield them as a system.

    Raises:
        ConfigError: a path that the policy does not allow, or that matches no file.
        DatasetError: a line that is no recorded output.
    """
    own_settings = read_settings(Settings, settings, where="[system]")
    files = [
        file
        for pattern in own_settings.paths
        for file in allowed_files(pattern, root=resources.root, allowed=resources.replay_paths)
    ]
    if ignored := ignored_scores(files):
        resources.say(f"note: {ignored}")
    yield Replay(read_recordings(files, own_settings))


def allowed_files(pattern: str, *, root: Path, allowed: Sequence[str]) -> list[Path]:
    """Return the recordings that a pattern names; see `named_files`."""
    first = "the step that records the outputs run first"
    return named_files(pattern, root=root, allowed=allowed, key="replay_paths", first=first)


# Recorded outputs by sample: under their ids, else under their questions.


class Recordings:
    """Where each sample's outputs stand, in order of run, under its id or else its question."""

    def __init__(self) -> None:
        self._runs: dict[str, list[KeptOutput]] = {}
        # By question, the keys of the lines that have an id as well; by key, how many questions.
        self._asked: dict[str, list[str]] = {}
        self._questions: Counter[str] = Counter()

    @property
    def max_runs(self) -> int:
        """The runs of the sample that has the most."""
        return max(map(len, self._runs.values()), default=0)

    def add(self, key: str, runs: Iterable[KeptOutput]) -> None:
        """Add runs of a sample."""
        self._runs.setdefault(key, []).extend(runs)

    def name(self, question: str, key: str) -> None:
        """Let lines with an id of their own be found by their question too.

        People's ids are often those of a trace or a session: lines of several ids that ask the same
        are its runs, one after the other.
        """
        keys = self._asked.setdefault(question, [])
        if key not in keys:
            keys.append(key)
            self._questions[key] += 1

    def of(self, sample: Sample) -> list[KeptOutput]:
        """Return the runs of a sample, found by its id, else by its question; or none.

        Not by a question that does not tell it from others.
        """
        question = _by_query(sample.query)
        if (runs := self._runs.get(_by_id(sample.id))) is not None:
            return runs
        if not told_by_question(sample):
            return []
        if (runs := self._runs.get(question)) is not None:
            return runs
        keys = self._asked.get(question, [])
        return [output for key in keys for output in self._answers(key, question)]

    def _answers(self, key: str, question: str) -> list[KeptOutput]:
        """Return the outputs of an id that answer a question: a session's id has several."""
        outputs = self._runs[key]
        if self._questions[key] == 1:
            return outputs
        return [each for each in outputs if _by_query(each.read().question) == question]


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
    lines: dict[str, list[tuple[int, KeptOutput]]] = {}  # with its run, by key
    numbered: set[tuple[str, int]] = set()
    alike: dict[str, list[str]] = {}  # by question, the places of lines that tell nothing else
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
        if not recorded.id and recorded.run is None:
            alike.setdefault(key, []).append(where)
        lines.setdefault(key, []).append((recorded.run or 0, kept))
    _refuse_uneven(alike)
    for key, runs in lines.items():
        recordings.add(key, [kept for _, kept in sorted(runs, key=lambda pair: pair[0])])


def _refuse_uneven(places: Mapping[str, list[str]]) -> None:
    """Refuse a second line of a question where others have fewer: a run, or another sample?

    Raises:
        DatasetError: names two lines of the question with the most.
    """
    most = max(places.values(), key=len, default=[])
    if len({len(each) for each in places.values()}) > 1:
        first, second, *_ = most
        raise DatasetError(
            f"{second}: answers the question of {first.rpartition(':')[2].strip()} again, and not "
            "every question has as many lines: it may be a second run, or of another sample",
            remedy="give each line the `id` of its sample, or number its `run` from 0",
        )


def _by_id(sample_id: str) -> str:
    return f"id:{sample_id}"


def _by_query(query: str) -> str:
    return f"query:{' '.join(query.split())}"
