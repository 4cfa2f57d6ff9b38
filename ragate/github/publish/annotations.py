"""Annotations on the changed lines that may explain what got worse, and on no other line."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ragate.config import Config
from ragate.errors import RagateError
from ragate.github.commits.policy_files import ConfigLocation
from ragate.github.commits.relevance import texts_of
from ragate.github.publish.workflow_commands import Level
from ragate.models import Report, SampleRow, Verdict
from ragate.renderers._numbers import counted
from ragate.support.escape import one_line

MOST = 10
MOST_IDS = 3
_LONGEST = 120
_HEADER = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]+"|'[^']+')(?:\s*\.\s*[\w"'-]+)*)\s*=""")
_SYSTEM = re.compile(r"system(\..+)?")
Read = Callable[[str], bytes | None]
Entries = dict[tuple[str, str], tuple[int, str]]


@dataclass(frozen=True)
class Annotation:
    """A remark on a changed line that explains a flip."""

    path: str
    line: int
    title: str
    message: str
    level: Level = "warning"


@dataclass(frozen=True)
class Sources:
    """The files of the base and of the change.

    Attributes:
        base, head: Give a file's content by its path from the repository's top.
        config: The configuration.
        named: Changed files that ``[system]`` names, such as a prompt.
        corpus: The folder of the documents, "" where it is not known.
    """

    base: Read
    head: Read
    config: str
    named: frozenset[str] = frozenset()
    corpus: str = ""

    def texts(self, path: str) -> tuple[str, str]:
        """Return both versions of a file; "" for one that is absent or cannot be read."""
        return _text(self.base, path), _text(self.head, path)


def _text(read: Read, path: str) -> str:
    try:
        content = read(path)
    except RagateError:
        return ""
    return (content or b"").decode("utf-8-sig", "replace")


def sources_of(
    base: Read, head: Read, config: Config, location: ConfigLocation, changed: Sequence[str]
) -> Sources:
    """Return what a change can be explained by: its configuration and what that names."""
    settings = config.system.settings
    corpus = settings.get("corpus")
    named = {location.at(PurePosixPath(text).as_posix()) for text in texts_of(settings)}
    return Sources(
        base,
        head,
        location.path,
        named=frozenset(named & set(changed)),
        corpus=location.at(PurePosixPath(corpus).as_posix()) if isinstance(corpus, str) else "",
    )


def annotations_for(
    report: Report, changed: Sequence[str], sources: Sources
) -> tuple[Annotation, ...]:
    """Return the remarks on changed lines; none where no question got worse."""
    worse = [row for row in report.samples if row.change in {"worse", "failed", "mixed"}]
    if not worse:
        return ()
    failed = report.decision.verdict is Verdict.FAILED
    title = f"{report.gate}: may explain the change"
    ids = _listed([row.sample_id for row in worse])
    fallen = [one_line(row.key, _LONGEST) for row in report.decision.slices if row.blocks]
    on_slices = f" (slices that fell: {', '.join(fallen[:MOST_IDS])})" if fallen else ""
    why = f"{counted(len(worse), 'question')} got worse{on_slices}: {ids}"
    remarks = [
        *_keys(changed, sources, why),
        *_named(changed, sources, why),
        *_documents(changed, sources, worse),
    ]
    return tuple(
        Annotation(path, line, title, message, "error" if failed else "warning")
        for path, line, message in remarks[:MOST]
    )


def _listed(ids: Sequence[str]) -> str:
    unlisted = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(one_line(key, 40) for key in ids[:MOST_IDS]) + unlisted


def _keys(changed: Sequence[str], sources: Sources, why: str) -> Iterator[tuple[str, int, str]]:
    path = sources.config
    if path not in changed:
        return
    before, after = (_entries(text) for text in sources.texts(path))
    for key, (line, text) in after.items():
        old = before.get(key)
        if old is None:
            yield path, line, f"{text} (new); {why}"
        elif old[1] != text:
            yield path, line, f"{text} (was {old[1]}); {why}"
    top = min((line for line, _ in after.values()), default=1)
    for key, (_, text) in before.items():
        if key not in after:
            yield path, top, f"removed: {text}; {why}"


def _entries(text: str) -> Entries:
    """Return the keys of ``[system]`` and its tables with their lines and texts, in order.

    The text need not be TOML that can be read: what is not understood is left out.
    """
    entries: dict[tuple[str, str], tuple[int, list[str]]] = {}
    table, current = "", None
    for number, line in enumerate(text.split("\n"), 1):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header is not None:
            table, current = header[1], None
        elif not line.strip() or line.lstrip().startswith("#"):
            current = None
        elif key is not None:
            current = (table, key[1])
            entries[current] = (number, [line])
        elif current is not None:
            entries[current][1].append(line)
    return {
        key: (number, one_line(" ".join(lines), _LONGEST))
        for key, (number, lines) in entries.items()
        if _SYSTEM.fullmatch(key[0])
    }


def _named(changed: Sequence[str], sources: Sources, why: str) -> Iterator[tuple[str, int, str]]:
    for path in changed:
        if path in sources.named:
            yield path, _first_changed(sources, path), f"[system] reads this file; {why}"


def _first_changed(sources: Sources, path: str) -> int:
    before, after = (text.split("\n") for text in sources.texts(path))
    pairs = enumerate(zip(before, after, strict=False), 1)
    shorter = min(len(before), len(after))
    line = next((number for number, (old, new) in pairs if old != new), shorter)
    return max(1, min(line, len(after)))


def _documents(
    changed: Sequence[str], sources: Sources, worse: Sequence[SampleRow]
) -> Iterator[tuple[str, int, str]]:
    """Yield changed documents that left the results, displaced others or came back otherwise.

    Those of most questions come first.
    """
    affected: dict[tuple[str, str], list[str]] = {}
    for row in worse:
        cause = row.cause
        for effect, docs in (
            ("left the results in", cause.lost if cause else ()),
            ("took the place of an expected document in", cause.displaced_by if cause else ()),
            ("came back with other text in", cause.edited if cause else ()),
        ):
            for path in _paths(docs, changed, sources.corpus):
                affected.setdefault((path, effect), []).append(row.sample_id)
    for (path, effect), ids in sorted(affected.items(), key=lambda item: -len(item[1])):
        remark = f"{effect} {counted(len(ids), 'question')}: {_listed(ids)}"
        yield path, _first_changed(sources, path), remark


def _paths(docs: Iterable[str], changed: Sequence[str], corpus: str) -> Iterator[str]:
    """Yield the changed files that documents are, where there is no doubt which."""
    for doc_id in dict.fromkeys(docs):
        if corpus:
            fits = [path for path in changed if path == f"{corpus}/{doc_id}"]
        else:
            fits = [path for path in changed if f"/{path}".endswith(f"/{doc_id}")]
        if len(fits) == 1:
            yield fits[0]
