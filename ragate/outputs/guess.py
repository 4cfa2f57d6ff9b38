"""A guess at how a stranger's recorded outputs are to be read, proposed and never taken unasked."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.outputs.exports import preset_of
from ragate.outputs.exports.texts import (
    ANSWER_NAMES,
    CHUNK_NAMES,
    ID_NAMES,
    SCORE_NAMES,
    SOURCE_NAMES,
    TEXT_NAMES,
)
from ragate.outputs.fields import Leaf, fields_of

_FIRST_LINES = 20
_QUESTION = ("question", "query", "user_input", "user_query", "prompt", "input", "q")
_ANSWERS = (*ANSWER_NAMES, "prediction", "generated_text", "llm_output", "final_answer")
_SAMPLE = ("id", "sample_id", "question_id", "query_id", "qid", "example_id", "case_id")
_LISTS = (
    *("contexts", "context", "retrieved_contexts", "retrieval_context", "passages", "documents"),
    *("docs", "chunks", "sources", "source_documents", "retrieved_documents", "results", "hits"),
)
_LISTED_IDS = (
    *("ids", "doc_ids", "document_ids", "context_ids", "retrieved_context_ids", "source_ids"),
    *("sources", "retrieved_ids", "urls", "files"),
)
_NOT_ANSWERS = ("expected", "reference", "ground", "gold", "truth", "metadata", "error")
_CHATS = ("messages", "history", "turns", "choices", "conversation")


@dataclass(frozen=True)
class ProposedMapping:
    """What to write below ``[system]``: a preset, or pointers by their key."""

    preset: str = ""
    pointers: Mapping[str, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.preset or self.pointers)

    def toml(self) -> str:
        """Return it as a person pastes it into ragate.toml."""
        if self.preset:
            return f'preset = "{self.preset}"  # a key of [system]'
        pointers = self.pointers or {}
        lines = [f"{key} = {quoted(pointer)}" for key, pointer in pointers.items()]
        if not {"id", "question"} & pointers.keys():
            lines.append('# question = "/…"  which field is the question, or the id of the sample?')
        return "\n".join(["[system.pointers]", *lines])


def quoted(pointer: str) -> str:
    """Return a text of TOML; what it may not hold as it is, is escaped."""
    escaped = (
        f"\\u{ord(char):04x}" if ord(char) < 0x20 or ord(char) == 0x7F else char
        for char in pointer.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{"".join(escaped)}"'


def guess_mapping(rows: Iterable[Mapping[str, Any]]) -> ProposedMapping:
    """Return how the first lines may be read; empty where neither answer nor contexts are seen."""
    first = [row for _, row in zip(range(_FIRST_LINES), rows, strict=False)]
    tools = {preset_of(row) for row in first}
    if len(tools) == 1 and (tool := tools.pop()):
        return ProposedMapping(preset=tool)
    seen = _Seen([fields_of(row) for row in first])
    question = seen.best(_is_text, _QUESTION, lone=True) or seen.asked()
    sample = seen.best(_is_id, _SAMPLE, lone=True)
    contexts = seen.passages()
    answer = seen.answer(besides={question, sample, contexts})
    if not answer and not contexts:
        return ProposedMapping()
    pointers = {
        "id": sample,
        "question": question,
        "answer": answer,
        "contexts": contexts,
        "ids": seen.ids(contexts),
        "scores": seen.beside(contexts, _is_number, SCORE_NAMES) if contexts else "",
    }
    return ProposedMapping(pointers={key: value for key, value in pointers.items() if value})


class _Seen:
    """The leaves of the first lines, by pointer."""

    def __init__(self, rows: Sequence[Sequence[Leaf]]) -> None:
        self._values: dict[str, list[Any]] = {}
        for row in rows:
            for pointer, value in row:
                self._values.setdefault(pointer, []).append(value)
        self._most = Counter({pointer: len(values) for pointer, values in self._values.items()})

    def best(
        self,
        fits: Callable[[Any], bool],
        names: Sequence[str],
        *,
        lone: bool,
        besides: Iterable[str] = (),
    ) -> str:
        """Return the pointer with the likeliest name of those whose values fit, "" where none does.

        Args:
            lone: Whether it leads to one value of a line, or to one of each of a list's items.
        """
        found = [
            (-self._most[pointer], names.index(name), pointer.count("/"), pointer)
            for pointer, values in self._values.items()
            if ("*" not in pointer.split("/")) == lone
            and pointer not in besides
            and not any(word in pointer.lower() for word in _CHATS)
            and (name := pointer.rpartition("/")[2].lower()) in names
            and any(map(fits, values))
        ]
        return min(found)[-1] if found else ""

    def answer(self, *, besides: Iterable[str]) -> str:
        """Return where the answer is: under a usual name, else the longest text of the lines."""
        taken = set(besides)
        usual = [
            pointer
            for pointer in self._values
            if not any(word in pointer.lower() for word in _NOT_ANSWERS)
        ]
        named = self.best(
            _is_text, _ANSWERS, lone=True, besides=taken | set(self._values) - {*usual}
        )
        if named:
            return named
        sizes = {
            pointer: sum(len(value) for value in self._values[pointer] if _is_prose(value))
            for pointer in usual
            if "*" not in pointer.split("/") and pointer not in taken
        }
        longest = max(sizes, key=lambda pointer: sizes[pointer], default="")
        return longest if longest and sizes[longest] else ""

    def asked(self) -> str:
        """Return the first field whose values mostly end like a question."""
        for pointer, values in self._values.items():
            if "*" not in pointer.split("/"):
                ending = sum(_is_text(value) and value.rstrip().endswith("?") for value in values)
                if 2 * ending > len(values):
                    return pointer
        return ""

    def passages(self) -> str:
        """Return where the passages are: texts of listed objects, else a list of texts."""
        objects = self.best(_is_text, TEXT_NAMES, lone=False)
        return objects or self.best(_is_texts, _LISTS, lone=True)

    def beside(self, contexts: str, fits: Callable[[Any], bool], names: Sequence[str]) -> str:
        """Return what the objects of the passages' list say of each."""
        holder, star, _ = contexts.rpartition("/*")
        if contexts and not star:
            return ""
        elsewhere = [
            pointer
            for pointer in self._values
            if contexts and not pointer.startswith(f"{holder}/*/")
        ]
        return self.best(fits, names, lone=False, besides=elsewhere)

    def ids(self, contexts: str) -> str:
        """Return where the passages' documents are: beside each, else a list beside theirs."""
        names = (*ID_NAMES, *SOURCE_NAMES, *CHUNK_NAMES)
        beside = self.beside(contexts, _is_id, names)
        return beside or self.best(_is_texts, _LISTED_IDS, lone=True, besides={contexts})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and " " in value.strip()


def _is_id(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, int) and not isinstance(value, bool))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)
