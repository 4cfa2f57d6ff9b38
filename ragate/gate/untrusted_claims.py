"""Outputs of a job that is not trusted: what they say of themselves may not soften the verdict."""

from dataclasses import replace

from ragate.answers.collected_outputs import Collected
from ragate.answers.output_spool import Outputs, Spool
from ragate.core.hashing import output_hash
from ragate.errors import DatasetError
from ragate.models import Run, SystemOutput

MOST_PASSES = 60
MOST_CHARS = 1_000_000


def distrust(collected: Collected, baseline: Run | None) -> Collected:
    """Return the outputs without claims that could make a change look smaller than it is.

    - Equal model requests make a sample unaffected: the claim stands only on an output that the
      baseline holds for that very request.
    - What repeats exactly needs no test: that is taken from the baseline's system.
    - Results of the right calls would be right answers of its own: only the golden set's count.
    - A fingerprint, and the name of the state, are not believed.
    - Its branch, and what was noted with it, are a stranger's words.

    Raises:
        DatasetError: there are too many passes, or a text is too long.
    """
    _refuse_large(collected)
    manifest = collected.manifest
    declared = manifest.system.deterministic
    if baseline is not None and baseline.manifest.system.use == manifest.system.use:
        declared = baseline.manifest.system.deterministic
    system = manifest.system.amended(fingerprint="", deterministic=declared)
    believed = _requests(baseline)
    passes: list[Outputs] = []
    for outputs in collected.passes:
        doubted = Spool()
        for key, output in outputs.items():
            doubted[key] = _doubted(key, output, believed)
        passes.append(doubted)
    doubted_manifest = manifest.amended(system=system, evidence="", commit="")
    doubted_manifest = doubted_manifest.amended(branch="", meta={}, description="")
    return replace(collected, manifest=doubted_manifest, passes=passes)


def _requests(baseline: Run | None) -> set[tuple[str, str, str]]:
    return {
        (record.sample_id, record.output.request_hash, record.output_hash)
        for record in (baseline.records if baseline is not None else ())
        if record.output.request_hash
    }


def _doubted(
    sample_id: str, output: SystemOutput, believed: set[tuple[str, str, str]]
) -> SystemOutput:
    if output.executed is not None:
        output = output.amended(executed=output.executed.amended(expected=()))
    request = output.request_hash
    if request is None or (sample_id, request, output_hash(output)) in believed:
        return output
    return output.amended(request_hash=None)


def _refuse_large(collected: Collected) -> None:
    if len(collected.passes) > MOST_PASSES:
        raise DatasetError(f"{len(collected.passes)} passes, and the limit is {MOST_PASSES}")
    for outputs in collected.passes:
        for key, output in outputs.items():
            size = len(output.answer or "") + sum(len(chunk.text) for chunk in output.chunks)
            if size > MOST_CHARS:
                raise DatasetError(
                    f"sample {key!r}: an output of {size} characters, and the limit is {MOST_CHARS}"
                )
