"""The scores of one side as arrays: samples, runs, and a column for each metric."""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ragate.core.hashing import digest
from ragate.core.statistics.score_columns import Floats, Ints, Mask
from ragate.core.text.wording import listed
from ragate.errors import DatasetError, UsageError
from ragate.scores.formats import FORMATS
from ragate.scores.known_metrics import known
from ragate.scores.read_rows import ReadFile, read_scores
from ragate.scores.score_file import ENDINGS, hash_of_file
from ragate.scores.scored_row import NO_DETAILS, Details, Facts, Lack, ScoredRow
from ragate.tables.cells import is_no_value

NO_ROW = "the file has no row of this sample"
_NO_SCORE = Lack("the row has no score")
_NOT_ASKED = Lack("it was not asked of this sample", silent=True)
_LEAST_NUMBERS = 0.5  # share of a column's cells; below it the column is text
_LOOKED_AT = 200  # cells without a number, after which a column is known to be text
_EVERY = 10_000  # rows between two looks at the bar
_UNKNOWN = -1  # of a flag


@dataclass(frozen=True)
class ScoreTable:
    """The scores of one side.

    Attributes:
        keys: The samples' ids, each once, in the order of the files.
        rows: (samples, runs) number of the row; -1 where there is none.
        columns: By metric (rows,); NaN where there is no score.
        lacks: By metric, why there is none, by row; also of columns that hold none at all.
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
        rows = (int(row) for row in self.rows[number] if row >= 0)
        return self.detail(next(rows, -1))

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
        lacks = self.lacks.get(metric, {})
        if row in lacks:
            return lacks[row]
        if failed := self.detail(row).failed:
            return Lack(failed)
        if not FORMATS[self.facts.reader].complete:
            return _NO_SCORE
        has_others = any(np.isfinite(column[row]) for column in self.columns.values())
        is_skipped = any(row in each and each[row].silent for each in self.lacks.values())
        return _NOT_ASKED if has_others or is_skipped else _NO_SCORE

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
        samples = range(len(self.keys))
        numbers = [each for each in samples if set(tags) <= set(self.of_sample(each).tags)]
        if not numbers:
            there = sorted({tag for each in self.details for tag in each.tags})
            raise UsageError(
                f"{self.paths[0]}: no sample has the tag {' and '.join(map(repr, tags))}",
                remedy=f"its tags: {listed(there, most=20)}" if there else "its samples have none",
            )
        keys, systems = _without_one_system([self.keys[each] for each in numbers], self.systems)
        return replace(self, keys=keys, rows=self.rows[numbers], systems=systems)

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


class _RunRow(NamedTuple):
    """A row of a sample: the number of its run, where the file says one, and its own."""

    run: int | None
    row: int


RowsByKey = dict[str, list[_RunRow]]


class _Builder:
    """Rows as they come, until all are there.

    Attributes:
        count: Rows so far. places: Where each stands, for messages.
        starts: The path of each evaluation, and its first row.
        columns, flags: By metric, as of `ScoreTable`, as far as the last row that has one.
        numbers: By metric, how many rows have a number.
        texts: Columns that are known to hold words.
        untold: Rows that say nothing of any metric: no line completes them.
    """

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.progress = progress
        self.read_files: list[ReadFile] = []
        self.count = 0
        self.places: list[str] = []
        self.by_key: RowsByKey = {}
        self.starts: list[tuple[Path, int]] = []
        self.columns: dict[str, array[float]] = {}
        self.flags: dict[str, array[int]] = {}
        self.numbers: dict[str, int] = {}
        self.lacks: dict[str, dict[int, Lack]] = {}
        self.texts: dict[str, None] = {}
        self.untold: set[int] = set()
        self.marks: dict[str, set[float]] = {}
        self.details: list[Details] = []
        self.judges: dict[str, None] = {}
        self.systems: dict[str, None] = {}

    def begin_evaluation(self, path: Path) -> None:
        """Take what is read from now on for another run."""
        self._refuse_empty()
        self.starts.append((path, self.count))

    def _refuse_empty(self) -> None:
        if not self.starts:
            return
        path, first_row = self.starts[-1]
        if first_row == self.count:
            raise DatasetError(
                f"{path}: holds no sample", remedy="did the evaluation run to its end?"
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
        told = self._told_in(row)
        number = self._row_to_complete(key, row.run, told)
        if number is None:
            number = self.count
            self.count += 1
            if not told:
                self.untold.add(number)
            self.places.append(row.place)
            self.by_key.setdefault(key, []).append(_RunRow(row.run, number))
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
        number = self.by_key[key][0].row
        asked = self.details[number].input
        if asked and row.details.input and asked != row.details.input:
            raise DatasetError(
                f"{self.places[number]} and {row.place}: two questions under the id {key!r}",
                remedy="give each task's or prompt's file by itself, or ids that differ",
            )

    def _told_in(self, row: ScoredRow) -> Set[str]:
        """Return of which metrics a line says something; beside a score texts are remarks.

        Alone an empty text says that a score is missing, and a word nothing.
        """
        names = row.scores.keys() - row.texts
        if names or row.details.failed:
            return names
        return {
            name
            for name, value in row.scores.items()
            if isinstance(value, Lack) and name not in self.texts and not _is_word(value)
        }

    def _row_to_complete(self, key: str, its_run: int | None, told: Set[str]) -> int | None:
        """Return the sample's row that has none of these metrics yet: a line for each metric."""
        if key not in self.by_key or not told:
            return None
        run, number = self.by_key[key][-1]
        _, first_row = self.starts[-1]
        is_of_this_run = number >= first_row and run == its_run
        if not is_of_this_run or number in self.untold:
            return None
        return None if any(self._has(name, number) for name in told) else number

    def _has(self, metric: str, row: int) -> bool:
        column = self.columns.get(metric, ())
        is_scored = row < len(column) and not math.isnan(column[row])
        return is_scored or row in self.lacks.get(metric, ())

    def _add_scores(self, number: int, row: ScoredRow) -> None:
        for name, value in row.scores.items():
            if name in self.texts:
                continue
            if not isinstance(value, Lack):
                column = self.columns.setdefault(name, array("d"))
                _put(column, number, value, blank=math.nan)
                self.numbers[name] = self.numbers.get(name, 0) + 1
                continue
            lacks = self.lacks.setdefault(name, {})
            lacks[number] = value
            if len(lacks) >= _LOOKED_AT and not self.numbers.get(name) and _is_word(value):
                self.texts[name] = None
                del self.lacks[name]
        for name, passed in row.flags.items():
            flags = self.flags.setdefault(name, array("b"))
            _put(flags, number, int(passed), blank=_UNKNOWN)
        for name, mark in row.marks.items():
            self.marks.setdefault(name, set()).add(mark)

    def table(self) -> ScoreTable:
        """Return the whole table."""
        self._refuse_empty()
        every_name = dict.fromkeys((*self.columns, *self.lacks, *self.texts))
        names = [name for name in every_name if self._is_metric(name)]
        others = (name for name in every_name if name not in names and self._may_be_missed(name))
        self.read_files[0].left_out.update(dict.fromkeys(others))
        if not names:
            raise self._without_scores()
        keys, systems = _without_one_system(list(self.by_key), tuple(self.systems))
        has_details = any(each is not NO_DETAILS for each in self.details)
        return ScoreTable(
            paths=tuple(file.path for file in self.read_files),
            facts=_joined_facts(self.read_files),
            keys=keys,
            rows=np.hstack([self._matrix(rows) for rows in self._by_evaluation()]),
            columns={name: self._filled(self.columns.get(name, ()), np.nan) for name in names},
            lacks={**{name: {} for name in names}, **self.lacks},
            marks={
                name: next(iter(every)) for name, every in self.marks.items() if len(every) == 1
            },
            flags={name: self._filled(flags, _UNKNOWN) for name, flags in self.flags.items()},
            details=self.details if has_details else (),
            judges=tuple(self.judges),
            systems=systems,
        )

    def _without_scores(self) -> DatasetError:
        path = self.read_files[0].path
        if any(each.answer is not None for each in self.details):
            return DatasetError(
                f"{path}: no scores in it, but answers",
                remedy="`ragate init` writes a gate that scores answers",
            )
        return DatasetError(
            f"{path}: no scores in it",
            remedy="a score is a column of numbers, or of true and false",
        )

    def _is_metric(self, name: str) -> bool:
        """Whether a column holds scores: not text, and no metric that a tool names is left out."""
        if name in self.texts:
            return False
        numbers, words = self.numbers.get(name, 0), self._words_of(name)
        if not numbers and self.read_files[0].format.columns and known(name) is None:
            return False  # an empty column of somebody's own table may be anything
        return numbers >= _LEAST_NUMBERS * (numbers + words)

    def _may_be_missed(self, name: str) -> bool:
        """Whether somebody may look for a column among the metrics: it is no column of words."""
        return known(name) is not None or name in self.columns or not self._words_of(name)

    def _words_of(self, name: str) -> int:
        """Return how many cells of a column hold a word, as far as they are kept."""
        lacks = self.lacks.get(name, {}).values()
        return 1 if name in self.texts else sum(map(_is_word, lacks))

    def _filled(self, first_values: Sequence[float], blank: float) -> Any:
        """Return a column of all rows; those behind the first values are blank."""
        column = np.full(self.count, blank)
        column[: len(first_values)] = first_values
        return column

    def _by_evaluation(self) -> Iterator[RowsByKey]:
        """Yield the rows of each evaluation by sample, [] where it has none of it."""
        starts = [start for _, start in self.starts]
        if len(starts) == 1:
            yield self.by_key
            return
        for first, end in zip(starts, [*starts[1:], self.count], strict=True):
            yield {
                key: [each for each in rows if first <= each.row < end]
                for key, rows in self.by_key.items()
            }

    def _matrix(self, by_key: RowsByKey) -> Ints:
        """Return the rows (samples, runs).

        Raises:
            DatasetError: several lines of one sample, and nothing says that they are its runs.
        """
        # Whether a row has a number of its run.
        answers = {each.run is not None for rows in by_key.values() for each in rows}
        if len(answers) > 1:
            raise DatasetError(f"{self._place_without_run()}: has no number of its run; others do")
        if answers == {True}:
            return self._by_run(by_key)

        counts = {len(rows) for rows in by_key.values() if rows}
        most = max(counts)
        if len(counts) > 1:
            key = next(key for key, rows in by_key.items() if len(rows) == most)
            first, second = (self.places[each.row] for each in by_key[key][:2])
            raise DatasetError(
                f"{first} and {second}: two lines of the sample {key!r}, and of other samples "
                f"{min(counts)}",
                remedy="number the runs in a field `run`, or give every sample as many lines",
            )
        if most > 1:
            self._refuse_systems(by_key)
        blank = [-1] * most
        matrix = [[each.row for each in rows] or blank for rows in by_key.values()]
        return np.array(matrix, dtype=np.intp)

    def _refuse_systems(self, by_key: RowsByKey) -> None:
        """Refuse lines that a column of words tells apart in every sample alike.

        They are of several systems, whose mean would hide that one of them got worse.

        Raises:
            DatasetError: names the column and its words.
        """
        first, *others = filter(None, by_key.values())
        for column in self.details[first[0].row].words if others else ():
            systems = self._words_in(column, first)
            if len(systems) < len(first):
                continue
            if all(self._words_in(column, each) == systems for each in others):
                raise DatasetError(
                    f"{self.places[first[0].row]}: each sample has {len(first)} lines, of {column} "
                    f"= {listed([*map(repr, sorted(systems))])}: several systems, or runs of one?",
                    remedy="give the lines of each system in a file of its own, or its name within "
                    "the id; runs are numbered in a field `run`",
                )

    def _words_in(self, column: str, rows: Sequence[_RunRow]) -> set[str]:
        return {word for each in rows if (word := self.details[each.row].words.get(column))}

    def _by_run(self, by_key: RowsByKey) -> Ints:
        """Return the rows (samples, runs) of a file that numbers its runs."""
        runs = sorted({each.run or 0 for rows in by_key.values() for each in rows})
        columns = {run: column for column, run in enumerate(runs)}
        matrix = np.full((len(by_key), len(runs)), -1, dtype=np.intp)
        for sample, (key, rows) in enumerate(by_key.items()):
            for run, row in rows:
                column = columns[run or 0]
                before = matrix[sample, column]
                if before >= 0:
                    raise DatasetError(
                        f"{self.places[before]} and {self.places[row]}: two lines of the sample "
                        f"{key!r} in run {run}",
                        remedy="leave one of them out, or number the runs of a sample 1, 2, 3",
                    )
                matrix[sample, column] = row
        return matrix

    def _place_without_run(self) -> str:
        rows = (each for rows in self.by_key.values() for each in rows)
        return next(self.places[each.row] for each in rows if each.run is None)


def _without_one_system(
    keys: list[str], systems: tuple[str, ...]
) -> tuple[list[str], tuple[str, ...]]:
    """Return keys and systems; keys that all end with the same system go without it."""
    there = tuple(each for each in systems if any(key.endswith(f" {each}") for key in keys))
    if len(there) != 1:
        return keys, there
    ending = f" {there[0]}"
    return [key.removesuffix(ending) for key in keys], there


def _put(column: "array[Any]", row: int, value: float, *, blank: float) -> None:
    """Set a row's value in a column, which grows; rows between have a blank."""
    if row < len(column):
        column[row] = value
        return
    column.extend([blank] * (row - len(column)))
    column.append(value)


def _is_word(lack: Lack) -> bool:
    """Whether what stands in place of a number is a word, and no empty cell, NaN or N/A."""
    quoted = lack.reason.removeprefix("the file says ")
    is_text = quoted != lack.reason and quoted[0] in "'\""
    return is_text and not is_no_value(quoted[1:-1])


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
