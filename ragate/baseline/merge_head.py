"""What stands above the samples of two baselines that become one."""

from collections.abc import Mapping
from typing import Any

from ragate.baseline.merge_samples import MergedSamples, left_out
from ragate.errors import BaselineError
from ragate.support.strict_json import canonical

Table = Mapping[str, Any]

# Where one of these differs, the scores of the two sides do not stand in one file.
_ALIKE = {
    "schema_version": "version of the format",
    "dataset": "golden set",
    "store": "[policy] store",
    "judge": "judge",
    "runs": "number of passes",
    "eval_date": "date of {today}",
}


def merged_head(
    before: Table, ours: Table, theirs: Table, merge: MergedSamples
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return all but the samples, and the figures over whole runs that are left out.

    The system is that of neither side: its fingerprint is unknown, and nothing says that it
    repeats, so that a comparison with the file speaks of fresh questions and not of this very set.

    Args:
        merge: Their samples.
    """
    keys = ("schema_version", "recorded", "dataset", "store", "system", "judge", "runs")
    head = {key: ours[key] for key in keys if key in ours}
    head["recorded"] = max(ours["recorded"], theirs["recorded"], key=_age)
    head["system"] = _system(before.get("system", {}), ours["system"], theirs["system"])
    head["identical"] = _identical(merge.samples, ours["runs"])
    if ours.get("eval_date"):
        head["eval_date"] = ours["eval_date"]
    if accepted := _accepted(ours, theirs):
        head["accepted"] = accepted
    head["merged"] = _merged(ours, theirs, merge)
    figures, head["aggregates"] = _aggregates(ours, theirs, merge.side)
    metrics = {**ours.get("metrics", {}), **theirs.get("metrics", {})}
    head["metrics"] = {key: metrics[key] for key in metrics.keys() - set(merge.unmeasured)}
    head["states"] = merge.states
    return head, figures


def refuse_unlike(ours: Table, theirs: Table, name: str) -> None:
    """Raise where the two do not stand in one file.

    Raises:
        BaselineError: they were measured otherwise; names in what.
    """
    unlike = [noun for key, noun in _ALIKE.items() if ours.get(key) != theirs.get(key)]
    if _measured(ours, theirs) != _measured(theirs, ours):
        unlike.append("metrics")
    if ours["system"]["use"] != theirs["system"]["use"]:
        unlike.append("kind of system")
    if unlike:
        raise BaselineError(
            f"{name}: the two sides were measured otherwise ({', '.join(unlike)}): not merged",
            remedy="take either side (`git checkout --ours` or `--theirs`), then run `ragate "
            "baseline update` on the merged tree",
        )


def _measured(side: Table, other: Table) -> dict[str, Any]:
    """Return the metrics of a side, without those that an earlier merge of the other left out."""
    unmeasured = {*left_out(side), *left_out(other)}
    return {key: info for key, info in side.get("metrics", {}).items() if key not in unmeasured}


def _age(recorded: Table) -> tuple[str, str]:
    return recorded.get("date", ""), recorded.get("commit", "")


def _system(before: Table, ours: Table, theirs: Table) -> dict[str, Any]:
    merged = {
        key: _agreed(before.get(key, {}), ours.get(key, {}), theirs.get(key, {}))
        for key in ("parts", "settings")
    }
    if not merged["settings"]:
        del merged["settings"]
    return {"deterministic": [], "fingerprint": "", "use": ours["use"], **merged}


def _agreed(before: Table, ours: Table, theirs: Table) -> dict[str, Any]:
    """Return a table three-way, without the keys that both sides changed."""
    agreed = {}
    for key in sorted({*ours, *theirs}):
        old, a, b = before.get(key), ours.get(key), theirs.get(key)
        taken = b if a == old else a
        if (a == b or old in (a, b)) and taken is not None:
            agreed[key] = taken
    return agreed


def _identical(samples: Table, runs: int) -> int:
    """Count the passes that equal an earlier one on every sample."""
    passes = [tuple(sample["runs"][run] for sample in samples.values()) for run in range(runs)]
    return runs - len(set(passes))


def _accepted(ours: Table, theirs: Table) -> list[Any]:
    rows = [*ours.get("accepted", ()), *theirs.get("accepted", ())]
    by_text = {canonical(row): row for row in rows}
    return [by_text[text] for text in sorted(by_text)]


def _merged(ours: Table, theirs: Table, merge: MergedSamples) -> dict[str, Any]:
    recordings: dict[tuple[str, str], Any] = {}
    neither = set(merge.neither)
    for side in (ours, theirs):
        facts = [{key: side["recorded"].get(key, "") for key in ("commit", "date")}]
        earlier = side.get("merged", {})
        for recording in earlier.get("recordings", facts):
            recordings[recording["date"], recording["commit"]] = recording
        neither.update(earlier.get("neither", ()))
    merged: dict[str, Any] = {
        "neither": sorted(neither - merge.samples.keys()),
        "recordings": [recordings[key] for key in sorted(recordings)],
    }
    return {**merged, "unmeasured": list(merge.unmeasured)} if merge.unmeasured else merged


def _aggregates(
    ours: Table, theirs: Table, side: Table | None
) -> tuple[tuple[str, ...], list[Any]]:
    """Return the figures over whole runs, and the names of those that are left out.

    They are known of a whole pass alone: of samples of both sides nobody measured any, and figures
    that are equal by chance are none.
    """
    rows = [*ours.get("aggregates", ()), *theirs.get("aggregates", ())]
    kept = (
        list(side.get("aggregates", ())) if side is not None else [{} for _ in range(ours["runs"])]
    )
    names = set[str]().union(*rows) - set[str]().union(*kept)
    return tuple(sorted(names)), kept
