"""Whose rules decide on a change: the base's; what the change's own have otherwise is said."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ragate.baseline.schema import MAX_BYTES
from ragate.config import Config
from ragate.config.model import SystemConfig
from ragate.dataset import beir
from ragate.errors import DatasetError
from ragate.files.foreign_files import read_bytes
from ragate.models import Scorecard
from ragate.outputs.mapping import MAPPING_KEYS, mapping_of

_LONG = 60
_ABSENT = object()


@dataclass(frozen=True)
class Gate:
    """What decides on one change.

    Attributes:
        config: The base's policy on the change's system; in a bootstrap all is the change's.
        base: The base's own configuration, None where it has none.
        differs: What of the change's own rules is not the base's: keys with both values, and files.
        bootstrap: The base is proven to have no configuration.
    """

    config: Config
    base: Config | None
    differs: tuple[str, ...] = ()
    bootstrap: bool = False


def gate_of_change(base: Config | None, head: Config, *, name: str = "") -> Gate:
    """Return the gate for a change.

    Args:
        base: The base's policy, its files in a folder of their own; None for a bootstrap.
        head: The change's configuration in the workspace.
        name: The gate's name where the workflow gives one.
    """
    if base is None:
        return Gate(_named(head, name), None, bootstrap=True)
    system = _judged_system(base.system, head.system)
    config = base.amended(root=head.root, policy_root=base.root, system=system, text=head.text)
    return Gate(_named(config, name), base, differences(base, head))


def _judged_system(base: SystemConfig, head: SystemConfig) -> SystemConfig:
    """Return the change's system; how recorded outputs are read is the base's.

    A mapping says what counts as the answer: one that led to the reference would pass any gate.

    Raises:
        ConfigError: the change's own mapping is wrong.
    """
    if base.use != "replay" or head.use != "replay":
        return head
    mapping_of(head.settings)  # which raises where it is wrong
    others = {key: value for key, value in head.settings.items() if key not in MAPPING_KEYS}
    return head.amended(settings={**others, **_mapping(base)})


def _mapping(system: SystemConfig) -> dict[str, Any]:
    """Return the keys that say how recorded outputs are read; none of a system that is asked."""
    if system.use != "replay":
        return {}
    return {key: system.settings[key] for key in MAPPING_KEYS if key in system.settings}


def gate_of_commit(config: Config, *, name: str) -> Gate:
    """Return the gate of a commit that is judged by its own rules, such as a push to main."""
    return Gate(_named(config, name), config)


def _named(config: Config, name: str) -> Config:
    if not name:
        return config
    policy = config.policy.amended(gate=name)
    return config.amended(policy=policy)


def differences(base: Config, head: Config) -> tuple[str, ...]:
    """Say what of the policy and its files is not the same: keys with both values, and files."""
    changes = _changed_keys("policy", _policy(base), _policy(head))
    for name in sorted({*base.tables, *head.tables}):
        changes += _changed_keys(name, _plugin_table(base, name), _plugin_table(head, name))
    if base.system.use == head.system.use:
        changes += _changed_keys("system", _mapping(base.system), _mapping(head.system))
    prompts = zip_longest(base.prompts, head.prompts)
    files = [
        ("golden set", base.dataset, head.dataset),
        ("baseline", base.baseline, head.baseline),
        *(("judge prompt", old, new) for old, new in prompts),
    ]
    for role, old, new in files:
        if _content(old) != _content(new):
            name = _path_below_root(head, new) or _path_below_root(base, old)
            changes.append(f"the {role} {name}")
    return tuple(changes)


def _plugin_table(config: Config, name: str) -> dict[str, Any]:
    table = config.tables.get(name)
    dumped: dict[str, Any] = {} if table is None else table.model_dump(mode="json")
    return dumped


def _content(path: Path | None) -> dict[str, bytes]:
    """Return a file's content, or that of a golden set's files by their names."""
    if path is None or not path.exists():
        return {}
    beir_folder = path.parent.parent
    is_qrels = path.suffix in beir.ENDINGS and beir.questions_of(beir_folder) is not None
    if path.is_file() and not is_qrels:
        return {"": _bytes(path)}

    if path.is_dir():
        folder, judgements = path, path / "qrels"
    else:
        folder, judgements = beir_folder, path.parent
    files = [folder / name for name in beir.QUESTIONS]
    files += [file for file in judgements.glob("*") if file.suffix in beir.ENDINGS]
    return {file.relative_to(folder).as_posix(): _bytes(file) for file in files if file.is_file()}


def _bytes(path: Path) -> bytes:
    return read_bytes(path, error=DatasetError, max_bytes=MAX_BYTES)


def _policy(config: Config) -> dict[str, Any]:
    """Return the policy as the file writes it: metrics by name with their own keys."""
    policy = config.policy
    tables: dict[str, Any] = policy.model_dump(mode="json", exclude={"metrics", "gate"})
    tables["metrics"] = {
        rule.metric: {
            **rule.model_dump(mode="json", exclude={"metric"}),
            **config.metric_settings.get(rule.metric, {}),
        }
        for rule in policy.metrics
    }
    tables["slices"] = {each.name: each.model_dump(mode="json") for each in policy.slices}
    if policy.scorecard is not None:
        said_by_metrics = {"own_row"}  # whether the policy has a table for the stage's metric
        tables["scorecard"]["stages"] = {
            stage.name: stage.model_dump(mode="json", exclude=said_by_metrics)
            for stage in policy.scorecard.stages
        }
    tables["waivers"] = {
        f"{waiver.id} {waiver.metric}": str(waiver.until) for waiver in policy.waivers
    }
    return tables


def _changed_keys(table: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Say which keys of a table, and of the tables in it, are not the same."""
    changes: list[str] = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            changes += _changed_keys(f"{table}.{key}", old, new)
        elif new is _ABSENT:
            changes.append(f"[{table}] {key}: removed")
        elif old is _ABSENT:
            changes.append(f"[{table}] {key}: added")
        else:
            changes.append(f"[{table}] {key}: {_shown(old)} → {_shown(new)}")
    return changes


def _shown(value: Any) -> str:
    text = "not set" if value is None else repr(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def measures_alike(before: Config, after: Config) -> bool:
    """Return whether two policies measure the same things in the same way, whatever they demand."""

    def measured(config: Config) -> object:
        policy = config.policy
        names = sorted(rule.metric for rule in policy.metrics if rule.level != "off")
        stages = _asked_in_order(policy.scorecard)
        return names, stages, config.metric_settings, policy.store, policy.runs

    return measured(before) == measured(after) and _same_judge(before, after)


def _asked_in_order(card: Scorecard | None) -> object:
    """Return what decides which stages of a sample are asked about."""
    if card is None or card.parallel:
        return None
    return [
        # Only a stage that is required ends the asking, where it misses its mark.
        (stage.metric, stage.pass_at if stage.required else False, stage.own_row)
        for stage in card.stages
    ]


def _same_judge(base: Config, head: Config) -> bool:
    def judge_setup(config: Config) -> object:
        judge = config.policy.judge
        provider = config.policy.providers.get(judge.provider) if judge is not None else None
        return judge, provider, list(map(_content, config.prompts))

    return judge_setup(base) == judge_setup(head)


def _path_below_root(config: Config, path: Path | None) -> str:
    if path is None or not path.is_relative_to(config.root):
        return ""
    return path.relative_to(config.root).as_posix()
