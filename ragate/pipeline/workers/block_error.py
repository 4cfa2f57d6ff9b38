"""Why a block was not done, on its way from a worker to whoever submitted it."""

from pydantic import ValidationError

from ragate import errors
from ragate.errors import RagateError
from ragate.models import Frozen
from ragate.support.escape import one_line

_MOST = 1500  # characters


class _Told(Frozen):
    kind: str
    message: str
    remedy: str


def error_text(error: BaseException) -> str:
    """Return an error as a worker tells it."""
    message, remedy = f"{type(error).__name__}: {error}", ""
    if isinstance(error, RagateError):
        message, remedy = error.message, error.remedy
    told = _Told(kind=type(error).__name__, message=message[:_MOST], remedy=remedy[:_MOST])
    return told.model_dump_json()


def read_error(block: int, text: str) -> RagateError:
    """Return what a worker told as an error of the same kind, whatever anybody wrote there."""
    try:
        told = _Told.model_validate_json(text)
    except ValidationError:
        told = _Told(kind="", message=text, remedy="")
    kind = getattr(errors, told.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, RagateError)):
        kind = RagateError
    message = f"block {block}, on a worker: {one_line(told.message, _MOST)}"
    return kind(message, remedy=one_line(told.remedy, _MOST))
