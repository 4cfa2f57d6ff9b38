"""The prompts of the installed evaluators: read at run time, filled in, and hashed.

Contexts go in as a chain reads them: joined until the window is full, or one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Literal

from ragate.contrib.llamaindex_judge.settings import PromptName, Settings
from ragate.core.hashing import digest
from ragate.errors import ConfigError, PluginError, RagateError
from ragate.files.foreign_files import inside, read_text
from ragate.installed import refuse_other_version
from ragate.judges._asking import Messages
from ragate.protocols import Embedder

if TYPE_CHECKING:
    from llama_index.core.prompts import BasePromptTemplate


MAX_BYTES = 256 * 1024
_CHAIN = frozenset({"query_str", "context_str"})
_REFINE = frozenset({"query_str", "context_msg", "existing_answer"})
# What has to stand in a prompt, by evaluator and step: without it the model would not see the data.
VARIABLES: dict[tuple[str, Step], frozenset[str]] = {
    ("answer_relevancy", "first"): frozenset({"query", "response"}),
    ("context_relevancy", "first"): _CHAIN,
    ("context_relevancy", "refine"): _REFINE,
    ("correctness", "first"): frozenset({"query", "reference_answer", "generated_answer"}),
    ("faithfulness", "first"): _CHAIN,
    ("faithfulness", "refine"): _REFINE,
    ("guideline", "first"): frozenset({"query", "response", "guidelines"}),
    ("pairwise", "first"): frozenset({"query", "answer_1", "answer_2", "reference"}),
    ("relevancy", "first"): _CHAIN,
    ("relevancy", "refine"): _REFINE,
}
_TEMPLATES = {"first": "DEFAULT_EVAL_TEMPLATE", "refine": "DEFAULT_REFINE_TEMPLATE"}
_MODULES = {"faithfulness_binary": "faithfulness"}  # criteria whose evaluator has another name
Step = Literal["first", "refine"]
_REPLY_TOKENS = 256  # LlamaIndex's own allowance where nothing else is said
MOST_CONTEXT_CHARS = 200_000  # of all contexts; above it they are not judged
_PADDING = 500  # likewise, for the existing answer that a refine prompt repeats


@dataclass(frozen=True)
class Prompts:
    """Templates by evaluator and step; `guidelines` is what the guideline evaluator holds up."""

    templates: Mapping[tuple[str, Step], BasePromptTemplate]
    guidelines: str

    @cached_property
    def fingerprint(self) -> str:
        """Hash over all texts, those that LlamaIndex adds for a reply in JSON included."""
        texts = [[*key, _filled(template, {})] for key, template in sorted(self.templates.items())]
        return digest([texts, self.guidelines])

    def messages(self, evaluator: str, step: Step, values: Mapping[str, str]) -> Messages:
        """Return what is sent; a value that looks like a variable is left as it is."""
        return _filled(self.templates[evaluator, step], values)


def _filled(template: BasePromptTemplate, values: Mapping[str, str]) -> Messages:
    messages = template.format_messages(None, **values)
    return tuple((message.role.value, message.content or "") for message in messages)


def load_prompts(guidelines: str, own: Mapping[tuple[str, Step], str] | None = None) -> Prompts:
    """Return the prompts of the LlamaIndex that is installed.

    The catalogue of prompts by model is left alone: its one entry names variables that nothing
    fills in, so that such a model would see neither answer nor contexts.

    Args:
        guidelines: The user's own, "" for LlamaIndex's.
        own: Texts in place of LlamaIndex's, by evaluator and step.

    Raises:
        NotInstalledError: it is not installed, or of a version that is not known.
        PluginError: it lacks one of them.
    """
    refuse_other_version("llama-index-core")
    try:
        return _load(guidelines, own or {})
    except (ImportError, AttributeError) as error:
        raise PluginError(
            f"judge 'llamaindex': the evaluators of llama-index cannot be used: {error}",
            remedy="pip install --upgrade llama-index-core",
        ) from error


def _load(guidelines: str, own: Mapping[tuple[str, Step], str]) -> Prompts:
    from llama_index.core import evaluation
    from llama_index.core.output_parsers import PydanticOutputParser
    from llama_index.core.prompts import PromptTemplate

    templates: dict[tuple[str, Step], BasePromptTemplate] = {
        (name, step): getattr(getattr(evaluation, name), _TEMPLATES[step])
        for name, step in VARIABLES
    }
    # What the guideline evaluator's reply has to look like is added to any wording. The evaluator
    # hangs its parser on the template that all share: ours is another one.
    parser = PydanticOutputParser(output_cls=evaluation.guideline.EvaluationData)
    worded = {("guideline", "first"): templates["guideline", "first"].get_template(), **own}
    for (name, step), text in worded.items():
        added = parser if name == "guideline" else None
        templates[name, step] = PromptTemplate(text, output_parser=added)
    return Prompts(templates, guidelines.strip() or evaluation.guideline.DEFAULT_GUIDELINES)


# Prompts of one's own for the evaluators: read, and refused where they could not work.


def read_own_prompts(root: Path, paths: Mapping[PromptName, str]) -> dict[tuple[str, Step], str]:
    """Return the texts of the files, by evaluator and step.

    Raises:
        ConfigError: a file is absent or outside the project, a brace stands alone, a variable is
            missing, or there is one that nothing fills in.
    """
    texts = {}
    for name, path in paths.items():
        where = f"[policy.judge.prompts] {name}"
        criterion, _, step = name.partition(".")
        key: tuple[str, Step] = (
            _MODULES.get(criterion, criterion),
            "refine" if step else "first",
        )
        file = inside(root, path, where=where, error=ConfigError)
        texts[key] = read_text(file, error=ConfigError, max_bytes=MAX_BYTES)
        _check(texts[key], VARIABLES[key], f"{where}: {path}")
    return texts


def _check(text: str, needed: frozenset[str], where: str) -> None:
    known = ", ".join(f"{{{name}}}" for name in sorted(needed))
    remedy = f"a prompt holds {known}; write other braces twice: {{{{ and }}}}"
    try:
        found = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise ConfigError(f"{where}: {error}", remedy=remedy) from error
    if odd := sorted(found - needed):
        raise ConfigError(f"{where}: nothing fills in {{{odd[0]}}}", remedy=remedy)
    if missing := sorted(needed - found):
        raise ConfigError(f"{where}: {{{missing[0]}}} is missing", remedy=remedy)


class UnjudgeableError(RagateError):
    """An output that cannot be asked about within the limits of the settings."""


def windows(
    prompts: Prompts, evaluator: str, question: str, texts: Sequence[str], settings: Settings
) -> list[str]:
    """Return the texts of a chain's steps, in order; at least one, and none of them blank.

    LlamaIndex's own helper measures and cuts, with its tokenizer: what is longer than a window goes
    on in the next one, with an overlap of a tenth.

    Raises:
        UnjudgeableError: the question alone fills the window, or the chain would be too long.
    """
    from llama_index.core.indices.prompt_helper import PromptHelper
    from llama_index.core.prompts.prompt_utils import get_biggest_prompt

    total = sum(map(len, texts))
    if total > MOST_CONTEXT_CHARS:
        raise UnjudgeableError(
            f"the contexts have {total} characters, {MOST_CONTEXT_CHARS} are judged"
        )
    templates = (prompts.templates[evaluator, "first"], prompts.templates[evaluator, "refine"])
    largest = get_biggest_prompt(
        [template.partial_format(query_str=question) for template in templates]
    )
    helper = PromptHelper(
        context_window=settings.context_window, num_output=settings.max_tokens or _REPLY_TOKENS
    )
    groups = [texts] if settings.mode == "compact" else [[text] for text in texts]
    try:
        repacked = [
            text for group in groups for text in helper.repack(largest, group, padding=_PADDING)
        ]
    except ValueError as error:
        window = settings.context_window
        raise UnjudgeableError(f"no room for contexts in {window} tokens") from error
    steps = [text for text in repacked if text.strip()]
    if len(steps) > settings.max_steps:
        raise UnjudgeableError(f"{len(steps)} steps are needed, max_steps = {settings.max_steps}")
    return steps


# semantic_similarity: the cosine between answer and reference.


async def best_cosine(embedder: Embedder, answer: str, references: Sequence[str]) -> float:
    """Return the largest cosine between the answer and a reference, in [0, 1].

    Raises:
        UnjudgeableError: the vectors have no angle: of zeros, or not finite.
        ProviderError: the embedder's provider failed.
    """
    import numpy as np

    vectors = np.asarray(await embedder([answer, *references]), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise UnjudgeableError("a vector of the embedder has no direction")
    units = vectors / lengths[:, None]
    return float(np.clip((units[1:] @ units[0]).max(), 0.0, 1.0))
