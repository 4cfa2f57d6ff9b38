"""What the names of a format cannot say: records of one tool, brought into a form that they can.

Each function takes a record and the head of its file, and returns what the record stands for.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from ragate.tables.cells import any_text, parsed_cell
from ragate.tables.names import COMMON, plain

Record = Mapping[str, Any]

RAGAS_METRICS = (
    *("faithfulness", "answer_relevancy", "context_precision", "context_recall"),
    *("answer_correctness", "semantic_similarity", "factual_correctness", "answer_similarity"),
    *("context_entity_recall", "noise_sensitivity", "response_relevancy", "answer_accuracy"),
)
_NUMBERED = re.compile(r"^(test_case|conversational_test_case)_\d+$")
# What names the metric in a table with a row for each.
_METRIC = ("metric", "metric_name", "score_name", "criterion")
# How a scorer of Inspect writes right, partly right, wrong, and no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_HALF = 0.5
# Assertions of promptfoo that pass from their threshold on; of others it is a limit of something.
_MARKED = frozenset(
    {
        *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance"),
        *("similar", "rouge-n", "bleu", "gleu", "meteor"),
    }
)
_OUT = "outputs."
# Endings of Azure's columns: those that are no score of their own, and those beside one.
_NEVER_SCORES = ("_result", "_reason", "_threshold", "_label", "_model", "_tokens")
_OF_ANOTHER = ("_score", "_passed", "_status", "_properties")


def _object(value: Any) -> Record:
    """Return a value that is an object; anything else is an empty one."""
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Record]:
    """Return the items of a list, of which each that is no object is an empty one."""
    return list(map(_object, value)) if isinstance(value, list) else []


@lru_cache(maxsize=256)
def _respelt(names: tuple[str, ...]) -> dict[str, str]:
    """Return the names of columns whose spelling hides a known one: ``Expected Answer``."""
    known = frozenset(chain.from_iterable(COMMON.values()))
    spelt = {name: plain(name) for name in names if name not in known}
    return {
        name: spelling
        for name, spelling in spelt.items()
        if spelling in known and spelling not in names
    }


def metric_and_score(row: Record) -> tuple[str, str]:
    """Return the columns of a table with a row for each metric: its name and its score, else ""."""
    metric = next((name for name in _METRIC if isinstance(row.get(name), str)), "")
    score = next((name for name in ("score", "value") if metric and name in row), "")
    return metric, score


def plain_names(row: Record, _head: Record) -> list[Record]:
    """Return a row with the names that are known in small letters, with underscores.

    Of a table with a row for each metric, the name of the one that the row holds.
    """
    respelt = _respelt(tuple(row))
    row = {respelt.get(name, name): value for name, value in row.items()} if respelt else row
    metric, score = metric_and_score(row)
    if not score:
        return [row]
    rest = {name: value for name, value in row.items() if name not in {metric, score}}
    return [{**rest, "scores": {row[metric]: row[score]}}]


def ragate(row: Record, _head: Record) -> list[Record]:
    """Tell a score that does not apply from one that is missing; and whether the question passed.

    The words between the two states are those of a test that was skipped, and of an error.
    """
    scores: dict[str, Record] = {"pass_rate": {"value": float(row["verdict"] == "PASS")}}
    for name, score in row["scores"].items():
        if score["state"] == "unscored":
            scores[name] = {"error": score["reason"] or "unscored"}
        elif score["state"] == "not_applicable":
            scores[name] = {"value": {"skipped": score["reason"] or "does not apply"}}
        else:
            scores[name] = score
    return [{**row, "scores": scores}]


def deepeval(row: Record, _head: Record) -> list[Record]:
    """Take a name that somebody gave for an id; `GEval` is how, and not what, was measured.

    Of a conversation the input is what the user said in it.
    """
    name = row.get("name")
    is_id = isinstance(name, str) and not _NUMBERED.match(name)

    turns = _objects(row.get("turns"))
    if turns and not row.get("input"):
        asked = [turn.get("content") for turn in turns if turn.get("role") == "user"]
        row = {**row, "input": any_text(asked)}

    listed = "metricsData" if row.get("metricsData") is not None else "metrics_data"
    measured = []
    for item in filter(None, _objects(row.get(listed))):
        metric = re.sub(r"\s*\[.*\]$", "", str(item.get("name", "")))  # without ` [GEval]`
        measured.append({**item, "name": metric})
    return [{**row, "id": name if is_id else "", listed: measured}]


def promptfoo(row: Record, _head: Record) -> list[Record]:
    """Return one result: a test under one prompt and one provider."""
    case = _object(row.get("testCase"))
    metadata = _object(case.get("metadata"))
    key = next((str(metadata[name]) for name in ("id", "test_id") if name in metadata), "")

    variables = row.get("vars") or case.get("vars") or {}
    question = next(iter(variables.values())) if len(variables) == 1 else variables

    provider = row.get("provider")
    provider = _object(provider).get("label") or _object(provider).get("id") or provider or ""
    system = [f"provider:{provider}", f"prompt:{row.get('promptIdx', 0)}"]
    parts = _objects(_object(row.get("gradingResult")).get("componentResults"))
    latency = row.get("latencyMs")
    return [
        {
            **row,
            "test": key,
            "question": any_text(question),
            "expected": any_text(case.get("assert") or ""),
            "system": " ".join(system),
            "tags": system,
            "failed": _failure(row),
            "latency_s": latency / 1000 if isinstance(latency, int | float) else None,
            "scores": {
                "score": row.get("score"),
                **_by_assertion(parts),
                **_with_marks(_object(row.get("namedScores")), parts),
            },
        }
    ]


def _failure(row: Record) -> str:
    """Return why promptfoo got no answer, "" where it got one: `error` also tells what missed.

    An early version names no reason: its error is one of these where no grade stands beside it.
    """
    is_graded = row.get("failureReason") is not None or row.get("gradingResult")
    is_lost = bool(row.get("error")) and not is_graded
    if is_lost or row.get("failureReason") == 2 or _object(row.get("response")).get("error"):
        return str(row.get("error") or "promptfoo got no answer")
    return ""


def _by_assertion(parts: list[Record]) -> dict[str, dict[str, Any]]:
    """Return the scores of assertions without a metric of their own, by type; of several the mean.

    One that is alone is the test's own score.
    """
    if len(parts) == 1:
        return {}
    by_type: dict[str, list[Record]] = {}
    for part in parts:
        assertion = _object(part.get("assertion"))
        if assertion and not assertion.get("metric"):
            by_type.setdefault(str(assertion.get("type", "")), []).append(part)

    scores = {}
    for kind, of_kind in by_type.items():
        values = [part.get("score") for part in of_kind]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        are_all = len(numbers) == len(values)
        mean = sum(numbers) / len(numbers) if are_all else None
        scores[kind] = {"score": mean, "reason": of_kind[0].get("reason")}
    return scores


def _with_marks(scores: Record, parts: list[Record]) -> dict[str, Any]:
    """Return scores by metric; with the mark from which on it passes, where the kind has one."""
    marked = {}
    for name, score in scores.items():
        of_metric = [each for each in parts if _object(each.get("assertion")).get("metric") == name]
        first = of_metric[0] if of_metric else {}
        marked[name] = {"score": score, "reason": first.get("reason")}
        assertion = _object(first.get("assertion"))
        if len(of_metric) == 1 and assertion.get("type") in _MARKED:
            marked[name] |= {"passed": first.get("pass"), "mark": assertion.get("threshold")}
    return marked


def promptfoo_unfinished(head: Record) -> str:
    """Return why an evaluation of promptfoo is no whole one."""
    return "" if isinstance(head.get("results"), list | Mapping) else "it holds no results"


def inspect(row: Record, _head: Record) -> list[Record]:
    """Return a sample's scores: a scorer with several values is a metric for each."""
    scores: dict[str, Any] = {}
    for name, score in _object(row.get("scores")).items():
        fields = score if isinstance(score, Mapping) else {"value": score}
        value, reason = fields.get("value"), fields.get("explanation")
        if isinstance(value, Mapping):
            for part, value_of_part in value.items():
                metric = f"{name}.{part}" if part else name
                scores[metric] = {**_graded(value_of_part), "reason": reason}
        else:
            scores[name] = {**_graded(value), "reason": reason}
    asked, target = any_text(row.get("input")), any_text(row["target"])
    return [{**row, "input": asked, "scores": scores, "target": target}]


def _graded(value: Any) -> dict[str, Any]:
    """Return a value of Inspect as a score, a letter with the mark from which on it passes."""
    if not isinstance(value, str) or value not in _GRADES:
        return {"value": value}
    grade = _GRADES[value]
    return {"value": grade, "passed": grade >= _HALF, "mark": _HALF}


def inspect_unfinished(head: Record) -> str:
    """Return why a log of Inspect is no whole evaluation."""
    if head.get("status") != "success":
        return f"its status is {head.get('status')!r}"
    return "it was invalidated" if head.get("invalidated") else ""


def inspect_judges(head: Record) -> str:
    """Return which models grade, where the log names them: by their role, or as a scorer's own."""
    header = _object(head.get("eval"))
    graders = [_object(_object(header.get("model_roles")).get("grader"))]
    graders += [_object(scorer.get("options")) for scorer in _objects(header.get("scorers"))]
    models = {str(grader["model"]) for grader in graders if grader.get("model")}
    return ", ".join(sorted(models))


def lm_eval(row: Record, _head: Record) -> list[Record]:
    """Return a document's scores under one filter, whose name is a part of the metric's."""
    names = row.get("metrics")
    if not isinstance(names, list):
        no_metrics = {"doc_id", "doc_hash", "prompt_hash", "target_hash", "task_version"}
        numbers = [name for name, value in row.items() if isinstance(value, int | float)]
        names = [name for name in numbers if name not in no_metrics]
    way = str(row.get("filter") or "none")
    ending = "" if way == "none" else f",{way}"
    scores = {f"{name}{ending}": row.get(name) for name in names}

    answers = row.get("filtered_resps")
    answer = answers[0] if isinstance(answers, list) and answers else None
    return [
        {
            "doc_id": row.get("doc_id"),
            "question": any_text(row.get("doc")),
            "target": any_text(row.get("target")),
            "answer": answer if isinstance(answer, str) else None,
            "scores": scores,
        }
    ]


def mlflow(row: Record, _head: Record) -> list[Record]:
    """Return a trace's feedback; what is expected is an assessment, too, and no score."""
    info = _object(row.get("info"))
    holder = row if row.get("assessments") is not None else info
    expected: dict[str, Any] = {}
    scored: list[Record] = []
    for item in _objects(parsed_cell(holder.get("assessments"))):
        expectation = _object(item.get("expectation"))
        if "value" in expectation:
            expected[str(item.get("assessment_name") or item.get("name"))] = expectation["value"]
        if isinstance(item.get("feedback"), Mapping):
            scored.append({**item, "judge": _judge_of(item)})

    state = row.get("state") or info.get("state")
    failed = "the trace's state is ERROR" if str(state).endswith("ERROR") else ""
    trace = {**row, "assessments": scored, "expectations": expected or "", "error": failed}
    asked = row.get("request", row.get("inputs"))
    if asked is None:
        asked, trace["response"] = _of_root_span(row)
    return [{**trace, "request": parsed_cell(asked)}]


def _judge_of(assessment: Record) -> Any:
    source = _object(assessment.get("source"))
    return source.get("source_id") if source.get("source_type") == "LLM_JUDGE" else ""


def _of_root_span(trace: Record) -> tuple[Any, Any]:
    """Return what a trace was asked and what it answered: in its previews both are cut short."""
    for span in _objects(_object(trace.get("data")).get("spans")):
        if not span.get("parent_span_id"):
            attributes = _object(span.get("attributes"))
            asked = attributes.get("mlflow.spanInputs")
            answered = attributes.get("mlflow.spanOutputs")
            # Attributes are JSON within JSON: a text stands there in quotes.
            return asked, json.loads(answered) if isinstance(answered, str) else answered
    return None, None


def azure(row: Record, _head: Record) -> list[Record]:
    """Return a row's scores: `x_score`, `x_passed`, `x_threshold` and their like belong to `x`.

    Where `x` is a word (a safety evaluator's "Very low"), `x_score` is its number.
    """
    outputs = {key[len(_OUT) :]: value for key, value in row.items() if key.startswith(_OUT)}
    scores = []
    for name, value in outputs.items():
        metric = name.rpartition(".")[2]
        if metric.startswith("gpt_") or metric.endswith(_NEVER_SCORES):
            continue
        if any(name.endswith(part) and name.removesuffix(part) in outputs for part in _OF_ANOTHER):
            continue

        score = value if _is_plain_number(value) else outputs.get(f"{name}_score", value)
        result, mark = outputs.get(f"{name}_result"), outputs.get(f"{name}_threshold")
        is_absent = score is None and result is None and mark is None
        if is_absent or not isinstance(score, int | float | None):
            continue

        passed = outputs.get(f"{name}_passed")
        if not isinstance(passed, bool):
            passed = {"pass": True, "fail": False}.get(str(result).lower())
        reason = outputs.get(f"{name}_reason")
        scores.append(
            {"name": metric, "score": score, "reason": reason, "mark": mark, "passed": passed}
        )
    return [{**row, "scores": scores}]


def _is_plain_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def junit(row: Record, _head: Record) -> list[Record]:
    """Return a test: passed or not, and the numbers that it recorded as properties."""
    key = "::".join(filter(None, (row.get("classname", ""), row.get("name", ""))))
    passed: Any = "failure" not in row
    if "skipped" in row:
        passed = {"skipped": row["skipped"]}
    scores = {name: value for name, value in row["properties"].items() if _is_number(value)}
    error = row.get("error", "")
    suite = [row["suite"]] if row.get("suite") else []
    return [{"key": key, "suite": suite, "error": error, "passed": passed, "scores": scores}]


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
