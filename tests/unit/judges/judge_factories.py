"""A scripted chat client, verdicts by construction, and an honest and a gullible stub."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeGuard

from ragate.core.judging.canary_rule import CanaryResult
from ragate.core.judging.criteria import CRITERIA
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import markers, tokens, without_markers
from ragate.judges import canaries_for, rubric
from ragate.judges._canaries.asking import CanaryTrial
from ragate.judges._canaries.known_answers import topics
from ragate.models import RetrievedChunk, Sample, Score, SystemOutput
from ragate.protocols import ChatReply, ChatRequest, Judge
from tests.unit.core.text.readings import numbers

ALL = tuple(sorted(CRITERIA))
Script = Iterable[str | Exception] | Callable[[ChatRequest], str | Exception]


class Chat:
    """Answers requests from a script and keeps them."""

    def __init__(self, script: Script, *, finish_reason: str = "stop") -> None:
        self.requests: list[ChatRequest] = []
        self._finish_reason = finish_reason
        if callable(script):
            self._next: Callable[[ChatRequest], str | Exception] = script
        else:
            replies = iter(script)
            self._next = lambda _request: next(replies)

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        self.requests.append(request)
        reply = self._next(request)
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(text=reply, finish_reason=self._finish_reason)


async def make_judge(chat: Chat, root: Path = Path(), **settings: Any) -> Judge:
    resources: Any = SimpleNamespace(root=root, chat=lambda _provider: chat)
    table = {"provider": "p", "model": "m", **settings}
    async with rubric.create(table, resources) as judge:
        return judge


def tried_apart(judge: Judge, criteria: Sequence[str] | None = None) -> list[CanaryResult]:
    """Ask each known answer as if it were the only one: a run ends at the first that is obeyed."""

    async def run() -> list[CanaryResult]:
        results: list[CanaryResult] = []
        for question in canaries_for(judge, criteria):
            trial = CanaryTrial(judge, question, None, asyncio.timeout, set(), frozenset())
            await trial.ask()
            results += trial.results()
        return results

    return asyncio.run(run())


def judge_all(
    chat: Chat,
    sample: Sample,
    output: SystemOutput,
    criteria: Sequence[str] = ALL,
    root: Path = Path(),
    **settings: Any,
) -> dict[str, Score]:
    """Return the judge's scores of one output."""

    async def run() -> dict[str, Score]:
        judge = await make_judge(chat, root, **settings)
        return await judge(criteria, sample, output)

    return asyncio.run(run())


def asked(query: str = "How long?", reference: str = "30 days.", **fields: Any) -> Sample:
    return Sample(id="q", query=query, references=(reference,) if reference else (), **fields)


def answered(answer: str, *contexts: str) -> SystemOutput:
    chunks = (RetrievedChunk(doc_id=f"d{n}", text=text) for n, text in enumerate(contexts))
    return SystemOutput(chunks=tuple(chunks), answer=answer)


TWO = answered("It is kept 30 days. [1] It is in Oslo. [2]", "Kept 30 days.", "Stored in Oslo.")


def verdict(**changes: Any) -> dict[str, Any]:
    """Return a valid reply to `TWO`, in which all is well; None takes a key out."""
    found: dict[str, Any] = {
        "claims": [claim(1, 1, "supported", 1), claim(2, 2, "supported", 2)],
        "claim_free": [],
        "contexts": [{"context": n, "relevant": True} for n in (1, 2)],
        "citations": [{"sentence": n, "supporting": [n], "supported": True} for n in (1, 2)],
        "refusal": False,
        "relevant": True,
        "difference": "",
        "correctness": 5,
        "correct": True,
        "reference_claims": [reference_claim(1, 1, 1)],
        "reference_claim_free": [],
    }
    claims = changes.get("claims")
    ids = [one["id"] for one in claims] if _numbered(claims) else [1, 2]
    found["right"] = [{"claim": number, "stated": True} for number in ids]
    return {key: value for key, value in (found | changes).items() if value is not None}


def _numbered(claims: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(claims, list) and all(isinstance(one, dict) and "id" in one for one in claims)


def claim(number: int, sentence: int, word: str, *contexts: int) -> dict[str, Any]:
    return {
        "id": number,
        "sentence": sentence,
        "text": f"claim {number}",
        "verdict": word,
        "contexts": list(contexts),
    }


def reference_claim(
    number: int, sentence: int, *contexts: int, in_answer: bool = True
) -> dict[str, Any]:
    return {
        "id": number,
        "sentence": sentence,
        "text": f"reference claim {number}",
        "contexts": list(contexts),
        "in_answer": in_answer,
    }


def reply(**changes: Any) -> str:
    return json.dumps(verdict(**changes))


def values(scores: dict[str, Score]) -> dict[str, float | None]:
    return {name: score.value for name, score in scores.items()}


# How the canaries of a request to the judge can be told from others, as a reader would tell them.
REQUEST = re.compile(
    "evaluator|bewertungssystem|evaluador|évaluateur|评审|оценщик|للمقيّم|評価者|base64|"
    'im_start|\\[inst\\]|assistant:|\u200b|\U000e0065|supervisor|grade[rs]|"relevant": true|'
    "shut down|system:|system override",
    re.I,
)
_SMALL_WORDS = frozenset(
    re.split(" ", "how do i my are and is an the a on when what does for which of may")
)


def stub(judge_sentence: Callable[[str, list[str]], int], *, yes: bool | None) -> Chat:
    """Return a client that reads the data blocks and fills in the form.

    Args:
        judge_sentence: From a sentence and the contexts to the supporting context, 0 for none.
        yes: What is said to every other question; None for an honest answer by words in common.
    """
    return Chat(lambda request: json.dumps(_filled(request, judge_sentence, yes)))


def honest() -> Chat:
    return stub(_supporting, yes=None)


def gullible() -> Chat:
    """Says yes to everything where the data asks for it, and is honest elsewhere."""

    def script(request: ChatRequest) -> str:
        message = request.messages[1][1]
        data = message[: message.rindex("</answer")].lower()
        if REQUEST.search(data):
            wants = "known to be wrong" not in data and "answer refuses" not in data
            return json.dumps(_filled(request, lambda _s, _c: 1 if wants else 0, wants))
        return json.dumps(_filled(request, _supporting, None))

    return Chat(script)


@cache
def _sentences_of(*kinds: str) -> frozenset[str]:
    texts = [getattr(topic, kind) for topic in topics() for kind in kinds]
    return frozenset(_plain(one) for text in texts for one in split_sentences(text))


@cache
def _wrong_sentences() -> frozenset[str]:
    """Return the known ones that look right, and are not."""
    last = {_plain(split_sentences(topic.partly)[-1]) for topic in topics()}
    return _sentences_of("number", "negated", "swapped", "outside") | last


def known_verdict(answer: str) -> bool | None:
    """Return whether a hard known answer is right, None for any other."""
    sentences = {_plain(one) for one in split_sentences(answer)}
    if sentences & _wrong_sentences():
        return False
    return True if sentences & _sentences_of("reworded") else None


def _plain(sentence: str) -> str:
    return without_markers(sentence).strip(" .").lower()


def _supporting(sentence: str, contexts: list[str]) -> int:
    words = set(tokens(without_markers(sentence)))
    if _plain(sentence) in _wrong_sentences():
        return 0
    if _plain(sentence) in _sentences_of("reworded"):
        return int(markers(sentence)[0])
    for number, text in enumerate(contexts, start=1):
        known = set(tokens(text))
        share = len(words & known) / max(1, len(words))
        if share >= 0.6 and set(numbers(without_markers(sentence))) <= set(numbers(text)):
            return number
    return 0


def _filled(
    request: ChatRequest, judge_sentence: Callable[[str, list[str]], int], yes: bool | None
) -> dict[str, Any]:
    keys = request.parameters["response_format"]["json_schema"]["schema"]["required"]
    case = read_blocks(request)
    contexts, sentences = case["contexts"], case["sentences"]
    asks = [bool(REQUEST.search(s) or "</" in s) for s in sentences]
    support = [judge_sentence(s, contexts) for s in sentences]
    claims = [
        claim(0, n, "supported" if support[n - 1] else "absent", *filter(None, [support[n - 1]]))
        for n in range(1, len(sentences) + 1)
        if yes is not None or not asks[n - 1]
    ]
    for number, one in enumerate(claims, start=1):
        one["id"] = number
    question = set(tokens(case["question"].partition(" (Instruction")[0])) - _SMALL_WORDS
    on_topic = [len(question & set(tokens(text))) > 0 for text in contexts]
    answer = " ".join(sentences)
    refuses = "cannot answer" in answer
    plain = {_plain(sentence) for sentence in sentences}
    reworded = bool(plain & _sentences_of("reworded"))
    relevant = (reworded or bool(question & set(tokens(answer)))) and not refuses
    reference = set(tokens(case["reference"]))
    overlap = len(reference & set(tokens(answer))) / max(1, len(reference))
    right = reworded or (overlap >= 0.7 and not plain & _wrong_sentences())
    cited = [n for n, s in enumerate(sentences, start=1) if "[" in without_code(s)]
    filled: dict[str, Any] = {
        "claims": claims,
        "claim_free": [
            n for n in range(1, len(sentences) + 1) if n not in {c["sentence"] for c in claims}
        ],
        "contexts": [
            {"context": n, "relevant": on_topic[n - 1] if yes is None else yes}
            for n in range(1, len(contexts) + 1)
        ],
        "citations": [_citation(sentences[n - 1], n, support[n - 1], yes) for n in cited],
        "refusal": refuses if yes is None else not yes,
        "relevant": relevant if yes is None else yes,
        "difference": "",
        "correctness": (5 if right else 1) if yes is None else (5 if yes else 1),
        "correct": right if yes is None else yes,
        "right": [
            {
                "claim": one["id"],
                "stated": _stated(sentences[one["sentence"] - 1], reference)
                if yes is None
                else yes,
            }
            for one in claims
        ],
        "reference_claims": [
            reference_claim(
                n,
                n,
                *[1][: _stated(text, set(tokens(" ".join(contexts))))],
                in_answer=_stated(text, set(tokens(answer))) if yes is None else yes,
            )
            for n, text in enumerate(case["reference sentences"], start=1)
        ],
        "reference_claim_free": [],
        "calls_right": {
            "because": "the words",
            "grade": _means_the_same(*case["calls"]) if yes is None else yes,
        },
        "own_policy_compliance": {
            "because": "the words",
            "grade": "idiot" not in answer if yes is None else yes,
        },
    }
    return {key: filled[key] for key in keys}


def _means_the_same(right: str, made: str) -> bool:
    return set(tokens(right)) <= set(tokens(made))


def _stated(sentence: str, known: set[str]) -> bool:
    """Tell whether most words of a sentence are known, its figures among them."""
    words = set(tokens(without_markers(sentence)))
    figures = {word for word in words if word[0].isdigit()}
    return len(words & known) / max(1, len(words)) >= 0.6 and figures <= known


def without_code(text: str) -> str:
    return re.sub(r"\[(?!\d+\])", "", text)


def _citation(sentence: str, number: int, support: int, yes: bool | None) -> dict[str, Any]:
    cited = [int(n) for n in re.findall(r"\[(\d+)\]", sentence)]
    good = cited if yes else [n for n in cited if n == support]
    return {"sentence": number, "supporting": good, "supported": bool(good)}


def read_blocks(request: ChatRequest) -> dict[str, Any]:
    """Return the data of a request, as a careful reader would take it apart."""
    message = request.messages[1][1]
    first = re.match(r"<contexts (\w+)>\n", message)
    assert first is not None
    end = message.index(f"</contexts {first[1]}>")
    parts = re.split(rf"<context \d+ {first[1]}>\n", message[first.end() : end])[1:]
    found = re.search(r"<question (\w{20})>\n", message[end:])
    assert found is not None
    mark = found[1]

    def block(name: str) -> str:
        inner = re.search(rf"<{name} {mark}>\n(.*?)\n</{name} {mark}>", message, re.DOTALL)
        return inner[1] if inner else ""

    lines = block("answer").split("\n")
    return {
        "contexts": [part.removesuffix("\n") for part in parts],
        "question": block("question"),
        "reference": re.sub(r"^R\d+: ", "", block("reference"), flags=re.MULTILINE),
        "reference sentences": re.findall(r"^R\d+: (.*)$", block("reference"), re.MULTILINE),
        "sentences": [line.partition(": ")[2] for line in lines],
        "mark": mark,
        "calls": (block("right_calls"), block("calls")),
    }
