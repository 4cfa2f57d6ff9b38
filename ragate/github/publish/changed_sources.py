"""The files of a change that the system reads, and annotations on the lines of them that differ."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

from ragate.config import Config
from ragate.core.publishable import published_line
from ragate.github.commits.changed_files import texts_of
from ragate.github.commits.commit_tree import ConfigLocation, Tree, text_of
from ragate.github.publish.workflow_commands import Level
from ragate.guards.escape import one_line
from ragate.models import Report, SampleRow, Verdict
from ragate.renderers._numbers import counted

_HEADER = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]+"|'[^']+')(?:\s*\.\s*[\w"'-]+)*)\s*=""")
_SYSTEM = re.compile(r"system(\..+)?")
_REMARK = re.compile(r"""\s+#[^"']*$""")
_LONGEST = 120  # characters of an entry or a slice
_HUGE = 2000  # characters of a line
MOST = 10  # annotations; GitHub shows no more of a step
MOST_IDS = 3
Remark = tuple[str, int, str]  # path, line, message


@dataclass(frozen=True)
class Sources:
    """The files of the base and of the change, by their paths from the repository's top.

    Attributes:
        changed: What the change touches.
        config: The configuration.
        named: Changed files that ``[system]`` names, such as a prompt.
        corpus: The folder of the documents, "" where it is not known.
    """

    base: Tree
    head: Tree
    changed: Sequence[str]
    config: str
    named: frozenset[str] = frozenset()
    corpus: str = ""

    def texts(self, path: str) -> tuple[str, str]:
        """Return both versions of a file; "" for one that is absent or cannot be read."""
        return text_of(self.base.read, path), text_of(self.head.read, path)


def sources_of(
    base: Tree, head: Tree, changed: Sequence[str], config: Config, location: ConfigLocation
) -> Sources:
    """Return what a change can be explained by: its configuration and what that names."""
    settings = config.system.settings
    patterns = [location.at(PurePosixPath(text).as_posix()) for text in texts_of(settings)]
    named = [path for path in changed if any(_names(pattern, path) for pattern in patterns)]
    corpus = settings.get("corpus")
    folder = location.at(PurePosixPath(corpus).as_posix()) if isinstance(corpus, str) else ""
    return Sources(base, head, changed, location.path, named=frozenset(named), corpus=folder)


def _names(pattern: str, path: str) -> bool:
    return path == pattern or ("*" in pattern and fnmatchcase(path, pattern))


def changed_keys(sources: Sources) -> Iterator[tuple[int, str]]:
    """Yield line and words of each key of ``[system]`` that differs: ``top_k = 1 (was 10)``."""
    if sources.config not in sources.changed:
        return
    before, after = map(_entries, sources.texts(sources.config))
    for key, entry in after.items():
        old = before.get(key)
        if old is None:
            yield entry.line, f"{entry.text} (new)"
        elif old.text != entry.text:
            yield entry.line, f"{entry.text} (was {_value(old.text)})"

    top = min((entry.line for entry in after.values()), default=1)
    for key, entry in before.items():
        if key not in after:
            yield top, f"removed: {entry.text}"


def _value(entry: str) -> str:
    """Return what stands behind the key, without it: it stands beside its new value."""
    return entry.partition("=")[2].strip() or entry


class _Entry(NamedTuple):
    """A key of the configuration with its value, as they stand there.

    Attributes:
        line: The number of its first line.
    """

    line: int
    text: str


def _entries(text: str) -> dict[tuple[str, str], _Entry]:
    """Return the entries of ``[system]`` and its tables by table and key, in order.

    The text need not be TOML that can be read: what is not understood is left out.
    """
    first_lines: dict[tuple[str, str], int] = {}
    texts: dict[tuple[str, str], list[str]] = {}
    table, current = "", None
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.fullmatch(line):
            table, current = header[1], None
        elif not line.strip() or line.lstrip().startswith("#"):
            current = None
        elif key := _KEY.match(line):
            current = (table, key[1])
            first_lines[current] = number
            texts[current] = [_without_remark(line)]
        elif current is not None:  # a value that goes on
            texts[current].append(_without_remark(line))
    return {
        (table, key): _Entry(line, one_line(" ".join(texts[table, key]), _LONGEST))
        for (table, key), line in first_lines.items()
        if _SYSTEM.fullmatch(table)
    }


def _without_remark(line: str) -> str:
    """Return a line without the comment at its end; a huge one is left, it would take its time."""
    return line if len(line) > _HUGE else _REMARK.sub("", line)


def first_changed(sources: Sources, path: str) -> int:
    """Return the first line of a file that differs, 1 for a new one."""
    before, after = (text.split("\n") for text in sources.texts(path))
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old != new:
            return number
    return min(len(before), len(after))  # where one goes on beyond the other


def document_paths(docs: Iterable[str], sources: Sources) -> Iterator[str]:
    """Yield the changed files that documents are, where there is no doubt which."""
    for doc_id in dict.fromkeys(docs):
        if sources.corpus:
            fits = [path for path in sources.changed if path == f"{sources.corpus}/{doc_id}"]
        else:
            fits = [path for path in sources.changed if f"/{path}".endswith(f"/{doc_id}")]
        if len(fits) == 1:
            yield fits[0]


@dataclass(frozen=True)
class Annotation:
    """A remark on a changed line that explains a flip."""

    path: str
    line: int
    title: str
    message: str
    level: Level = "warning"


def annotations_for(report: Report, sources: Sources) -> tuple[Annotation, ...]:
    """Return the remarks on changed lines; none where no question got worse."""
    worse = [row for row in report.samples if row.change in {"worse", "failed", "mixed"}]
    if not worse:
        return ()
    ids = _listed([row.sample_id for row in worse])
    fallen = [one_line(row.key, _LONGEST) for row in report.decision.slices if row.blocks]
    on_slices = f" (slices that fell: {', '.join(fallen[:MOST_IDS])})" if fallen else ""
    why = f"{counted(len(worse), 'question')} got worse{on_slices}: {ids}"
    remarks = [
        *_keys(report, sources, why),
        *_named(sources, why),
        *_documents(sources, worse),
    ]

    title = f"{report.gate}: may explain the change"
    level: Level = "error" if report.decision.verdict is Verdict.FAILED else "warning"
    return tuple(
        Annotation(path, line, title, message, level) for path, line, message in remarks[:MOST]
    )


def _listed(ids: Sequence[str]) -> str:
    unlisted = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(one_line(key, 40) for key in ids[:MOST_IDS]) + unlisted


def _keys(report: Report, sources: Sources, why: str) -> Iterator[Remark]:
    for line, text in changed_keys(sources):
        shown = text if report.publish == "full" else published_line(text)
        yield sources.config, line, f"{shown}; {why}"


def _named(sources: Sources, why: str) -> Iterator[Remark]:
    for path in sources.changed:
        if path in sources.named:
            yield path, first_changed(sources, path), f"[system] reads this file; {why}"


def _documents(sources: Sources, worse: Sequence[SampleRow]) -> Iterator[Remark]:
    """Yield changed documents that left the results, displaced others or came back otherwise.

    Those of most questions come first.
    """
    affected: dict[tuple[str, str], list[str]] = {}
    for row in worse:
        if row.cause is None:
            continue
        docs_by_effect = {
            "left the results in": row.cause.lost,
            "took the place of an expected document in": row.cause.displaced_by,
            "came back with other text in": row.cause.edited,
        }
        for effect, docs in docs_by_effect.items():
            for path in document_paths(docs, sources):
                affected.setdefault((path, effect), []).append(row.sample_id)

    most_questions_first = sorted(affected.items(), key=lambda item: -len(item[1]))
    for (path, effect), ids in most_questions_first:
        remark = f"{effect} {counted(len(ids), 'question')}: {_listed(ids)}"
        yield path, first_changed(sources, path), remark
