"""What an exception of the project's code tells: each error of its chain with file and line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

MOST_CAUSES = 10
MOST_OF_A_TRACE = 20_000  # characters
_LONGEST_TEXT = 800
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_OURS = Path(__file__).absolute().parent


def summary(error: BaseException, root: str) -> str:
    """Return an exception with its place, and what it came from: a line unless its text has more.

    Args:
        root: The project's folder; files below it are told relative to it.
    """
    return "; caused by ".join(_told(each, root) for each in _causes(error))


def trace(error: BaseException) -> str:
    """Return the whole traceback, causes first, as the interpreter prints it."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return text if len(text) <= MOST_OF_A_TRACE else f"…{text[-MOST_OF_A_TRACE:]}"


def place(error: BaseException, root: str) -> str:
    """Return where an exception was raised, as ``rag.py:12, in answer``; "" where that is unknown.

    The last line of the project counts, since what a library does below it is of no help; without
    one, the last line there is.
    """
    folder = Path(root)
    if isinstance(error, SyntaxError) and error.filename:
        file = Path(error.filename).absolute()
        return f"{file.relative_to(folder) if _is_own(file, folder) else file}:{error.lineno}"
    frames = [frame for frame in _frames(error) if not frame.filename.startswith("<")]
    lines = [(Path(frame.filename).absolute(), frame) for frame in frames]
    lines = [line for line in lines if _OURS not in line[0].parents]
    own = [line for line in lines if _is_own(line[0], folder)]
    if not lines:
        return ""
    path, last = (own or lines)[-1]
    return f"{path.relative_to(folder) if own else path}:{last.lineno}, in {last.name}"


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))


def _told(error: BaseException, root: str) -> str:
    try:
        text = str(error.msg if isinstance(error, SyntaxError) else error)[:_LONGEST_TEXT]
    except Exception:  # noqa: BLE001 - foreign code
        text = "(its text cannot be had)"
    head = f"{type(error).__name__}: {text}" if text else type(error).__name__
    where = place(error, root)
    return f"{head} ({where})" if where else head


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, as a traceback goes, each once."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and len(seen) < MOST_CAUSES:
        seen.append(current)
        yield current
        context = None if current.__suppress_context__ else current.__context__
        current = current.__cause__ or context
        if any(current is one for one in seen):
            return


def _is_own(path: Path, root: Path) -> bool:
    """Return whether a file is the project's, and not of an environment inside of its folder."""
    if root not in path.parents or _LIBRARIES & {*path.parts}:
        return False
    prefix = Path(sys.prefix).absolute()
    return root not in prefix.parents or prefix not in path.parents
