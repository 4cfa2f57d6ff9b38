"""One answer as the judge gets it: numbered, cut where it is too long, between secret marks."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.conversation import conversation
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import markers, tokens, without_markers
from ragate.guards.escape import sendable
from ragate.judges._asking import CUT
from ragate.models import Sample, SystemOutput

NONCE_DIGITS = 20
MOST_CONTEXT_CHARS = 60_000  # of all contexts together; longer ones are cut evenly


@dataclass(frozen=True)
class JudgedSample:
    """What is judged.

    Attributes:
        contexts: In rank order; their numbers begin at 1.
        sentences: Of the answer, likewise.
        worded: Numbers of the sentences that hold a word or number besides markers.
        cited: By sentence that cites, the contexts it cites, each once; 0 for one that is not
            there. Sentences whose citations all lead nowhere are left out.
        lost: Citations of those left out.
        cut: What was cut, in words, "" where nothing was.
        right_calls, calls: Calls of tools, where they are judged; else there are none.
    """

    question: str
    contexts: tuple[str, ...]
    references: tuple[str, ...]
    sentences: tuple[str, ...]
    answerable: bool
    worded: frozenset[int]
    cited: dict[int, tuple[int, ...]]
    lost: int = 0
    cut: str = ""
    right_calls: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def citing(self) -> frozenset[int]:
        """Numbers of the sentences that hold a citation marker."""
        return frozenset(n for n, text in enumerate(self.sentences, start=1) if markers(text))

    @property
    def reference_sentences(self) -> list[tuple[int, str]]:
        """Sentences of all references, each with the place of its reference; counted from 1."""
        return [
            (place, sentence)
            for place, text in enumerate(self.references)
            for sentence in split_sentences(text) or [text]
        ]


def judged_sample(sample: Sample, output: SystemOutput) -> JudgedSample:
    """Return the case of an output that has an answer."""
    contexts = [sendable(chunk.text) for chunk in output.chunks]
    limit = even_limit([len(text) for text in contexts], MOST_CONTEXT_CHARS)
    answer = sendable(output.answer or "")
    sentences = tuple(split_sentences(answer)) or (" ".join(answer.split()),)
    cited = {
        number: tuple(dict.fromkeys(n if 1 <= n <= len(contexts) else 0 for n in cites))
        for number, sentence in enumerate(sentences, start=1)
        if (cites := markers(sentence))
    }
    resolved = {number: cites for number, cites in cited.items() if any(cites)}
    return JudgedSample(
        question=sendable(conversation(sample)),
        contexts=tuple(text[:limit] for text in contexts),
        references=tuple(sendable(text) for text in sample.references if text.strip()),
        sentences=sentences,
        answerable=sample.answerable,
        worded=frozenset(
            number
            for number, sentence in enumerate(sentences, start=1)
            if tokens(without_markers(sentence))
        ),
        cited=resolved,
        lost=sum(len(cites) for number, cites in cited.items() if number not in resolved),
        cut=_cut(contexts, limit),
    )


def even_limit(lengths: Sequence[int], room: int) -> int:
    """Return the length to cut texts to, the largest with which all together keep within `room`.

    Short texts stay whole and leave their share to the others.
    """
    room_left = room
    for shorter, length in enumerate(ordered := sorted(lengths)):
        share = room_left // (len(ordered) - shorter)
        if length > share:
            return share
        room_left -= length
    return max(lengths, default=0)


def _cut(contexts: Sequence[str], limit: int) -> str:
    total = sum(map(len, contexts))
    if total <= MOST_CONTEXT_CHARS:
        return ""
    return f"{CUT} to {limit} characters each ({total} in all, {MOST_CONTEXT_CHARS} are read)"


def render_data(judged: JudgedSample, *, numbered: bool = False) -> tuple[str, str]:
    """Return the blocks of data, contexts first, and the mark of the blocks behind them.

    A mark is a hash over all that stands between it and its twin, so that no text can hold the mark
    of its own block: who writes the text would have to find a value that hashes to itself. The
    contexts' mark depends on the contexts alone, so that a provider's prefix cache serves every
    answer that rests on them.

    Args:
        numbered: The sentences of the references are numbered, as those of the answer are.
    """
    contexts_mark = _nonce(["contexts", *judged.contexts])
    lines = [f"<contexts {contexts_mark}>"]
    for number, text in enumerate(judged.contexts, start=1):
        lines += [f"<context {number} {contexts_mark}>", text]
    lines.append(f"</contexts {contexts_mark}>")
    references = judged.references
    called = ["calls", *judged.right_calls, "made", *judged.calls] if judged.calls else []
    mark = _nonce(
        ["rest", contexts_mark, judged.question, *references, "answer", *judged.sentences, *called]
    )
    lines += [f"<question {mark}>", judged.question, f"</question {mark}>"]
    for place, text in enumerate(references):
        shown = _numbered_reference(judged, place) if numbered else [text]
        lines += [f"<reference {mark}>", *shown, f"</reference {mark}>"]
    # On one line each: what looks like a further sentence would be judged as one.
    sentences = (
        f"S{number}: {' '.join(text.split())}"
        for number, text in enumerate(judged.sentences, start=1)
    )
    lines += [f"<answer {mark}>", *sentences, f"</answer {mark}>"]
    if judged.calls:
        lines += [f"<right_calls {mark}>", *judged.right_calls, f"</right_calls {mark}>"]
        lines += [f"<calls {mark}>", *judged.calls, f"</calls {mark}>"]
    return "\n".join(lines), mark


def _numbered_reference(judged: JudgedSample, place: int) -> list[str]:
    return [
        f"R{number}: {' '.join(text.split())}"
        for number, (of, text) in enumerate(judged.reference_sentences, start=1)
        if of == place
    ]


def _nonce(texts: Sequence[str]) -> str:
    hashed = hashlib.sha256()
    for text in texts:
        content = text.encode()
        hashed.update(len(content).to_bytes(8, "big"))
        hashed.update(content)
    return hashed.hexdigest()[:NONCE_DIGITS]
