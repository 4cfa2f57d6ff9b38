"""The table [policy.scorecard]: its stages, and the metrics that they need."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ragate import plugins
from ragate.config.model import JudgeSettings
from ragate.errors import ConfigError, RagateError
from ragate.files.foreign_files import inside, read_text
from ragate.models import (
    OVERALL,
    PASSES,
    Frozen,
    MetricInfo,
    PassRule,
    Rule,
    Scorecard,
    ScorecardStage,
)
from ragate.settings import nearest, read_settings
from ragate.version import MANUAL

# What [policy.scorecard] and its presets hold, as written.

WHERE = "[policy.scorecard]"
MAX_BYTES = 64 * 1024
_PRESETS = Path(__file__).parent / "presets"
DOCS = f"{MANUAL}/scorecards.md"
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,59}$")]


class StageTable(Frozen):
    """One metric as a part of a scorecard.

    Attributes:
        metric: What is scored; empty: the metric of the stage's name.
        weight: Its part of the overall score; weights that do not sum to 1 count by their share,
            and the report says so.
        pass_at: Pass mark in the metric's own unit; none: the stage cannot fail a sample.
        pass_at_by_judge: Other marks by the judge's model or provider: `{ "gpt-*" = 0.25 }`; the
            first that fits counts.
        settings: The metric's own keys, where its table in `[policy.metrics]` lacks them.
        required: A sample that fails it is not asked about in later stages, and is at its worst
            there; needs a pass mark.
        needs: A table of `[policy]`: the stage is left out where that table is not written.
    """

    metric: str = ""
    weight: float = Field(default=1.0, ge=0)
    pass_at: float | None = None
    pass_at_by_judge: dict[str, float] = {}
    settings: dict[str, Any] = {}
    required: bool = False
    needs: Literal["", "judge", "execution"] = ""


class ScorecardTable(Frozen):
    """What a sample has to reach as a whole: [Scorecards](scorecards.md).

    Attributes:
        preset: Stages that come with ragate, by name, or a TOML file of your own.
        without: Stages of the preset that are left out.
        parallel: All stages are asked at once: faster, and a failed required stage saves no call
            then.
        pass_at: Overall score that a sample needs besides.
        by: Metadata fields by whose values the pass rate is shown, beside tags.
        stages: Stages of your own, or changed ones of the preset, by name.
        pass_rate: How the share of samples that pass is held.
        overall_score: How the mean overall score is held; none: it is only shown.
    """

    preset: str = ""
    without: tuple[str, ...] = ()
    parallel: bool = False
    pass_at: float | None = Field(default=None, ge=0, le=1)
    by: tuple[str, ...] = ("complexity", "complexity_level", "source_type")
    stages: dict[_Name, StageTable] = {}
    pass_rate: PassRule = PassRule()
    overall_score: PassRule | None = None


def preset_names() -> tuple[str, ...]:
    """Return the presets that come with ragate."""
    return tuple(sorted(path.stem for path in _PRESETS.glob("*.toml")))


def preset_file(text: str) -> str:
    """Return the file that the text of a ragate.toml names as its preset, "" where none.

    What cannot be read is "" as well: whoever reads the configuration says so.
    """
    try:
        named = tomllib.loads(text)["policy"]["scorecard"]["preset"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return named if isinstance(named, str) and _is_file(named) else ""


def _is_file(preset: str) -> bool:
    return "/" in preset or preset.endswith(".toml")


def read_preset(name: str, root: Path) -> dict[str, Any]:
    """Return the tables of a preset: a file of the project, or one that comes with ragate."""
    where = f"{WHERE} preset"
    if _is_file(name):
        path = inside(root, name, where=where, error=ConfigError)
        text = read_text(path, error=ConfigError, max_bytes=MAX_BYTES)
    elif name in preset_names():
        text = (_PRESETS / f"{name}.toml").read_text("utf-8")
    else:
        raise ConfigError(
            f"{where} = {name!r}: no such preset{nearest(name, preset_names())}",
            remedy=f"a file of your own is named by its path, such as ./scorecard.toml: {DOCS}",
        )
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} {name}: not TOML: {error}") from error
    if "preset" in tables:
        raise ConfigError(f"{where} {name}: a preset cannot name another one")
    read_settings(ScorecardTable, tables, where=name, strict=True)
    return tables


def merged_tables(preset: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the preset with what is written in its place, stage by stage and key by key."""
    merged: dict[str, Any] = {**preset, **written}
    stages = dict(preset.get("stages", {}))
    for name, keys in written.get("stages", {}).items():
        stages[name] = {**stages.get(name, {}), **keys}
    return {**merged, "stages": stages}


@dataclass(frozen=True)
class ReadScorecard:
    """A scorecard, and what its stages say of their metrics.

    Attributes:
        settings: By metric, its own keys.
    """

    card: Scorecard
    settings: Mapping[str, Mapping[str, Any]]


def read_scorecard(
    policy: Mapping[str, Any], root: Path, judge: JudgeSettings | None
) -> ReadScorecard | None:
    """Return the scorecard of a policy, None where it has none.

    Raises:
        ConfigError: a preset is unknown or wrong, a stage is not there or not possible.
    """
    if "scorecard" not in policy:
        return None
    written = policy["scorecard"]
    if not isinstance(written, dict):
        raise ConfigError(f"policy.scorecard: must be a table: {WHERE}", remedy=DOCS)
    own = read_settings(ScorecardTable, written, where=WHERE, strict=True)
    table = own
    if own.preset:
        merged = merged_tables(read_preset(own.preset, root), written)
        table = read_settings(ScorecardTable, merged, where=WHERE, strict=True)
    for name in own.without:
        if name not in table.stages:
            raise ConfigError(f"{WHERE} without: no stage {name!r}{nearest(name, table.stages)}")
    chosen = {name: stage for name, stage in table.stages.items() if name not in own.without}
    kept = {name: one for name, one in chosen.items() if not one.needs or one.needs in policy}
    if not kept:
        raise ConfigError(
            f"{WHERE}: it has no stage",
            remedy=f'write preset = "rag", or a table [policy.scorecard.stages.<name>]: {DOCS}',
        )
    stages = tuple(_stage(name, stage, policy, own, judge) for name, stage in kept.items())
    _refuse_twice(stages)
    settings = {stage.metric: kept[stage.name].settings for stage in stages}
    return ReadScorecard(_card(table, chosen, stages), settings)


def _card(
    table: ScorecardTable, chosen: Mapping[str, StageTable], stages: tuple[ScorecardStage, ...]
) -> Scorecard:
    weights = sum(stage.weight for stage in chosen.values())
    if not any(stage.weight for stage in stages):
        raise ConfigError(f"{WHERE}: every stage has weight 0: one needs more")
    if not isfinite(weights):
        raise ConfigError(f"{WHERE}: the sum of all weights is {weights}: a number must be finite")
    weighed = any("weight" in stage.model_fields_set for stage in chosen.values())
    return Scorecard(
        stages=stages,
        parallel=table.parallel,
        pass_at=table.pass_at,
        by=table.by,
        weights=weights if weighed else 1.0,
        pass_rate=table.pass_rate,
        overall_score=table.overall_score,
    )


def _stage(
    name: str,
    stage: StageTable,
    policy: Mapping[str, Any],
    own: ScorecardTable,
    judge: JudgeSettings | None,
) -> ScorecardStage:
    where = f"[policy.scorecard.stages.{name}]"
    metric = stage.metric or name
    try:
        plugins.locate("metrics", plugins.split_metric(metric)[0])
    except RagateError as error:
        raise ConfigError(f"{where}: {error.message}", remedy=error.remedy) from error
    tables = policy.get("metrics", {})
    table = tables.get(metric, {})
    table = table if isinstance(table, Mapping) else {}
    if table.get("level") == "off":
        raise ConfigError(
            f'{where}: the metric {metric} has level = "off", so it is not measured',
            remedy=f'leave the stage out: without = ["{name}"]',
        )
    mark, of_metric = _mark(stage, judge), table.get("pass_at")
    if of_metric is not None:
        mine = own.stages.get(name, StageTable())
        if mine.pass_at is not None and mine.pass_at != of_metric:
            raise ConfigError(
                f"{where}: pass_at = {mine.pass_at:g}, and {metric} has pass_at = {of_metric}",
                remedy="a metric has one pass mark: write it once",
            )
        mark = of_metric
    if stage.required and mark is None:
        raise ConfigError(f"{where}: required, and there is no pass_at that a sample could fail")
    taken = stage.model_dump(include={"weight", "required"})
    return ScorecardStage(name=name, metric=metric, pass_at=mark, own_row=metric in tables, **taken)


def _mark(stage: StageTable, judge: JudgeSettings | None) -> float | None:
    """Return the pass mark: the first that is for this judge, else the stage's own."""
    names = (judge.model, judge.provider) if judge is not None else ()
    for pattern, mark in stage.pass_at_by_judge.items():
        if any(fnmatchcase(name, pattern) for name in names if name):
            return mark
    return stage.pass_at


def _refuse_twice(stages: tuple[ScorecardStage, ...]) -> None:
    by_metric: dict[str, str] = {}
    for stage in stages:
        other = by_metric.setdefault(stage.metric, stage.name)
        if other != stage.name:
            raise ConfigError(f"{WHERE}: {other} and {stage.name} are both {stage.metric}")


def with_stages(tables: Mapping[str, Any], read: ReadScorecard | None) -> dict[str, Any]:
    """Return the tables of metrics with those of the stages: shown only, where there was none."""
    tables = dict(tables)
    for name in (PASSES, OVERALL):
        if name in tables:
            held = f"[policy.scorecard.{name}]"
            raise ConfigError(
                f"[policy.metrics.{name}]: it is made of a scorecard's stages",
                remedy=f"write its keys below {held}: {DOCS}",
            )
    if read is None:
        return tables
    for stage in read.card.stages:
        table = tables.get(stage.metric, {"level": "warn"})
        if isinstance(table, Mapping):
            mark = {"pass_at": stage.pass_at} if stage.pass_at is not None else {}
            tables[stage.metric] = {**read.settings[stage.metric], **table, **mark}
    return tables


def check_stage(card: Scorecard | None, info: MetricInfo) -> None:
    """Check that a stage's metric can be one; a foreign one is only known once it is made.

    Raises:
        ConfigError: it is no score of single samples in a known range.
    """
    for stage in card.stages if card is not None else ():
        if stage.metric == info.name and (info.aggregate or info.high is None):
            raise ConfigError(
                f"[policy.scorecard.stages.{stage.name}]: {info.name} is a value over the whole "
                "run or without an upper end: a stage is a score of single samples",
                remedy="hold it beside the scorecard, in [policy.metrics]",
            )


def check_stages(
    read: ReadScorecard | None,
    rules: Sequence[Rule],
    metric_settings: Mapping[str, Mapping[str, Any]],
) -> Scorecard | None:
    """Check the stages that are built-in metrics, and return their scorecard.

    Raises:
        ConfigError: as `check_stage`.
    """
    if read is None:
        return None
    card = read.card
    metrics = {stage.metric for stage in card.stages}
    for rule in rules:
        if rule.metric in metrics and plugins.is_builtin_metric(rule.metric):
            settings = metric_settings.get(rule.metric, {})
            check_stage(card, plugins.metric(rule.metric, settings=settings).info)
    return card
