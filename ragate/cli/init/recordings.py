"""Files of answers and of scores that are there already, known by reading their first lines."""

import glob
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.errors import DatasetError, RagateError, UsageError
from ragate.files.pointer import PointerError, one
from ragate.outputs.foreign_lines import proposed_mapping
from ragate.outputs.outputs_file import read_outputs
from ragate.tables.containers import records

FOLDERS = ("outputs", "output", "evals/outputs", "results", "runs", "predictions", "answers")
MAX_BYTES = 200_000_000
SCORE_BYTES = 20_000_000
MOST_FILES, MOST_LINES = 30, 500
LATEST_OF_DEEPEVAL = PurePosixPath(".deepeval/.latest_test_run.json")
_QUESTIONS = re.compile(r"golden|question|quer(y|ies)|qa|eval|test_?set|dataset|benchmark", re.I)
_SCORES = re.compile(r"score|result|eval|latest_test_run|ragas|deepeval|promptfoo|junit", re.I)
_SCORE_FILES = frozenset({".json", ".jsonl", ".csv", ".xml", ".eval"})


def find_recorded(root: Path, files: Iterable[PurePosixPath]) -> list[str]:
    """Return patterns of JSON Lines with questions and answers.

    In a folder whose name tells nothing they must hold passages as well: logs and training data
    have questions with answers too.
    """
    lines = [file for file in files if file.suffix == ".jsonl" and len(file.parts) <= 3]
    told = [file for file in lines if str(file.parent) in FOLDERS]
    untold = [file for file in lines if file not in told and not _QUESTIONS.search(file.as_posix())]
    patterns = [
        "*.jsonl" if file.parent == PurePosixPath() else f"{glob.escape(str(file.parent))}/*.jsonl"
        for file in [*told, *untold][:MOST_FILES]
        if _is_inside(root / file, root, MAX_BYTES)
        and _settings(root / file, whole=file not in told) is not None
    ]
    return list(dict.fromkeys(patterns))


def recorded_files(root: Path, pattern: str) -> list[Path]:
    """Return the files of a pattern.

    Raises:
        UsageError: it leads out of the folder.
    """
    path = PurePosixPath(pattern)
    if path.is_absolute() or ".." in path.parts:
        raise UsageError(f"{pattern}: recordings are named below {root}, such as outputs/*.jsonl")
    return sorted(root.glob(pattern))


def recorded_settings(root: Path, pattern: str) -> dict[str, Any]:
    """Return the keys of ``[system]`` that read recordings, as the first of them shows."""
    found = (_settings(file, whole=False) for file in recorded_files(root, pattern))
    return next((settings for settings in found if settings), {})


def _is_inside(file: Path, root: Path, most: int) -> bool:
    outside = file.is_symlink() or not file.resolve().is_relative_to(root)
    return not outside and file.is_file() and file.stat().st_size <= most


def _settings(file: Path, *, whole: bool) -> dict[str, Any] | None:
    """Return the keys that read a file, None where its lines are something else.

    Args:
        whole: Answer and passages are both wanted.
    """
    if _is_native(file):
        return {}
    mapping = proposed_mapping(file)
    if mapping.preset:
        return {"preset": mapping.preset}
    pointers = dict(mapping.pointers)
    if "question" in pointers and "id" in pointers and _repeats(file, pointers["id"]):
        del pointers["id"]  # of a request or a session: a question is found by its text
    named = "question" in pointers or "id" in pointers
    held = [part in pointers for part in ("answer", "contexts")]
    return {"pointers": pointers} if named and (all(held) if whole else any(held)) else None


def _is_native(file: Path) -> bool:
    try:
        first = next(read_outputs(file)[1], None)
    except RagateError:
        return False
    return first is not None and (first[1].answer is not None or bool(first[1].chunks))


def _repeats(file: Path, pointer: str) -> bool:
    """Whether two of the first lines have one id."""
    try:
        rows = islice(records(file, error=DatasetError), MOST_LINES)
        ids = [str(one(dict(row), pointer)) for _, row in rows]
    except (DatasetError, PointerError):
        return False
    return len(set(ids)) < len(ids)


def find_scores(root: Path, files: Iterable[PurePosixPath]) -> list[str]:
    """Return the files that an evaluator wrote: known by its marks, or by metrics' names."""
    likely = [file for file in files if file.suffix in _SCORE_FILES and _SCORES.search(str(file))]
    return [
        str(file)
        for file in [LATEST_OF_DEEPEVAL, *likely][:MOST_FILES]
        if _is_inside(root / file, root, SCORE_BYTES) and _holds_scores(root / file)
    ]


def _holds_scores(path: Path) -> bool:
    from ragate.scores.known_metrics import known
    from ragate.scores.read_rows import read_scores

    try:
        file = read_scores(path)
        first = next(file.rows, None)
    except RagateError:
        return False
    if first is None:
        return False
    is_anybodys = file.format.name in {"plain", "junit"}  # tests of code are no scores of a RAG
    return not is_anybodys or any(known(name) is not None for name in first.scores)
