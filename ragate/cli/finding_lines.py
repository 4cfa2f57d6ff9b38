"""Lines of the configuration and the golden set that a report's findings belong to."""

from __future__ import annotations

from pathlib import Path

from ragate.config import Config
from ragate.config.toml_lines import key_lines
from ragate.dataset import read_entries
from ragate.errors import RagateError
from ragate.github.publish.changed_sources import Sources, changed_keys
from ragate.models import ChangedPart, Report, SourceLines
from ragate.support import git
from ragate.support.foreign_files import read_text


def with_lines(report: Report, config: Config, *, ci: bool) -> Report:
    """Return the report with the lines of its findings, as far as the files can be read.

    Args:
        ci: HEAD may be the merge of a pull request, whose first parent is the base.
    """
    top = git.repository(config.root) or config.root
    path = config.root / config.path.name
    text = _text(path)
    metrics, slices = _rule_lines(text, [each.name for each in config.policy.slices])
    shown = _relative(path, top) or config.path.name
    lines = SourceLines(
        config=shown,
        metrics=metrics,
        slices=slices,
        samples=_sample_lines(report, config.dataset, top),
        changed=_changed(shown, text, top, ci=ci),
    )
    return report.amended(lines=lines)


def _rule_lines(text: str, names: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the lines of the metrics' and the slices' tables; slices stand in the order given."""
    metrics: dict[str, int] = {}
    slices: list[int] = []
    for line, keys, is_item in key_lines(text):
        if keys[:2] == ("policy", "metrics") and len(keys) > 2:
            metrics.setdefault(keys[2], line)
        elif keys == ("policy", "slices") and is_item:
            slices.append(line)
    return metrics, dict(zip(names, slices, strict=False))


def _sample_lines(report: Report, dataset: Path, top: Path) -> dict[str, tuple[str, int | None]]:
    wanted = {row.sample_id for row in report.samples}
    wanted |= {row.sample_id for row in report.decision.must_pass if not row.met}
    if not wanted:
        return {}
    whole = _relative(dataset, top)
    found: dict[str, tuple[str, int | None]] = {key: (whole, None) for key in wanted if whole}
    try:
        entries = read_entries(dataset)
    except RagateError:  # it changed since: the verdict stands, only its lines are not known
        return found
    for entry in entries:
        path, _, line = entry.place.rpartition(":")
        shown = _relative(Path(path), top)
        if entry.sample.id in wanted and shown and line.isdecimal():
            found[entry.sample.id] = (shown, int(line))
    return found


def _changed(path: str, text: str, top: Path, *, ci: bool) -> tuple[ChangedPart, ...]:
    base = (git.merge_parent(top) if ci else "") or git.branch_point(top)
    before = git.file_at(top, base, path)
    if not before:
        return ()
    sources = Sources(lambda _: before.encode(), lambda _: text.encode(), path)
    parts = changed_keys([path], sources)
    return tuple(ChangedPart(words=words, path=path, line=line) for line, words in parts)


def _relative(path: Path, top: Path) -> str:
    return path.relative_to(top).as_posix() if path.is_relative_to(top) else ""


def _text(path: Path) -> str:
    try:
        return read_text(path, error=RagateError)
    except RagateError:
        return ""
