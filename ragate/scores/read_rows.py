"""The rows of a file of scores, read by the names of the tool that wrote it."""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError, UsageError
from ragate.guards.escape import one_line
from ragate.scores.formats import FORMATS, PLAIN, Format, Item
from ragate.scores.known_metrics import is_beside, known, metric_name
from ragate.scores.score_file import Record, ScoreFile, listed, open_scores
from ragate.scores.scored_row import NO_DETAILS, Details, Facts, Lack, ScoredRow
from ragate.settings import nearest
from ragate.tables.cells import any_text, is_no_value, parsed_cell
from ragate.tables.containers import listed_in
from ragate.tables.formats import Names, has_signs
from ragate.tables.traced import answer_in, first_at, value_at

Row = Mapping[str, Any]
_WORDS = {
    **dict.fromkeys(("true", "pass", "passed", "yes", "correct", "success"), 1.0),
    **dict.fromkeys(("✅", "✓", "✔"), 1.0),
    **dict.fromkeys(("false", "fail", "failed", "no", "incorrect", "failure", "❌", "✗"), 0.0),
}
# What names a row below the others of a table, which sums them up.
_SUMMARIES = frozenset(
    {"mean", "average", "avg", "total", "overall", "sum", "std", "median"}
    | {"macro avg", "micro avg", "weighted avg"}
)
# Files that are no file of scores, by what stands in them; what they are, and which file is one.
_WITHOUT_SCORES = (
    (
        {"n-samples"},
        "the means of lm-evaluation-harness, and no scores of its samples",
        "--log_samples writes samples_<task>_<date>.jsonl beside it: give that file",
    ),
    (
        {"testRunLink"},
        "a link to where deepeval sent the run, and no scores of it",
        "DEEPEVAL_RESULTS_FOLDER=out deepeval test run … writes them to a file as well",
    ),
    (
        {"schema_version", "recorded"},
        "is a baseline of ragate, and no file of an evaluator",
        "`ragate check` holds what is now against it; gate takes two files of scores",
    ),
)
_LONGEST_TEXT = 20_000
_LONGEST_REASON = 500
_LONGEST_ID = 160
_LONGEST_WORD = 60


@dataclass
class ReadFile:
    """A file whose tool is known: what it says of itself, and its rows.

    Attributes:
        left_out: Fields that hold numbers and are no scores; known once the rows are read.
    """

    path: Path
    format: Format
    facts: Facts
    rows: Iterator[ScoredRow]
    left_out: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Records:
    """The first record of a file, which shows who wrote it, and all of them."""

    first: Row
    every: Iterator[Record]


@dataclass(frozen=True)
class _Reading:
    """How the rows of a file are read, and what is noted of them.

    Attributes:
        taken: Fields that are no scores, since the format knows what they are.
        left_out: Filled while rows are read; as of `ReadFile`.
    """

    layout: Format
    taken: frozenset[str]
    left_out: dict[str, None]


def read_scores(path: Path, reader: str = "") -> ReadFile:
    """Open a file of scores.

    Args:
        reader: One of `FORMATS`; "": whichever the file's content shows.

    Raises:
        UsageError: there is no such reader.
        DatasetError: it cannot be read, or another tool wrote it; names what was seen.
    """
    if reader and reader not in FORMATS:
        raise UsageError(
            f"no reader {reader!r}{nearest(reader, FORMATS)}",
            remedy=f"one of {', '.join(FORMATS)}",
        )
    file = open_scores(path)
    layout, records = _recognised(file, reader)
    reading = _Reading(layout, _taken(layout), left_out={})
    rows = _rows(reading, file.head, records)
    return ReadFile(path, layout, _facts(layout, file.head), rows, reading.left_out)


# Which tool wrote it.


def _recognised(file: ScoreFile, reader: str) -> tuple[Format, Iterator[Record]]:
    """Return the format of a file, with its records."""
    whole = _with_first(file.records)
    layouts = [FORMATS[reader]] if reader else FORMATS.values()
    for layout in layouts:
        if file.kind not in layout.kinds:
            continue
        records = _listed_in(file, layout) if file.kind == "json" else whole
        if records is not None and (reader or _fits(layout, file, records.first)):
            return layout, records.every
    raise _unknown(file, reader, whole.first)


def _unknown(file: ScoreFile, reader: str, first: Row) -> DatasetError:
    names = ", ".join(map(str, file.head or first))[:200] or "nothing"
    if reader:
        return DatasetError(
            f"{file.path}: is no file of {reader}: it is {file.kind} and has {names}",
            remedy="leave --reader out: a format is known by its content",
        )
    for signs, what, remedy in _WITHOUT_SCORES:
        if signs <= file.head.keys():
            return DatasetError(f"{file.path}: {what}", remedy=remedy)
    objects = [file.head, *(file.head.get(name) for name in ("scores", "metrics", "results"))]
    if any(isinstance(each, Mapping) and _are_means(each) for each in objects):
        return DatasetError(
            f"{file.path}: the means of an evaluation, and no scores of its samples",
            remedy="write a row for each sample; with ragas "
            'result.to_pandas().to_json(path, orient="records")',
        )
    return DatasetError(
        f"{file.path}: no list of samples in it; it has {names}",
        remedy="a list of objects, each with an id and its scores, is read as it is",
    )


def _are_means(values: Row) -> bool:
    """Whether an object holds a number for each of several names, or for one that is a metric."""
    numbers = [name for name, value in values.items() if isinstance(value, float)]
    return len(numbers) > 1 or any(known(name) is not None for name in numbers)


def _with_first(records: Iterator[Record]) -> _Records:
    record = next(records, None)
    if record is None:
        return _Records({}, iter(()))
    _, first = record
    return _Records(first, chain([record], records))


def _listed_in(file: ScoreFile, layout: Format) -> _Records | None:
    """Return a file's records where the tool puts them, else where a list of objects stands."""
    for name in layout.records:
        value = value_at(file.head, name)
        if isinstance(value, list):
            more = (value_at(file.head, further) or [] for further in layout.further)
            rows = [*value, *chain.from_iterable(more)]
            first = rows[0] if rows and isinstance(rows[0], Mapping) else {}
            return _Records(first, listed(file.path, rows, inside=name))
    objects = listed_in(file.head)
    if objects and isinstance(objects[0], Mapping):
        return _Records(objects[0], listed(file.path, objects))
    return None


def _fits(layout: Format, file: ScoreFile, first: Row) -> bool:
    """Whether a file bears the signs of a tool; somebody's own rows bear none."""
    is_alone = layout is PLAIN or file.kind in {"xml", "eval"}
    return is_alone or has_signs(file.head, layout.head) or has_signs(first, layout.signs)


def _facts(layout: Format, head: Row) -> Facts:
    def said(names: Names) -> str:
        value = first_at(head, names)
        return one_line(str(value), 200) if value is not None else ""

    judge = said(layout.judge)
    if not judge and layout.judges is not None:
        judge = layout.judges(head)
    return Facts(
        reader=layout.name,
        judge=judge,
        version=said(layout.version),
        run_id=said(layout.run_id),
        created=said(layout.created),
        unfinished=layout.describe(head) if layout.describe is not None and head else "",
    )


# Row by row.


def _rows(reading: _Reading, head: Row, records: Iterator[Record]) -> Iterator[ScoredRow]:
    layout = reading.layout
    for place, record in records:
        try:
            rows = [record] if layout.rewrite is None else layout.rewrite(record, head)
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise DatasetError(
                f"{place}: is not as {layout.name} writes it: {type(problem).__name__}: {problem}"
            ) from problem
        for row in rows:
            scored_row = _row(place, row, reading)
            name = scored_row.key or scored_row.details.input
            if layout.columns and name.strip().lower() in _SUMMARIES:
                reading.left_out[f"the row {name!r}"] = None
            else:
                yield scored_row


def _row(place: str, row: Row, reading: _Reading) -> ScoredRow:
    layout = reading.layout
    scored = _scores_of(place, row, reading)
    error = first_at(row, layout.error)
    failed = one_line(any_text(error), _LONGEST_REASON) if _is_error(error) else ""
    if failed:
        scored.fail(failed)
    details = Details(
        input=_text(first_at(row, layout.input)),
        expected=_text(first_at(row, layout.expected)),
        answer=_answer(first_at(row, layout.answer)),
        contexts=_contexts(first_at(row, layout.contexts)),
        tags=_tags(first_at(row, layout.tags)),
        failed=failed,
        reasons=scored.reasons,
        words=scored.words,
        cost_usd=_amount(first_at(row, layout.cost)),
        latency_s=_amount(first_at(row, layout.latency)),
    )
    return ScoredRow(
        place=place,
        details=NO_DETAILS if details == NO_DETAILS else details,  # one object for all rows
        key=_key(first_at(row, layout.key), place),
        run=_run(first_at(row, layout.run), place),
        system=one_line(any_text(first_at(row, layout.system)), _LONGEST_ID),
        scores=scored.values,
        texts=scored.texts,
        marks=scored.marks,
        flags=scored.flags,
        judge=scored.judge,
    )


def _scores_of(place: str, row: Row, reading: _Reading) -> "_Scores":
    layout = reading.layout
    scored = _Scores(place, layout.item)
    for name in layout.listed:
        scored.add_listed(parsed_cell(value_at(row, name)))
    for name in layout.mapped:
        scored.add_mapped(parsed_cell(value_at(row, name)))
    listed_scores = list(scored.values.values())
    if layout.columns:
        _add_columns(scored, row, reading)

    passed = first_at(row, layout.passed)
    if passed is not None:
        lacks = [value for value in listed_scores if isinstance(value, Lack)]
        if layout.listed and not layout.columns and not listed_scores:
            lacks = [Lack("no score stands beside it")]
        # What is called passed of several scores says nothing where one of them is missing.
        is_void = bool(lacks and layout.listed)
        scored.add("passed", lacks[0] if is_void else _skipped(passed) or number_or_lack(passed))
    return scored


def _add_columns(scored: "_Scores", row: Row, reading: _Reading) -> None:
    for name, cell in row.items():
        if name in reading.taken or not name.strip():  # pandas' index has none
            continue
        is_object = isinstance(cell, str) and cell.startswith("{")
        if is_object and name in reading.left_out and known(name) is None:
            continue
        value = parsed_cell(cell) if is_object else cell
        is_nested = isinstance(value, list | Mapping)
        if is_beside(name):
            reading.left_out.update({} if is_nested else {name: None})
        elif not is_nested:
            scored.add_cell(name, value)
        elif _is_item(name, value, reading.layout.item):
            scored.add_item(name, value)
        elif name not in reading.left_out and _holds_numbers(value):
            reading.left_out[name] = None


def _is_item(name: str, value: Row | list[Any], item: Item) -> bool:
    """Whether what is nested under a metric's name is an object of its score."""
    is_object = isinstance(value, Mapping) and any(each in value for each in item.value)
    return is_object and known(name) is not None


def _holds_numbers(value: Row | list[Any]) -> bool:
    """Whether numbers stand in what is nested, or in what is nested in that."""
    inner = list(value.values()) if isinstance(value, Mapping) else value
    objects = (each.values() for each in inner if isinstance(each, Mapping))
    return any(isinstance(each, int | float) for each in (*inner, *chain.from_iterable(objects)))


def _taken(layout: Format) -> frozenset[str]:
    named = (
        *(layout.key, layout.run, layout.input, layout.expected, layout.answer, layout.contexts),
        *(layout.tags, layout.error, layout.passed, layout.cost, layout.latency),
    )
    return frozenset(chain.from_iterable((*named, layout.listed, layout.mapped)))


@dataclass
class _Scores:
    """What one row says of its scores.

    Attributes:
        item: What stands where in an object that holds one of them.
        values, marks, flags, reasons: By metric, as of `ScoredRow` and its details.
        words: By column, as of `Details`. texts: As of `ScoredRow`.
    """

    place: str
    item: Item
    values: dict[str, float | Lack] = field(default_factory=dict)
    marks: dict[str, float] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    judge: str = ""

    def add(self, raw: str, value: float | Lack) -> str:
        name = metric_name(raw)
        if not name:
            raise DatasetError(f"{self.place}: a score without a name")
        if name in self.values and self.values[name] != value:
            raise DatasetError(
                f"{self.place}: two scores of {name!r}", remedy="give each metric a name of its own"
            )
        self.values[name] = value
        return name

    def add_cell(self, raw: str, value: Any) -> None:
        """Add a column's cell; a word in it may name a part of the samples."""
        number = number_or_lack(value)
        name = self.add(raw, number)
        if not isinstance(number, Lack) or not isinstance(value, str):
            return
        self.texts.add(name)
        if len(value) <= _LONGEST_WORD:
            self.words[name] = sys.intern(one_line(value, _LONGEST_WORD))

    def add_listed(self, items: Any) -> None:
        """Add scores from a list of objects with one each; from anything else none."""
        for item in items if isinstance(items, list) else ():
            if isinstance(item, Mapping):
                self.add_item(any_text(first_at(item, self.item.name)), item)

    def add_mapped(self, scores: Any) -> None:
        """Add scores from an object of them by metric: numbers, or objects with one each."""
        for name, value in scores.items() if isinstance(scores, Mapping) else ():
            if isinstance(value, Mapping):
                self.add_item(str(name), value)
            else:
                self.add(str(name), number_or_lack(value))

    def add_item(self, raw: str, item: Row) -> None:
        names = self.item
        value, error = first_at(item, names.value), first_at(item, names.error)
        passed, mark = first_at(item, names.passed), number_or_lack(first_at(item, names.mark))
        has_value = any(each in item for each in names.value)
        if _is_error(error):
            name = self.add(raw, Lack(one_line(any_text(error), _LONGEST_REASON)))
        elif isinstance(passed, bool) and not has_value:
            name = self.add(raw, float(passed))
        else:
            name = self.add(raw, _skipped(value) or number_or_lack(value))

        if isinstance(passed, bool):
            self.flags[name] = passed
        if isinstance(mark, float):
            self.marks[name] = mark
        if reason := first_at(item, names.reason):
            self.reasons[name] = one_line(any_text(reason), _LONGEST_REASON)
        if judge := first_at(item, names.judge):
            self.judge = one_line(any_text(judge), 200)

    def fail(self, reason: str) -> None:
        """Take every score back: of what failed none is one."""
        self.values = {name: Lack(reason) for name in self.values}
        self.flags.clear()


def _is_error(value: Any) -> bool:
    return bool(value) and not is_no_value(value)


def _skipped(value: Any) -> Lack | None:
    """Return why there is no score of a test that was skipped, None where it was not."""
    reason = value.get("skipped") if isinstance(value, Mapping) else None
    return None if reason is None else Lack(one_line(str(reason), _LONGEST_REASON), silent=True)


def number_or_lack(value: Any) -> float | Lack:
    """Return a score as a number, true and false as 1 and 0, or why it is none."""
    if isinstance(value, str):
        value = _number_in(value.strip())
    if value is None:
        return Lack("the file says null")
    if not isinstance(value, int | float):
        return Lack(f"the file says {one_line(any_text(value), 40)!r}")
    try:
        number = float(value)
    except OverflowError:
        return Lack("the file says a number beyond all measure")
    return number if math.isfinite(number) else Lack(f"the file says {number}")


def _number_in(text: str) -> float | str:
    """Return the number that a text is, "yes" as 1, 85 % as 0.85; any other text as it is."""
    word = text.lower()
    if word in _WORDS:
        return _WORDS[word]
    if "_" in text:  # Python takes 1_000 for a number
        return text
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return text


def _text(value: Any) -> str:
    return any_text(value)[:_LONGEST_TEXT].strip()


def _answer(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    text = value if isinstance(value, str) else answer_in(value) or any_text(value)
    return text[:_LONGEST_TEXT]


def _contexts(value: Any) -> tuple[str, ...] | None:
    value = parsed_cell(value)
    if value is None:
        return None
    return tuple(map(any_text, value)) if isinstance(value, list) else (any_text(value),)


def _tags(value: Any) -> tuple[str, ...]:
    value = parsed_cell(value)
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(one_line(any_text(item), 60) for item in items if any_text(item).strip())


def _key(value: Any, place: str) -> str:
    """Return an id as text: 7, 7.0 and "7" are one."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else any_text(value)
    if text.endswith(".0") and text[:-2].isdecimal():
        text = text[:-2]
    key = one_line(text, 10_000)
    if len(key) > _LONGEST_ID:
        raise DatasetError(f"{place}: an id of {len(key)} characters; {_LONGEST_ID} are the most")
    return key


def _run(value: Any, place: str) -> int | None:
    if value is None:
        return None
    number = number_or_lack(value)
    if not isinstance(number, float) or not number.is_integer():
        raise DatasetError(f"{place}: run {any_text(value)!r}: must be a whole number")
    return int(number)


def _amount(value: Any) -> float | None:
    number = number_or_lack(value) if value is not None else None
    return number if isinstance(number, float) and number >= 0 else None
