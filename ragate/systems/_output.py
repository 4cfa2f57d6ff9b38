"""What foreign code returned, as an output: our type, the fields of a recorded line, a text.

What a worker sent is decoded first, as `ragate.worker.values` packed it. Where the value was an
object, there is one that tells the same of itself, so that the code behind reads it, and says what
is wrong with it, as in ragate's own process.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from ragate.files.pointer import PointerError
from ragate.guards.escape import one_line
from ragate.models import SystemOutput, failed_output
from ragate.outputs.foreign_lines import unsaid
from ragate.outputs.pointed import Pointers, pointed
from ragate.outputs.recorded_output import RecordedOutput
from ragate.protocols import Resources
from ragate.settings import first_fault, shown

# Samples that fail alike are told once, and an address differs with each.
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
    pieces = type(value).__name__ in ("generator", "async_generator")
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
    if isinstance(value, str):
        return SystemOutput(answer=value)
    if not isinstance(value, Mapping):
        what = _ADDRESS.sub("", shown(value))
        raise OutputError(
            f"{who} returned {type(value).__name__} {what}; {EXPECTED}{_joined(value)}"
        )
    # The sample is known here; a recorded line needs to name its own.
    fields = {**value, "id": "-"}
    if silent := unsaid(value):
        raise OutputError(f"{who} returned {silent}")
    try:
        return RecordedOutput.model_validate(fields).output()
    except ValidationError as error:
        raise OutputError(f"{who} returned {_ADDRESS.sub('', first_fault(error))}") from error


def pointed_reply(value: Any, pointers: Pointers, *, folder: str, root: Path) -> dict[str, Any]:
    """Return the parts of a reply in JSON that the pointers lead to.

    Args:
        folder: As of `relative_chunks`.

    Raises:
        OutputError: a pointer leads nowhere, the lists of a reply differ in length, or an id is no
            path through the folder.
    """
    try:
        recorded = pointed(value, pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}") from error
    return relative_chunks(recorded, folder, root)


def plain_json(value: Any) -> Any:
    """Return what a worker sent in the types of JSON: messages and documents as objects."""
    if isinstance(value, list):
        return [plain_json(item) for item in value]
    if isinstance(value, ForeignMessage):
        return {"type": "ai", "content": value.content}
    if isinstance(value, ForeignDocument):
        value = {"page_content": value.page_content, "metadata": value.metadata}
    return {k: plain_json(v) for k, v in value.items()} if isinstance(value, dict) else value


def failed(message: str) -> SystemOutput:
    """Return the failure of the system under test on one sample."""
    return failed_output("system", one_line(message, LONGEST))


def unanswered(message: str) -> SystemOutput:
    """Return a failure that says nothing about the system: it was never reached."""
    return failed_output("provider", one_line(message, LONGEST))


def raised(error: WorkerRaisedError) -> SystemOutput:
    """Return what an exception of the system's own code means for its sample."""
    if error.outage:
        return unanswered(f"what the system reads from cannot be reached: {error}")
    return failed(str(error))


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


# The path of a file as the id of its document: the same on every machine.


def file_id(path: str, folder: str, root: Path, *, where: str) -> str:
    """Return `path` relative to `folder`, with ``/`` between its parts.

    An index may have been made on another machine, where the project lay elsewhere: then what
    follows the folder's name in the path counts, where that file is here if there are several.

    Args:
        path: As a loader tells it: absolute, or relative to where it ran.
        folder: Below `root`; "" means `root`, and a path outside it stays as it is.
        where: What holds the path, for the message.

    Raises:
        OutputError: the path does not lead through the folder.
    """
    file = PurePosixPath(path.removeprefix("file://").replace("\\", "/"))
    base = PurePosixPath((root / folder).as_posix())
    if file.is_relative_to(base):
        return str(file.relative_to(base))
    if not folder:
        return path
    inner = PurePosixPath(folder.replace("\\", "/")).parts
    names, length = file.parts, len(inner)
    starts = [at for at in range(len(names) - length) if names[at : at + length] == inner]
    ends = [PurePosixPath(*names[at + length :]) for at in starts]
    if not ends:
        raise OutputError(
            f"{where} is {path!r}, which is not below {folder!r} ([system] doc_id_relative_to)"
        )
    return str(next((end for end in ends if (root / folder / end).is_file()), ends[-1]))


def relative_chunks(recorded: dict[str, Any], folder: str, root: Path) -> dict[str, Any]:
    """Return the fields of an output whose chunks are named by paths below `folder`.

    Args:
        folder: ``doc_id_relative_to``; "" leaves the ids as they are.

    Raises:
        OutputError: an id is no path through the folder.
    """
    if not folder or "chunks" not in recorded:
        return recorded
    where = "the id of a document"
    chunks = [
        {**chunk, "doc_id": file_id(str(chunk["doc_id"]), folder, root, where=where)}
        if "doc_id" in chunk
        else chunk
        for chunk in recorded["chunks"]
    ]
    return {**recorded, "chunks": chunks}


class ForeignObject:
    """Anything that is no JSON; a class of its own name is made for each."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._shown


@dataclass(repr=False)
class ForeignMessage:
    """A message of LangChain."""

    content: str


@dataclass(repr=False)
class ForeignDocument:
    """A document of LangChain."""

    page_content: Any
    metadata: dict[str, Any]


def decoded(value: Any) -> Any:
    """Return what `ragate.worker.values.encoded` was given.

    Raises:
        ValueError: it is nothing that it gives.
    """
    try:
        return _decoded(value)
    except (TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError("no value that a worker sends") from error


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, content),) = value.items()
        if key.startswith("$"):
            return _special(key, content)
    return {key: _decoded(item) for key, item in value.items()}


def _special(key: str, content: Any) -> Any:
    if key == "$float":
        return float(content)
    if key == "$message":
        return ForeignMessage(str(content))
    if key == "$output":
        return SystemOutput.model_validate(_decoded(content))
    if key == "$pairs":
        return {str(name): _decoded(item) for name, item in content}
    if key == "$object":
        name, text, shown = map(str, content)
        return type(name, (ForeignObject,), {})(text, shown)
    if key == "$document" and isinstance(content["metadata"], dict):
        return ForeignDocument(**_decoded(content))
    raise ValueError(f"{key} is nothing that a worker sends")
