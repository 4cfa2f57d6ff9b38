"""A stored run as it may leave the machine, by ``[policy] publish``."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragate.core.plain_settings import plain_settings
from ragate.core.published_sentences import WITHHELD
from ragate.models import Publish, Record, Report
from ragate.stores.run_files import MANIFEST, REPORT, RUN_FILES, SCORES
from ragate.stores.stored_record import read_records, record_line
from ragate.support.atomic_files import write_atomic, write_lines


def copy_run(source: Path, target: Path, report: Report | None, *, publish: Publish) -> None:
    """Leave a stored run in `target`, without the texts that must not leave.

    What is left out of ``answers``: full outputs and recorded requests, which hold passages, and
    reasons of scores, which quote them. Of ``ids`` also answers, messages of failures, and the
    words that a metric weighs.

    Args:
        report: The run's report as it is published; None where it has none.
    """
    target.mkdir(parents=True, exist_ok=True)
    if publish == "full":
        for name in RUN_FILES:
            if (source / name).is_file():
                _link(source / name, target / name)
        return
    if report is not None:
        write_atomic(target / REPORT, report.model_dump_json(indent=1).encode())
    # Files of their own in place of links: the run at home keeps its texts.
    records = map(_without_reasons, read_records(source / SCORES))
    if publish == "ids":
        records = map(_of_ids, records)
    write_lines(target / SCORES, [record_line(record) for record in records])
    manifest = _manifest(json.loads((source / MANIFEST).read_bytes()), publish)
    write_atomic(target / MANIFEST, json.dumps(manifest, sort_keys=True).encode() + b"\n")


def _manifest(manifest: dict[str, Any], publish: Publish) -> dict[str, Any]:
    """Return the manifest with the figures of whole passes, and without why one is missing."""
    passes = manifest.get("aggregates", [])
    aggregates = [
        {
            name: [cell[0], WITHHELD, *cell[2:]] if isinstance(cell, list) else cell
            for name, cell in row.items()
        }
        for row in passes
    ]
    states = {} if publish == "ids" else manifest.get("states", {})
    system = manifest["system"]
    system = system | {"settings": plain_settings(system.get("settings", {}))}
    return manifest | {"aggregates": aggregates, "states": states, "system": system}


def _without_reasons(record: Record) -> Record:
    scores = {
        key: replace(score, reason=WITHHELD) if score.reason else score
        for key, score in record.scores.items()
    }
    return record.amended(scores=scores)


def _of_ids(record: Record) -> Record:
    output, error = record.output, record.output.error
    failure = None if error is None else error.amended(message=WITHHELD)
    return record.amended(output=output.amended(answer=None, error=failure))


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copyfile(source, target)
