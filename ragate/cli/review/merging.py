"""``ragate review --from``: labels that were given elsewhere, added to the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.cli.finding import plural
from ragate.core.hashing import content_hash
from ragate.dataset import labels_beside, merge_review_labels, read_dataset, read_given_labels
from ragate.errors import DatasetError
from ragate.support.escape import one_line
from ragate.support.foreign_files import MAX_BYTES, read_bytes

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models import ReviewLabel

_STDIN = Path("-")


def merged_lines(config: Config, given: Path, output: Path | None) -> Iterator[str]:
    """Add labels to the file of labels, and yield what was done.

    Args:
        given: The file, or ``-`` for the standard input.
        output: None adds to the file beside the golden set.

    Raises:
        DatasetError: a label cannot be read, is of another gate, or contradicts one that is there;
            nothing is added then.
    """
    name, content = _content(given)
    labels = read_given_labels(name, content)
    if foreign := sorted({label.gate for label in labels} - {config.gate}):
        raise DatasetError(
            f"{name}: labels of the gate {one_line(foreign[0], 60)!r}; this is {config.gate!r}",
            remedy="name that gate's configuration with --config; nothing was added",
        )
    others = _of_others(config, labels)  # a broken golden set is told before anything is added
    path = output or labels_beside(config.dataset)
    added = merge_review_labels(path, labels)
    yield f"{plural(added, 'label')} added to {path}" if added else "no label was added"
    if known := len(labels) - added:
        yield f"{plural(known, 'label')} given before"
    if others:
        yield (
            f"{plural(len(others), 'label')} of samples that the golden set does not hold as they "
            f"were judged: {one_line(', '.join(others[:5]), 200)}"
        )


def _content(given: Path) -> tuple[str, bytes]:
    if given != _STDIN:
        return str(given), read_bytes(given, error=DatasetError)
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DatasetError(f"standard input: more than {MAX_BYTES} bytes")
    return "standard input", content


def _of_others(config: Config, labels: list[ReviewLabel]) -> list[str]:
    hashes = {sample.id: content_hash(sample) for sample in read_dataset(config.dataset)}
    return [label.id for label in labels if hashes.get(label.id) != label.sample]
