"""rubric: one structured chat call for all criteria of one answer."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from ragate.core.judging.criteria import CRITERIA as KNOWN
from ragate.core.judging.criteria import OF_CALLS
from ragate.judges.rubric._settings import Settings
from ragate.protocols import Judge, Resources
from ragate.settings import read_settings

__all__ = ["CRITERIA", "Settings", "create"]

CRITERIA = frozenset(KNOWN | OF_CALLS)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[Judge]:
    """Yield the judge; its client is made, and its key looked for, when it is first asked.

    Raises:
        ConfigError: a setting or the prompt file is wrong.
    """
    from ragate.judges.rubric._judge import RubricJudge
    from ragate.judges.rubric._prompt import load_prompt

    judge_settings = read_settings(Settings, settings, where="[policy.judge]", strict=True)
    yield RubricJudge(
        judge_settings, load_prompt(resources.root, judge_settings.prompt), resources.chat
    )
