"""Remarks on the changed lines that may explain what got worse: settings, prompts, documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragate.config import Config
from ragate.errors import RagateError
from ragate.files import read_text
from ragate.github import objects
from ragate.github.base import Base
from ragate.github.policy import Place
from ragate.github.publish import Annotation
from ragate.models import Report, SampleRow, Verdict

MOST = 10
MOST_IDS = 5
_HUNK = re.compile(rb"^@@ -[0-9,]+ \+([0-9]+)", re.MULTILINE)


def annotations_of(
    report: Report,
    base: Config,
    head: Config,
    changed: Sequence[str],
    lines: Mapping[str, int],
    place: Place,
) -> tuple[Annotation, ...]:
    """Return the remarks on a change that did not pass; none on one that did.

    Args:
        changed: Files of the change, from the repository's top.
        lines: The first changed line of each, where it is known.
    """
    worse = [row for row in report.samples if row.change in {"worse", "failed", "mixed"}]
    if report.decision.verdict is not Verdict.FAILED or not worse:
        return ()
    found = [
        *_settings(base, head, place, len(worse)),
        *_prompts(head, changed, lines, place, len(worse)),
        *_documents(head, changed, lines, place, worse),
    ]
    return tuple(found[:MOST])


def first_lines(root: Path, base: Base, changed: Iterable[str]) -> dict[str, int]:
    """Return the first changed line of each file, from the local repository."""
    found = {}
    for name in list(changed)[:200]:
        try:
            hunk = _HUNK.search(objects.patch(root, base.sha, base.merged, name))
        except RagateError:
            return found
        if hunk is not None:
            found[name] = max(1, int(hunk[1]))
    return found


def _settings(base: Config, head: Config, place: Place, worse: int) -> Iterable[Annotation]:
    try:
        text = read_text(head.root / place.name, error=RagateError)
    except RagateError:
        return
    for table, key, old, new in _differing("system", _table(base), _table(head)):
        line = _line_of(text, table, key)
        title = f"{table}.{key}: {_shown(old)} to {_shown(new)}"
        told = f"This setting changed, and {worse} questions got worse."
        yield Annotation(place.at(place.name), line, title, told)


def _table(config: Config) -> dict[str, Any]:
    return {"use": config.system.use, **config.system.settings}


def _differing(
    table: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterable[tuple[str, str, Any, Any]]:
    for key in dict.fromkeys([*new, *old]):
        then, now = old.get(key), new.get(key)
        if isinstance(then, Mapping) and isinstance(now, Mapping):
            yield from _differing(f"{table}.{key}", then, now)
        elif then != now:
            yield table, key, then, now


def _line_of(text: str, table: str, key: str) -> int:
    """Return the line of a key in its table, else of the table, else 1."""
    at, current = 1, ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            current = header[1]
            at = number if current == table else at
        elif current == table and re.match(rf"\s*{re.escape(key)}\s*[=.]", line):
            return number
    return at


def _prompts(
    head: Config, changed: Sequence[str], lines: Mapping[str, int], place: Place, worse: int
) -> Iterable[Annotation]:
    answer = head.system.settings.get("answer")
    prompt = answer.get("prompt") if isinstance(answer, Mapping) else None
    if isinstance(prompt, str) and place.at(prompt) in changed:
        name = place.at(prompt)
        told = f"This prompt changed, and {worse} questions got worse."
        yield Annotation(name, lines.get(name, 1), "changed prompt", told)


def _documents(
    head: Config,
    changed: Sequence[str],
    lines: Mapping[str, int],
    place: Place,
    worse: Sequence[SampleRow],
) -> Iterable[Annotation]:
    corpus = head.system.settings.get("corpus")
    if not isinstance(corpus, str):
        return
    folder = place.at(corpus.strip("/"))
    for name in changed:
        doc_id = name.removeprefix(f"{folder}/")
        ids = [row.sample_id for row in worse if doc_id in _concerned(row)]
        if doc_id != name and ids:
            more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
            told = f"Questions that got worse: {', '.join(ids[:MOST_IDS])}{more}."
            yield Annotation(name, lines.get(name, 1), "changed document", told)


def _concerned(row: SampleRow) -> set[str]:
    """Return the documents that a sample's fall is about: expected, lost, or pushed in front."""
    cause = row.cause
    return {*row.expected, *(cause.lost if cause else ()), *(cause.displaced_by if cause else ())}


def _shown(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
