"""The prompts of the installed evaluators: read at run time, filled in, and hashed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ragate.core.hashing import digest
from ragate.errors import PluginError
from ragate.judges._asking import Messages

if TYPE_CHECKING:
    from llama_index.core.prompts import BasePromptTemplate

Step = Literal["first", "refine"]


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
        PluginError: it is not installed, or lacks one of them.
    """
    try:
        prompts = _load(guidelines)
        return replace(prompts, templates={**prompts.templates, **_worded(own or {})})
    except (ImportError, AttributeError) as error:
        raise PluginError(
            f"judge 'llamaindex': the evaluators of llama-index cannot be used: {error}",
            remedy="pip install 'llama-index>=0.14,<0.15'",
        ) from error


def _worded(own: Mapping[tuple[str, Step], str]) -> dict[tuple[str, Step], BasePromptTemplate]:
    from llama_index.core.evaluation import guideline
    from llama_index.core.output_parsers import PydanticOutputParser
    from llama_index.core.prompts import PromptTemplate

    # What the guideline evaluator's reply has to look like is added to any wording.
    parser = PydanticOutputParser(output_cls=guideline.EvaluationData)
    return {
        key: PromptTemplate(text, output_parser=parser if key[0] == "guideline" else None)
        for key, text in own.items()
    }


def _load(guidelines: str) -> Prompts:
    from llama_index.core.evaluation import (
        answer_relevancy,
        context_relevancy,
        correctness,
        faithfulness,
        guideline,
        pairwise,
        relevancy,
    )
    from llama_index.core.output_parsers import PydanticOutputParser
    from llama_index.core.prompts import PromptTemplate

    templates: dict[tuple[str, Step], BasePromptTemplate] = {
        ("answer_relevancy", "first"): answer_relevancy.DEFAULT_EVAL_TEMPLATE,
        ("correctness", "first"): correctness.DEFAULT_EVAL_TEMPLATE,
        ("context_relevancy", "first"): context_relevancy.DEFAULT_EVAL_TEMPLATE,
        ("context_relevancy", "refine"): context_relevancy.DEFAULT_REFINE_TEMPLATE,
        ("faithfulness", "first"): faithfulness.DEFAULT_EVAL_TEMPLATE,
        ("faithfulness", "refine"): faithfulness.DEFAULT_REFINE_TEMPLATE,
        ("relevancy", "first"): relevancy.DEFAULT_EVAL_TEMPLATE,
        ("relevancy", "refine"): relevancy.DEFAULT_REFINE_TEMPLATE,
        ("pairwise", "first"): pairwise.DEFAULT_EVAL_TEMPLATE,
        # The evaluator hangs its parser, which adds the form of the reply, on the shared template.
        ("guideline", "first"): PromptTemplate(
            guideline.DEFAULT_EVAL_TEMPLATE.get_template(),
            output_parser=PydanticOutputParser(output_cls=guideline.EvaluationData),
        ),
    }
    return Prompts(templates, guidelines.strip() or guideline.DEFAULT_GUIDELINES)
