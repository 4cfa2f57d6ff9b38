"""The review file: proposals with boxes to tick, written and read back.

What a corpus says stands in it indented, on one line and without hidden characters, so that no
document can tick a box of its own.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragate.core.hashing import digest
from ragate.dataset import Entry
from ragate.errors import DatasetError
from ragate.pipeline.golden.suggest import Suggestion
from ragate.support.escape import one_line
from ragate.support.foreign_files import read_text

MAX_BYTES = 64 * 1024 * 1024
_TEXT = 400
_HEADING = re.compile(r"## (\".*\") ([0-9a-f]{16})")
_BOX = re.compile(r"- \[(.*?)\] (\".*)")
_TICKS = {"x": 1, "X": 1, "": None}
_HEAD = """\
# Review of {path}

Put an x into the box of each document that answers its question, or a grade: 0 for one that does
not, 2 or more for one that answers it better than others. An empty box says nothing. Then:

    ragate dataset suggest {path} --apply THIS-FILE
"""


def review_text(path: Path, suggestions: Sequence[Suggestion]) -> str:
    """Return the review file for these proposals; every box is empty."""
    return _HEAD.format(path=path) + "".join(
        line for suggestion in suggestions for line in _section(suggestion)
    )


def _section(suggestion: Suggestion) -> Iterator[str]:
    sample_id = json.dumps(suggestion.sample_id, ensure_ascii=False)
    yield f"\n## {sample_id} {digest(suggestion.query)}\n"
    yield f"> {one_line(suggestion.query, 1000)}\n\n"
    if suggestion.error:
        yield f"> nothing was retrieved: {one_line(suggestion.error)}\n"
    for proposal in suggestion.proposals:
        score = "" if proposal.score is None else f", score {proposal.score:.4g}"
        mark = ", labelled already" if proposal.doc_id in suggestion.labelled else ""
        doc_id = json.dumps(proposal.doc_id, ensure_ascii=False)
        yield f"- [ ] {doc_id} (rank {proposal.rank}{score}{mark})\n"
        yield f"      {one_line(proposal.text, _TEXT)}\n"


def read_review(path: Path, entries: Mapping[str, Entry]) -> dict[str, dict[str, int]]:
    """Return the grades that a person gave, by sample and document.

    Args:
        entries: The golden set, by id.

    Raises:
        DatasetError: a line cannot be read, or is about a question that is not there or that was
            edited since; names the line.
    """
    text = read_text(path, error=DatasetError, max_bytes=MAX_BYTES)
    grades: dict[str, dict[str, int]] = {}
    sample_id = ""
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{path}:{number}"
        if line.startswith("## "):
            sample_id = _sample(where, line.rstrip(), entries)
        elif line.startswith("- ["):
            doc_id, grade = _box(where, line.rstrip())
            if not sample_id:
                raise DatasetError(f"{where}: a box before any question")
            if grade is not None:
                grades.setdefault(sample_id, {})[doc_id] = grade
    return grades


def _sample(where: str, line: str, entries: Mapping[str, Entry]) -> str:
    heading = _HEADING.fullmatch(line)
    if heading is None:
        raise DatasetError(f'{where}: {line[:80]!r}: a heading is ## "id" and a hash, as written')
    sample_id = str(json.loads(heading[1]))
    if sample_id not in entries:
        raise DatasetError(f"{where}: no sample has the id {sample_id!r}")
    if digest(entries[sample_id].sample.query) != heading[2]:
        raise DatasetError(
            f"{where}: {sample_id!r} was edited after this review was written",
            remedy="write the review anew: `ragate dataset suggest --review FILE`",
        )
    return sample_id


def _box(where: str, line: str) -> tuple[str, int | None]:
    box = _BOX.fullmatch(line)
    try:
        doc_id, _ = json.JSONDecoder().raw_decode(box[2] if box else "")
        tick = box[1].strip() if box else ""
        grade = _TICKS[tick] if tick in _TICKS else int(tick)
    except ValueError as error:
        raise DatasetError(
            f"{where}: {line[:80]!r}: a box holds nothing, an x or a grade, as in - [x]"
        ) from error
    if grade is not None and not -1 <= grade <= 1000:
        raise DatasetError(f"{where}: grade {grade}: must be from -1 to 1000")
    return str(doc_id), grade
