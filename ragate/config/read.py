"""Reading ragate.toml into a `Config`; what is wrong in it is named with its place."""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ragate import plugins
from ragate.config.model import SCORES, Config, Policy, SystemConfig
from ragate.config.rules import check_judge, read_judge, read_rules, with_own_criteria
from ragate.config.scorecard import check_stages, read_scorecard, with_stages
from ragate.config.set_keys import refuse_unknown, with_dates, with_keys
from ragate.config.slices import check_slices, refuse_one_table, refuse_without_rule
from ragate.config.toml_lines import mistake_line
from ragate.errors import ConfigError, PluginError
from ragate.extension import TABLES_OF_CORE, extensions, lacking, loaded
from ragate.files.find_files import CONFIG_NAME
from ragate.files.foreign_files import inside, read_text, refuse_unwritable_path
from ragate.guards.escape import one_line
from ragate.removed import gone_key
from ragate.settings import nearest, read_settings, shown
from ragate.version import MANUAL

MAX_BYTES = 1024 * 1024
_DOCS = f"{MANUAL}/configuration.md lists every key"
_LONGEST_GATE = 60  # characters; also of [policy] gate
_INIT = "`ragate init` writes a commented ragate.toml"
# What people write for a system that has another name here.
_KNOWN_AS = {
    **dict.fromkeys(("fastapi", "flask", "starlette", "django", "service", "api", "rest"), "http"),
    **dict.fromkeys(("langchain", "haystack", "function", "callable"), "python"),
    **dict.fromkeys(("jsonl", "outputs", "recordings", "file"), "replay"),
    **dict.fromkeys(("subprocess", "shell", "cli", "node"), "command"),
}


def load_config(path: Path, *, given: Sequence[str] = ()) -> Config:
    """Return the configuration of a file.

    Args:
        given: What the command line sets; see `with_keys`.

    Raises:
        ConfigError: the file cannot be read, or something in it is wrong.
    """
    refuse_unwritable_path(path.absolute())
    text = read_text(path, error=ConfigError, max_bytes=MAX_BYTES)
    return parse_config(text, where=str(path), root=path.parent, path=path, given=given)


def parse_config(
    text: str, *, where: str, root: Path, path: Path | None = None, given: Sequence[str] = ()
) -> Config:
    """Return the configuration that `text` holds.

    Args:
        where: What names the text in messages: its path, or a path at a commit.
        root: The folder that relative paths start from.
        path: The file, where there is one.
        given: As of `load_config`.

    Raises:
        ConfigError: names the place, the table, the key and the value.
    """
    try:
        tables = read_tables(text, where, told=path is None or _is_no_link(path))
        if given:
            tables = with_keys(tables, given)
        config = config_of(tables, root=root.resolve(), path=path or root / CONFIG_NAME)
        if given:
            refuse_unknown(config.system)
            config = with_dates(config, given)
    except ConfigError as error:
        if error.message.startswith(f"{where}:"):
            raise
        places = ((mistake_line(text, line), line) for line in error.message.splitlines())
        lines = [f"{where}:{at}: {line}" if at else f"{where}: {line}" for at, line in places]
        raise type(error)("\n".join(lines), remedy=error.remedy) from error
    return config.amended(text=text)


def _is_no_link(path: Path) -> bool:
    """Return False where a link is on the way: what it leads to may be no configuration at all."""
    return path.absolute() == path.resolve()


def read_tables(text: str, where: str, *, told: bool) -> dict[str, Any]:
    """Return the tables of a text.

    Args:
        told: Errors may repeat the text: it is the configuration's own, and no file behind a link.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place, reason, remedy = toml_mistake(text if told else "", error)
        at = f"{where}:{place}" if place else where
        raise ConfigError(f"{at}: not TOML: {reason}", remedy=remedy) from error
    except (RecursionError, ValueError) as error:  # nesting or a number beyond all measure
        raise ConfigError(f"{where}: cannot be read: {error}") from error
    _refuse_infinite(tables, "")
    known = [*TABLES_OF_CORE, *(name for each in extensions() for name in each.tables)]
    for name in tables:
        if name not in known:
            if gone := gone_key("", name):
                raise ConfigError(gone)
            raise ConfigError(
                f"unknown table or key {name!r} at the top{nearest(name, known)}",
                remedy=f"install what brings [{name}], or take it out{lacking()}",
            )
    return tables


def brought_tables() -> dict[str, type[BaseModel]]:
    """Return the tables that extensions bring, by name.

    Raises:
        UsageError: as `ragate.extension.found`, or what one names is no pydantic model.
    """
    return {name: loaded(each, path) for each in extensions() for name, path in each.tables.items()}


def _read_brought(tables: Mapping[str, Any]) -> dict[str, BaseModel]:
    """Read what stands in tables of extensions; no model of another one is loaded."""
    return {
        name: read_settings(
            loaded(each, path), _table(tables, name), where=f"[{name}]", strict=True
        )
        for each in extensions()
        for name, path in each.tables.items()
        if name in tables
    }


def _refuse_infinite(value: Any, key_path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_infinite(item, f"{key_path}.{key}" if key_path else key)
    elif isinstance(value, list):
        for item in value:
            _refuse_infinite(item, key_path)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(
            f"{key_path} = {value}: a number must be finite",
            remedy="write a number, such as 0.8, or leave the key out: then there is no limit",
        )


def config_of(tables: Mapping[str, Any], *, root: Path, path: Path) -> Config:
    """Return the configuration that tables hold; `root` and `path` as of `parse_config`.

    Raises:
        ConfigError: names the table, the key and the value.
    """
    policy_table = _table(tables, "policy")
    if "metrics" not in policy_table and "metric" in policy_table:
        raise ConfigError("[policy]: unknown table 'metric'; did you mean 'metrics'?", remedy=_DOCS)
    metric_tables = _table(policy_table, "metrics", "policy.metrics", missing={})
    has_judge = "judge" in policy_table
    judge = read_judge(_table(policy_table, "judge", "policy.judge")) if has_judge else None
    embedder = _table(policy_table, "embedder", "policy.embedder", missing={})
    scorecard = read_scorecard(policy_table, root, judge)
    metric_tables = with_stages(metric_tables, scorecard)
    alone = policy_table.get("systems") == [SCORES]
    rules, settings = read_rules(metric_tables, judge=judge, embedder=embedder, of_scores=alone)
    card, judge = check_stages(scorecard, rules, settings), with_own_criteria(judge, settings)
    refuse_one_table(policy_table)
    read = {**policy_table, "metrics": rules, "judge": judge, "scorecard": card}
    policy = read_settings(Policy, read, where="[policy]", strict=True)
    check_judge(policy)
    _check_named_metrics(policy)
    policy = policy.amended(slices=check_slices(policy, settings))
    baseline = inside(root, policy.baseline, where="[policy] baseline", error=ConfigError)
    _check_gate(policy.gate or baseline.stem)
    return Config(
        path=path,
        root=root,
        dataset=_golden_set(policy, root),
        baseline=baseline,
        policy=policy,
        metric_settings=settings,
        tables=_read_brought(tables),
        system=_read_system(_table(tables, "system"), policy.systems),
    )


def _golden_set(policy: Policy, root: Path) -> Path:
    """Return the golden set's path; scores without one have their baseline's samples."""
    if not policy.of_scores and "dataset" not in policy.model_fields_set:
        raise ConfigError("[policy]: the key 'dataset' is missing", remedy=_DOCS)
    path = policy.dataset or (policy.baseline if policy.of_scores else "")
    return inside(root, path, where="[policy] dataset", error=ConfigError)


def _table(
    tables: Mapping[str, Any], key: str, name: str = "", *, missing: Any = None
) -> dict[str, Any]:
    table = tables.get(key, missing)
    if table is None:
        raise ConfigError(f"the table [{key}] is missing", remedy=_INIT)
    if not isinstance(table, dict):
        raise ConfigError(
            f"{name or key} = {shown(table)}: must be a table: [{name or key}]",
            remedy='a table for each metric, such as [policy.metrics."recall@5"]'
            if key == "metrics"
            else f"{MANUAL}/configuration.md lists every table",
        )
    return table


def _check_named_metrics(policy: Policy) -> None:
    held = [rule.metric for rule in policy.rules]
    for waiver in policy.waivers:
        refuse_without_rule([waiver.metric], held, where=f"[[policy.waivers]] {waiver.id}")
    own = [rule.metric for rule in policy.metrics]
    for name, profile in policy.profiles.items():
        refuse_without_rule(profile.skip, own, where=f"[policy.profiles.{name}] skip")


def _check_gate(name: str) -> None:
    """Refuse a name that the comment and the status would cut: two gates would share them.

    Raises:
        ConfigError: only a baseline's file name can be that long; says what to write.
    """
    if len(name) > _LONGEST_GATE:
        raise ConfigError(
            f"[policy] baseline: the gate has this file's name without its ending, and "
            f"{one_line(name, _LONGEST_GATE)} is longer than {_LONGEST_GATE} "
            f"characters ({len(name)})",
            remedy='Give it a shorter one in ragate.toml: gate = "docs" in [policy]',
        )


def _refuse_unknown_system(use: str) -> None:
    try:
        plugins.locate("systems", use)
    except PluginError as error:
        name = _KNOWN_AS.get(use.lower())
        if name is None:
            raise
        page = "replay" if name == "replay" else f"system-{name}"
        remedy = f'write use = "{name}": {MANUAL}/{page}.md'
        raise ConfigError(f"[system] use: {error.message}", remedy=remedy) from error


def _read_system(table: Mapping[str, Any], allowed: tuple[str, ...]) -> SystemConfig:
    """Return the system that the table names.

    Raises:
        ConfigError: it names none, or one that the policy does not allow.
        PluginError: there is no such system, or none of a name in `allowed`.
    """
    for name in allowed:
        plugins.locate("systems", name)
    use = table.get("use")
    if not isinstance(use, str):
        raise ConfigError("[system]: 'use' must name a system", remedy=f"one of {list(allowed)}")
    _refuse_unknown_system(use)
    if use not in allowed:
        raise ConfigError(
            f"[system] use = {use!r} is not in [policy] systems = {list(allowed)}",
            remedy="the policy lists the kinds of system that a change may use; a kind is added to"
            " it in a pull request of its own",
        )
    settings = {key: value for key, value in table.items() if key != "use"}
    return SystemConfig(use=use, settings=settings)


# What is most likely wrong where a ragate.toml is no TOML, said by the line that it is about.


_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_TWICE = ("Cannot overwrite", "Cannot declare")
# How people write a line that is no TOML, and what to write in its place; the first that fits.
_SLIPS = (
    (
        r"^\s*\[\s*policy\.metrics\.(?P<name>[A-Za-z_]+@\d+)\s*\]",
        'a name with @ stands in quotes: [policy.metrics."{name}"]',
    ),
    (r"^\s*(?P<name>[A-Za-z_]+@\d+)\b", 'a name with @ stands in quotes: "{name}"'),
    (r"^(<{7}|={7}|>{7})", "a merge left its marks here: keep one of the two sides"),
    (
        "[\u201c\u201d\u201e\u2018\u2019]",
        "these are quotes for print: TOML wants straight ones",
    ),
    (r"=\s*True\b", "TOML writes true, in lower case"),
    (r"=\s*False\b", "TOML writes false, in lower case"),
    (r"^\s*(?P<name>[A-Za-z_]+)\s*:", "TOML has an equals sign: {name} = …"),
    (
        r"=\s*(?P<name>[A-Za-z_./][^\s,#\"'\[\]{}]*)\s*(#.*)?$",
        'a text stands in quotes: "{name}"',
    ),
    (r"""^[^"']*"([^"']*"[^"']*")*[^"']*$""", "a quote is missing on this line"),
    (
        r'"[^"]*\\[^"]*"',
        "a backslash in double quotes begins an escape: write / or use single quotes",
    ),
)


def toml_mistake(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, str, str]:
    """Return the place as ``line:column``, what is wrong there, and what to write instead.

    Args:
        text: What was read; "" where nothing of it may be repeated.
        error: Why it is no TOML; its words name the place.

    Returns:
        Place and remedy are "" where they are not known.
    """
    message = str(error)
    position = _POSITION.search(message)
    reason = _POSITION.sub("", message)
    if position is None or position["line"] is None:
        return "", reason if position is None else f"{reason}, at the end of the file", ""
    number = int(position["line"])
    place, lines = f"{number}:{position['column']}", text.splitlines()
    if not text:
        return place, reason, ""
    line = lines[number - 1] if number <= len(lines) else ""
    return place, f"{reason} in {shown(line.strip())}", _remedy(line, reason)


def _remedy(line: str, reason: str) -> str:
    if reason.startswith(_TWICE):
        return "it stands there twice: keep one"
    for slip, instead in _SLIPS:
        if found := re.search(slip, line):
            return instead.format(**found.groupdict())
    return ""
