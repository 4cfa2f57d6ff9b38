"""How the questions that must pass did in earlier recordings of main: git's history of the file."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ragate.core.hashing import content_hash
from ragate.core.rules.must_pass import Record, flips
from ragate.errors import RagateError
from ragate.gate.gate_setup import GateSetup
from ragate.models import Rule, Run, Sample

MOST = 20  # recordings


def record_of(
    baseline: Run | None, samples: Sequence[Sample], rules: Sequence[Rule], path: Path
) -> Record:
    """Return whether each run of an earlier recording passed, for what must pass, oldest first.

    A question counts as it is worded now, and a metric as it is computed now.

    Args:
        path: Of the baseline's file.
    """
    held = [rule for rule in rules if rule.gates and rule.pass_at is not None]
    if baseline is None or not held:
        return {}
    marked = {one.id: content_hash(one) for one in samples if one.must_pass}
    if not marked:
        return {}
    record: dict[tuple[str, str], list[bool]] = {}
    for run in _recordings(path):
        if _recorded(run) == _recorded(baseline):
            continue
        for rule in held:
            for key, passed in _passed(run, baseline, rule, marked):
                record.setdefault((key, rule.metric), []).extend(passed)
    return record


def flipping_questions(setup: GateSetup) -> set[str]:
    """Return the questions that must pass and flip on main, by any metric with a pass mark."""
    baseline, config = setup.baseline, setup.config
    rules = [rule for rule in config.policy.rules if rule.gates and rule.pass_at is not None]
    if baseline is None or not rules:
        return set()
    record = record_of(baseline, setup.samples, rules, config.baseline)
    marked = {one.id: content_hash(one) for one in setup.samples if one.must_pass}
    return {
        key
        for rule in rules
        for key, passed in _passed(baseline, baseline, rule, marked)
        if flips([*record.get((key, rule.metric), ()), *passed])
    }


def _passed(
    run: Run, baseline: Run, rule: Rule, marked: Mapping[str, str]
) -> Iterator[tuple[str, list[bool]]]:
    """Yield each question with whether each run of a recording passed."""
    info, now = (each.manifest.metrics.get(rule.metric) for each in (run, baseline))
    if info is None or now is None or info.fingerprint != now.fingerprint or rule.pass_at is None:
        return
    passed: dict[str, list[bool]] = {}
    for one in run.records:
        score = one.scores.get(rule.metric)
        if marked.get(one.sample_id) == one.content_hash and score and score.value is not None:
            reached = info.reaches(rule.pass_at, score.value)
            passed.setdefault(one.sample_id, []).append(reached)
    for key, each in passed.items():  # equal passes are stored once
        yield key, each * run.manifest.runs if len(each) == 1 else each


def _recorded(run: Run) -> tuple[str, str]:
    return run.manifest.commit, run.manifest.created


@lru_cache(maxsize=1)
def _recordings(path: Path) -> tuple[Run, ...]:
    """Return the newest recordings that git holds, oldest first; none where it tells nothing."""
    from ragate.baseline.read import parse_baseline
    from ragate.baseline.schema import WHOLE_BYTES
    from ragate.repository import git

    top = git.repository(path.parent)
    if top is None:
        return ()
    runs: dict[tuple[str, str], Run] = {}
    try:
        place = path.resolve().relative_to(top).as_posix()
        commits = git.file_commits(top, place, most=MOST)
        names = list(dict.fromkeys(each.blob for each in commits if each.blob))
        for name, content in git.blobs(top, names, most_bytes=WHOLE_BYTES):
            if content is not None:
                run = parse_baseline(content, where=f"{place} at {name[:7]}")
                runs[_recorded(run)] = run
    except (RagateError, ValueError, OSError):  # what an earlier version wrote says nothing
        pass
    return tuple(runs.values())
