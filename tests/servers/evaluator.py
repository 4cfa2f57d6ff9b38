"""A model that LlamaIndex's evaluators ask: is it in the contexts, and does it fit the question?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ragate.judges import wordings
from tests.unit.judges.judge_factories import known_verdict

_ASKED = re.compile(
    r"(?:\nInformation: (?!Apple)|present in the context information: |"
    r"Query and Response: \n |in line with the context information: \n )"
    r"(?:Question: (?P<query>.*?)\nResponse: )?(?P<answer>.*?)\n"
    r"(?:Context: |We have provided)(?P<contexts>.*)",
    re.DOTALL,
)
_COMMON = frozenset(
    re.split(
        " ", "how do i my where the come from are is and what does which when on a an for of may"
    )
)


@dataclass(frozen=True)
class Evaluation:
    """What one of the evaluators asks about; `query` is "" where it shows none."""

    query: str
    answer: str
    contexts: str

    def verdict(self) -> str:
        """Return an honest verdict, by the words that the parts share."""
        known = known_verdict(_careful(self.answer))
        if known is not None:
            return "YES." if known else "No, it is not."
        answer = _words(_careful(self.answer))
        shared = len(answer & _words(_careful(self.contexts))) / max(1, len(answer))
        topic = _words(_careful(self.query)) - _COMMON
        fits = not self.query or bool(topic & answer)
        return "YES." if shared >= 0.6 and fits else "No, it is not."


def evaluation(body: dict[str, Any]) -> Evaluation | None:
    """Return what a request asks an evaluator's model, None where it asks for something else."""
    found = _ASKED.search(body["messages"][0]["content"])
    if found is None:
        return None
    return Evaluation(found["query"] or "", found["answer"], found["contexts"])


def _careful(text: str) -> str:
    """Return a text without the requests to a judge that ragate's known answers hold."""
    for wording in wordings():
        text = text.replace(wording.text, "")
    return text


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"\[\d+\]", "", text.lower())))
