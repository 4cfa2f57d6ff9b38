"""What foreign code returned, as an output: our type, a recorded line, a dataclass, a text."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ragate.models import Failure, SystemOutput
from ragate.outputs.foreign_lines import unsaid
from ragate.outputs.pointed import Pointers, pointed
from ragate.outputs.recorded_output import RecordedOutput
from ragate.protocols import Resources
from ragate.support.escape import one_line
from ragate.support.pointer import PointerError
from ragate.support.settings import shown
from ragate.worker.outage import is_outage
from ragate.worker.raised import summary

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
EXPECTED = (
    "expected a text, a dict with the fields of a recorded output (answer, chunks, …), a dataclass,"
    " a pydantic model or a SystemOutput"
)
LONGEST = 2000  # characters of a failure: the first lines of what a service says of it


class WorkerRaisedError(Exception):
    """The project's code raised in its worker.

    Attributes:
        outage: What it raised was a connection that failed.
    """

    def __init__(self, summary: str, *, outage: bool) -> None:
        super().__init__(summary)
        self.outage = outage


class OutputError(Exception):
    """What came back for one sample is no output; the sample fails with this message."""


def _joined(value: Any) -> str:
    pieces = hasattr(value, "__next__") or hasattr(value, "__anext__")
    return "; join the pieces that it yields in a function around it" if pieces else ""


def to_output(value: Any, *, who: str) -> SystemOutput:
    """Return `value` as an output.

    Args:
        who: What returned it, for the message.

    Raises:
        OutputError: names what came, and what is expected.
    """
    if isinstance(value, SystemOutput):
        return value
    if isinstance(value, RecordedOutput):
        return value.output()
    if isinstance(value, str):
        return SystemOutput(answer=value)
    fields = _fields(value)
    if fields is None:
        # Samples that fail alike are told once: an address differs with each.
        what = _ADDRESS.sub("", shown(value))
        raise OutputError(
            f"{who} returned {type(value).__name__} {what}; {EXPECTED}{_joined(value)}"
        )
    if silent := unsaid(fields):
        raise OutputError(f"{who} returned {silent}")
    # The sample is known here; a recorded line needs to name its own.
    fields["id"] = "-"
    try:
        return RecordedOutput.model_validate(fields).output()
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        reason = problem["msg"].removeprefix("Value error, ")
        got = "" if not field else f" (got {shown(problem['input'])})"
        raise OutputError(f"{who} returned {f'{field}: ' if field else ''}{reason}{got}") from error


def _fields(value: Any) -> dict[str, Any] | None:
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return None


def pointed_reply(value: Any, pointers: Pointers) -> dict[str, Any]:
    """Return the parts of what a function returned that the pointers lead to.

    Tuples are read as lists, models and dataclasses as objects, documents of LangChain as objects
    with ``page_content`` and ``metadata``.

    Raises:
        OutputError: a pointer leads nowhere.
    """
    try:
        return pointed(_plain(value), pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "page_content") and hasattr(value, "metadata"):
        return {"page_content": value.page_content, "metadata": _plain(value.metadata)}
    fields = _fields(value)
    return value if fields is None else {key: _plain(item) for key, item in fields.items()}


def failed(message: str) -> SystemOutput:
    """Return the failure of the system under test on one sample."""
    return SystemOutput(error=Failure(kind="system", message=one_line(message, LONGEST)))


def unanswered(message: str) -> SystemOutput:
    """Return a failure that says nothing about the system: it was never reached."""
    return SystemOutput(error=Failure(kind="provider", message=one_line(message, LONGEST)))


def raised(error: BaseException, root: Path) -> SystemOutput:
    """Return what an exception of the system's own code means for its sample.

    Args:
        root: The project's folder, which its files are named from.
    """
    if isinstance(error, WorkerRaisedError):
        message, outage = str(error), error.outage
    else:
        message, outage = one_line(summary(error, str(root)), LONGEST), is_outage(error)
    if outage:
        return unanswered(f"what the system reads from cannot be reached: {message}")
    return failed(message)


def wanted(output: SystemOutput, resources: Resources, *, took: float) -> SystemOutput:
    """Return the part of `output` that this run asks for (``--top-k``, retrieval only).

    Args:
        took: Seconds until the answer, where it does not tell its own.
    """
    if output.latency_s is None:
        output = output.amended(latency_s=took)
    if resources.top_k is not None:
        output = output.amended(chunks=output.chunks[: resources.top_k])
    return output.amended(answer=None, citations=None) if resources.retrieval_only else output
