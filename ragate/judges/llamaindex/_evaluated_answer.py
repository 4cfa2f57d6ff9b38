"""One answer as text that can be sent to an evaluator."""

from dataclasses import dataclass

from ragate.core.conversation import conversation
from ragate.judges._asking import sendable
from ragate.judges.llamaindex._windows import UnjudgeableError
from ragate.models import Sample, SystemOutput


@dataclass(frozen=True)
class EvaluatedAnswer:
    """What is judged; `other` is the answer that it is compared with."""

    query: str
    text: str
    contexts: tuple[str, ...]
    references: tuple[str, ...]
    other: str = ""

    def check_length(self, limit: int) -> None:
        """A cut answer could hide anything, so a long one is not judged.

        Raises:
            UnjudgeableError: one of the answers is longer than `limit` characters.
        """
        if (length := max(len(self.text), len(self.other))) > limit:
            raise UnjudgeableError(f"the answer has {length} characters, {limit} are judged")


def evaluated_answer(
    sample: Sample, output: SystemOutput, other: SystemOutput | None = None
) -> EvaluatedAnswer:
    """Return what is sent of an answer, and of the one that it is compared with."""
    return EvaluatedAnswer(
        query=sendable(conversation(sample)),
        text=sendable(output.answer or ""),
        contexts=tuple(sendable(chunk.text) for chunk in output.chunks),
        references=tuple(sendable(text) for text in sample.references if text.strip()),
        other=sendable(other.answer or "") if other is not None else "",
    )
