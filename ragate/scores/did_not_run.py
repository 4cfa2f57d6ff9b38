"""What shows that an evaluation did not run, or not as the other one did: no score of it counts.

A score that was never measured is neither green nor red. What is found here takes scores back, with
the reason; whether too many are missing then is for the rules of every gate.
"""

from collections.abc import Mapping

import numpy as np

from ragate.core.statistics.score_columns import SLACK, Floats, Mask
from ragate.models import Direction, MetricInfo
from ragate.scores.formats import FORMATS
from ragate.scores.known_metrics import known, plain_name
from ragate.scores.score_table import ScoreTable

PASSED = "passed"  # what the tool says of a sample as a whole
_HUNDRED = (80.0, 125.0)  # times as large, half of the scores or more: percent, not fractions
_FEWEST = 3
_LOWEST = -1e300
# What evaluators write for "not measured" into a column that holds nothing else below 0.
_MARKERS = frozenset({-1.0, -99.0, -100.0, -999.0, -9999.0})
_SIGNED = frozenset({"mcc", "kappa", "correlation", "sentiment", "difference", "delta", "change"})


def marks_of_absence(name: str, values: Floats) -> Mask:
    """Return where a column says -1 or the like for a score that was not measured.

    Not where -1, 0 and 1 are all there is, under a name that nobody knows: these may be grades.
    """
    below = values < 0
    only = set(values[below].tolist())
    others = values[np.isfinite(values) & ~below]
    is_signed = plain_name(name).rpartition("_")[2] in _SIGNED
    if len(only) != 1 or not only <= _MARKERS or not len(others) or is_signed:
        return np.zeros(len(values), dtype=bool)
    if known(name) is None and ((others == 0) | (others == 1)).all():
        return np.zeros(len(values), dtype=bool)
    return np.asarray(below, dtype=bool)


def direction_by_flags(table: ScoreTable, metric: str) -> Direction | None:
    """Return which way is good as the tool's own pass marks show it; None where they do not."""
    fits = {each: _contradicting(table, metric, each) for each in Direction}
    if metric not in table.flags or metric not in table.marks:
        return None
    higher, lower = (int(fits[each].sum()) for each in (Direction.HIGHER, Direction.LOWER))
    if higher == lower:
        return None
    return Direction.HIGHER if higher < lower else Direction.LOWER


def _contradicting(table: ScoreTable, metric: str, direction: Direction) -> Mask:
    """Return the rows whose flag is not what score and mark say."""
    values, flags, mark = table.columns[metric], table.flags.get(metric), table.marks.get(metric)
    if flags is None or mark is None:
        return np.zeros(len(values), dtype=bool)
    higher = direction is Direction.HIGHER
    passes = values >= mark - SLACK if higher else values <= mark + SLACK
    known = np.isfinite(values) & (flags >= 0)
    return np.asarray(known & (passes != (flags == 1)), dtype=bool)


def consistent(table: ScoreTable) -> ScoreTable:
    """Return a table without the scores that contradict what the tool says of them.

    As far as a file shows which way is good: a policy may know more.
    """
    infos = {}
    for name in table.flags.keys() & table.columns.keys():
        told = known(name)
        direction = told.direction if told is not None else direction_by_flags(table, name)
        direction = Direction.HIGHER if FORMATS[table.facts.reader].higher else direction
        others = [each for each in Direction if each is not direction]
        if direction is None or not any(_contradicting(table, name, each).any() for each in others):
            continue
        infos[name] = MetricInfo(name=name, direction=direction, low=_LOWEST, high=None)
    return checked(table, infos)


def checked(table: ScoreTable, infos: Mapping[str, MetricInfo]) -> ScoreTable:
    """Return a table without the scores that it takes back itself."""
    why = "whether it passed contradicts its score and its threshold"
    unfinished = table.facts.unfinished
    for name in infos.keys() & table.columns.keys():
        if unfinished:
            table = table.without_scores(name, f"no whole evaluation: {unfinished}")
        else:
            wrong = _contradicting(table, name, infos[name].direction)
            table = table.without_scores(name, why, wrong)
    return table if unfinished else _without_passes(table, infos)


def _without_passes(table: ScoreTable, infos: Mapping[str, MetricInfo]) -> ScoreTable:
    """Return the table without what failed where a score is none: no number passes no mark."""
    if PASSED not in table.columns:
        return table
    means = {"score"} if table.facts.reader == "promptfoo" else set()  # of a sample's scores
    lost = np.zeros(len(table.columns[PASSED]), dtype=bool)
    for name in table.columns.keys() - {PASSED} - means:
        rows = [row for row, lack in table.lacks.get(name, {}).items() if not lack.silent]
        lost[rows] = True
        values = table.columns[name]
        lost |= marks_of_absence(name, values)
        if name in infos:
            low, high = infos[name].low, infos[name].high
            lost |= (values < low - SLACK) | (values > (np.inf if high is None else high) + SLACK)
    why = "a score of this sample is missing"
    for name in means & table.columns.keys():
        table = table.without_scores(name, why, lost)
    return table.without_scores(PASSED, why, lost & (table.columns[PASSED] == 0))


def without_other_units(before: ScoreTable, after: ScoreTable, metric: str) -> ScoreTable:
    """Return the candidate without a metric that one side writes in percent, and one as shares."""
    old, new = _in_common(before, after, metric)
    both = (np.abs(old) > SLACK) & (np.abs(new) > SLACK)
    if both.sum() < _FEWEST:
        return after
    times = float(np.sort(new[both] / old[both])[both.sum() // 2])
    low, high = _HUNDRED
    if low <= times <= high or low <= 1 / times <= high:
        return after.without_scores(
            metric, f"{times:.3g} times the baseline's: one side is in percent, one in shares of 1"
        )
    return after


def _in_common(before: ScoreTable, after: ScoreTable, metric: str) -> tuple[Floats, Floats]:
    """Return the mean scores of the samples that both sides have a score of."""
    place = {key: number for number, key in enumerate(before.keys)}
    pairs = [(place[key], number) for number, key in enumerate(after.keys) if key in place]
    if not pairs or metric not in before.columns or metric not in after.columns:
        return np.zeros(0), np.zeros(0)
    old_rows, new_rows = (list(rows) for rows in zip(*pairs, strict=True))
    old = before.values(metric)[old_rows][:, 0]
    new = after.values(metric)[new_rows][:, 0]
    both = np.isfinite(old) & np.isfinite(new)
    return old[both], new[both]


def follows_from(passed: str, tables: tuple[ScoreTable, ScoreTable], metrics: list[str]) -> str:
    """Return the metric whose one mark tells on both sides what passed, "" where none does."""
    for name in metrics:
        if name != passed and all(name in table.columns for table in tables):
            score = np.concatenate([table.columns[name] for table in tables])
            flag = np.concatenate([table.columns[passed] for table in tables])
            both = np.isfinite(score) & np.isfinite(flag)
            won, lost = score[both & (flag > 0)], score[both & (flag <= 0)]
            if not len(won) or not len(lost):
                continue
            if lost.max() < won.min() or lost.min() > won.max():
                return name
    return ""
