"""What is taken from a reply, and how it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.init.ask import Asked
from ragate.cli.init.config_text import RecordedParts
from ragate.cli.init.documents import known_documents
from ragate.cli.init.look_once import (
    Taken,
    correction,
    missing_sources,
    own_variables,
    take,
    taken_lines,
)
from ragate.cli.init.survey import look
from ragate.cli.one_question import WITHOUT_DOCUMENTS
from ragate.models import RetrievedChunk, SystemOutput
from tests.repositories import git
from tests.unit.cli.init.init_factories import write

HITS = [{"file": "kb/a.md", "body": "Text.", "slug": "a"}]
REPLY = {"reply": "So.", "hits": HITS}
READ = SystemOutput(answer="So.", chunks=(RetrievedChunk(doc_id="a.md", text="T"),))


def taken(root: Path, reply: Any, *, output: SystemOutput | None = None, **more: Any) -> Taken:
    write(root, {"kb/a.md": "# A\n\nText.", "kb/b.md": "# B\n\nText."})
    asked = Asked({"target": "rag:answer"}, reply, output or SystemOutput(answer=""), 0.2, True)
    return take(asked, known_documents(look(root)), "Why?", more.pop("corrected", None))


def test_pointers_read_a_shape_of_its_own(tmp_path: Path):
    found = taken(tmp_path, REPLY)

    assert found.settings == {
        "target": "rag:answer",
        "pointers": {"answer": "/reply", "contexts": "/hits/*/body", "ids": "/hits/*/file"},
    }
    assert (found.parts.answers, found.parts.texts, found.parts.ids) == (True, True, True)


def test_what_is_read_without_pointers_gets_none(tmp_path: Path):
    reply = {"answer": "So.", "chunks": [{"doc_id": "a.md", "text": "T"}]}

    assert taken(tmp_path, reply, output=READ).settings == {"target": "rag:answer"}


def test_a_text_alone_is_an_answer_without_passages(tmp_path: Path):
    found = taken(tmp_path, "So.", output=SystemOutput(answer="So."))

    assert found.settings == {"target": "rag:answer"}
    assert (found.parts.answers, found.parts.ids) == (True, False)
    assert "no passages" in "\n".join(taken_lines(found))


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (RecordedParts(ids=False, texts=False), "No sources came back"),
        (RecordedParts(texts=False), "No texts of passages came back"),
        (RecordedParts(), ""),
    ],
)
def test_what_lacks_sources_is_shown_how_to_return_them(parts: RecordedParts, told: str):
    lines = "\n".join(missing_sources(parts, "Until when?"))

    assert told in lines
    assert ('"chunks": [{"doc_id"' in lines) is bool(told)


def test_a_question_that_nobody_asked_says_little_of_sources():
    lines = "\n".join(missing_sources(RecordedParts(ids=False, texts=False), WITHOUT_DOCUMENTS))

    assert "write one" in lines.lower()
    assert "cannot be gated" not in lines


def test_variables_that_only_this_machine_has_are_named(tmp_path: Path):
    git(write(tmp_path, {".env.example": "KEY=\n"}), "init", "-q")
    git(tmp_path, "add", ".")
    assert own_variables(look(tmp_path)) == ""

    write(tmp_path, {".env/bin/activate": "", ".env.sample": "KEY=\n"})
    assert own_variables(look(tmp_path)) == ""

    write(tmp_path, {".env.local": "KEY=secret\n"})

    assert own_variables(look(tmp_path)) == ".env.local"


def test_paths_of_this_machine_are_told_relative_to_the_folder(tmp_path: Path):
    found = taken(tmp_path, {"answer": "So.", "docs": [{"path": f"{tmp_path}/kb/a.md"}]})

    assert found.settings["doc_id_relative_to"] == "kb"
    assert found.settings["pointers"]["ids"] == "/docs/*/path"


def test_a_correction_counts_and_is_shown_with_what_is_wrong(tmp_path: Path):
    right = taken(tmp_path, REPLY, corrected={"ids": "/hits/*/slug"})
    wrong = taken(tmp_path, REPLY, corrected={"ids": "/hits/*/slog"})

    assert right.settings["pointers"]["ids"] == "/hits/*/slug"
    assert right.spelling.how == "kb/, by path without its ending"
    assert "wrong: /hits/*/slog leads nowhere" in "\n".join(taken_lines(wrong))


def test_the_reply_is_shown_with_what_stands_where(tmp_path: Path):
    lines = "\n".join(taken_lines(taken(tmp_path, REPLY)))

    assert "It answered in 0.20 s, and the same when it was asked again:" in lines
    assert "answer      /reply  So." in lines
    assert "documents   /hits/*/file  1: kb/a.md (100% known: kb/, by path below the root)" in lines
    assert "not found: scores, citations, usage" in lines


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("documents=/hits/*/slug", {"ids": "/hits/*/slug"}),
        (" documents = /a ", {"ids": "/a"}),
        ("citations=none", {"citations": ""}),
        ("title=/a", None),
        ("documents", None),
        ("documents=hits", None),
    ],
)
def test_a_correction_is_a_part_and_a_pointer(typed: str, told: dict[str, str] | None):
    assert correction(typed) == told
