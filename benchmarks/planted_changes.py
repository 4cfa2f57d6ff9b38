"""Changes to plant in a project over a real collection, and the model that answers there."""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Document = dict[str, Any]
Row = dict[str, Any]
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W_]{3,}")
_PASSAGE = re.compile(r"^\[(\d+)\] [^\n]*\n(.*?)(?=^\[\d+\] |^Question:)", re.S | re.M)
PROMPT = """\
Answer the question with the numbered passages below. {how}
{{% for context in contexts -%}}
[{{{{ context.number }}}}] {{{{ context.doc_id }}}}
{{{{ context.text }}}}
{{% endfor -%}}
Question: {{{{ question }}}}
"""
HOW = "Write whole sentences."
SHORT = "Write eight words."
FREE = "Use what you know."
LAST = "Prefer the last passage."


@dataclass(frozen=True)
class Plant:
    """One planted change.

    Attributes:
        causes: What it is.
        system, answer, bm25: Keys of ``[system]`` and its tables.
        how: The line of the prompt that tells the model how to write.
        corpus, golden: Return the changed documents or questions.
    """

    causes: frozenset[str]
    system: Mapping[str, object] = field(default_factory=dict)
    answer: Mapping[str, object] = field(default_factory=dict)
    bm25: Mapping[str, object] = field(default_factory=dict)
    how: str = HOW
    corpus: Callable[[list[Document]], list[Document]] = lambda documents: documents
    golden: Callable[[list[Row]], list[Row]] = lambda rows: rows

    def and_also(self, other: Plant) -> Plant:
        """Return both changes at once; the other's documents are changed after this one's."""
        return Plant(
            self.causes | other.causes,
            {**self.system, **other.system},
            {**self.answer, **other.answer},
            {**self.bm25, **other.bm25},
            other.how if other.how != HOW else self.how,
            lambda documents: other.corpus(self.corpus(documents)),
            lambda rows: other.golden(self.golden(rows)),
        )


def chosen(name: str, share: int) -> bool:
    """Return True for one of `share` names, always the same ones."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % share == 0


def edited(documents: list[Document]) -> list[Document]:
    """Every fifth document loses every second sentence and gets one of another."""
    others = [one["text"] for one in documents if one["text"]]
    luck = random.Random(1)
    found = []
    for one in documents:
        if chosen(one["_id"], 5):
            kept = _SENTENCE.split(one["text"])[::2]
            kept.insert(len(kept) // 2, _SENTENCE.split(luck.choice(others))[-1])
            found.append({**one, "text": " ".join(kept)})
        else:
            found.append(one)
    return found


def reworded(documents: list[Document]) -> list[Document]:
    """Every document gets a note at its end: all texts differ, and what they say hardly."""
    return [{**one, "text": f"{one['text']} Last seen in review {i % 7}."}
            for i, one in enumerate(documents)]  # fmt: skip


def removed(documents: list[Document]) -> list[Document]:
    """Every tenth document is gone."""
    return [one for one in documents if not chosen(one["_id"], 10)]


def added(documents: list[Document]) -> list[Document]:
    """Every fifth document gets a copy of its first half beside it."""
    halves = [
        {**one, "_id": f"copy-{one['_id']}", "text": one["text"][: len(one["text"]) // 2]}
        for one in documents
        if chosen(one["_id"], 5)
    ]
    return [*documents, *halves]


def renamed(documents: list[Document]) -> list[Document]:
    """Every tenth document has another id."""
    return [
        {**one, "_id": f"{one['_id']}-v2"} if chosen(one["_id"], 10) else one for one in documents
    ]


def relabelled(rows: list[Row]) -> list[Row]:
    """Every fifth question expects the document of the next one, and its reference."""
    keys = ("relevant", "references")
    found = []
    for row, after in zip(rows, [*rows[1:], rows[0]], strict=True):
        labels = {key: after[key] for key in keys if key in after and chosen(row["id"], 5)}
        found.append({**row, **labels})
    return found


R, G, D = frozenset({"retrieval"}), frozenset({"generation"}), frozenset({"data"})
SMALL = {"chunk_size": 32, "chunk_overlap": 8}
UPSTREAM = {
    "chunk_size 512 -> 32": Plant(R, SMALL),
    "chunk_size 512 -> 128": Plant(R, {"chunk_size": 128, "chunk_overlap": 16}),
    "top_k 10 -> 1": Plant(R, {"top_k": 1}),
    "top_k 10 -> 5": Plant(R, {"top_k": 5}),
    "stemmer none": Plant(R, bm25={"stemmer": "none"}),
    "stop_words none": Plant(R, bm25={"stop_words": "none"}),
    "b 0.75 -> 0": Plant(R, bm25={"b": 0.0}),
    "documents edited": Plant(D, corpus=edited),
    "all documents edited": Plant(D, corpus=reworded),
    "documents removed": Plant(D, corpus=removed),
    "documents added": Plant(D, corpus=added),
    "documents renamed": Plant(D, corpus=renamed),
    "labels and references": Plant(D, golden=relabelled),
}
QUOTED = UPSTREAM | {
    "sentences 3 -> 1": Plant(G, answer={"sentences": 1}),
    "threshold 0.25 -> 0.6": Plant(G, answer={"threshold": 0.6}),
    "refusal reworded": Plant(G, answer={"refusal": "No."}),
}
WRITTEN = {
    name: UPSTREAM[name]
    for name in ("chunk_size 512 -> 32", "top_k 10 -> 1", "stemmer none", "documents edited",
                 "documents removed")
} | {
    "prompt: eight words": Plant(G, how=SHORT),
    "prompt: makes up": Plant(G, how=FREE),
    "prompt: another passage": Plant(G, how=LAST),
    "another model": Plant(G, answer={"model": "stub-2"}),
}  # fmt: skip
# Each by the names of what is planted together; who is to blame is seen from each alone.
PAIRS = (
    ("chunk_size 512 -> 32", "sentences 3 -> 1"),
    ("top_k 10 -> 5", "threshold 0.25 -> 0.6"),
    ("documents edited", "sentences 3 -> 1"),
    ("documents edited", "top_k 10 -> 5"),
)
WRITTEN_PAIRS = (
    ("chunk_size 512 -> 32", "prompt: eight words"),
    ("top_k 10 -> 1", "prompt: makes up"),
    ("documents edited", "prompt: another passage"),
)


class _Model(BaseHTTPRequestHandler):
    """Answers with sentences of the passages, as the prompt tells it to."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reply = {
            "id": "1",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": written(body)},
                }
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


_LUCK = random.Random(7)


def written(body: Mapping[str, Any]) -> str:
    """Return the answer; with a temperature, one in four is made otherwise each time."""
    message = body["messages"][-1]["content"]
    wanted = set(_WORD.findall(message.rpartition("Question:")[2].lower()))
    passages = [(int(one[0]), one[1]) for one in _PASSAGE.findall(message)]
    if LAST in message:
        passages = passages[-1:]
    ranked = sorted(
        (
            (-len(wanted & set(_WORD.findall(text.lower()))) * 0.97**number, number, text.strip())
            for number, passage in passages
            for text in _SENTENCE.split(passage)
            if len(text.split()) > 3
        ),
        key=lambda one: one[:2],
    )
    if not ranked:
        return "I do not know."
    if FREE in message:
        return f"It was {wanted and max(wanted)} Zarkov of Ulm in {len(message) % 900 + 1000}."
    first = 1 if body["model"] == "stub-2" else 0
    if body.get("temperature") and _LUCK.random() < 0.25:
        first += _LUCK.randrange(2)
    best = ranked[first : first + 2] or ranked[:1]
    if SHORT in message:
        return " ".join(best[0][2].split()[:8])
    return " ".join(f"{text} [{number}]" for _, number, text in best)


@contextmanager
def model() -> Iterator[str]:
    """Serve the model on the loopback address; yields its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
