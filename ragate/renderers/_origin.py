"""What did it, as every format tells it: the first parts, how many more, and how sure that is."""

from typing import NamedTuple

from ragate.models import ChangedPart, ChangeOrigin


class ShownOrigin(NamedTuple):
    """The parts that are listed.

    Attributes:
        more: How many are not.
        alone: The one part is a cause: nothing else differs, and chance is ruled out.
    """

    parts: tuple[ChangedPart, ...]
    more: int
    alone: bool


def shown_origin(origin: ChangeOrigin, most: int) -> ShownOrigin:
    """Return at most so many parts; where more are known none of them alone did it."""
    parts = origin.parts[:most]
    more = origin.more + len(origin.parts) - len(parts)
    return ShownOrigin(parts, more, origin.alone and not more and len(parts) == 1)


def place_of(part: ChangedPart) -> str:
    """Return ``ragate.toml:79``, the file alone where no line is known, "" where no file is."""
    return f"{part.path}:{part.line}" if part.line else part.path
