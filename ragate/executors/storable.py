"""Results as a run can hold them: finite numbers, whole characters, and not too deep."""

from ragate.errors import ProviderError
from ragate.models import CallResult
from ragate.support.strict_json import loads

DEEPEST = 32  # arrays and objects; an outputs file, which may nest twice as deep, wraps them


def storable(text: str) -> CallResult:
    """Return the value of one JSON text, or why a run cannot hold it."""
    try:
        value = loads(text, where="its result", error=ProviderError, max_depth=DEEPEST)
    except ProviderError as error:
        return CallResult(error=str(error))
    return CallResult(value=value)
