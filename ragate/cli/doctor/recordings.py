"""Recorded outputs: whether they answer the golden set."""

from collections.abc import Mapping, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.text.listed_names import listed
from ragate.models import Sample, SystemOutput

CHECK = "recordings"


def recordings(
    samples: Sequence[Sample],
    outputs: Mapping[str, SystemOutput],
    *,
    files: int,
    runs: int,
    max_unscored: float,
) -> list[Finding]:
    """Say how much of the golden set is recorded.

    Args:
        outputs: The first recorded output by sample id; what was not recorded is absent.
    """
    lost = [sample.id for sample in samples if sample.id not in outputs]
    counts = (
        f"{plural(files, 'file')}, {plural(runs, 'run')}, {len(samples) - len(lost)} of "
        f"{plural(len(samples), 'sample')}"
    )
    if len(lost) > max_unscored * len(samples) + 1e-9:
        return [
            problem(
                CHECK,
                f"{counts}; nothing is recorded for {listed(lost)}: more than [policy] "
                f"max_unscored = {max_unscored:g}",
                "record them: a line has the `id` or the very `question` of its sample",
                exit_code=3,
            )
        ]
    findings = [ok(CHECK, counts)]
    if lost:
        findings.append(
            warning(CHECK, f"nothing is recorded for {listed(lost)}", "record them too")
        )
    return findings + _ids(samples, outputs)


def _ids(samples: Sequence[Sample], outputs: Mapping[str, SystemOutput]) -> list[Finding]:
    """Tell ids that are written in two ways from a system that finds nothing."""
    expected = {doc_id for sample in samples for doc_id in sample.expected}
    retrieved = {chunk.doc_id for output in outputs.values() for chunk in output.chunks}
    if not expected or not retrieved or expected & retrieved:
        return []
    named = sorted(doc_id for doc_id in retrieved if not doc_id.startswith("text:"))
    if not named:
        return [
            warning(
                CHECK,
                "the recorded chunks have no document ids, so that every retrieval metric is 0",
                "record `chunks` with doc_id in place of `contexts`",
            )
        ]
    return [
        warning(
            CHECK,
            f"no expected document was ever retrieved: the golden set says {min(expected)!r}, the "
            f"recordings say {named[0]!r}",
            "write the ids in the same way on both sides",
        )
    ]
