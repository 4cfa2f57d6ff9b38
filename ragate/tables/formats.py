"""Under which names each tool keeps the question, the answer, the passages and the rest. Data only.

Names are those of `value_at`: with dots they lead into objects within one another, or are the
column of a table. Of several names the first with a value counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragate.tables.traced import value_at

Names = tuple[str, ...]
Signs = tuple[Names, ...]  # alternatives: all names of one are there


@dataclass(frozen=True)
class Shape:
    """One kind of record that a tool writes.

    Attributes:
        has: What tells it from the tool's other records; () fits every record.
        step: Whether it is one span of a trace that other records complete.
        steps: The list of its own spans, for a trace that is written whole.
        is_plain: Whether its fields are texts and lists of texts, and anything else is a mistake.
        is_common: Whether names that mean something only where nothing else does are tried, too.
        passages: Lists of documents, or objects with one under a usual name.
        ids: Beside them, the ids of their documents.
        evidence: Passages that hold the right answer; relevant, files: their documents.
        messages: The turns before the question.
        unwrap: Objects that are only a part of the record.
        keep: Objects whose fields are kept as they are.
        recorded: What else a system said or did.
        separator: Between the passages of one cell; not in .json files.
        error: A system that failed says so here.
        per_second: Units of `latency` in a second.
        lacking: What is said of a record without a question; "" leaves it out.
        unanswered: Why there is no answer; "" where one may be absent.
    """

    query: Names
    answer: Names = ()
    has: Signs = ()
    step: bool = False
    steps: str = ""
    is_plain: bool = False
    is_common: bool = False
    id: Names = ()
    passages: Names = ()
    ids: Names = ()
    evidence: Names = ()
    relevant: Names = ()
    files: Names = ()
    messages: Names = ()
    unwrap: Names = ()
    keep: Names = ()
    recorded: Names = ()
    separator: str = ""
    references: Names = ()
    error: Names = ()
    latency: Names = ()
    per_second: int = 1
    lacking: str = ""
    remedy: str = ""
    unanswered: str = ""


@dataclass(frozen=True)
class Preset:
    """How the files of a tool are read.

    Attributes:
        signs: By what a stranger's record is known as this tool's.
        neither: What is said of a record that has none of the shapes.
        systems: What differs between the records of two systems in one file.
    """

    shapes: tuple[Shape, ...]
    signs: Signs
    neither: str = ""
    remedy: str = ""
    systems: Names = ()


# Ragas writes the fields of SingleTurnSample, in a table beside one column for each metric; a
# MultiTurnSample has its messages in user_input. Before 0.2: question, answer, contexts.
_RAGAS = Preset(
    shapes=(
        Shape(
            query=("user_input", "question"),
            answer=("response", "answer"),
            passages=("retrieved_contexts",),
            ids=("retrieved_context_ids",),
            evidence=("reference_contexts",),
            relevant=("reference_context_ids",),
            references=("reference", "ground_truth"),
            is_plain=True,
            lacking="there is no user_input",
        ),
    ),
    signs=(
        *(("user_input", name) for name in ("response", "retrieved_contexts", "reference")),
        ("user_input", "reference_contexts"),
        ("question", "contexts", "ground_truth"),
    ),
)

# EvaluationDataset.save_as writes snake case, with | between passages in CSV and JSON Lines; a test
# run (.deepeval/.latest_test_run.json) camel case, and its duration in seconds. A conversational
# golden has its turns, and no input.
_DEEPEVAL = Preset(
    shapes=(
        Shape(
            query=("input",),
            answer=("actual_output", "actualOutput"),
            passages=("retrieval_context", "retrievalContext"),
            evidence=("context",),
            files=("source_file",),
            messages=("turns",),
            keep=("additional_metadata", "custom_column_key_values"),
            recorded=("tools_called",),
            separator="|",
            references=("expected_output", "expectedOutput"),
            latency=("completion_time", "completionTime"),
            is_plain=True,
            lacking="there is no input",
        ),
    ),
    signs=(
        *(("input", name) for name in ("actual_output", "actualOutput", "expected_output")),
        ("input", "source_file"),
        ("scenario", "turns"),
    ),
)

# LabelledRagDataset.save_json; of an EmbeddingQAFinetuneDataset each query is made such a record.
_LLAMAINDEX = Preset(
    shapes=(
        Shape(
            query=("query",),
            id=("id",),
            references=("reference_answer",),
            evidence=("reference_contexts",),
            relevant=("relevant_docs",),
            is_plain=True,
            lacking="there is no query",
        ),
    ),
    signs=(("query", "reference_contexts", "query_by"),),
)

# Whatever nobody's tool wrote, and data sets of MLflow, LangSmith, OpenAI evals and evaluation
# packs, whose inputs and expectations are objects of the record.
_COMMON = Preset(
    shapes=(
        Shape(
            query=(),
            is_plain=True,
            is_common=True,
            unwrap=(
                *("item", "inputs", "expectations", "reference_outputs", "outputs"),
                *("input", "expected", "vars"),
            ),
            lacking="no field holds the question",
            remedy="name it question, query or input, or say which it is: --column query=NAME",
        ),
    ),
    signs=(),
)

# promptfoo eval --output: a list of EvaluateResult. Where an assertion fails, `error` has its
# reason and failureReason is 1; only 2 says that there was no answer. An output may be an object
# with the answer and its context, which contextTransform takes apart.
_PROMPTFOO = Preset(
    shapes=(
        Shape(
            query=("vars",),
            answer=("response.output",),
            passages=("response.output", "response.metadata", "vars"),
            error=("response.error",),
            latency=("latencyMs",),
            per_second=1000,
            lacking="which variable is the question?",
            remedy='name it with pointers instead of the preset: records = "/results/results", '
            'question = "/vars/NAME", answer = "/response/output"',
            unanswered="promptfoo got no answer",
        ),
    ),
    signs=(("vars", "response"), ("vars", "promptIdx"), ("vars", "testCase")),
    systems=("provider", "promptIdx"),
)

_OBSERVATION = (("traceId", "type"), ("traceId", "parentObservationId"))
_OBSERVATION_OF_STORAGE = (("trace_id", "type"), ("trace_id", "parent_observation_id"))

# The API writes camel case, the blob storage export snake case. A trace that was downloaded alone
# has its observations as objects. Values are any JSON, in tables and some exports as text.
_LANGFUSE = Preset(
    shapes=(
        Shape(
            has=_OBSERVATION + _OBSERVATION_OF_STORAGE,
            step=True,
            query=("input",),
            answer=("output",),
        ),
        Shape(
            has=(("input",), ("output",), ("expectedOutput",), ("expected_output",)),
            steps="observations",
            query=("input",),
            answer=("output",),
            passages=("output",),
            references=("expectedOutput", "expected_output"),
            latency=("latency",),
        ),
    ),
    signs=_OBSERVATION + _OBSERVATION_OF_STORAGE + (("input", "htmlPath"),),
    neither="neither a trace, nor an observation, nor an item of a data set",
    remedy="is this file of Langfuse? Export the traces with input and output",
)

# Attributes by three conventions: OpenInference (semantic_conventions.md); OpenTelemetry GenAI
# (gen-ai-spans.md, 2026); OpenLLMetry and GenAI before 1.37 (prompt, completion, traceloop).
_SPAN = Shape(
    has=(("context.trace_id",), ("traceId",)),
    step=True,
    query=(
        "attributes.input.value",
        "attributes.langfuse.trace.input",
        "attributes.gen_ai.input.messages",
        "attributes.traceloop.entity.input",
        "attributes.gen_ai.prompt.*",
    ),
    answer=(
        "attributes.output.value",
        "attributes.langfuse.trace.output",
        "attributes.gen_ai.output.messages",
        "attributes.traceloop.entity.output",
        "attributes.gen_ai.completion.*",
    ),
    passages=(
        "attributes.reranker.output_documents.*",
        "attributes.retrieval.documents.*",
        "attributes.gen_ai.retrieval.documents.*",
    ),
)

# Spans as get_spans_dataframe() or the API has them; the JSON of an experiment; the examples of a
# data set, of which the output is the right answer.
_PHOENIX = Preset(
    shapes=(
        _SPAN,
        Shape(
            has=(("reference_output",), ("example_id",)),
            query=("input",),
            answer=("output",),
            passages=("output",),
            references=("reference_output",),
            error=("error",),
            latency=("latency_ms",),
            per_second=1000,
            lacking="no question in it",
        ),
        Shape(query=("input",), references=("output",), lacking="no question in it"),
    ),
    signs=(("context.trace_id",), ("input", "reference_output"), ("input", "example_id")),
    remedy="is this file of Phoenix? Spans, experiments and data sets are read",
)

# OTLP as the file exporter writes it, and spans as the console exporter of the SDK writes them.
_OTEL = Preset(
    shapes=(_SPAN,),
    signs=(("resourceSpans",),),
    neither="neither resourceSpans nor a span with context.trace_id",
    remedy="write the traces with the file exporter, as JSON",
)

# A record that two tools may have written is the first one's: Phoenix's spans are OpenTelemetry's.
PRESETS: Mapping[str, Preset] = {
    "ragas": _RAGAS,
    "deepeval": _DEEPEVAL,
    "promptfoo": _PROMPTFOO,
    "langfuse": _LANGFUSE,
    "phoenix": _PHOENIX,
    "otel": _OTEL,
}
# What holds questions and right answers, and no outputs of a system.
SETS: Mapping[str, Preset] = {"llamaindex": _LLAMAINDEX, "table": _COMMON}
FORMATS: Mapping[str, Preset] = {**PRESETS, **SETS}


def has_signs(row: Mapping[str, Any], signs: Signs) -> bool:
    """Return whether a record has all names of one alternative.

    ``a.*`` is any that begins so, ``a.*.*`` any with another dot behind.
    """
    return any(all(_has(row, name) for name in names) for names in signs)


def _has(row: Mapping[str, Any], name: str) -> bool:
    if name.endswith(".*"):
        start, dots = name.partition("*")[0], name.count(".")
        return any(key.startswith(start) and key.count(".") >= dots for key in map(str, row))
    return name in row or value_at(row, name) is not None


def preset_of(row: Mapping[str, Any]) -> str:
    """Return the tool that wrote a record, "" where none is known to write such."""
    return next((name for name, preset in FORMATS.items() if has_signs(row, preset.signs)), "")
