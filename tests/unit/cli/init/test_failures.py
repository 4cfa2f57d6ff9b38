"""What a failed try is told: the cause as it was, and the one thing to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.init.failures import unanswered
from ragate.errors import RagateError


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("the service answered 401: Not authenticated", "--header Authorization=RAG_AUTHORIZATION"),
        ("Error: Cannot find module '/app/dist/index.js'", "npm run build"),
        ("SyntaxError: './rag.js' does not provide an export named 'ask'", "write `export`"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "start it"),
        ("a reply of what is no JSON: The answer is", "--have code"),
        ("importing rag raised KeyError: 'COHERE_API_KEY'", "--pass-env COHERE_API_KEY"),
        ("OpenAIError: the OPENAI_API_KEY environment variable", "--pass-env OPENAI_API_KEY"),
        ("no such file or directory, open 'vectors.json'", "filled first: npm run index"),
        ("the service answered 404: Not Found", "which path takes the question"),
        ("something else", "mend it there"),
    ],
)
def test_each_kind_of_failure_has_its_remedy(tmp_path: Path, message: str, remedy: str) -> None:
    error = RagateError(message, remedy="mend it there" if message == "something else" else "")

    told = unanswered([error], tmp_path, hidden=frozenset(), fills=["npm run index"])

    assert message in told.message
    assert remedy in told.remedy


def test_a_path_that_is_missing_is_told_after_what_else_was_said(tmp_path: Path) -> None:
    failed = [RagateError("answered 404: /ask"), RagateError("answered 422: name is required")]

    told = unanswered(failed, tmp_path, hidden={"A_KEY"}, fills=[])

    assert told.message.startswith("answered 422")
    assert told.remedy.startswith("--pass-env NAME lets it have a key; mend it and type the same")


@pytest.mark.parametrize(("count", "told"), [(3, "reason 2"), (4, "; and 1 more reason")])
def test_three_reasons_are_told_and_the_others_counted(
    tmp_path: Path, count: int, told: str
) -> None:
    failed = [RagateError(f"reason {number}") for number in range(count)]

    assert unanswered(failed, tmp_path, hidden=frozenset(), fills=[]).message.endswith(told)
