"""The scores of one side as arrays: samples, runs, and a column for each metric."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ragate.core.hashing import digest
from ragate.core.statistics.score_columns import Floats, Ints, Mask
from ragate.core.text.wording import listed
from ragate.errors import DatasetError, UsageError
from ragate.scores.read_rows import ReadFile, read_scores
from ragate.scores.score_file import ENDINGS, hash_of_file
from ragate.scores.scored_row import NO_DETAILS, Details, Facts, Lack, ScoredRow
from ragate.tables.cells import is_nothing

NO_ROW = "the file has no row of this sample"
_NO_SCORE = Lack("the row has no score")
_LEAST_NUMBERS = 0.5  # share of a column's cells; below it the column is text
_LOOKED_AT = 200  # cells without a number, after which a column is known to be text
_EVERY = 10_000  # rows between two looks at the bar
_UNKNOWN = -1


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one side.

    Attributes:
        keys: The samples' ids, each once, in the order of the files.
        rows: (samples, runs) number of the row; -1 where there is none.
        columns: By metric (rows,); NaN where there is no score.
        lacks: By metric, why there is none, by row.
        marks: By metric, the pass mark that every row names; none where they differ.
        flags: By metric (rows,) what the tool says: 1 passed, 0 not, -1 nothing.
        details: By row; empty where no row has any.
        judges: Who judged, as the rows say, each once.
        systems: What was scored, as the rows say; of several, each key ends with one.
    """

    paths: tuple[Path, ...]
    facts: Facts
    keys: Sequence[str]
    rows: Ints
    columns: Mapping[str, Floats]
    lacks: Mapping[str, Mapping[int, Lack]]
    marks: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, Ints] = field(default_factory=dict)
    details: Sequence[Details] = ()
    judges: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        return int(self.rows.shape[1])

    @property
    def judge(self) -> str:
        """Who judged, by the files' header or their rows; "" where nothing says."""
        return self.facts.judge or ", ".join(self.judges)

    @property
    def has_inputs(self) -> bool:
        """Whether the rows tell what was asked."""
        return any(each.input for each in self.details)

    def of_sample(self, number: int) -> Details:
        """Return what the first row of a sample says beside its scores."""
        return self.detail(next((int(row) for row in self.rows[number] if row >= 0), -1))

    @property
    def measurement(self) -> str:
        """Name the files' bytes and the run that wrote them; "" where they name no run or time."""
        named = self.facts.run_id or self.facts.created
        return digest([named, *map(hash_of_file, self.paths)]) if named else ""

    def detail(self, row: int) -> Details:
        """Return what a row says beside its scores."""
        return self.details[row] if 0 <= row < len(self.details) else NO_DETAILS

    def values(self, metric: str) -> Floats:
        """Return a metric's scores (samples, runs); NaN where there is none."""
        if not len(self.columns[metric]):
            return np.full(self.rows.shape, np.nan)
        values = self.columns[metric][np.maximum(self.rows, 0)]
        return np.where(self.rows >= 0, values, np.nan)

    def lack(self, metric: str, row: int) -> Lack:
        """Return why a row has no score of a metric."""
        if row < 0:
            return Lack(NO_ROW)
        failed = self.detail(row).failed
        return self.lacks.get(metric, {}).get(row, Lack(failed) if failed else _NO_SCORE)

    def with_samples(self, keys: Iterable[str]) -> Self:
        """Return the table with samples that it has no row of."""
        known = set(self.keys)
        missing = [key for key in keys if key not in known]
        if not missing:
            return self
        blank = np.full((len(missing), self.runs), -1, dtype=np.intp)
        return replace(self, keys=[*self.keys, *missing], rows=np.vstack([self.rows, blank]))

    def of_tags(self, tags: Sequence[str]) -> Self:
        """Return the table of the samples that have all of these tags.

        Raises:
            UsageError: none has; names those that there are.
        """
        wanted = set(tags)
        kept = [n for n in range(len(self.keys)) if wanted <= set(self.of_sample(n).tags)]
        if not kept:
            there = sorted({tag for each in self.details for tag in each.tags})
            raise UsageError(
                f"{self.paths[0]}: no sample has the tag {' and '.join(map(repr, tags))}",
                remedy=f"its tags: {listed(there, most=20)}" if there else "its samples have none",
            )
        keys, systems = _without_one_system([self.keys[n] for n in kept], self.systems)
        return replace(self, keys=keys, rows=self.rows[kept], systems=systems)

    def without_scores(self, metric: str, reason: str, rows: Mask | None = None) -> Self:
        """Return the table with a metric's scores taken back, of these rows or of all."""
        column = self.columns[metric]
        rows = np.ones(len(column), dtype=bool) if rows is None else rows
        if not rows.any():
            return self
        lacks = dict.fromkeys(np.flatnonzero(rows).tolist(), Lack(reason))
        return replace(
            self,
            columns={**self.columns, metric: np.where(rows, np.nan, column)},
            lacks={**self.lacks, metric: {**self.lacks[metric], **lacks}},
        )


def files_of(path: Path) -> list[Path]:
    """Return a file, or the files of scores in a folder, in order of name.

    Raises:
        DatasetError: it is not there, or the folder holds none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(each for each in path.iterdir() if each.suffix.lower() in ENDINGS)
    if not files:
        raise DatasetError(
            f"{path}: the folder holds no file of scores",
            remedy=f"a name that ends in one of {', '.join(sorted(ENDINGS))} is read",
        )
    return files


def read_table(path: Path, reader: str = "") -> ScoreTable:
    """Return the scores of a file, or of a folder of files that one evaluation wrote."""
    return read_runs([path], reader)


def read_runs(
    paths: Sequence[Path],
    reader: str = "",
    *,
    progress: Callable[[int], None] = lambda _rows: None,
) -> ScoreTable:
    """Return the scores of several evaluations of one side, as its runs.

    Args:
        paths: A file, or a folder of files that one evaluation wrote, for each.
        reader: As in `read_scores`.
        progress: Is told, now and then, how many rows were read.

    Raises:
        UsageError, DatasetError: as `read_scores`; or two tools wrote the files; or lines of one
            sample that are no runs of it; names the lines.
    """
    builder = _Builder(progress)
    for path in paths:
        builder.begin_evaluation(path)
        for file in files_of(path):
            builder.read(read_scores(file, reader))
    return builder.table()


class _Builder:
    """Rows as they come, until all are there."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.read_files: list[ReadFile] = []
        self.count = 0
        self.places: list[str] = []
        self.by_key: dict[str, list[tuple[int | None, int]]] = {}
        self.starts: list[tuple[Path, int]] = []
        self.columns: dict[str, array[float]] = {}
        self.flags: dict[str, array[int]] = {}
        self.numbers: dict[str, int] = {}
        self.lacks: dict[str, dict[int, Lack]] = {}
        self.texts: set[str] = set()
        self.marks: dict[str, set[float]] = {}
        self.details: list[Details] = []
        self.judges: dict[str, None] = {}
        self.systems: dict[str, None] = {}

    def begin_evaluation(self, path: Path) -> None:
        """Take what is read from now on for another run."""
        self._refuse_empty()
        self.starts.append((path, self.count))

    def _refuse_empty(self) -> None:
        if self.starts and self.starts[-1][1] == self.count:
            raise DatasetError(
                f"{self.starts[-1][0]}: holds no sample",
                remedy="did the evaluation run to its end?",
            )

    def read(self, file: ReadFile) -> None:
        """Add all rows of a file."""
        first = self.read_files[0] if self.read_files else file
        if first.format.name != file.format.name:
            raise DatasetError(
                f"{first.path} is of {first.format.name}, and {file.path} of {file.format.name}: "
                "one side holds the files of one tool",
                remedy="give the files of one of them",
            )
        self.read_files.append(file)
        for row in file.rows:
            self._add(row)

    def _add(self, row: ScoredRow) -> None:
        key = row.key or _key_of_content(row)
        if row.system:
            key = f"{key} {row.system}"
            self.systems[row.system] = None
        self._refuse_other_question(key, row)
        number = self._row_to_complete(key, row)
        if number is None:
            number = self.count
            self.count += 1
            self.places.append(row.place)
            self.by_key.setdefault(key, []).append((row.run, number))
            self.details.append(row.details)
            if self.count % _EVERY == 0:
                self.progress(self.count)
        self._add_scores(number, row)
        if row.judge:
            self.judges[row.judge] = None

    def _refuse_other_question(self, key: str, row: ScoredRow) -> None:
        """Refuse lines of one id that ask different things: two tasks that count from 0 each."""
        if key not in self.by_key:
            return
        number = self.by_key[key][0][1]
        asked = self.details[number].input
        if asked and row.details.input and asked != row.details.input:
            raise DatasetError(
                f"{self.places[number]} and {row.place}: two questions under the id {key!r}",
                remedy="give each task's or prompt's file by itself, or ids that differ",
            )

    def _row_to_complete(self, key: str, row: ScoredRow) -> int | None:
        """Return the sample's row that has none of these metrics yet: a line for each metric."""
        if key not in self.by_key or not row.scores:
            return None
        run, number = self.by_key[key][-1]
        is_of_another = number < self.starts[-1][1]
        if is_of_another or run != row.run or any(self._has(name, number) for name in row.scores):
            return None
        return number

    def _has(self, metric: str, row: int) -> bool:
        column = self.columns.get(metric)
        scored = column is not None and row < len(column) and column[row] == column[row]
        return scored or row in self.lacks.get(metric, ())

    def _add_scores(self, number: int, row: ScoredRow) -> None:
        for name, value in row.scores.items():
            if name in self.texts:
                continue
            if isinstance(value, Lack):
                lacks = self.lacks.setdefault(name, {})
                lacks[number] = value
                if len(lacks) >= _LOOKED_AT and not self.numbers.get(name) and _is_word(value):
                    self.texts.add(name)
                    del self.lacks[name]
            else:
                _put(self.columns.setdefault(name, array("d")), number, value, float("nan"))
                self.numbers[name] = self.numbers.get(name, 0) + 1
        for name, passed in row.flags.items():
            _put(self.flags.setdefault(name, array("b")), number, int(passed), _UNKNOWN)
        for name, mark in row.marks.items():
            self.marks.setdefault(name, set()).add(mark)

    def table(self) -> ScoreTable:
        """Return the whole table."""
        self._refuse_empty()
        paths = tuple(file.path for file in self.read_files)
        given = dict.fromkeys((*self.columns, *self.lacks))
        names = [name for name in given if self._is_metric(name)]
        self.read_files[0].left_out.update(dict.fromkeys(self.columns.keys() - set(names)))
        if not names:
            answers = any(each.answer is not None for each in self.details)
            raise DatasetError(
                f"{paths[0]}: no scores in it{', but answers' if answers else ''}",
                remedy="`ragate init` writes a gate that scores answers"
                if answers
                else "a score is a column of numbers, or of true and false",
            )
        details = self.details if any(each is not NO_DETAILS for each in self.details) else []
        keys, systems = _without_one_system(list(self.by_key), tuple(self.systems))
        return ScoreTable(
            paths,
            _joined_facts(self.read_files),
            keys,
            np.hstack([self._matrix(rows) for rows in self._by_evaluation()]),
            {name: self._filled(self.columns.get(name, ()), np.nan) for name in names},
            {name: self.lacks.get(name, {}) for name in names},
            {name: next(iter(marks)) for name, marks in self.marks.items() if len(marks) == 1},
            {name: self._filled(given, _UNKNOWN) for name, given in self.flags.items()},
            details,
            tuple(self.judges),
            systems,
        )

    def _is_metric(self, name: str) -> bool:
        """Whether a column holds scores: not text, and no metric that a tool names is left out."""
        if name in self.texts:
            return False
        numbers = self.numbers.get(name, 0)
        words = sum(map(_is_word, self.lacks.get(name, {}).values()))
        return numbers >= _LEAST_NUMBERS * (numbers + words)

    def _filled(self, given: Sequence[float], blank: float) -> Any:
        """Return a column of all rows; its last ones may not be given."""
        column = np.full(self.count, blank)
        column[: len(given)] = given
        return column

    def _by_evaluation(self) -> Iterator[dict[str, list[tuple[int | None, int]]]]:
        """Yield the rows of each evaluation by sample, [] where it has none of it."""
        starts = [start for _, start in self.starts]
        if len(starts) == 1:
            yield self.by_key
            return
        for first, end in zip(starts, [*starts[1:], self.count], strict=True):
            yield {
                key: [pair for pair in rows if first <= pair[1] < end]
                for key, rows in self.by_key.items()
            }

    def _matrix(self, by_key: dict[str, list[tuple[int | None, int]]]) -> Ints:
        """Return the rows (samples, runs).

        Raises:
            DatasetError: several lines of one sample, and nothing says that they are its runs.
        """
        counts = {len(rows) for rows in by_key.values() if rows}
        numbered = {run is not None for rows in by_key.values() for run, _ in rows}
        if len(numbered) > 1:
            raise DatasetError(f"{self._place_without_run()}: has no number of its run; others do")
        if numbered == {True}:
            return self._by_run(by_key)
        if len(counts) > 1:
            key, rows = next((k, r) for k, r in by_key.items() if len(r) == max(counts))
            one, other = (self.places[number] for _, number in rows[:2])
            raise DatasetError(
                f"{one} and {other}: two lines of the sample {key!r}, and of other samples "
                f"{min(counts)}",
                remedy="number the runs in a field `run`, or give every sample as many lines",
            )
        blank = [-1] * max(counts)
        numbers = [[number for _, number in rows] or blank for rows in by_key.values()]
        return np.array(numbers, dtype=np.intp)

    def _by_run(self, by_key: dict[str, list[tuple[int | None, int]]]) -> Ints:
        runs = sorted({run or 0 for rows in by_key.values() for run, _ in rows})
        place = {run: number for number, run in enumerate(runs)}
        matrix = np.full((len(by_key), len(runs)), -1, dtype=np.intp)
        for sample, (key, rows) in enumerate(by_key.items()):
            for run, number in rows:
                cell = matrix[sample, place[run or 0]]
                if cell >= 0:
                    raise DatasetError(
                        f"{self.places[cell]} and {self.places[number]}: two lines of the sample "
                        f"{key!r} in run {run}",
                        remedy="leave one of them out, or number the runs of a sample 1, 2, 3",
                    )
                matrix[sample, place[run or 0]] = number
        return matrix

    def _place_without_run(self) -> str:
        rows = (pair for rows in self.by_key.values() for pair in rows)
        return next(self.places[number] for run, number in rows if run is None)


def _without_one_system(
    keys: list[str], systems: tuple[str, ...]
) -> tuple[list[str], tuple[str, ...]]:
    """Return keys and systems; keys that all end with the same system go without it."""
    there = tuple(each for each in systems if any(key.endswith(f" {each}") for key in keys))
    if len(there) != 1:
        return keys, there
    return [key.removesuffix(f" {there[0]}") for key in keys], there


def _put(column: "array[Any]", row: int, value: float, blank: float) -> None:
    if row < len(column):
        column[row] = value
        return
    column.extend([blank] * (row - len(column)))
    column.append(value)


def _is_word(lack: Lack) -> bool:
    """Whether what stands in place of a number is a word, and no empty cell, NaN or N/A."""
    said = lack.reason.removeprefix("the file says ")
    return said != lack.reason and said[0] in "'\"" and not is_nothing(said[1:-1])


def _key_of_content(row: ScoredRow) -> str:
    """Return a key made of what was asked and expected, for a row without an id."""
    if not row.details.input:
        raise DatasetError(
            f"{row.place}: has neither an id nor a question: it cannot be matched with another run",
            remedy="add a column `id` that is the same in every run",
        )
    return f"q-{digest([row.details.input, row.details.expected])}"


def _joined_facts(files: Sequence[ReadFile]) -> Facts:
    """Return what several files of one evaluation say together."""
    all_facts = [file.facts for file in files]

    def joined(values: Iterable[str]) -> str:
        return ", ".join(sorted({value for value in values if value}))

    return Facts(
        reader=all_facts[0].reader,
        judge=joined(each.judge for each in all_facts),
        version=joined(each.version for each in all_facts),
        run_id=joined(each.run_id for each in all_facts),
        created=joined(each.created for each in all_facts),
        unfinished=next((each.unfinished for each in all_facts if each.unfinished), ""),
        left_out=tuple(dict.fromkeys(name for file in files for name in file.left_out)),
    )
