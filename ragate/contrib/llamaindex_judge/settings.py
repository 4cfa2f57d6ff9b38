"""The keys of ``[policy.judge]`` for ``use = "llamaindex"``."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ragate.judges._asking import ModelSettings

Mode = Literal["compact", "refine"]
PromptName = Literal[
    "answer_relevancy",
    "context_relevancy",
    "context_relevancy.refine",
    "correctness",
    "faithfulness_binary",
    "faithfulness_binary.refine",
    "guideline",
    "pairwise",
    "relevancy",
    "relevancy.refine",
]
_DOTTED = r"^([A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)?$"


class Settings(ModelSettings):
    """The evaluators of LlamaIndex, in `[policy.judge]`; the model is either `provider` and
    `model`, or `llm`.

    Attributes:
        provider: A table of `[policy.providers]`; with `model`, unless `llm` is set.
        model: The model.
        llm: An LLM of LlamaIndex, or what makes one, as `package.module:name`.
        llm_settings: Keyword arguments for what makes it.
        embedder: `use` and the keys of an embedder, for `semantic_similarity`, which is unscored
            without it.
        mode: `compact` joins contexts until they fill the window, `refine` asks chunk by chunk.
        guidelines: For the criterion `guideline`; empty: those of LlamaIndex.
        prompts: Files in place of LlamaIndex's prompts, by criterion: [prompts of your
            own](#prompts-of-your-own).
        max_tokens: Longest reply, sent where set; so much of the window is kept free, 256 unless
            set.
        context_window: Tokens of one request with its reply.
        max_steps: Longest chain; where more steps are needed the metric is unscored.
    \f

    All `guidelines` are judged together; nothing checks the judge on your own ones, and a warning
    says so.

    ### Prompts of your own

    ```toml
    [policy.judge.prompts]
    relevancy = "evals/relevancy.txt"
    ```

    A file, in CI the base commit's, takes the place of the evaluator's prompt; `.refine` of that of
    later steps.

    | prompt | variables, all required | reply |
    | --- | --- | --- |
    | `faithfulness_binary`, `relevancy` | `{query_str}`, `{context_str}` | YES or NO first |
    | their `.refine` | `{query_str}`, `{context_msg}`, `{existing_answer}` | the same |
    | `context_relevancy` | the same | `[RESULT]` and 0 to 4 |
    | `correctness` | `{query}`, `{reference_answer}`, `{generated_answer}` | 1 to 5 on line 1 |
    | `answer_relevancy` | `{query}`, `{response}` | `[RESULT]` and 0, 1 or 2 |
    | `guideline` | `{query}`, `{response}`, `{guidelines}` | JSON, asked for by what is added |
    | `pairwise` | `{query}`, `{reference}`, `{answer_1}`, `{answer_2}` | `[[A]]` `[[B]]` `[[C]]` |

    `{query_str}` is the answer for faithfulness, question and answer for relevancy. Other braces
    are written twice.
    """

    provider: str = ""
    model: str = ""
    llm: str = Field(default="", pattern=_DOTTED)
    llm_settings: dict[str, Any] = {}
    embedder: dict[str, Any] = {}
    mode: Mode = "compact"
    guidelines: str = ""
    prompts: dict[PromptName, str] = {}
    context_window: int = Field(default=16_000, ge=2_000)
    max_steps: int = Field(default=64, ge=1)

    @model_validator(mode="after")
    def _one_model(self) -> Self:
        if self.llm and (self.provider or self.model):
            raise ValueError("llm is set, so provider and model have no use: give one or the other")
        if not self.llm and not (self.provider and self.model):
            raise ValueError("which model judges? give provider and model, or llm")
        if self.llm_settings and not self.llm:
            raise ValueError("llm_settings is for llm, which is not set")
        return self
