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
