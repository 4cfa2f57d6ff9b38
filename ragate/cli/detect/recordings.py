"""Recorded outputs in a shape of their own, with the way to read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.cli.detect.found_system import FoundSystem
from ragate.outputs.foreign_lines import proposed_mapping

FOLDERS = ("outputs", "output", "evals/outputs", "results", "runs", "predictions", "answers")
LOOKED_AT = 3
MAX_BYTES = 200_000_000


def find_recordings(root: Path) -> Iterator[FoundSystem]:
    """Yield patterns of JSON Lines whose fields look like a question with its answer."""
    for folder in FOLDERS:
        for file in sorted((root / folder).glob("*.jsonl"))[:LOOKED_AT]:
            if (settings := _settings(file, root)) is not None:
                pattern = f"{folder}/*.jsonl"
                yield FoundSystem(
                    "replay",
                    f"the outputs recorded in {pattern}, in fields of their own",
                    96,
                    settings={"paths": [pattern], **settings},
                    policy={"replay_paths": [pattern]},
                    unsure=("what stands where was read from the first lines",),
                )
                break


def _settings(file: Path, root: Path) -> dict[str, Any] | None:
    """Return the keys that read a file, None where its lines are something else."""
    outside = file.is_symlink() or not file.resolve().is_relative_to(root)
    if outside or not file.is_file() or file.stat().st_size > MAX_BYTES:
        return None
    mapping = proposed_mapping(file)
    if mapping.preset:
        return {"preset": mapping.preset}
    pointers = dict(mapping.pointers or {})
    named = "question" in pointers or "id" in pointers
    return (
        {"pointers": pointers}
        if named and ("answer" in pointers or "contexts" in pointers)
        else None
    )
