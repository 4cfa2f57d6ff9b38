"""Recorded outputs in a shape of their own, with the way to read them."""

import glob
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.cli.detect.candidate import RagCandidate
from ragate.errors import DatasetError
from ragate.outputs.foreign_lines import proposed_mapping
from ragate.support.find_files import folders_in
from ragate.support.pointer import PointerError, one
from ragate.support.records import records

FOLDERS = ("outputs", "output", "evals/outputs", "results", "runs", "predictions", "answers")
LOOKED_AT = 3
MAX_BYTES = 200_000_000
MOST_FOLDERS = 100
MOST_LINES = 500
_QUESTIONS = re.compile(r"golden|question|quer(y|ies)|qa|eval|test_?set|dataset|benchmark", re.I)
_PASSED_OVER = frozenset({"test", "tests", "baselines", "dist", "build", "target", "vendor"})
# Beside code that answers: recordings in a folder of that name win, others do not.
_LIKELY, _UNTOLD = 96, 50


def find_recordings(root: Path) -> Iterator[RagCandidate]:
    """Yield patterns of JSON Lines whose fields look like a question with its answer.

    In a folder whose name tells nothing they must hold passages as well: logs and training data
    have questions with answers too.
    """
    for folder in FOLDERS:
        yield from _in_folder(folder, root, _LIKELY)
    for folder in _other_folders(root):
        yield from _in_folder(folder, root, _UNTOLD)


def _in_folder(folder: str, root: Path, likelihood: int) -> Iterator[RagCandidate]:
    """Yield the pattern of the first file of a folder that can be read."""
    for file in sorted((root / folder).glob("*.jsonl"))[:LOOKED_AT]:
        untold = likelihood == _UNTOLD
        if untold and _QUESTIONS.search(file.relative_to(root).as_posix()):
            continue  # a golden set may hold answers and passages, of people
        settings = _settings(file, root, whole=untold)
        if settings is not None:
            pattern = f"{glob.escape(folder)}/*.jsonl" if folder != "." else "*.jsonl"
            yield RagCandidate(
                "replay",
                f"the outputs recorded in {pattern}, in fields of their own",
                likelihood,
                settings={"paths": [pattern], **settings},
                policy={"replay_paths": [pattern]},
                notes=("what stands where was read from the first lines",),
            )
            return


def _repeats(file: Path, pointer: str) -> bool:
    """Whether two of the first lines have one id."""
    seen = set()
    try:
        for _, row in islice(records(file, error=DatasetError), MOST_LINES):
            value = str(one(dict(row), pointer))
            if value in seen:
                return True
            seen.add(value)
    except (DatasetError, PointerError):
        return False
    return False


def _other_folders(root: Path) -> list[str]:
    """Return the root and the folders below it, two deep, whose names tell nothing."""
    first = [folder for folder in folders_in(root) if folder.name not in _PASSED_OVER]
    second = [below for folder in first for below in folders_in(folder)[:MOST_FOLDERS]]
    names = [folder.relative_to(root).as_posix() for folder in [*first, *second]]
    told = [name for name in names if name not in FOLDERS and name.isprintable()]
    return [".", *told[:MOST_FOLDERS]]


def _settings(file: Path, root: Path, *, whole: bool) -> dict[str, Any] | None:
    """Return the keys that read a file, None where its lines are something else.

    Args:
        whole: Answer and passages are both wanted.
    """
    outside = file.is_symlink() or not file.resolve().is_relative_to(root)
    if outside or not file.is_file() or file.stat().st_size > MAX_BYTES:
        return None
    mapping = proposed_mapping(file)
    if mapping.preset:
        return {"preset": mapping.preset}
    pointers = dict(mapping.pointers)
    if "question" in pointers and "id" in pointers and _repeats(file, pointers["id"]):
        del pointers["id"]  # of a request or a session: a question is found by its text
    named = "question" in pointers or "id" in pointers
    held = [part in pointers for part in ("answer", "contexts")]
    return {"pointers": pointers} if named and (all(held) if whole else any(held)) else None
