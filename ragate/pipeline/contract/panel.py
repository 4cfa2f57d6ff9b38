"""Samples and outputs of every kind that a plugin meets."""

from ragate.models import Failure, RetrievedChunk, Sample, SystemOutput, Usage

ANSWERABLE = Sample(
    id="answerable",
    query="How long can I get a refund?",
    relevant={"refunds.md": 1},
    references=("Refunds are possible for 30 days.",),
)
SAMPLES = {
    "a question": ANSWERABLE,
    "a question without labels": Sample(id="bare", query="?"),
    "an unanswerable question": Sample(id="unanswerable", query="Who won?", answerable=False),
}
_CHUNKS = (
    RetrievedChunk(doc_id="refunds.md", text="Refunds: 30 days after the purchase.", score=0.9),
    RetrievedChunk(doc_id="other.md", text="", score=None),
)
GOOD = SystemOutput(
    chunks=_CHUNKS,
    answer="Within 30 days. [1]",
    citations=(1,),
    usage=Usage(calls=1, prompt_tokens=10, completion_tokens=5, cost_usd=0.001),
    latency_s=0.5,
    first_token_s=0.1,
)
OUTPUTS = {
    "an answer": GOOD,
    "an answer in another script": GOOD.amended(answer="返品は30日以内です。👍 \u202e"),
    "a long answer": GOOD.amended(answer="Within 30 days. " * 2_000),
    "an answer without contexts": GOOD.amended(chunks=(), citations=None),
    "contexts without texts": GOOD.amended(chunks=(RetrievedChunk(doc_id="refunds.md"),)),
    "an output that reports nothing but an answer": SystemOutput(answer="Yes."),
    "an empty answer": GOOD.amended(answer=""),
    "retrieval only": SystemOutput(chunks=_CHUNKS),
}
FAILED = SystemOutput(error=Failure(kind="system", message="it broke"), latency_s=0.2)
UNREACHED = SystemOutput(error=Failure(kind="provider", message="503"))
EVERY = {**OUTPUTS, "a failure of the system": FAILED, "a failure of a provider": UNREACHED}
