"""promptfoo: the results of an evaluation, ``promptfoo eval --output results.json`` or ``.jsonl``.

``results.results`` (from version 3 on; ``results`` before) is a list of ``EvaluateResult``:
``vars``, ``response.output``, ``response.metadata``, ``error``, ``failureReason``, ``latencyMs``,
``provider.id``, ``promptIdx``. Where an assertion fails, ``error`` holds its reason and
``failureReason`` is 1; only 2 says that there was no answer. An output may be an object with the
answer and its context, which ``contextTransform`` takes apart.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange, Passage, seconds
from ragate.outputs.exports.texts import answer_in, passages_in
from ragate.outputs.exports.wrapped import wrapped_records
from ragate.support.records import parsed_cell

QUERY_NAMES = ("query", "question", "user_input", "input", "prompt", "message", "q")
_ERROR = 2
_CONTEXTS = ("context", "contexts", "documents", "docs", "retrieved_documents", "sources")


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each result.

    Raises:
        DatasetError: a result has no question, or the results are of several systems.
    """
    systems: dict[str, None] = {}
    for where, row in wrapped_records(path, "results", "outputs"):
        systems[_system(row)] = None
        if len(systems) > 1:
            raise DatasetError(
                f"{where}: results of several systems: {'; '.join(systems)}",
                remedy="write the results of one provider and one prompt to a file: promptfoo eval "
                "--filter-providers, --filter-prompts",
            )
        yield _result(where, row)


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return "vars" in row and bool({"response", "promptIdx", "testCase"} & row.keys())


def _system(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    name = provider.get("id") if isinstance(provider, Mapping) else provider
    return f"{name or 'provider'} with prompt {row.get('promptIdx', 0)}"


def _result(where: str, row: Mapping[str, Any]) -> Exchange:
    values: Any = row.get("vars")
    values = values if isinstance(values, Mapping) else {}
    response: Any = row.get("response")
    response = response if isinstance(response, Mapping) else {}
    output = response.get("output")
    reason = response.get("error") or row.get("error")
    failed = bool(response.get("error")) or row.get("failureReason") == _ERROR or output is None
    return Exchange(
        place=where,
        query=_query(where, values),
        answer=None if output is None else answer_in(output),
        passages=_passages(parsed_cell(output), response.get("metadata"), row, values),
        error=str(reason or "promptfoo got no answer") if failed else "",
        latency_s=seconds(row.get("latencyMs"), of=1000),
    )


def _query(where: str, values: Mapping[str, Any]) -> str:
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    name = next((name for name in QUERY_NAMES if name in texts), "")
    if not name and len(texts) == 1:
        name = next(iter(texts))
    if not texts.get(name, "").strip():
        raise DatasetError(
            f"{where}: which variable is the question? It has {', '.join(values) or 'none'}",
            remedy='name it with pointers instead of the preset: records = "/results/results", '
            'question = "/vars/NAME", answer = "/response/output"',
        )
    return texts[name]


def _passages(output: Any, *others: Any) -> tuple[Passage, ...] | None:
    """Return what was retrieved: in the output, in the metadata, else in the test's variables."""
    for holder in (output, *others):
        if not isinstance(holder, Mapping):
            continue
        for name in _CONTEXTS:
            value = parsed_cell(holder.get(name))
            if isinstance(value, str) and value.strip():
                return (Passage(text=value),)
            if (passages := passages_in(value)) is not None:
                return passages
    return None
