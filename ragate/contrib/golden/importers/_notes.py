"""What could not be taken as it is, and what a value becomes as metadata."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ragate.models import MetadataValue

_MOST_OF_ANSWER = 2000  # characters: enough to judge by, and a golden set stays readable
_MOST_DOCUMENTS = 20


class Notes(Counter[str]):
    """What could not be taken as it is: one sentence each, and how often."""

    def add(self, sentence: str) -> None:
        self[sentence] += 1


def scalar(value: Any) -> MetadataValue:
    """Return a value as metadata holds it: what is no plain value becomes JSON text."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def said_that_day(answer: str | None, doc_ids: Iterable[str]) -> dict[str, MetadataValue]:
    """Return what a system answered and retrieved, as metadata for whoever labels its question."""
    told = {
        "recorded_answer": (answer or "")[:_MOST_OF_ANSWER],
        "retrieved": "; ".join(list(dict.fromkeys(doc_ids))[:_MOST_DOCUMENTS]),
    }
    return {name: text for name, text in told.items() if text}
