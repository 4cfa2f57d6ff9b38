"""llamaindex: LlamaIndex's evaluators and prompts, chains that stop early, strict replies."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from ragate.contrib.llamaindex_judge.criteria import ASKED
from ragate.contrib.llamaindex_judge.settings import Settings
from ragate.core.judging.applicability import PAIRWISE
from ragate.protocols import Judge, Resources
from ragate.settings import read_settings

__all__ = ["CRITERIA", "LATE_MODULES", "Settings", "create"]

CRITERIA = frozenset({*ASKED, PAIRWISE})
LATE_MODULES = (
    "ragate.contrib.llamaindex_judge.judge",
    *("llama_index.core.evaluation", "llama_index.core.output_parsers"),
    *("llama_index.core.prompts.prompt_utils", "llama_index.core.indices.prompt_helper"),
    *("tiktoken", "tiktoken_ext.openai_public"),
)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[Judge]:
    """Yield the judge; the prompts of the installed evaluators are read here, which takes seconds.

    A provider's client is made when it is first asked, an LLM by dotted path at once: which model
    it is belongs to the judge's identity.

    Raises:
        ConfigError: a setting or a prompt is wrong, or `llm` leads to no LLM.
        PluginError: LlamaIndex is not installed, or in a version without these evaluators.
        ProviderError: the LLM cannot be made.
    """
    from ragate.contrib.llamaindex_judge.judge import LlamaIndexJudge
    from ragate.contrib.llamaindex_judge.llm import open_llm
    from ragate.contrib.llamaindex_judge.prompts import load_prompts, read_own_prompts

    judge_settings = read_settings(Settings, settings, where="[policy.judge]", strict=True)
    own = read_own_prompts(resources.root, judge_settings.prompts)
    prompts = load_prompts(judge_settings.guidelines, own)
    llm = open_llm(judge_settings, resources.environment) if judge_settings.llm else None
    yield LlamaIndexJudge(judge_settings, prompts, resources, llm)
