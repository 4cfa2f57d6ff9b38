"""What one demand of a contract came to."""

import traceback
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Demand:
    """One thing that a plugin has to do.

    Attributes:
        text: What, in words.
        broken: How it does not, "" where it does.
    """

    text: str
    broken: str = ""


def told(error: BaseException, path: Path) -> str:
    """Return an error with the line of the plugin's file that it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
    place = f" ({path.name}:{lines[-1]})" if lines else ""
    return f"raises {type(error).__name__}: {' '.join(str(error).split())[:200]}{place}"
