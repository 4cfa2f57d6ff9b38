"""An evaluation of 120 samples, written as each evaluator writes it.

The header and the shape of a row are those of the files in tests/fixtures/scores, which the tools
themselves wrote; only scores, texts and states are put in.
"""

import copy
import csv
import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

FIXTURES = Path(__file__).parents[2] / "fixtures" / "scores"
METRICS = ("faithfulness", "answer_relevancy")
THRESHOLD = 0.5


@dataclass(frozen=True)
class Sample:
    id: str
    question: str
    expected: str
    answer: str
    scores: dict[str, Any]  # a number, None, or what somebody wrote instead of one
    error: str = ""
    flag: bool | None = None  # what the tool calls passed; None: it follows from the scores

    @property
    def passed(self) -> bool:
        if self.flag is not None:
            return self.flag
        return not self.error and all(passes(score) for score in self.scores.values())


@dataclass(frozen=True)
class Evaluation:
    samples: list[Sample]
    judge: str = "stand-in"
    version: str = ""  # other than that of the fixture
    status: str = ""  # what became of the run as a whole, where the format says so
    marked: float = THRESHOLD

    def each(self, change: Callable[[int, Sample], Sample]) -> "Evaluation":
        return replace(self, samples=[change(i, sample) for i, sample in enumerate(self.samples)])


def passes(score: Any) -> bool:
    return isinstance(score, int | float) and score >= THRESHOLD


def evaluated(count: int = 120) -> Evaluation:
    """A quality of about 0.8, with some samples that fail."""
    chance = random.Random(7)

    def drawn() -> float:
        return round(chance.choice([1.0, 1.0, chance.uniform(0.55, 1), chance.uniform(0.2, 1)]), 4)

    return Evaluation(
        [
            Sample(
                f"q{number:03}",
                f"How many days does rule {number} allow?",
                f"Rule {number} allows {number * 3} days.",
                f"Rule {number} allows {number * 3} days.",
                {name: drawn() for name in METRICS},
            )
            for number in range(1, count + 1)
        ]
    )


def _fixture(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text())


def _deepeval(version: int) -> Callable[[Evaluation], bytes]:
    whole = _fixture(f"deepeval{version}/test_run.json")
    names = {"faithfulness": "Faithfulness", "answer_relevancy": "Answer Relevancy"}

    def write(evaluation: Evaluation) -> bytes:
        run = {**whole, "testCases": []}
        for order, sample in enumerate(evaluation.samples):
            case = copy.deepcopy(whole["testCases"][0])
            shape = case["metricsData"][0]
            case |= {"name": sample.id, "input": sample.question, "actualOutput": sample.answer}
            case |= {"expectedOutput": sample.expected, "success": sample.passed, "order": order}
            case["metricsData"] = []
            for name, score in sample.scores.items():
                flag = passes(score) if sample.flag is None else sample.flag
                entry = {**shape, "name": names.get(name, name), "threshold": evaluation.marked}
                entry |= {"evaluationModel": evaluation.judge, "score": score, "success": flag}
                if sample.error:
                    del entry["score"]
                    entry |= {"error": sample.error, "success": False}
                case["metricsData"].append(entry)
            run["testCases"].append(case)
        run["testPassed"] = sum(sample.passed for sample in evaluation.samples)
        run["testFailed"] = len(evaluation.samples) - run["testPassed"]
        run["metricsScores"] = []
        return json.dumps(run).encode()

    return write


def _promptfoo_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    shape = _fixture("promptfoo/promptfoo.json")["results"]["results"][0]
    rows = []
    for index, sample in enumerate(evaluation.samples):
        row = copy.deepcopy(shape)
        scores = sample.scores
        numbers = [score for score in scores.values() if isinstance(score, int | float)]
        mean = sum(numbers) / len(numbers) if len(numbers) == len(scores) else None
        row |= {"id": f"run-{index}", "testIdx": index, "namedScores": scores, "score": mean}
        row |= {"success": sample.passed, "failureReason": 0 if sample.passed else 1}
        row["vars"] = {"input": sample.question}
        row["response"]["output"] = sample.answer
        row["testCase"] |= {"description": sample.id, "vars": row["vars"]}
        row["testCase"]["assert"] = [
            {
                "type": "context-faithfulness",
                "value": name,
                "metric": name,
                "threshold": evaluation.marked,
            }
            for name in scores
        ]
        row["gradingResult"] |= {"pass": sample.passed, "score": mean, "namedScores": scores}
        row["gradingResult"]["componentResults"] = [
            {
                "pass": passes(scores[name["metric"]]) if sample.flag is None else sample.flag,
                "score": scores[name["metric"]],
                "reason": "so",
                "assertion": name,
            }
            for name in row["testCase"]["assert"]
        ]
        if sample.error:
            del row["gradingResult"], row["response"]
            row |= {"error": sample.error, "score": 0, "namedScores": {}, "success": False}
            row["failureReason"] = 2
        rows.append(row)
    return rows


def _promptfoo_json(evaluation: Evaluation) -> bytes:
    whole = _fixture("promptfoo/promptfoo.json")
    whole["evalId"] = f"eval-{len(evaluation.samples)}"
    whole["config"] = {"prompts": ["{{input}}"], "providers": whole["config"]["providers"]}
    whole["config"]["defaultTest"] = {"options": {"provider": evaluation.judge}}
    whole["results"]["prompts"] = whole["results"]["prompts"][:1]
    whole["results"]["results"] = _promptfoo_rows(evaluation)
    whole["results"]["stats"] |= {
        "successes": sum(sample.passed for sample in evaluation.samples),
        "failures": sum(not (sample.passed or sample.error) for sample in evaluation.samples),
        "errors": sum(bool(sample.error) for sample in evaluation.samples),
    }
    if evaluation.version:
        whole["metadata"]["promptfooVersion"] = evaluation.version
    return json.dumps(whole).encode()


def _promptfoo_jsonl(evaluation: Evaluation) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in _promptfoo_rows(evaluation))


def _promptfoo_csv(evaluation: Evaluation) -> bytes:
    names = list(evaluation.samples[0].scores) if evaluation.samples else list(METRICS)
    head = ["Description", "input", "[stand-in] {{input}}", "Status", "Score", "Named Scores"]
    head += [f"Metric: {name}" for name in names] + ["Grader Reason", "Comment"]
    rows: list[list[Any]] = [head]
    for sample in evaluation.samples:
        scores = sample.scores
        numbers = [score for score in scores.values() if isinstance(score, int | float)]
        if sample.error:
            row = [
                f"[ERROR] {sample.error}",
                "ERROR",
                "0.00",
                "{}",
                *("" for _ in names),
                sample.error,
                "",
            ]
        else:
            cells = [
                f"{score:.2f}" if isinstance(score, float) else score for score in scores.values()
            ]
            status = "PASS" if sample.passed else "FAIL"
            mean = f"{sum(numbers) / max(len(numbers), 1):.2f}"
            mean = mean if len(numbers) == len(scores) else "NaN"
            row = [sample.answer, status, mean, json.dumps(scores), *cells, "so", ""]
        rows.append([sample.id, sample.question, *row])
    return _table(rows)


def _table(rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _inspect_log(evaluation: Evaluation) -> dict[str, Any]:
    log: dict[str, Any] = _fixture("inspect/inspect.json")
    shape = log["samples"][0]
    log["samples"] = []
    log["reductions"] = []
    log["eval"]["config"]["epochs"] = 1
    log["eval"]["dataset"] |= {"samples": 120, "sample_ids": [f"q{i:03}" for i in range(1, 121)]}
    log["eval"]["scorers"] = [
        {"name": name, "options": {"model": evaluation.judge}, "metrics": [], "metadata": {}}
        for name in METRICS
    ]
    log["eval"]["model_roles"] = {"grader": {"model": evaluation.judge}}
    log["results"] |= {"total_samples": 120, "completed_samples": len(evaluation.samples)}
    log["results"]["scores"] = []
    if evaluation.version:
        log["eval"]["packages"]["inspect_ai"] = evaluation.version
    if evaluation.status:
        log["status"] = evaluation.status
        del log["results"]
    for sample in evaluation.samples:
        row = copy.deepcopy(shape)
        row |= {"id": sample.id, "input": sample.question, "target": sample.expected}
        row["output"]["completion"] = sample.answer
        row["scores"] = {
            name: {"value": score, "answer": sample.answer, "explanation": "so", "history": []}
            for name, score in sample.scores.items()
        }
        if sample.error:
            row |= {"scores": {}, "error": {"message": sample.error, "traceback": ""}}
        log["samples"].append(row)
    return log


def _inspect_json(evaluation: Evaluation) -> bytes:
    return json.dumps(_inspect_log(evaluation)).encode()


def _inspect_eval(evaluation: Evaluation) -> bytes:
    log = _inspect_log(evaluation)
    samples = log.pop("samples")
    start = {"version": 2, "eval": log["eval"], "plan": log["plan"]}
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(start))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        if evaluation.status != "started":  # a log that was ended has its header
            archive.writestr("header.json", json.dumps(log))
    return kept.getvalue()


def _ragas_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {
            "user_input": sample.question,
            "retrieved_contexts": [sample.expected],
            "response": sample.answer,
            "reference": sample.expected,
        }
        | {name: None if sample.error else score for name, score in sample.scores.items()}
        for sample in evaluation.samples
    ]


def _plain_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {"id": sample.id, "question": sample.question, "answer": sample.answer}
        | {name: None if sample.error else score for name, score in sample.scores.items()}
        | {"error": sample.error}
        | ({} if sample.flag is None else {"passed": sample.flag})
        for sample in evaluation.samples
    ]


def _csv(rows: list[dict[str, Any]]) -> bytes:
    names = list(rows[0]) if rows else ["id", "question", *METRICS]
    return _table([names, *([row.get(name) for name in names] for row in rows)])


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    names = list(rows[0]) if rows else ["id", "question", *METRICS]
    kept = io.BytesIO()
    columns = {name: [row.get(name) for row in rows] for name in names}
    for name, values in columns.items():
        if len({type(value) for value in values} - {type(None), int, float}) and any(
            isinstance(value, int | float) for value in values
        ):
            columns[name] = [value if value is None else str(value) for value in values]
    pyarrow.parquet.write_table(pyarrow.table(columns), kept)
    return kept.getvalue()


def _mlflow_table(evaluation: Evaluation) -> list[dict[str, Any]]:
    shape = _fixture("mlflow/mlflow_table.json")[0]
    rows = []
    for number, sample in enumerate(evaluation.samples):
        row = {key: copy.deepcopy(value) for key, value in shape.items() if "/" not in key}
        row |= {"trace_id": f"tr-{number}-{id(evaluation)}", "response": sample.answer}
        row["request"] = {"question": sample.question}
        judge = row["assessments"][0]
        row["assessments"] = []
        for name, score in sample.scores.items():
            entry = {**judge, "assessment_name": name, "trace_id": row["trace_id"]}
            entry["source"] = {"source_type": "LLM_JUDGE", "source_id": evaluation.judge}
            entry["feedback"] = {"value": score}
            row |= {f"{name}/value": score, f"{name}/error_message": None}
            if sample.error:
                entry["feedback"] = {
                    "error": {"error_code": "ERROR", "error_message": sample.error}
                }
                row |= {f"{name}/value": None, f"{name}/error_message": sample.error}
            row["assessments"].append(entry)
        row |= {"expected_response/value": sample.expected}
        rows.append(row)
    return rows


def _mlflow_traces(evaluation: Evaluation) -> bytes:
    shape = _fixture("mlflow/mlflow_traces.json")[0]
    traces = []
    for number, row in enumerate(_mlflow_table(evaluation)):
        sample = evaluation.samples[number]
        trace = copy.deepcopy(shape)
        info = trace["info"]
        info |= {"trace_id": row["trace_id"], "assessments": row["assessments"]}
        info["request_preview"] = json.dumps(row["request"])
        info["response_preview"] = json.dumps(sample.answer)
        info["trace_metadata"]["mlflow.traceInputs"] = info["request_preview"]
        info["trace_metadata"]["mlflow.traceOutputs"] = info["response_preview"]
        attributes = trace["data"]["spans"][0]["attributes"]
        attributes |= {"mlflow.spanInputs": info["request_preview"]}
        attributes |= {"mlflow.spanOutputs": info["response_preview"]}
        traces.append(trace)
    return json.dumps(traces).encode()


def _mlflow_csv(evaluation: Evaluation) -> bytes:
    rows = _mlflow_table(evaluation)
    return _csv(
        [
            {key: str(cell) if isinstance(cell, dict | list) else cell for key, cell in row.items()}
            for row in rows
        ]
    )


def _azure(evaluation: Evaluation) -> bytes:
    rows = []
    for sample in evaluation.samples:
        row: dict[str, Any] = {"inputs.query": sample.question, "inputs.response": sample.answer}
        row["inputs.ground_truth"] = sample.expected
        for name, score in sample.scores.items():
            flag = passes(score) if sample.flag is None else sample.flag
            key = f"outputs.{name}.{name}"
            if sample.error:
                row |= {key: float("nan"), f"{key}_reason": float("nan")}
                continue
            row |= {key: score, f"{key}_score": score, f"{key}_passed": flag}
            row |= {f"{key}_result": "pass" if flag else "fail", f"{key}_reason": "so"}
            row |= {f"{key}_status": "completed", f"{key}_threshold": evaluation.marked}
            row |= {f"{key}_model": evaluation.judge}
        rows.append(row)
    return json.dumps({"rows": rows, "metrics": {}, "studio_url": None}).encode()


def _lm_eval(evaluation: Evaluation) -> bytes:
    shape = json.loads((FIXTURES / "lm_eval/samples_rules.jsonl").read_text().splitlines()[0])
    del shape["exact_match"]
    names = {"faithfulness": "exact_match", "answer_relevancy": "f1"}
    lines = []
    for sample in evaluation.samples:
        row = copy.deepcopy(shape)
        scores = {names.get(name, name): score for name, score in sample.scores.items()}
        row |= {
            "doc_id": int(sample.id.strip("qx")),
            "target": sample.expected,
            "metrics": list(scores),
            **scores,
        }
        row["doc"] |= {"id": sample.id, "input": sample.question, "expected": sample.expected}
        row["doc_hash"] = row["prompt_hash"] = sample.id
        row["arguments"]["gen_args_0"]["arg_0"] = sample.question
        row |= {"resps": [[sample.answer]], "filtered_resps": [sample.answer]}
        lines.append(row)
    return _lines(lines)


def _junit(evaluation: Evaluation) -> bytes:
    cases = []
    for sample in evaluation.samples:
        properties = "".join(
            f"<property name={quoteattr(name)} value={quoteattr(str(score))} />"
            for name, score in sample.scores.items()
            if score is not None
        )
        body = f"<properties>{properties}</properties>"
        if sample.error:
            body = f"<error message={quoteattr(sample.error)}>out</error>"
        elif not sample.passed:
            body += '<failure message="AssertionError: assert 1 == 2">E</failure>'
        name = f"test_the_answer[{sample.id}]"
        cases.append(f'<testcase classname="rules" name="{name}" time="0.001">{body}</testcase>')
    failed = sum(not (sample.passed or sample.error) for sample in evaluation.samples)
    errors = sum(bool(sample.error) for sample in evaluation.samples)
    return (
        '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite '
        f'name="pytest" errors="{errors}" failures="{failed}" skipped="0" '
        f'tests="{len(evaluation.samples)}" time="0.158">{"".join(cases)}</testsuite></testsuites>'
    ).encode()


WRITERS: dict[str, tuple[str, Callable[[Evaluation], bytes]]] = {
    "deepeval 3": ("test_run.json", _deepeval(3)),
    "deepeval 4": ("test_run.json", _deepeval(4)),
    "ragas csv": ("ragas.csv", lambda e: _csv(_ragas_rows(e))),
    "ragas json": ("ragas.json", lambda e: json.dumps(_ragas_rows(e)).encode()),
    "ragas jsonl": ("ragas.jsonl", lambda e: _lines(_ragas_rows(e))),
    "ragas parquet": ("ragas.parquet", lambda e: _parquet(_ragas_rows(e))),
    "promptfoo json": ("results.json", _promptfoo_json),
    "promptfoo jsonl": ("results.jsonl", _promptfoo_jsonl),
    "promptfoo csv": ("results.csv", _promptfoo_csv),
    "inspect json": ("log.json", _inspect_json),
    "inspect eval": ("log.eval", _inspect_eval),
    "lm-eval": ("samples_rules.jsonl", _lm_eval),
    "mlflow json": ("table.json", lambda e: json.dumps(_mlflow_table(e)).encode()),
    "mlflow csv": ("table.csv", _mlflow_csv),
    "mlflow traces": ("traces.json", _mlflow_traces),
    "azure": ("azure.json", _azure),
    "junit": ("junit.xml", _junit),
    "plain csv": ("scores.csv", lambda e: _csv(_plain_rows(e))),
    "plain jsonl": ("scores.jsonl", lambda e: _lines(_plain_rows(e))),
    "plain parquet": ("scores.parquet", lambda e: _parquet(_plain_rows(e))),
}
