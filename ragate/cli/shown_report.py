"""What this process may show of a report, and what is shown beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragate.cli.operations import in_ci
from ragate.config import Config, preset_file
from ragate.config.toml_lines import key_lines
from ragate.dataset import read_entries
from ragate.errors import ConfigError, RagateError
from ragate.models import ChangedPart, CheckoutRules, Report, SourceLines
from ragate.outputs.mapping import MAPPING_KEYS
from ragate.support import git
from ragate.support.escape import one_line, plain
from ragate.support.foreign_files import read_text


def detailed(
    report: Report,
    config: Config,
    state: Path,
    destinations: Sequence[tuple[str, Path | None]],
    *,
    folder: Path | None = None,
    outputs: Sequence[Path] = (),
) -> Report:
    """Return the report with what a page, SARIF or JSON shows beside it, where one is wanted.

    Args:
        state: The state folder, which holds the run.
        folder: The run's own, where it is not the one of its id.
        outputs: Files that it was judged from, where its folder holds none.
    """
    names = {name for name, _ in destinations}
    if "sarif" in names:
        report = with_lines(report, config, ci=in_ci())
    if names.isdisjoint({"html", "json"}):
        return report
    from ragate.pipeline.run_details import with_details, with_questions
    from ragate.stores.local import LocalStore

    store = LocalStore(state)
    folder = folder or store.folder(report.run_id)
    if "json" in names:
        report = with_questions(report, config, store, folder)
    if "html" not in names:
        return report
    return with_details(report, config, store, folder, outputs=outputs)


def shown_here(report: Report) -> Report:
    """Return the report as it may be shown: others read what a job of CI prints and writes."""
    if not in_ci():
        return report
    from ragate.core.publishable import publishable

    return publishable(report)


def summary(report: Report) -> str:
    """Return the verdict in one line, for when the reports go to files."""
    reasons = "; ".join(report.decision.reasons[:3])
    told = filter(None, (report.gate, report.decision.verdict.words, reasons))
    return plain(one_line(": ".join(told)))


# Whether a verdict on a checkout went by rules that are the change's own.
#
# The action judges by the base's policy, golden set and baseline. A command judges by what is
# checked out, which on a branch may be what the branch made of them.


def with_checkout_rules(report: Report, config: Config, *, ci: bool) -> Report:
    """Return the report with whose rules it went by, where that may not be the base's."""
    rules = checkout_rules(config, ci=ci)
    return report if rules is None else report.amended(checkout_rules=rules)


def checkout_rules(config: Config, *, ci: bool) -> CheckoutRules | None:
    """Return what of the checkout's rules is its own; None where nothing is, or without git.

    Args:
        ci: HEAD may be the merge of a pull request, whose first parent is the base.
    """
    top = git.repository(config.root)
    if top is None or not git.head_commit(top):
        return None
    base = _base(top, ci=ci)
    differing = {
        "golden set": _differs(top, base, config.dataset),
        "baseline": _differs(top, base, config.baseline),
    }
    for prompt in config.prompts:
        differs = _differs(top, base, prompt)
        known = differing.get("judge prompt", False)
        differing["judge prompt"] = None if None in (differs, known) else bool(known or differs)
    if not base or None in differing.values():
        return CheckoutRules(base_read=False)
    differing = {"policy": _policy_differs(config, top, base), **differing}
    changed = tuple(kind for kind, differs in differing.items() if differs)
    return (
        CheckoutRules.model_validate({"base_read": True, "changed": changed}) if changed else None
    )


def _base(top: Path, *, ci: bool) -> str:
    """Return the commit that a change started from, "" where git does not know it."""
    return (git.merge_parent(top) if ci else "") or git.branch_point(top)


def _differs(top: Path, base: str, path: Path) -> bool | None:
    if not base or not path.is_relative_to(top):
        return None
    return git.differs(top, base, path.relative_to(top).as_posix())


def _policy_differs(config: Config, top: Path, base: str) -> bool:
    """Whether [policy] is another table, or recorded outputs are read in another way.

    The rest of [system] is the change's own in any case.
    """
    path = config.root / config.path.name
    base_text = git.file_at(top, base, path.relative_to(top).as_posix())
    text = read_text(path, error=ConfigError)
    preset = preset_file(text)
    other_preset = bool(preset) and _differs(top, base, config.rules_root / preset) is not False
    return other_preset or bool(_policy(base_text) != _policy(text))


def _policy(text: str) -> Any:
    try:
        tables = tomllib.loads(text)
        system = tables.get("system", {})
        mapping = {key: system.get(key) for key in MAPPING_KEYS if system.get("use") == "replay"}
    except (ValueError, AttributeError):
        return None
    return tables.get("policy"), mapping


# Lines of the configuration and the golden set that a report's findings belong to.


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
    from ragate.github.publish.changed_sources import Sources, changed_keys

    base = _base(top, ci=ci)
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
