"""Files of scores as each tool writes them, of an evaluation that ran, and of ones that did not."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import quoteattr

MARK = 0.5


@dataclass(frozen=True)
class Evaluation:
    """Scores of one metric and whether each sample passed.

    Attributes:
        values: By number of the sample; None is a null, NaN a NaN.
        failed: The evaluation of this sample failed.
        contradicts: Whether it passed is the opposite of what its score says.
    """

    values: Mapping[int, float | None]
    metric: str = "faithfulness"
    judge: str = "judge-1"
    version: str = "1.0"
    failed: frozenset[int] = frozenset()
    contradicts: bool = False

    def passed(self, number: int) -> bool:
        value = self.values[number]
        reaches = value is not None and value >= MARK
        return reaches is not self.contradicts

    def question(self, number: int) -> str:
        return f"How many days does rule {number} allow?"


def evaluation(seed: int, *, lost: float = 0.0, n: int = 100, noise: float = 0.03) -> Evaluation:
    """Return an evaluation of a system whose answers are what they are, `lost` worse."""
    rng = random.Random(seed)
    values: dict[int, float | None] = {}
    for number in range(n):
        own = random.Random(f"sample {number}").gauss(0.75, 0.12)
        values[number] = round(min(1.0, max(0.0, own - lost + rng.gauss(0, noise))), 4)
    return Evaluation(values)


def _number(value: float | None) -> str:
    return "" if value is None else "nan" if value != value else str(value)


def plain_csv(run: Evaluation) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["id", "question", run.metric, "error"])
    for number, value in run.values.items():
        error = "the judge is out" if number in run.failed else ""
        table.writerow([f"q{number}", run.question(number), "" if error else _number(value), error])
    return out.getvalue()


def plain_lines(run: Evaluation) -> str:
    rows = (
        {"id": number, run.metric: None if number in run.failed else value}
        for number, value in run.values.items()
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def deepeval(run: Evaluation) -> str:
    cases = []
    for number, value in run.values.items():
        failed = number in run.failed
        measured = {
            "name": run.metric,
            "score": None if failed else value,
            "threshold": MARK,
            "success": not failed and run.passed(number),
            "error": "the judge is out" if failed else None,
            "evaluationModel": run.judge,
        }
        case = {"name": f"test_case_{number}", "input": run.question(number)}
        case |= {"actualOutput": "Yes."}
        cases.append({**case, "success": measured["success"], "metricsData": [measured]})
    return json.dumps({"testRunData": {"testCases": cases}})


def ragas(run: Evaluation) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["user_input", "retrieved_contexts", "response", run.metric])
    for number, value in run.values.items():
        shown = "" if number in run.failed else _number(value)
        table.writerow([run.question(number), "['a rule']", "Yes.", shown])
    return out.getvalue()


def promptfoo(run: Evaluation) -> str:
    results = []
    for number, value in run.values.items():
        failed = number in run.failed
        results.append(
            {
                "promptIdx": 0,
                "testIdx": number,
                "provider": {"id": "rag"},
                "vars": {"question": run.question(number)},
                "testCase": {"vars": {"question": run.question(number)}, "assert": []},
                "response": {"error": "the model is out"} if failed else {"output": "Yes."},
                "success": not failed and run.passed(number),
                "score": 0 if failed else value,
                "failureReason": 2 if failed else 0,
                "namedScores": {} if failed else {run.metric: value},
                "error": "the model is out" if failed else None,
            }
        )
    return json.dumps(
        {
            "evalId": "eval-1",
            "results": {"version": 3, "results": results},
            "metadata": {"promptfooVersion": run.version},
        }
    )


def inspect(run: Evaluation) -> str:
    samples = []
    for number, value in run.values.items():
        failed = number in run.failed
        sample = {"id": f"q{number}", "epoch": 1, "input": run.question(number), "target": "yes"}
        scores = {} if failed else {run.metric: {"value": value}}
        error = {"error": {"message": "the model is out"}} if failed else {}
        samples.append({**sample, "scores": scores, **error})
    head = {"task": "rules", "run_id": "r", "packages": {"inspect_ai": run.version}}
    return json.dumps({"version": 2, "status": "success", "eval": head, "samples": samples})


def lm_eval(run: Evaluation) -> str:
    rows = (
        {
            "doc_id": number,
            "doc": {"question": run.question(number)},
            "target": "yes",
            "filtered_resps": ["yes"],
            "filter": "none",
            "doc_hash": str(number),
            "target_hash": "t",
            "metrics": [run.metric],
            run.metric: None if number in run.failed else value,
        }
        for number, value in run.values.items()
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def mlflow(run: Evaluation) -> str:
    rows = []
    for number, value in run.values.items():
        failed = number in run.failed
        error = {"error_code": "OUT", "error_message": "the judge is out"} if failed else None
        said = {
            "assessment_name": run.metric,
            "source": {"source_type": "LLM_JUDGE", "source_id": run.judge},
            "feedback": {"value": None if failed else value, "error": error},
        }
        row = {"trace_id": f"tr-{number}", "request": {"question": run.question(number)}}
        rows.append({**row, "response": "Yes.", "state": "OK", "assessments": [said]})
    return json.dumps(rows)


def azure(run: Evaluation) -> str:
    rows = []
    for number, value in run.values.items():
        name = f"outputs.own.{run.metric}"
        failed = number in run.failed
        row = {"inputs.query": run.question(number), name: float("nan") if failed else value}
        row |= {f"{name}_threshold": MARK, f"{name}_result": "fail"}
        row[f"{name}_result"] = "pass" if not failed and run.passed(number) else "fail"
        rows.append(row)
    return json.dumps({"rows": rows, "metrics": {}})


def junit(run: Evaluation) -> str:
    cases = []
    for number, value in run.values.items():
        name, inside = quoteattr(f"rule[{number}]"), ""
        if number in run.failed:
            inside = '<error message="the judge is out"/>'
        elif value is not None:
            shown = f'<properties><property name="{run.metric}" value="{value}"/></properties>'
            inside = shown + ("" if run.passed(number) else '<failure message="no"/>')
        cases.append(f'<testcase classname="t" name={name}>{inside}</testcase>')
    return f'<testsuites><testsuite name="s">{"".join(cases)}</testsuite></testsuites>'


WRITERS: Mapping[str, Callable[[Evaluation], str]] = {
    each.__name__: each
    for each in (
        *(plain_csv, plain_lines, deepeval, ragas, promptfoo, inspect, lm_eval, mlflow),
        *(azure, junit),
    )
}


# Ways in which an evaluation did not run.

Written = tuple[Evaluation, Callable[[str], str]]


def _as_it_is(text: str) -> str:
    return text


def _some(run: Evaluation, share: float) -> list[int]:
    return [number for number in run.values if number % 100 < 100 * share]


def _values(run: Evaluation, change: Callable[[float], float | None], share: float) -> Evaluation:
    chosen = set(_some(run, share))
    values = {
        number: change(value) if number in chosen and value is not None else value
        for number, value in run.values.items()
    }
    return replace(run, values=values)


@dataclass(frozen=True)
class Way:
    """One way, and which writers cannot show it."""

    spoil: Callable[[Evaluation], Evaluation] = lambda run: run
    text: Callable[[str], str] = _as_it_is
    but: frozenset[str] = field(default_factory=frozenset)


def _others(run: Evaluation) -> Evaluation:
    return replace(run, values={number + 1000: value for number, value in run.values.items()})


_JUDGED = frozenset({"deepeval", "mlflow"})
_VERSIONED = frozenset({"promptfoo", "inspect"})
_FLAGGED = frozenset({"deepeval", "azure"})
_ALL = frozenset(WRITERS)
WAYS: Mapping[str, Way] = {
    "empty": Way(text=lambda _: ""),
    "cut in half": Way(text=lambda text: text[: len(text) // 2]),
    "cut before its end": Way(text=lambda text: text[: int(len(text) * 0.9)]),
    "all errors": Way(lambda run: replace(run, failed=frozenset(run.values))),
    "a third are errors": Way(lambda run: replace(run, failed=frozenset(_some(run, 0.33)))),
    "half of the samples": Way(
        lambda run: replace(run, values={n: v for n, v in run.values.items() if n % 2})
    ),
    "a tenth of the samples is missing": Way(
        lambda run: replace(run, values={n: v for n, v in run.values.items() if n % 10})
    ),
    "NaN": Way(lambda run: _values(run, lambda _: float("nan"), 0.3), but=frozenset({"junit"})),
    "null": Way(lambda run: _values(run, lambda _: None, 0.3), but=frozenset({"junit"})),
    "other samples": Way(_others),
    "another metric": Way(lambda run: replace(run, metric="relevance")),
    "another judge": Way(lambda run: replace(run, judge="judge-2"), but=_ALL - _JUDGED),
    "another version": Way(lambda run: replace(run, version="2.0"), but=_ALL - _VERSIONED),
    "percents": Way(lambda run: _values(run, lambda value: round(value * 100, 2), 1)),
    "flags that contradict": Way(
        lambda run: replace(run, contradicts=True), but=_ALL - _FLAGGED
    ),
}  # fmt: skip
