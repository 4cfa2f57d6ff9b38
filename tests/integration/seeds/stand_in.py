"""The models that the seeds name, on this machine: they refuse what theirs do, and judge by words.

A question about LlamaIndex's evaluators is answered as they ask, any other by the judge's form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from tests.servers.evaluator import evaluation
from tests.servers.model import is_judgement
from tests.servers.model_rules import refuses
from tests.servers.openai_server import FakeOpenAI, hashed_embedding, openai_server
from tests.unit.judges.judge_factories import honest, known_verdict
from tests.unit.judges.own_replies import judge_with_own

GRADES = {
    "It has been executed. The Foundation proposed it, which is worded otherwise.": "4.5",
    "The Foundation proposed it and it has been executed.": "5.0",
    "It has been executed.": "3.0",
    "I have no information about that.": "1.0",
    "Snapshot is used for voting on proposals.": "2.5",
}
_GRADED = re.compile(
    r"## Reference Answer\s+(?P<reference>.*?)\s+## Generated Answer\s+(?P<answer>.*)", re.DOTALL
)


def reply(body: dict[str, Any]) -> str:
    """Return what the model says: a verdict where one is asked for, else an answer or a draft."""
    asked = evaluation(body)
    if asked is not None:
        return asked.verdict()
    graded = _GRADED.search(body["messages"][-1]["content"])
    if graded is not None and not is_judgement(body):
        return f"{_grade(graded['reference'], graded['answer'].strip())}\nBy the words they share."
    if is_judgement(body):
        return judge_with_own(body, honest(), lambda text: "idiot" not in text)
    return "A draft of an answer."


def _grade(reference: str, answer: str) -> str:
    known = known_verdict(answer)
    if known is not None:
        return "5" if known else "1"
    wanted = set(re.findall(r"\w+", reference.lower()))
    shared = len(wanted & set(re.findall(r"\w+", answer.lower()))) / max(1, len(wanted))
    return GRADES.get(answer, "5" if shared >= 0.7 else "1")


class MiniLM:
    """What `SentenceTransformer` is, for the one model that the seeds name."""

    def __init__(self, name: str, **_options: Any) -> None:
        if name not in {"all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"}:
            raise OSError(f"{name} is not a local folder and is not a valid model identifier")

    def encode(self, texts: list[str], **_options: Any) -> Any:
        return np.array([hashed_embedding(text, 384) for text in texts])


def local_models() -> dict[str, ModuleType]:
    """Return the modules of the library that runs a model here, by name."""
    library, logging = ModuleType("sentence_transformers"), ModuleType("transformers.utils.logging")
    vars(library).update(SentenceTransformer=MiniLM)
    vars(logging).update(disable_progress_bar=lambda: None)
    parents = {name: ModuleType(name) for name in ("transformers", "transformers.utils")}
    return {**parents, logging.__name__: logging, library.__name__: library}


@contextmanager
def models() -> Iterator[FakeOpenAI]:
    """Yield the server of all models; each refuses what it refuses at its provider."""
    with openai_server() as fake:
        fake.rules = refuses
        fake.reply = reply
        yield fake
