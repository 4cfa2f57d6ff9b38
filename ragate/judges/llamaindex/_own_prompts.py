"""Prompts of one's own for the evaluators: read, and refused where they could not work."""

from collections.abc import Mapping
from pathlib import Path
from string import Formatter

from ragate.errors import ConfigError
from ragate.judges.llamaindex._prompts import Step
from ragate.judges.llamaindex._settings import PromptName
from ragate.support.foreign_files import inside, read_text

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
_MODULES = {"faithfulness_binary": "faithfulness"}  # criteria whose evaluator has another name


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
