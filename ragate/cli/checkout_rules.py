"""Whether a verdict on a checkout went by rules that are the change's own.

The action judges by the base's policy, golden set and baseline. A command judges by what is
checked out, which on a branch may be what the branch made of them.
"""

import tomllib
from pathlib import Path
from typing import Any

from ragate.config import Config, preset_file
from ragate.errors import ConfigError
from ragate.files.foreign_files import read_text
from ragate.models import CheckoutRules, Report
from ragate.outputs.mapping import MAPPING_KEYS
from ragate.repository import git


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
