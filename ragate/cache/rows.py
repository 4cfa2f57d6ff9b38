"""The rows of the cache, as types and as text; what does not fit is no row."""

import json
import math
import re
import struct
from collections.abc import Mapping, Sequence

from pydantic import Field, ValidationError

from ragate.models import Frozen, Score, ScoreState

KEY = re.compile(r"[0-9a-f]{16,64}")
_MAX_TEXT = 4 * 1024**2
_MAX_DIMENSION = 16_000


class Draw(Frozen):
    """One answer of a model to a request, with what it cost when it was made."""

    text: str = Field(min_length=1, max_length=_MAX_TEXT)
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    finish_reason: str = ""


class Judgement(Frozen):
    """A judge's score on one criterion; `value` is None where it does not apply."""

    value: float | None
    reason: str = ""


def read_draw(text: object) -> Draw | None:
    """Return the draw, None where the text is none."""
    try:
        return Draw.model_validate_json(text, strict=True) if isinstance(text, str) else None
    except ValidationError:
        return None


def score_text(score: Score) -> str | None:
    """Return a score as text, None for one that was not measured: such are never kept."""
    if score.state is ScoreState.UNSCORED:
        return None
    return json.dumps({"value": score.value, "reason": score.reason})


def read_score(criterion: str, text: object) -> Score | None:
    """Return the score, None where the text is none."""
    try:
        row = Judgement.model_validate_json(text, strict=True) if isinstance(text, str) else None
    except ValidationError:
        return None
    if row is None or (row.value is not None and not math.isfinite(row.value)):
        return None
    state = ScoreState.NOT_APPLICABLE if row.value is None else ScoreState.VALUE
    return Score(metric=criterion, value=row.value, state=state, reason=row.reason)


def vector_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as 32-bit floats, little-endian."""
    return struct.pack(f"<{len(vector)}f", *vector)


def read_vector(content: object) -> list[float] | None:
    """Return the vector, None where the bytes are no finite numbers."""
    if not isinstance(content, bytes) or not 4 <= len(content) <= 4 * _MAX_DIMENSION:
        return None
    if len(content) % 4:
        return None
    vector = list(struct.unpack(f"<{len(content) // 4}f", content))
    return vector if all(map(math.isfinite, vector)) else None


def checked_keys(keys: Mapping[str, object] | Sequence[str]) -> list[str]:
    """Return the keys, all of them digests.

    Raises:
        ValueError: one is not: a caller's mistake.
    """
    wrong = [key for key in keys if not KEY.fullmatch(key)]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no digest")
    return list(keys)
