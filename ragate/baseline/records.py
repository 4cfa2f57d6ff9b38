"""From the samples of a baseline file to records."""

from collections.abc import Iterable

from pydantic import ValidationError

from ragate.baseline.lines import Samples
from ragate.baseline.schema import StoredOutput, StoredSample
from ragate.models import MetricInfo, Record, Score, ScoreState, SystemOutput
from ragate.models.base import lean
from ragate.models.output import bare_chunk
from ragate.models.score import shared_scores


def stored_samples(samples: Samples) -> Iterable[tuple[str, StoredSample]]:
    for sample_id, stored in samples:
        try:
            yield sample_id, StoredSample.model_validate(stored)
        except ValidationError as error:
            raise BadSampleError(first_problem(error, "samples", sample_id)) from error


def records_of(
    sample_id: str, sample: StoredSample, *, runs: int, metrics: dict[str, MetricInfo]
) -> Iterable[Record]:
    if len(sample.runs) != runs:
        raise ValueError(f"samples.{sample_id}.runs: {len(sample.runs)} passes, not {runs}")
    outputs = [_output_and_scores(stored, metrics) for stored in sample.outputs]
    for run, index in enumerate(sample.runs):
        if not 0 <= index < len(outputs):
            raise ValueError(f"samples.{sample_id}.runs: there is no output {index}")
        stored, (output, scores) = sample.outputs[index], outputs[index]
        # The parts are validated already; building each record anew would cost most of the load.
        record = Record.model_construct(
            sample_id=sample_id,
            run=run,
            content_hash=sample.hash,
            retrieval_hash=stored.retrieval,
            output_hash=stored.output,
            output=output,
            scores=scores,
            text_hashes=stored.texts,
        )
        yield lean(record)


def _output_and_scores(
    stored: StoredOutput, metrics: dict[str, MetricInfo]
) -> tuple[SystemOutput, dict[str, Score]]:
    if unknown := stored.scores.keys() - metrics.keys():
        raise ValueError(f"scores of {sorted(unknown)}, which [metrics] does not hold")
    output = SystemOutput(
        chunks=tuple(map(bare_chunk, stored.docs)),
        answer=stored.answer,
        citations=stored.citations,
        error=stored.error,
        request_hash=stored.request,
    )
    return lean(output), read_scores(stored.scores)


def read_scores(scores: dict[str, float | str]) -> dict[str, Score]:
    return shared_scores({name: _read_score(name, value) for name, value in scores.items()})


def _read_score(name: str, value: float | str) -> Score:
    if isinstance(value, str):
        state, _, reason = value.partition(": ")
        return Score(metric=name, state=ScoreState(state), reason=reason)
    return Score(metric=name, value=float(value))


class BadSampleError(Exception):
    """One sample of the file is none."""


def first_problem(error: ValidationError, *above: str) -> str:
    problem = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in (*above, *problem["loc"]))
    return f"{field}: {problem['msg']} (got {str(problem['input'])[:60]!r})"
