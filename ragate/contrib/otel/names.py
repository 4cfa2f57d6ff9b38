"""Every name that is sent, in one place: the conventions still move.

Sources: OpenTelemetry semantic conventions for generative AI (``gen_ai.*``, development), CI/CD
(``cicd.*``, release candidate), version control (``vcs.*``, release candidate). What they do not
name is ours: ``ragate.*``.
"""

from dataclasses import dataclass
from typing import Literal

from ragate.spans import Queue, Spanned

SCOPE = "ragate"
SERVICE = "ragate"

# Events, through the logs API.
EVALUATION = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
EVALUATION_VALUE = "gen_ai.evaluation.score.value"
EVALUATION_LABEL = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION = "gen_ai.evaluation.explanation"
SAMPLE_TEXTS = "ragate.sample.texts"
QUESTION = "ragate.sample.question"
ANSWER = "ragate.sample.answer"

# Attributes.
GATE = "ragate.gate"
RUN_ID = "ragate.run.id"
EVENT = "ragate.event"
VERDICT = "ragate.verdict"
EXIT_CODE = "ragate.exit_code"
SAMPLE_ID = "ragate.sample.id"
PASS = "ragate.pass"  # noqa: S105 - the number of a pass over the samples
METRIC = "ragate.metric"
SIDE = "ragate.side"
STAGE = "ragate.stage"
GROUP_KIND = "ragate.group.kind"
GROUP_NAME = "ragate.group.name"
STATE = "ragate.state"
REUSED = "ragate.reused"
ERROR_TYPE = "error.type"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
MODEL = "gen_ai.request.model"
STAGE_REQUIRED = "ragate.stage.required"
STAGE_STOPPED = "ragate.stage.stopped"
PASSED = "ragate.passed"
SCORE = "ragate.score"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - tokens of a model

# How a span is called, and its facts' attributes. A call of a model is named after that as well.
SPANS: dict[Spanned, str] = {
    Spanned.RUN: "ragate.run",
    Spanned.SAMPLE: "ragate.sample",
    Spanned.RETRIEVAL: "retrieval",
    Spanned.CHAT: "chat",
    Spanned.EMBEDDINGS: "embeddings",
    Spanned.JUDGE: "ragate.judge",
    Spanned.DECIDE: "ragate.decide",
}
# Of a question that a scorecard judged: below its span, with one below it for each stage.
SCORECARD_SPAN = "ragate.scorecard"
STAGE_SPAN = "ragate.stage"
FACTS: dict[str, str] = {
    "command": "ragate.command",
    "gate": GATE,
    "sample": SAMPLE_ID,
    "run": PASS,
    "failed": ERROR_TYPE,
    "chunks": "ragate.retrieved",
    "criteria": "ragate.judge.criteria",
    "model": MODEL,
    "provider": PROVIDER,
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
}


@dataclass(frozen=True)
class Instrument:
    """One metric that is sent.

    Attributes:
        kind: ``counter`` (what this run counted), ``gauge`` (its last value) or ``histogram``.
        unit: As UCUM writes it; one in braces is a word.
        attributes: What it is told apart by, beside event, gate and resource.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    unit: str
    says: str
    attributes: tuple[str, ...] = ()


VERDICTS = Instrument("ragate.verdicts", "counter", "{run}", "Verdicts", (VERDICT,))
SAMPLES = Instrument("ragate.samples", "counter", "{sample}", "Samples by state", (STATE,))
CHANGES = Instrument("ragate.changes", "counter", "{sample}", "Samples by change", (STATE,))
STAGES = Instrument(
    "ragate.stages", "counter", "{sample}", "Samples that a stage passes or fails", (STAGE, STATE)
)
GROUPS = Instrument(
    "ragate.groups",
    "counter",
    "{sample}",
    "Samples of a tag or field that pass or fail",
    (GROUP_KIND, GROUP_NAME, STATE),
)
CALLS = Instrument("ragate.model.calls", "counter", "{call}", "Calls of models", (REUSED,))
COST = Instrument("ragate.cost", "counter", "{USD}", "US dollars spent on models")
DURATION = Instrument("ragate.run.duration", "histogram", "s", "Seconds that a run took")
SCORES = Instrument("ragate.metric.mean", "gauge", "{score}", "Mean of a metric", (METRIC, SIDE))
JUDGING = Instrument("ragate.judge.queue", "gauge", "{judgement}", "Judgements waited for")
ASKING = Instrument("ragate.sample.queue", "gauge", "{sample}", "Questions waited for")
JUDGE_PACE = Instrument("ragate.judge.pace", "gauge", "{judgement}/s", "Judgements a second")
SAMPLE_PACE = Instrument("ragate.sample.pace", "gauge", "{sample}/s", "Questions a second")
TOKENS = Instrument(
    "gen_ai.client.token.usage",
    "histogram",
    "{token}",
    "Tokens of a call",
    (MODEL, TOKEN_TYPE),
)
CALL_DURATION = Instrument(
    "gen_ai.client.operation.duration",
    "histogram",
    "s",
    "Seconds of a call",
    (OPERATION, MODEL),
)
INSTRUMENTS = (
    *(VERDICTS, SAMPLES, CHANGES, STAGES, GROUPS, CALLS, COST, DURATION, SCORES, JUDGING, ASKING),
    *(SAMPLE_PACE, JUDGE_PACE, TOKENS, CALL_DURATION),
)
# Which of them tell of a queue: its length, and how fast it moves.
QUEUES: dict[Queue, tuple[Instrument, Instrument]] = {
    "samples": (ASKING, SAMPLE_PACE),
    "judgements": (JUDGING, JUDGE_PACE),
}
