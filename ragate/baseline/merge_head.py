"""What stands above the samples of two baselines that become one."""

from collections.abc import Mapping, Sequence
from typing import Any

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
    "metrics": "metrics",
    "states": "tables of metrics",
}


def merged_head(
    before: Table, ours: Table, theirs: Table, samples: Table, neither: Sequence[str], *, name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return all but the samples, and the figures over whole runs that are left out.

    The system is that of neither side: its fingerprint is unknown, and nothing says that it
    repeats, so that a comparison with the file speaks of fresh questions and not of this very set.

    Args:
        samples: The samples that were taken.
        neither: Those that both sides changed.

    Raises:
        BaselineError: the two were measured otherwise; names in what.
    """
    _refuse_unlike(ours, theirs, name)
    keys = ("schema_version", "recorded", "dataset", "store", "system", "judge", "runs")
    head = {key: ours[key] for key in keys if key in ours}
    head["recorded"] = max(ours["recorded"], theirs["recorded"], key=_age)
    head["system"] = _system(before.get("system", {}), ours["system"], theirs["system"])
    head["identical"] = _identical(samples, ours["runs"])
    if ours.get("eval_date"):
        head["eval_date"] = ours["eval_date"]
    if accepted := _accepted(ours, theirs):
        head["accepted"] = accepted
    head["merged"] = _merged(ours, theirs, samples, neither)
    figures, head["aggregates"] = _aggregates(ours, theirs)
    head["metrics"], head["states"] = ours.get("metrics", {}), ours.get("states", {})
    return head, figures


def _refuse_unlike(ours: Table, theirs: Table, name: str) -> None:
    unlike = [noun for key, noun in _ALIKE.items() if ours.get(key) != theirs.get(key)]
    if ours["system"]["use"] != theirs["system"]["use"]:
        unlike.append("kind of system")
    if unlike:
        raise BaselineError(
            f"{name}: the two sides were measured otherwise ({', '.join(unlike)}): not merged",
            remedy="take either side (`git checkout --ours` or `--theirs`), then run `ragate "
            "baseline update` on the merged tree",
        )


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


def _merged(ours: Table, theirs: Table, samples: Table, neither: Sequence[str]) -> dict[str, Any]:
    recordings: dict[tuple[str, str], Any] = {}
    left_out = set(neither)
    for side in (ours, theirs):
        facts = [{key: side["recorded"].get(key, "") for key in ("commit", "date")}]
        earlier = side.get("merged", {})
        for recording in earlier.get("recordings", facts):
            recordings[recording["date"], recording["commit"]] = recording
        left_out.update(earlier.get("neither", ()))
    return {
        "neither": sorted(left_out - samples.keys()),
        "recordings": [recordings[key] for key in sorted(recordings)],
    }


def _aggregates(ours: Table, theirs: Table) -> tuple[tuple[str, ...], list[Any]]:
    """Return the figures over whole runs that both sides hold alike, and the others' names."""
    pairs = list(zip(ours.get("aggregates", ()), theirs.get("aggregates", ()), strict=False))
    kept = {
        name
        for name in set().union(*(first for first, _ in pairs))
        if all(name in b and a.get(name) == b[name] for a, b in pairs)
    }
    named = {name for a, b in pairs for name in {*a, *b}}
    rows = [{name: a[name] for name in sorted(kept & a.keys())} for a, _ in pairs]
    return tuple(sorted(named - kept)), rows
