"""What [policy.scorecard] and its presets hold, as written."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ragate.errors import ConfigError
from ragate.models import Frozen, PassRule
from ragate.support.foreign_files import inside, read_text
from ragate.support.settings import nearest, read_settings

WHERE = "[policy.scorecard]"
MAX_BYTES = 64 * 1024
_PRESETS = Path(__file__).parent / "presets"
DOCS = "docs/scorecards.md"
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,59}$")]


class StageTable(Frozen):
    """``[policy.scorecard.stages.<name>]``.

    Attributes:
        metric: What is scored; empty: the metric of the stage's name.
        weight: Its part of the overall score.
        pass_at: The metric's pass mark, in its own unit; none: the stage cannot fail a sample.
        pass_at_by_judge: Other marks by the judge's model or provider, `*` for any part of it.
        settings: The metric's own keys, where its table in ``[policy.metrics]`` lacks them.
        required: A sample that fails it is not asked about in later stages.
    """

    metric: str = ""
    weight: float = Field(default=1.0, ge=0)
    pass_at: float | None = None
    pass_at_by_judge: dict[str, float] = {}
    settings: dict[str, Any] = {}
    required: bool = False


class ScorecardTable(Frozen):
    """``[policy.scorecard]``: what a sample has to reach as a whole.

    Attributes:
        preset: One that comes with ragate, or a file of your own.
        without: Stages of the preset that are left out.
        parallel: All stages are asked at once: faster, and a failed one saves no call.
        pass_at: Overall score that a sample needs besides.
        by: Metadata fields by whose values the pass rate is shown, beside tags.
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
