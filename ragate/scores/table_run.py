"""A table of scores as a run of the gate.

Its records are looked at about a dozen times: a few are made once, and many each time anew.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from ragate.core.hashing import content_hash, digest, output_hash, retrieval_hash
from ragate.core.lookup import LazyRows
from ragate.models import (
    MetricInfo,
    Record,
    RetrievedChunk,
    Run,
    RunManifest,
    Sample,
    Score,
    ScoreState,
    SystemOutput,
    Usage,
    failed_output,
)
from ragate.models.base import lean
from ragate.scores.score_table import NO_ROW, ScoreTable
from ragate.scores.scored_row import Details

LONGEST_QUERY = 2_000
FEW = 250_000
_BARE = SystemOutput()
_UNKNOWN = ""  # in place of a hash: the file does not say what was retrieved
_RECORD = Record(
    sample_id="x", run=0, content_hash="", retrieval_hash="", output_hash="", output=_BARE,
    scores={},
)  # fmt: skip


class TableSamples(LazyRows[Sample]):
    """The samples that a table tells of.

    Args:
        told: The questions count: both sides tell them.
    """

    def __init__(self, table: ScoreTable, *, told: bool) -> None:
        self._table = table
        self._told = told

    def __len__(self) -> int:
        return len(self._table.keys)

    def row(self, number: int) -> Sample:
        details = self._table.of_sample(number)
        sample = sample_of(self._table.keys[number], details, told=self._told)
        if not details.words:
            return sample
        columns = self._table.columns
        fields = {name: word for name, word in details.words.items() if name not in columns}
        return lean(sample, metadata=fields)


def made_if_few(samples: LazyRows[Sample]) -> Sequence[Sample]:
    """Return the samples, made once where that takes little memory."""
    return list(samples) if len(samples) <= FEW else samples


_SAMPLE = Sample(id="x", query="x", references=(), tags=())


def sample_of(key: str, details: Details, *, told: bool = True) -> Sample:
    """Return a row's sample."""
    if not told or not details.input.strip():
        return lean(_SAMPLE, id=key, query=key, tags=details.tags)
    references = (details.expected,) if details.expected.strip() else ()
    query = details.input[:LONGEST_QUERY]
    return lean(_SAMPLE, id=key, query=query, references=references, tags=details.tags)


def output_of(details: Details) -> SystemOutput:
    """Return what the system gave, as far as a row holds it."""
    if details.failed:
        return failed_output("provider", details.failed)
    told: dict[str, object] = {}
    if details.answer is not None:
        told["answer"] = details.answer
    if details.contexts is not None:
        told["chunks"] = tuple(map(_chunk, details.contexts))
    if details.cost_usd is not None:
        told["usage"] = Usage(cost_usd=details.cost_usd)
    if details.latency_s is not None:
        told["latency_s"] = details.latency_s
    return lean(_BARE, **told) if told else _BARE


def _chunk(text: str) -> RetrievedChunk:
    return RetrievedChunk(doc_id=f"text:{digest(text)}", text=text)


_MISSING = failed_output("provider", NO_ROW)


class FewRecords(list[Record]):
    """The records of a table, all of them made."""

    tells_outputs = False


class TableRecords(LazyRows[Record]):
    """The records of a table: every sample of the first run, then those of the next.

    Args:
        metrics: Those of the table's that count.
        contents: By sample, the hash of what was asked.
    """

    tells_outputs = False

    def __init__(self, table: ScoreTable, metrics: Sequence[str], contents: Sequence[str]) -> None:
        self._table = table
        self._metrics = metrics
        self._contents = contents
        self._columns = [(name, table.columns.get(name)) for name in metrics]

    def __len__(self) -> int:
        return int(self._table.rows.size)

    def row(self, number: int) -> Record:
        table = self._table
        run, sample = divmod(number, len(table.keys))
        row = int(table.rows[sample, run])
        details = table.detail(row)
        output = output_of(details) if row >= 0 else _MISSING
        scores = self._scores(row, details.reasons)
        retrieval = _UNKNOWN if details.contexts is None else retrieval_hash(output)
        return lean(
            _RECORD,
            sample_id=table.keys[sample],
            run=run,
            content_hash=self._contents[sample],
            retrieval_hash=retrieval,
            output_hash=_output_hash(output, retrieval, scores),
            output=output,
            scores=scores,
        )

    def _scores(self, row: int, reasons: Mapping[str, str]) -> dict[str, Score]:
        scores = {}
        for name, column in self._columns:
            value = float("nan") if row < 0 or column is None else float(column[row])
            if value == value:
                reason = reasons.get(name, "")
                scores[name] = Score(name, value, reason=reason) if reason else _score(name, value)
            else:
                lack = self._table.lack(name, row)
                state = ScoreState.NOT_APPLICABLE if lack.silent else ScoreState.UNSCORED
                scores[name] = Score(name, None, state, lack.reason)
        return scores


@lru_cache(maxsize=4096)
def _score(name: str, value: float) -> Score:
    """Return the one object of equal scores that nothing is said of."""
    return Score(name, value)


def _output_hash(output: SystemOutput, retrieval: str, scores: Mapping[str, Score]) -> str:
    """Name the output and its scores: they came with it, and may differ for one answer."""
    same = _bare_hash() if output is _BARE else output_hash(output, retrieval)
    return f"{same} {[score.value for score in scores.values()]}"


@cache
def _bare_hash() -> str:
    return output_hash(_BARE)


def contents_of(samples: Sequence[Sample]) -> list[str]:
    """Return the hash of what each sample asks."""
    return [content_hash(sample) for sample in samples]


def run_of(
    table: ScoreTable,
    manifest: RunManifest,
    infos: Mapping[str, MetricInfo],
    contents: Sequence[str],
) -> Run:
    """Return a table as a run."""
    lazy = TableRecords(table, list(infos), contents)
    records = FewRecords(lazy) if len(lazy) <= FEW else lazy
    manifest = manifest.amended(metrics=dict(infos), runs=table.runs, recorded=table.runs)
    return Run(manifest=manifest, records=records)
