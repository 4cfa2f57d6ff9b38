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
_FEWEST = 3  # scores on both sides, to tell percent from fractions
_LOWEST = -1e300
# What evaluators write for "not measured" into a column that holds nothing else below 0.
_MARKERS = frozenset({-1.0, -99.0, -100.0, -999.0, -9999.0})
_SIGNED = frozenset({"mcc", "kappa", "correlation", "sentiment", "difference", "delta", "change"})


def marks_of_absence(name: str, values: Floats) -> Mask:
    """Return where a column says -1 or the like for a score that was not measured.

    Not where -1, 0 and 1 are all there is, under a name that nobody knows: these may be grades.
    """
    nowhere = np.zeros(len(values), dtype=bool)
    is_below = np.asarray(values < 0, dtype=bool)
    negatives = set(values[is_below].tolist())
    others = values[np.isfinite(values) & ~is_below]

    has_marker = len(negatives) == 1 and negatives <= _MARKERS
    is_signed = plain_name(name).rpartition("_")[2] in _SIGNED
    if not has_marker or is_signed or not len(others):
        return nowhere
    may_be_grades = known(name) is None and bool(((others == 0) | (others == 1)).all())
    return nowhere if may_be_grades else is_below


def direction_by_flags(table: ScoreTable, metric: str) -> Direction | None:
    """Return which way is good as the tool's own pass marks show it; None where they do not."""
    against_higher = int(_contradicting(table, metric, Direction.HIGHER).sum())
    against_lower = int(_contradicting(table, metric, Direction.LOWER).sum())
    if against_higher == against_lower:
        return None
    return Direction.HIGHER if against_higher < against_lower else Direction.LOWER


def _contradicting(table: ScoreTable, metric: str, direction: Direction) -> Mask:
    """Return where a row's flag is not what its score and the mark say; nowhere without both."""
    values, flags, mark = table.columns[metric], table.flags.get(metric), table.marks.get(metric)
    if flags is None or mark is None:
        return np.zeros(len(values), dtype=bool)
    passes = values >= mark - SLACK if direction is Direction.HIGHER else values <= mark + SLACK
    is_flagged = np.isfinite(values) & (flags >= 0)
    return np.asarray(is_flagged & (passes != (flags == 1)), dtype=bool)


def consistent(table: ScoreTable) -> ScoreTable:
    """Return a table without the scores that contradict what the tool says of them.

    As far as a file shows which way is good: a policy may know more.
    """
    infos = {}
    for name in table.flags.keys() & table.columns.keys():
        direction = _direction(table, name)
        if direction is None:
            continue
        opposite = Direction.LOWER if direction is Direction.HIGHER else Direction.HIGHER
        # Flags that fit the opposite way show nothing.
        if _contradicting(table, name, opposite).any():
            infos[name] = MetricInfo(name=name, direction=direction, low=_LOWEST, high=None)
    return checked(table, infos)


def _direction(table: ScoreTable, metric: str) -> Direction | None:
    """Return which way is good by the tool, else by the metric's name, else by its flags."""
    if FORMATS[table.facts.reader].higher:
        return Direction.HIGHER
    by_name = known(metric)
    return by_name.direction if by_name is not None else direction_by_flags(table, metric)


def checked(table: ScoreTable, infos: Mapping[str, MetricInfo]) -> ScoreTable:
    """Return a table without the scores that it takes back itself."""
    names = infos.keys() & table.columns.keys()
    if table.facts.unfinished:
        for name in names:
            table = table.without_scores(name, f"no whole evaluation: {table.facts.unfinished}")
        return table

    why = "whether it passed contradicts its score and its threshold"
    for name in names:
        rows = _contradicting(table, name, infos[name].direction)
        table = table.without_scores(name, why, rows)
    return _without_passes(table, infos)


def _without_passes(table: ScoreTable, infos: Mapping[str, MetricInfo]) -> ScoreTable:
    """Return the table without what failed where a score is none: no number passes no mark."""
    if PASSED not in table.columns:
        return table
    means = {"score"} if table.facts.reader == "promptfoo" else set()  # of a sample's scores
    is_lost = np.zeros(len(table.columns[PASSED]), dtype=bool)
    empty = infos.keys() & table.lacks.keys()  # a metric of the other side
    for name in (table.columns.keys() | empty) - {PASSED} - means:
        lacking = [row for row, lack in table.lacks.get(name, {}).items() if not lack.silent]
        is_lost[lacking] = True
        values = table.columns.get(name)
        if values is None:
            continue
        is_lost |= marks_of_absence(name, values)
        if name in infos:
            low, high = infos[name].low, infos[name].high
            is_lost |= values < low - SLACK
            if high is not None:
                is_lost |= values > high + SLACK

    why = "a score of this sample is missing"
    for name in means & table.columns.keys():
        table = table.without_scores(name, why, is_lost)
    return table.without_scores(PASSED, why, is_lost & (table.columns[PASSED] == 0))


def without_other_units(before: ScoreTable, after: ScoreTable, metric: str) -> ScoreTable:
    """Return the candidate without a metric that one side writes in percent, and one as shares."""
    old, new = _in_common(before, after, metric)
    has_ratio = (np.abs(old) > SLACK) & (np.abs(new) > SLACK)
    if has_ratio.sum() < _FEWEST:
        return after
    ratios = np.sort(new[has_ratio] / old[has_ratio])
    times = float(ratios[len(ratios) // 2])
    low, high = _HUNDRED
    if not (low <= times <= high or low <= 1 / times <= high):
        return after
    return after.without_scores(
        metric, f"{times:.3g} times the baseline's: one side is in percent, one in shares of 1"
    )


def _in_common(before: ScoreTable, after: ScoreTable, metric: str) -> tuple[Floats, Floats]:
    """Return the mean scores of the samples that both sides have a score of."""
    old_number = {key: number for number, key in enumerate(before.keys)}
    new_number = {key: number for number, key in enumerate(after.keys) if key in old_number}
    if not new_number or metric not in before.columns or metric not in after.columns:
        return np.zeros(0), np.zeros(0)
    old = before.values(metric)[[old_number[key] for key in new_number], 0]
    new = after.values(metric)[list(new_number.values()), 0]
    both = np.isfinite(old) & np.isfinite(new)
    return old[both], new[both]


def follows_from(passed: str, tables: tuple[ScoreTable, ScoreTable], metrics: list[str]) -> str:
    """Return the metric whose one mark tells on both sides what passed, "" where none does."""
    flags = np.concatenate([table.columns[passed] for table in tables])
    for name in metrics:
        if name == passed or not all(name in table.columns for table in tables):
            continue
        scores = np.concatenate([table.columns[name] for table in tables])
        both = np.isfinite(scores) & np.isfinite(flags)
        of_passed, of_failed = scores[both & (flags > 0)], scores[both & (flags <= 0)]
        if not len(of_passed) or not len(of_failed):
            continue
        if of_failed.max() < of_passed.min() or of_failed.min() > of_passed.max():
            return name
    return ""
