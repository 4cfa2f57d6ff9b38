"""The gate on two sides of files: no configuration, no database, nothing that is asked."""

import datetime
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragate.core.text.wording import count, listed
from ragate.errors import DatasetError, UsageError
from ragate.gate.compare_and_decide import Decided, compare_and_decide
from ragate.gate.gate_report import gate_report
from ragate.gate.gate_setup import BareConfig, BarePolicy, GateSetup
from ragate.models import MetricInfo, Report, Rule, RunManifest, Sample, SystemInfo
from ragate.scores.did_not_run import PASSED, checked, follows_from, without_other_units
from ragate.scores.judge_noise import judge_noise
from ragate.scores.measured import Said, chosen_metrics, infos_of
from ragate.scores.score_file import hash_of_file
from ragate.scores.score_table import ScoreTable, read_runs
from ragate.scores.table_run import TableSamples, contents_of, made_if_few, run_of

Progress = Callable[[str, int, bool], None]
GATE = "scores"
MOST_ROWS = 200  # of a judge's scores nearly every one moves, and nobody reads more
# What the rules of every gate advise, in the words of a gate that has two files and no more.
_REMEDIES = {
    "ragate baseline update": "score the base version anew, in the same way, for the file before",
    "ragate baseline rejudge": "score both sides with the same judge and version",
    "ragate calibrate": "",
    "ragate power": "",
}


@dataclass(frozen=True)
class Demands:
    """What is demanded of the scores.

    Attributes:
        max_drop: The smallest proven drop that fails, in a metric's own unit; None: the default.
        minimums: By metric the worst mean that is allowed: the lowest, or where lower is better
            the highest.
        tags: Only samples with all of these count; () for all.
    """

    said: Said = field(default_factory=Said)
    max_drop: float | None = None
    minimums: Mapping[str, float] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sides:
    """Both sides, made alike: the same samples, the same metrics.

    Attributes:
        told: Both tell what was asked.
        lost: Samples that the candidate has no row of.
    """

    before: ScoreTable
    after: ScoreTable
    infos: Mapping[str, MetricInfo]
    told: bool
    lost: tuple[str, ...]


def gate_files(
    before: Sequence[Path],
    after: Sequence[Path],
    asked: Demands,
    *,
    reader: str = "",
    progress: Progress = lambda _side, _rows, _ended: None,
) -> Report:
    """Return the verdict on the scores of two sides.

    Args:
        before, after: A file or folder for each run of a side.
        reader: Who wrote them; "": as their content shows.
        progress: Is told which side is read, how many rows of it were, and whether that is all.

    Raises:
        UsageError: they have no sample in common, a metric's direction is not known, or there are
            too many metrics; says what to do.
        DatasetError: a file cannot be read; names the place.
    """
    started = time.monotonic()
    old = _read("before", before, reader, progress)
    new = _read("after", after, reader, progress)
    if asked.tags:
        old, new = old.of_tags(asked.tags), new.of_tags(asked.tags)
    sides = _alike(old, new, asked.said)
    rules, notes = _rules(sides, asked)
    decided = _decide(sides, rules)
    warnings = [*notes, *_warnings(sides)]
    decided = _in_words_of_files(decided.with_warnings(*warnings))
    for line in judge_noise(decided.comparison):
        decided = decided.with_line(line)
    report = gate_report(decided, duration_s=time.monotonic() - started, most=MOST_ROWS)
    return report.amended(dataset=str(new.paths[0]))


def _read(side: str, paths: Sequence[Path], reader: str, progress: Progress) -> ScoreTable:
    table = read_runs(paths, reader, progress=lambda rows: progress(side, rows, False))
    progress(side, int((table.rows >= 0).sum()), True)
    return table


def _alike(before: ScoreTable, after: ScoreTable, said: Said) -> Sides:
    """Return both sides with the same samples and metrics, without what did not measure."""
    if before.facts.reader != after.facts.reader:
        raise DatasetError(
            f"{before.paths[0]} is of {before.facts.reader}, and {after.paths[0]} of "
            f"{after.facts.reader}: one evaluator scores both sides",
            remedy="where these are tables of your own: --reader plain",
        )
    kept = set(after.keys)
    if kept.isdisjoint(before.keys):
        raise UsageError(
            f"no sample in common: {before.paths[0]} has {_told_samples(before)}; "
            f"{after.paths[0]} has {_told_samples(after)}",
            remedy=_one_of_several(before, after)
            or "give both files the same ids, in a column `id`; a file without ids is matched by "
            "its questions and what is expected, word for word",
        )
    lost = tuple(key for key in before.keys if key not in kept)
    names = chosen_metrics([before, after], said)
    infos = infos_of([before, after], names, said)
    before, after = checked(before, infos), checked(after, infos)
    for name in names:
        after = without_other_units(before, after, name)
    told = before.has_inputs and after.has_inputs
    return Sides(before, after, infos, told, lost)


def _one_of_several(before: ScoreTable, after: ScoreTable) -> str:
    """Return how to choose one of the systems that one side has more of, "" where neither has."""
    several = max(before, after, key=lambda table: len(table.systems))
    if len(before.systems) == len(after.systems):
        return ""
    tags = next(each.tags for each in several.details if each.tags)
    chosen = " ".join(f"--tag {shlex.quote(tag)}" for tag in tags)
    return (
        f"{several.paths[0]} holds {len(several.systems)} of {several.facts.reader}'s prompts and "
        f"providers: choose one, such as {chosen}"
    )


def _told_samples(table: ScoreTable) -> str:
    """Return the first samples of a table: by their ids, or the questions that stand for them."""
    names = [
        repr(table.of_sample(number).input[:60]) if key.startswith("q-") else key
        for number, key in enumerate(table.keys[:3])
    ]
    return listed([*names, *table.keys[3:]], most=3)


def _rules(sides: Sides, asked: Demands) -> tuple[tuple[Rule, ...], list[str]]:
    """Return a rule for each metric, and what is said of those that are only shown."""
    notes = []
    rules = []
    for name in asked.minimums:
        if name not in sides.infos:
            raise UsageError(
                f"--minimum {name}: no such metric here",
                remedy=f"one of {listed(list(sides.infos), most=20)}",
            )
    several = [name for name in sides.infos if name != PASSED]
    for name, info in sides.infos.items():
        level = "error"
        if name not in sides.before.columns:
            notes.append(f"{name} is new: it is shown, and nothing is compared")
            level = "warn"
        if name == PASSED and PASSED not in asked.said.metrics:
            source = _source_of_passes(sides, several)
            if source:
                notes.append(f"{PASSED} follows from {source}: it is shown, and not tested twice")
                level = "warn"
        rules.append(_rule(name, info, level, asked))
    return tuple(rules), notes


def _source_of_passes(sides: Sides, metrics: list[str]) -> str:
    tables = (sides.before, sides.after)
    if not all(PASSED in table.columns for table in tables):
        return ""
    return follows_from(PASSED, tables, metrics)


def _rule(name: str, info: MetricInfo, level: str, asked: Demands) -> Rule:
    limit = asked.minimums.get(name)
    higher = info.direction.value == "higher"
    return Rule.model_validate(
        {
            "metric": name,
            "level": level if limit is None else "error",
            "max_drop": asked.max_drop,
            "minimum": limit if higher else None,
            "maximum": None if higher else limit,
        }
    )


def _decide(sides: Sides, rules: tuple[Rule, ...]) -> Decided:
    before, lost = sides.before, sides.lost
    after = sides.after.with_samples(lost)
    samples = made_if_few(_Samples(before, after, told=sides.told))
    recorded = TableSamples(before, told=sides.told)
    was, is_now = _manifest(before, after), _manifest(after, before)
    baseline = run_of(before, was, _held(sides.infos, before), contents_of(recorded))
    candidate = run_of(after, is_now, _held(sides.infos, after), contents_of(samples))
    policy = BarePolicy(
        dataset=str(after.paths[0]), baseline=str(before.paths[0]), rules=rules, of_scores=True
    )
    return compare_and_decide(GateSetup(BareConfig(policy, GATE), samples, baseline), candidate)


def _held(infos: Mapping[str, MetricInfo], table: ScoreTable) -> dict[str, MetricInfo]:
    return {name: info for name, info in infos.items() if name in table.columns}


class _Samples(TableSamples):
    """The candidate's samples; one that it lacks is told by the baseline."""

    def __init__(self, before: ScoreTable, after: ScoreTable, *, told: bool) -> None:
        super().__init__(after, told=told)
        self._before = TableSamples(before, told=told)
        self._own = len(after.keys) - int((after.rows < 0).all(axis=1).sum())
        self._places = {key: number for number, key in enumerate(before.keys)}

    def row(self, number: int) -> Sample:
        if number < self._own:  # what is lost stands last
            return super().row(number)
        return self._before[self._places[self._table.keys[number]]]


def _manifest(table: ScoreTable, other: ScoreTable) -> RunManifest:
    """Return what a side says of itself; judge and version count where both sides name them."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    said = (table.judge, other.judge), (table.facts.version, other.facts.version)
    judge = " ".join(mine for mine, theirs in said if mine and theirs)
    return RunManifest(
        run_id="",
        gate=GATE,
        created=table.facts.created or now,
        dataset=str(table.paths[0]),
        system=SystemInfo(use=GATE),
        judge=judge or None,
        judge_name=table.judge,
    )


def _warnings(sides: Sides) -> list[str]:
    warnings = []
    if sides.lost:
        lost = count(len(sides.lost), "sample")
        warnings.append(f"the file after has no row of {lost}: {listed(sides.lost, most=5)}")
    silent = [table for table in (sides.before, sides.after) if not table.judge]
    if len(silent) == 1:
        warnings.append(f"{silent[0].paths[0]} does not say who judged, and the other file does")
    if is_same_file(sides.before, sides.after):
        warnings.append("the file after is the file before, byte for byte: nothing was compared")
    left_out = tuple(dict.fromkeys((*sides.before.facts.left_out, *sides.after.facts.left_out)))
    if left_out:
        warnings.append(f"no scores, and left out: {listed(left_out, most=10)}")
    return warnings


def is_same_file(before: ScoreTable, after: ScoreTable) -> bool:
    """Return whether the files of both sides are equal, byte for byte."""
    if len(before.paths) != len(after.paths):
        return False
    pairs = zip(before.paths, after.paths, strict=True)
    return all(hash_of_file(one) == hash_of_file(other) for one, other in pairs)


def _in_words_of_files(decided: Decided) -> Decided:
    """Return the decision with remedies that somebody with two files can follow."""
    told = (_REMEDIES.get(remedy, remedy) for remedy in decided.decision.remedies)
    remedies = tuple(dict.fromkeys(filter(None, told)))
    return replace(decided, decision=decided.decision.amended(remedies=remedies))
