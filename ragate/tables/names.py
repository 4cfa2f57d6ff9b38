"""What people and tools call a question, a right answer and their like: one table for every reader.

Names are compared without case; a space, a dash and an inner capital are an underscore, so that
``Expected Answer``, ``expectedAnswer`` and ``expected_answer`` are one. An
empty name matches nothing.
"""

import re
from functools import lru_cache
from typing import Any

Names = tuple[str, ...]

# Each part with the names that mean it in any file.
SURE: dict[str, Names] = {
    "id": ("id",),
    "query": ("query", "question", "user_query", "user_question", "user_input"),
    "relevant": (
        *("relevant", "relevant_docs", "relevant_documents", "relevant_doc_ids"),
        *("expected", "expected_docs", "expected_documents", "expected_doc_ids"),
        *("expected_ids", "expected_proposal_ids", "expected_sources", "gold_docs", "gold_doc_ids"),
    ),
    "references": (
        *("references", "reference", "reference_answer", "ground_truth", "ground_truths"),
        *("expected_answer", "expected_output", "expected_response", "truth", "ideal"),
        *("ideal_answer", "gold_answer", "golden_answer", "correct_answer"),
        "ground_truth_answer",
    ),
    "answerable": ("answerable",),
    "tags": ("tags",),
    "must_pass": ("must_pass",),
    "metadata": ("metadata",),
    "messages": ("messages",),
    "tools": ("tools", "functions"),
    "expected_calls": ("expected_calls", "reference_tool_calls", "expected_tools"),
    "answer_keywords": ("answer_keywords", "keywords", "expected_keywords"),
    "source_policy": ("source_policy",),
    "draft": ("draft",),
}
# Names that mean it where nothing else does, the surest first.
LIKELY: dict[str, Names] = {
    "id": (
        *("sample_id", "question_id", "query_id", "case_id", "test_id", "item_id", "example_id"),
        *("qid", "uid", "_id"),
    ),
    "query": (
        *("input", "prompt", "q", "questions", "queries", "message", "instruction"),
        *("query_text", "question_text"),
    ),
    "references": ("expected", "target", "answers", "gt_answer", "answer_gt", "correct_answers"),
    "relevant": (
        *("expected_source", "gold_doc", "context_ids", "reference_context_ids"),
        *("ground_truth_sources", "ground_truth_docs", "ground_truth_doc_ids", "relevant_ids"),
        *("relevant_chunks", "gold_sources"),
        *("source", "sources", "source_file", "source_id", "doc_id", "doc_ids", "document_id"),
        *("document_ids", "document", "documents", "doc", "docs", "file", "files", "file_name"),
        *("filename", "file_path", "path", "url"),
    ),
    "evidence": ("reference_contexts", "gold_contexts", "gold_context", "supporting_passages"),
    "contexts": ("contexts", "context", "passages", "passage"),
    "passages": ("retrieved_contexts", "retrieval_context", "retrieved_chunks", "chunks"),
    "ids": ("retrieved_context_ids", "retrieved_doc_ids", "retrieved_ids"),
    "answer": (
        *("response", "actual_output", "generated_answer", "model_answer", "prediction"),
        *("answer", "output", "a"),
    ),
    "messages": ("history", "chat_history", "conversation"),
    "latency": ("latency", "latency_s"),
    "run": ("run", "epoch", "repeat", "trial", "repetition", "attempt"),
    "tags": ("tag", "category", "group"),
    "error": ("error",),
}
# What the system `replay` reads beside the fields of a golden set.
RECORDED = frozenset(
    {"answer", "contexts", "chunks", "citations", "latency", "error", "run", "hash"}
    | {"usage", "tool_calls", "first_stage", "executed", "finish_reason"}
)
COMMON: dict[str, Names] = {
    part: (*SURE.get(part, ()), *LIKELY.get(part, ())) for part in (*SURE, *LIKELY)
}
_BETWEEN = re.compile(r"[ \-]+")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return a name in small letters, with underscores between its words."""
    return _BETWEEN.sub("_", _CAPITAL.sub("_", name.strip())).lower()


_PART = {name: part for part, names in SURE.items() for name in names}


def part_of(name: Any) -> str:
    """Return what a name means in any file, "" where that depends on the others."""
    return _PART.get(plain(str(name)), "")
