"""The keys of ``[system]`` for ``use = "pgvector"``."""

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ragate.models import Frozen
from ragate.systems.pgvector.retrieval_settings import (
    Bm25Settings,
    HnswSettings,
    HybridSettings,
    ParentSettings,
    RerankSettings,
)

# Dimensions that HNSW holds for the type vector: https://github.com/pgvector/pgvector#hnsw
HNSW_LIMIT = 2000


class AnswerSettings(Frozen):
    """``[system.answer]``: who writes the answer.

    Attributes:
        sentences: Largest number of sentences that an extractive answer quotes.
        threshold: Share of the question's weight that the best sentence must cover; below it the
            extractive answer is the refusal.
        refusal: What is said where nothing matches; the chat prompt gets it too.
        provider: A table of ``[policy.providers]``, for chat.
        prompt: A Jinja file below the project; "" for the built-in prompt.
        temperature, max_tokens: Sent only where set: not every model takes them.
        parameters: Further keys of the request, such as ``seed`` or ``reasoning_effort``.
    """

    use: Literal["extractive", "chat"] = "extractive"
    sentences: int = Field(default=3, ge=1, le=20)
    threshold: float = Field(default=0.25, ge=0, le=1)
    refusal: str = Field(
        default="I don't know: the documents do not answer this question.", min_length=1
    )
    provider: str = ""
    model: str = ""
    prompt: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] = {}

    @model_validator(mode="after")
    def _chat_is_whole(self) -> Self:
        if self.use == "chat" and not (self.provider and self.model):
            raise ValueError('use = "chat" needs provider and model')
        return self


FilterValue = str | int | float | bool


class Settings(Frozen):
    """``[system]``.

    Attributes:
        corpus: A folder below the project: Markdown, HTML and text files, or a BEIR corpus.
        chunk_size: Largest chunk in tokens (words of up to 20 characters, and punctuation marks).
        chunk_overlap: Tokens that a chunk repeats from the one before.
        markdown: Split Markdown and HTML at their headings first.
        top_k: Chunks that are returned for a question.
        prefix: What is searched together with a chunk's text: nothing, the document's title, or the
            title and the headings above.
        index: For dense and hybrid: exact search, or an approximate HNSW index.
        filters: Only documents whose metadata has this value, or one of these, by field.
        filter_by: Fields of a sample's metadata that a document must share.
        path_fields: Names of the folders on a document's path, from the top: its metadata.
        filter_missing: What a document without a filtered field is: out, or in.
    """

    corpus: str = Field(min_length=1)
    chunk_size: int = Field(default=512, ge=16, le=8000)
    chunk_overlap: int = Field(default=64, ge=0)
    markdown: bool = True
    retrieval: Literal["bm25", "dense", "hybrid"] = "bm25"
    top_k: int = Field(default=10, ge=1, le=1000)
    index: Literal["exact", "hnsw"] = "exact"
    prefix: Literal["none", "title", "headings"] = "headings"
    filters: dict[str, FilterValue | tuple[FilterValue, ...]] = {}
    filter_by: tuple[str, ...] = ()
    path_fields: tuple[str, ...] = ()
    filter_missing: Literal["exclude", "include"] = "exclude"
    bm25: Bm25Settings = Bm25Settings()
    hybrid: HybridSettings = HybridSettings()
    hnsw: HnswSettings = HnswSettings()
    parents: ParentSettings = ParentSettings()
    embedder: dict[str, Any] | None = None
    rerank: RerankSettings = RerankSettings()
    answer: AnswerSettings = AnswerSettings()

    @field_validator("filters", mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        for name, condition in value.items() if isinstance(value, dict) else ():
            values = condition if isinstance(condition, list | tuple) and condition else [condition]
            if not all(isinstance(plain, FilterValue) for plain in values):
                raise ValueError(f"{name} is no text, number or true or false, nor a list of such")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.path_fields and not self.filtered:
            raise ValueError("path_fields has no effect without filters or filter_by")
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError(
                f"chunk_overlap = {self.chunk_overlap} must be smaller than chunk_size = "
                f"{self.chunk_size}"
            )
        if self.parents.use == "window" and self.parents.size <= self.chunk_size:
            raise ValueError(
                f"[system.parents] size = {self.parents.size} must be larger than chunk_size = "
                f"{self.chunk_size}"
            )
        if self.rerank.use == "none" and self.rerank.model_extra:
            raise ValueError(
                f"[system.rerank] has {', '.join(self.rerank.model_extra)} and no use: "
                'write use = "cross_encoder" or "endpoint"'
            )
        if self.retrieval != "bm25" and not self.embedder:
            raise ValueError(f'retrieval = "{self.retrieval}" needs a table [system.embedder]')
        return self

    @property
    def dense(self) -> bool:
        """True where chunks get an embedding."""
        return self.retrieval != "bm25"

    @property
    def filtered(self) -> bool:
        """True where documents are told apart by their metadata."""
        return bool(self.filters or self.filter_by)
