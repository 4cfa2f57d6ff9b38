"""Under which names each evaluator writes down samples, outputs and scores. Data only.

A name with dots leads into objects within one another, or is the column of a table. Of several
names the first with a value counts. What no table can say is done by a function of `rewrites.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragate.scores import rewrites
from ragate.tables.formats import PRESETS, Names, Signs
from ragate.tables.names import COMMON

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Item:
    """What stands where in the object that holds one score.

    Attributes:
        passed: Whether the tool says that it passed. mark: From which value on it says so.
    """

    name: Names = ("name",)
    value: Names = ("score", "value")
    passed: Names = ()
    mark: Names = ()
    reason: Names = ("reason", "explanation", "rationale", "comment")
    error: Names = ("error",)
    judge: Names = ()


@dataclass(frozen=True)
class Format:
    """How the files of one tool are read.

    Attributes:
        name: As `--reader` takes it.
        kinds: Of what kind its files are, as in `ScoreFile`.
        head: What tells a file of it by what stands around the records; () where nothing does.
        signs: What tells a record of it from others'; () where the head does.
        records: Where the records stand in a file that has a head; further: and more of them.
        key: The sample's id. run: The number of the pass.
        system: What is scored: a file may hold the scores of several.
        error: The system, or the evaluation of the sample as a whole, failed.
        listed: Lists of objects with one score each. mapped: Objects of scores by metric; both with
            what `item` says.
        columns: Every other field that is a number or true or false is a score.
        complete: A record names every score that was asked of it: of one that it lacks, beside
            others that it has, nothing was wanted.
        rewrite: Brings a record into a form that names can tell; one may become several.
        describe: What the head says beside names: it is no whole evaluation.
        judges: Who judged, as the head says; beside `judge`.
        higher: Higher is better in every score of this tool whose name is not known otherwise.
        tested: A file that the real package wrote is among the tests.
    """

    name: str
    kinds: tuple[str, ...]
    head: Signs = ()
    signs: Signs = ()
    records: Names = ()
    further: Names = ()
    key: Names = ()
    run: Names = ()
    system: Names = ()
    input: Names = ()
    expected: Names = ()
    answer: Names = ()
    contexts: Names = ()
    tags: Names = ()
    error: Names = ()
    passed: Names = ()
    cost: Names = ()
    latency: Names = ()
    listed: Names = ()
    mapped: Names = ()
    item: Item = Item()
    columns: bool = False
    complete: bool = False
    rewrite: Callable[[Record, Record], list[Record]] | None = None
    describe: Callable[[Record], str] | None = None
    judges: Callable[[Record], str] | None = None
    judge: Names = ()
    version: Names = ()
    run_id: Names = ()
    created: Names = ()
    higher: bool = False
    tested: bool = False


# What people call the parts of a sample; a name of one letter may be a metric's.
_COMMON = {part: tuple(name for name in names if len(name) > 1) for part, names in COMMON.items()}

# Where these tools keep what was asked and said is one thing in outputs and in scores.
(_OF_DEEPEVAL,) = PRESETS["deepeval"].shapes
(_OF_RAGAS,) = PRESETS["ragas"].shapes

# A test run (.deepeval/.latest_test_run.json) in camel case; the results of evaluate() in snake
# case. `test_case_3` is a place and no id.
_DEEPEVAL = Format(
    name="deepeval",
    kinds=("json", "lines"),
    head=(("testRunData",), ("testCases",), ("test_results",)),
    signs=(("metricsData",), ("metrics_data",)),
    records=("testRunData.testCases", "testCases", "test_results"),
    further=("testRunData.conversationalTestCases", "conversationalTestCases"),
    key=("id", "key"),
    input=_OF_DEEPEVAL.query,
    expected=_OF_DEEPEVAL.references,
    answer=_OF_DEEPEVAL.answer,
    contexts=_OF_DEEPEVAL.passages,
    tags=("tags",),
    passed=("success",),
    latency=("runDuration", "run_duration"),
    listed=("metricsData", "metrics_data"),
    item=Item(
        passed=("success",),
        mark=("threshold",),
        judge=("evaluationModel", "evaluation_model"),
    ),
    complete=True,
    rewrite=rewrites.deepeval,
    run_id=("testRunData.identifier", "identifier"),
    higher=True,
    tested=True,
)

# Results of evaluate() as to_pandas() gives them, written as CSV or JSON: a column each metric.
_RAGAS = Format(
    name="ragas",
    kinds=("table", "lines", "json"),
    signs=(
        *(("user_input", metric) for metric in rewrites.RAGAS_METRICS),
        ("user_input", "retrieved_contexts"),
    ),
    input=_OF_RAGAS.query,
    expected=_OF_RAGAS.references,
    answer=_OF_RAGAS.answer,
    contexts=_OF_RAGAS.passages,
    columns=True,
    tested=True,
)

# promptfoo eval --output results.json: one result a test, prompt and provider, in the order in
# which they ended. `error` also repeats why an assertion failed; only failureReason 2 says that
# there was no answer, though that scores 0.
_PROMPTFOO = Format(
    name="promptfoo",
    kinds=("json", "lines", "table"),
    head=(("results.results",), ("results.version",)),
    signs=(("promptIdx", "success"), ("testCase", "success")),
    records=("results.results", "results"),
    key=("test",),
    system=("system",),
    input=("question",),
    expected=("expected",),
    answer=("response.output",),
    contexts=("response.metadata.context", "metadata.context"),
    tags=("tags",),
    error=("failed",),
    passed=("success",),
    cost=("cost",),
    latency=("latency_s",),
    mapped=("scores",),
    item=Item(passed=("passed",), mark=("mark",)),
    complete=True,
    rewrite=rewrites.promptfoo,
    describe=rewrites.promptfoo_unfinished,
    version=("metadata.promptfooVersion",),
    run_id=("evalId",),
    created=("results.timestamp",),
    higher=True,
    tested=True,
)

_INSPECT = Format(
    name="inspect",
    kinds=("eval", "json"),
    head=(("eval", "status"), ("eval.task",)),
    records=("samples",),
    key=("id",),
    run=("epoch",),
    input=("input",),
    expected=("target",),
    answer=("output.completion",),
    error=("error.message",),
    mapped=("scores",),
    item=Item(passed=("passed",), mark=("mark",)),
    rewrite=rewrites.inspect,
    describe=rewrites.inspect_unfinished,
    judges=rewrites.inspect_judges,
    version=("eval.packages.inspect_ai",),
    run_id=("eval.run_id",),
    created=("eval.created",),
    tested=True,
)

# lm_eval --log_samples: samples_<task>_<date>.jsonl. A filter of the answers is a second metric.
_LM_EVAL = Format(
    name="lm-eval",
    kinds=("lines",),
    signs=(("doc_id", "filtered_resps"), ("doc_hash", "target_hash")),
    key=("doc_id",),
    input=("question",),
    expected=("target",),
    answer=("answer",),
    mapped=("scores",),
    rewrite=rewrites.lm_eval,
    tested=True,
)

_MLFLOW = Format(
    name="mlflow",
    kinds=("lines", "table", "json"),
    signs=(("trace_id", "assessments"), ("request", "assessments"), ("info.assessments",)),
    records=("traces", "rows", "data"),
    key=("inputs_id",),
    input=("request", "inputs", "data.request"),
    expected=("expectations",),
    answer=("response", "outputs", "data.response"),
    error=("error",),
    listed=("assessments",),
    item=Item(
        name=("assessment_name", "name"),
        value=("feedback.value", "value"),
        reason=("rationale",),
        error=("feedback.error.error_message", "feedback.error", "error"),
        judge=("judge",),
    ),
    rewrite=rewrites.mlflow,
    tested=True,
)

# azure-ai-evaluation's evaluate(output_path=…): {"rows": […], "metrics": {…}}, columns with dots.
_AZURE = Format(
    name="azure",
    kinds=("json", "lines"),
    head=(("rows", "metrics"),),
    signs=(("outputs.*.*", "inputs.*"),),
    records=("rows",),
    key=("id",),
    input=("inputs.query", "inputs.question", "inputs.conversation"),
    expected=("inputs.ground_truth",),
    answer=("inputs.response", "outputs.response"),
    contexts=("inputs.context",),
    listed=("scores",),
    item=Item(passed=("passed",), mark=("mark",)),
    rewrite=rewrites.azure,
    tested=True,
)

_JUNIT = Format(
    name="junit",
    kinds=("xml",),
    key=("key",),
    tags=("suite",),
    error=("error",),
    passed=("passed",),
    mapped=("scores",),
    complete=True,
    rewrite=rewrites.junit,
    higher=True,
    tested=True,
)

_PHOENIX = Format(
    name="phoenix",
    kinds=("json", "lines", "table"),
    signs=(("example_id", "evaluations"), ("example_id", "annotations")),
    records=("runs", "data"),
    key=("example_id",),
    run=("repetition_number",),
    input=("input",),
    expected=("expected", "reference_output"),
    answer=("output",),
    error=("error",),
    listed=("evaluations", "annotations"),
    item=Item(value=("score", "result.score"), reason=("explanation", "result.explanation")),
)

_LANGFUSE = Format(
    name="langfuse",
    kinds=("json", "lines"),
    signs=(
        *(("datasetItemId", "scores"), ("dataset_item_id", "scores")),
        *(("item_id", "evaluations"), ("item", "evaluations")),
    ),
    records=("items", "data", "item_results"),
    key=("datasetItemId", "dataset_item_id", "item_id", "item.id"),
    input=("input", "item.input"),
    expected=("expectedOutput", "expected_output", "item.expected_output"),
    answer=("output",),
    listed=("scores", "evaluations"),
    item=Item(value=("value",)),
    tested=True,
)

_BRAINTRUST = Format(
    name="braintrust",
    kinds=("json", "lines", "table"),
    signs=(("span_attributes", "scores"), ("root_span_id", "scores"), ("span_id", "scores")),
    records=("events", "rows", "results"),
    key=("dataset_record_id", "origin.id"),
    input=("input",),
    expected=("expected",),
    answer=("output",),
    tags=("tags",),
    error=("error",),
    mapped=("scores",),
    higher=True,
)

_OPENAI = Format(
    name="openai-evals",
    kinds=("json", "lines"),
    signs=(("datasource_item_id", "results"), ("eval_id", "datasource_item")),
    records=("data",),
    key=("datasource_item_id",),
    input=("datasource_item",),
    answer=("sample.output",),
    error=("sample.error.message",),
    passed=("status",),
    listed=("results",),
    item=Item(value=("score",), passed=("passed",)),
    higher=True,
    tested=True,
)

# ragate's own report of a run, as --format json writes it.
_RAGATE = Format(
    name="ragate",
    kinds=("json",),
    head=(("ragate_version", "questions"),),
    records=("questions",),
    key=("sample_id",),
    run=("run",),
    input=("query",),
    answer=("answer",),
    error=("error",),
    latency=("latency_s",),
    mapped=("scores",),
    item=Item(value=("value",)),
    rewrite=rewrites.ragate,
    judge=("judge",),
    run_id=("run_id",),
    created=("created",),
    higher=True,
    tested=True,
)

# A table or lines of your own: an id or a question, and a column for each metric.
PLAIN = Format(
    name="plain",
    kinds=("table", "lines", "json"),
    key=(*_COMMON["id"], "sample", "case", "key"),
    run=_COMMON["run"],
    input=(*_COMMON["query"], "inputs"),
    expected=("expected", *_COMMON["references"]),
    answer=_COMMON["answer"],
    contexts=(*_COMMON["passages"], *_COMMON["contexts"]),
    tags=_COMMON["tags"],
    error=("error",),
    passed=("passed", "success", "pass"),
    cost=("cost_usd", "cost"),
    latency=("latency_s",),
    listed=("scores", "metrics"),
    mapped=("scores", "metrics"),
    columns=True,
    rewrite=rewrites.plain_names,
    tested=True,
)

# The first whose signs a file bears is taken for its writer; the last bears none.
FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        *(_DEEPEVAL, _PROMPTFOO, _INSPECT, _LM_EVAL, _JUNIT, _AZURE, _MLFLOW, _RAGAS),
        *(_PHOENIX, _LANGFUSE, _BRAINTRUST, _OPENAI, _RAGATE, PLAIN),
    )
}
READERS = tuple(FORMATS)
