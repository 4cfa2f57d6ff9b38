"""Projects with a gate, and what their checks report."""

from __future__ import annotations

from typing import Any

from tests.projects import right


def lost(share: int):
    """Every `share`-th question loses its document and its answer."""

    def answer(number: int, _run: int) -> dict[str, Any]:
        if number % share:
            return right(number, 0)
        return {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Other."}]}

    return answer


def wobbly(shift: int):
    """One question in eight is answered in other words, another one in every run."""

    def answer(number: int, run: int) -> dict[str, Any]:
        found = right(number, run)
        if number % 8 == (run + shift) % 8:
            found["answer"] = f"Somebody said that there may be {number} apples. [1]"
        return found

    return answer
