"""A system that words its answers anew in every run, for tests of changes that do no harm.

Every question has eight answers of one content: with and without a number, a quotation, a
citation; one run draws one of them for each question.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ragate import plugins
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.criteria import ALL_CRITERIA, sort_out
from ragate.errors import ConfigError
from ragate.models import (
    CallResult,
    Decision,
    Executed,
    ExpectedCall,
    Failure,
    MetricInfo,
    Needs,
    RetrievedChunk,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    SourcePolicy,
    SystemInfo,
    SystemOutput,
    Tool,
    ToolCall,
    Usage,
)
from ragate.protocols import Aggregate, Metric
from ragate.scoring.metric_records import evaluate
from tests.unit.core.decision_factories import judge

Outputs = dict[str, SystemOutput]
Change = Callable[[str], str]


def questions(answerable: int = 57, unanswerable: int = 12) -> list[Sample]:
    """Return questions with documents, a reference that holds a number, and what it asks."""
    return [
        Sample(
            id=f"q{row:03d}",
            query=f"How long does step {row} take?",
            relevant={f"doc{row}": 1},
            references=(f"Step {row} takes {row + 2} minutes.",),
            tags=("list",),
            tools=(Tool(name="find"), Tool(name="read")),
            expected_calls=() if row % 4 == 0 else calls_for(row),
            answer_keywords=((str(row + 2),), ("minutes",)),
            source_policy=SourcePolicy(form="quote_only", forbidden=("secret*",)),
        )
        for row in range(answerable)
    ] + [
        Sample(id=f"u{row:03d}", query=f"Who wrote page {row}?", answerable=False)
        for row in range(unanswerable)
    ]


def calls_for(row: int) -> tuple[ExpectedCall, ...]:
    return tuple(ExpectedCall(name=name, arguments={"step": row}) for name in ("find", "read"))


def answer(sample: Sample, rng: random.Random) -> SystemOutput:
    """Return one of the answers to a question, and what was retrieved for it."""
    row = int(sample.id[1:])
    fact = f"Step {row} takes {row + 2} minutes"
    docs = [f"doc{row}", "other", "more"]
    if rng.random() < 0.2:
        docs[0], docs[1] = docs[1], docs[0]
    chunks = tuple(RetrievedChunk(doc_id=doc, text=f"{fact}. See {doc}.") for doc in docs)
    tokens = rng.randrange(20, 30)
    usage = Usage(calls=1, prompt_tokens=400, completion_tokens=tokens, cost_usd=tokens / 1e4)
    latency = 1.0 + rng.random()
    # By the tokens, so that what else is drawn stays what it was.
    made = tuple(ToolCall(name=n, arguments={"step": row}) for n in ("find", "read"))[: tokens % 3]
    right = tuple(CallResult(value=one.name) for one in sample.expected_calls or ())
    results = tuple(CallResult(value=call.name) for call in made)
    timed: dict[str, Any] = {
        "tool_calls": made,
        "executed": Executed(made=results, expected=right),
        "latency_s": latency,
        "first_token_s": latency / 4,
        "usage": usage,
    }
    if rng.random() < 0.01:
        return SystemOutput(error=Failure(kind="system", message="it broke"), **timed)
    if not sample.answerable or rng.random() < 0.03:
        text = "I do not know." if rng.random() < 0.8 else "It was Ann."
        return SystemOutput(chunks=chunks, answer=text, **timed)
    number = rng.choice([f"{row + 2} minutes", "a few minutes", "99 minutes"])
    quote = rng.choice(["", f' The guide says "{fact}".'])
    cites = rng.choice([" [1]", " [1]", " [1]", " [7]", ""])
    return SystemOutput(chunks=chunks, answer=f"It takes {number}{cites}.{quote}", **timed)


def outputs_of(samples: Sequence[Sample], seed: int, change: Change = str) -> Outputs:
    """Return one run; `change` is made to every answer of it."""
    rng = random.Random(seed)
    made = {sample.id: answer(sample, rng) for sample in samples}
    return {
        key: one.amended(answer=change(one.answer)) if one.answer else one
        for key, one in made.items()
    }


def verdicts(sample: Sample, output: SystemOutput) -> Mapping[str, Score]:
    """Judge by a hash of the answer: noisy, and the same for the same answer."""
    known = ALL_CRITERIA
    found, asked = sort_out(known, known, sample, output)
    drawn = int.from_bytes(hashlib.sha256((output.answer or "").encode()).digest()[:2]) % 5
    for name in asked:
        low, high = known[name].low, known[name].high
        found[name] = Score(metric=name, value=low + (high - low) * drawn / 4)
    found[PAIRWISE] = Score(metric=PAIRWISE, value=0.5)
    return found


def nothing(_sample: Sample, _output: SystemOutput) -> Mapping[str, Score]:
    return {}


@cache
def registered() -> tuple[str, ...]:
    """Return every metric that works without keys, with a cut-off where it needs one."""
    names = map(_with_cut_off, plugins.names("metrics"))
    return tuple(name for name in names if not getattr(plugins.metric(name), "unusable", ""))


def _with_cut_off(name: str) -> str:
    try:
        plugins.metric(name)
    except ConfigError:
        return f"{name}@2"
    return name


def rule_for(name: str) -> Rule:
    """Return the metric's rule at error; what is no fraction, or of the whole run, has a limit."""
    info: MetricInfo = plugins.metric(name).info
    if not info.aggregate:
        return Rule(metric=name, max_increase=0.1 if info.high is None else None)
    return Rule(metric=name, maximum=1e9 if info.high is None else info.high)


def run_of(
    passes: Sequence[Outputs],
    samples: Sequence[Sample],
    names: Sequence[str],
    words: str = "",
) -> Run:
    """Return the scored run."""
    made: list[Metric | Aggregate] = [plugins.metric(name, samples=samples) for name in names]
    system = SystemInfo(use="replay", fingerprint=words)
    manifest = RunManifest(system=system, confirm=2)
    judged = any(one.info.needs is Needs.JUDGE for one in made)
    judgements = verdicts if judged else nothing
    return evaluate(passes, samples, made, manifest=manifest, judgements=judgements)


def compared(
    before: Sequence[Outputs],
    after: Sequence[Outputs],
    samples: Sequence[Sample],
    names: Sequence[str],
) -> Comparison:
    baseline = run_of(before, samples, names, "before")
    return compare(baseline, run_of(after, samples, names, "after"), samples)


def gate(
    samples: Sequence[Sample], names: Sequence[str], seed: int = 0, change: Change = str
) -> Decision:
    """Judge a change as the gate does: three baseline runs, one run, two more where it asks."""
    rules = [rule_for(name) for name in names]
    before = [outputs_of(samples, 100 * seed + number) for number in range(3)]
    after = [outputs_of(samples, 100 * seed + 50, change)]
    decision = judge(compared(before, after, samples, names), *rules)
    if decision.wants_runs:
        after += [outputs_of(samples, 100 * seed + 51 + number, change) for number in range(2)]
        decision = judge(compared(before, after, samples, names), *rules)
    return decision
