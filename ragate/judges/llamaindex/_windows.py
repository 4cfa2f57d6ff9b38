"""Contexts as a chain reads them: joined until the window is full, or one by one."""

from collections.abc import Sequence

from ragate.errors import RagateError
from ragate.judges.llamaindex._prompts import Prompts
from ragate.judges.llamaindex._settings import Settings
from ragate.protocols import Embedder

_REPLY_TOKENS = 256  # LlamaIndex's own allowance where nothing else is said
_PADDING = 500  # likewise, for the existing answer that a refine prompt repeats


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
    if total > settings.max_context_chars:
        limit = settings.max_context_chars
        raise UnjudgeableError(f"the contexts have {total} characters, {limit} are judged")
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
