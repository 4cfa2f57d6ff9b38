"""Why a block was not done, on its way from a worker to whoever submitted it."""

import json

from ragate import errors
from ragate.errors import RagateError
from ragate.support.escape import one_line

_MOST = 1500  # characters


def error_text(error: BaseException) -> str:
    """Return an error as a worker tells it."""
    if not isinstance(error, RagateError):
        said = {"kind": "", "message": f"{type(error).__name__}: {error}"[:_MOST], "remedy": ""}
    else:
        said = {
            "kind": type(error).__name__,
            "message": error.message[:_MOST],
            "remedy": error.remedy[:_MOST],
        }
    return json.dumps(said)


def read_error(block: int, text: str) -> RagateError:
    """Return what a worker told as an error of the same kind, whatever anybody wrote there."""
    kind: object = RagateError
    message, remedy = text, ""
    try:
        said = json.loads(text)
        kind = getattr(errors, str(said["kind"]), RagateError)
        message, remedy = str(said["message"]), str(said["remedy"])
    except (ValueError, TypeError, KeyError):
        pass
    if not (isinstance(kind, type) and issubclass(kind, RagateError)):
        kind = RagateError
    told = f"block {block}, on a worker: {one_line(message, _MOST)}"
    return kind(told, remedy=one_line(remedy, _MOST))
