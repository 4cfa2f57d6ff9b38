"""A stored run as it may leave the machine, by ``[policy] publish``."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

from ragate.core.publishable import WITHHELD
from ragate.models import Publish, Record, Report
from ragate.stores.stored_record import read_records, record_line
from ragate.support.atomic_files import write_atomic, write_lines

SCORES, MANIFEST, REPORT = "scores.jsonl", "manifest.json", "report.json"
OUTPUTS = "outputs.jsonl"  # with full passages
RUN_FILES = {
    MANIFEST: 256 * 1024 * 1024,
    SCORES: 256 * 1024 * 1024,
    OUTPUTS: 1024 * 1024 * 1024,
    REPORT: 256 * 1024 * 1024,
    "requests.jsonl.gz": 256 * 1024 * 1024,
}
_WITHOUT_PASSAGES = (MANIFEST, SCORES)


def copy_run(source: Path, target: Path, report: Report | None, *, publish: Publish) -> None:
    """Leave a stored run in `target`, without the texts that must not leave.

    What is left out of ``answers``: full outputs and recorded requests, which hold passages. Of
    ``ids`` also answers, messages of failures, and the words that a metric weighs.

    Args:
        report: The run's report as it is published; None where it has none.
    """
    target.mkdir(parents=True, exist_ok=True)
    for name in RUN_FILES if publish == "full" else _WITHOUT_PASSAGES:
        if (source / name).is_file():
            _link(source / name, target / name)
    if publish == "full":
        return
    if report is not None:
        write_atomic(target / REPORT, report.model_dump_json(indent=1).encode())
    if publish == "ids":
        # New files in place of the links: the run at home keeps its texts.
        write_lines(
            target / SCORES,
            [record_line(_of_ids(record)) for record in read_records(source / SCORES)],
        )
        manifest = json.loads((source / MANIFEST).read_bytes()) | {"states": {}}
        write_atomic(target / MANIFEST, json.dumps(manifest, sort_keys=True).encode() + b"\n")


def _of_ids(record: Record) -> Record:
    output, error = record.output, record.output.error
    failure = None if error is None else error.amended(message=WITHHELD)
    scores = {
        key: replace(score, reason=WITHHELD) if score.reason else score
        for key, score in record.scores.items()
    }
    return record.amended(output=output.amended(answer=None, error=failure), scores=scores)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copyfile(source, target)
