"""The keys of ``[system]`` for ``use = "pgvector"``."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ragate.models import Frozen

# Dimensions that HNSW holds for the type vector: https://github.com/pgvector/pgvector#hnsw
HNSW_LIMIT = 2000


class Bm25Settings(Frozen):
    """How words are counted.

    Attributes:
        stemmer: A Snowball language, or `none`.
        stop_words: Words that are not indexed: the English ones, those of the grammar of the
            stemmer's language, or none.
        k1: How soon a repeated word stops to count.
        b: How much a long chunk is marked down; 0 not at all, 1 in full proportion.
    """

    stemmer: str = "english"
    stop_words: Literal["english", "grammar", "none"] = "english"
    k1: float = Field(default=1.2, ge=0, le=10)
    b: float = Field(default=0.75, ge=0, le=1)

    @field_validator("stemmer")
    @classmethod
    def _known(cls, value: str) -> str:
        if value == "none":
            return value
        import Stemmer

        languages = Stemmer.algorithms()
        if value not in languages:
            raise ValueError(f'no such stemmer; known: "none", {", ".join(sorted(languages))}')
        return value


class HybridSettings(Frozen):
    """How the two rankings become one.

    Attributes:
        fusion: Add up ranks (weighted reciprocal rank fusion), or scores scaled to 0..1.
        weight: Of the dense ranking; BM25 has the rest of 1.
        rrf_k: Constant of reciprocal rank fusion.
        depth: Chunks of each ranking that take part, at least.
    """

    fusion: Literal["rrf", "scores"] = "rrf"
    weight: float = Field(default=0.5, ge=0, le=1)
    rrf_k: int = Field(default=60, ge=1)
    depth: int = Field(default=100, ge=1, le=1000)


class HnswSettings(Frozen):
    """The graph of the approximate index; see pgvector's manual.

    Attributes:
        m: Links of a node of the graph.
        ef_construction: Nodes that are looked at for each one put in; at least twice `m`.
        ef_search: Nodes that are looked at for a question.
    """

    m: int = Field(default=16, ge=2, le=100)
    ef_construction: int = Field(default=64, ge=4, le=1000)
    ef_search: int = Field(default=100, ge=1, le=1000)

    @model_validator(mode="after")
    def _wide_enough(self) -> Self:
        if self.ef_construction < 2 * self.m:
            raise ValueError(
                f"ef_construction = {self.ef_construction} must be at least twice m = {self.m}"
            )
        return self


class ParentSettings(Frozen):
    """Small chunks are searched and larger passages returned.

    Attributes:
        use: Return the chunk, the passage of `size` tokens around it (`window`), or its whole
            section.
        size: Of `window`: largest passage, in tokens; more than `chunk_size`.
    """

    use: Literal["none", "window", "section"] = "none"
    size: int = Field(default=2000, ge=16, le=8000)


class RerankSettings(Frozen):
    """A model orders the best candidates anew.

    All other keys are the reranker's own, in the same table:
    [`cross_encoder`](#reranker-cross_encoder), [`endpoint`](#reranker-endpoint).

    Attributes:
        use: Who orders the candidates anew.
        candidates: Passages of the first stage that are ordered; at least `top_k`.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    use: Literal["none", "cross_encoder", "endpoint"] = "none"
    candidates: int = Field(default=50, ge=1, le=1000)

    @property
    def own(self) -> dict[str, Any]:
        """Return what the reranker's plugin gets."""
        return {"use": self.use, **(self.model_extra or {})}


class AnswerSettings(Frozen):
    """Who writes the answer.

    Attributes:
        use: Best sentences of the chunks (`extractive`), or a chat model.
        sentences: Extractive: largest number of sentences.
        threshold: Extractive: share of the question's weight that the best sentence must cover;
            below it the answer is the refusal.
        refusal: What is said where nothing matches; the chat prompt gets it too.
        provider: Chat: a table of `[policy.providers]`.
        model: Chat: the model.
        prompt: Chat: a Jinja file below the project; empty: the built-in prompt.
        temperature, max_tokens: Chat: sent only where set, as not every model takes it.
        parameters: Chat: further keys of the request, such as `seed` or `reasoning_effort`.
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
    """The bundled RAG: [pgvector](system-pgvector.md); its [retrieval options](retrieval.md).

    Attributes:
        corpus: A folder of Markdown, HTML, text and PDF files (`ragate[pdf]`), or of a BEIR corpus.
        chunk_size: Largest chunk, in tokens (words of up to 20 characters, and punctuation marks).
        chunk_overlap: Tokens that a chunk repeats from the one before; less than `chunk_size`.
        markdown: Split Markdown and HTML at their headings first.
        retrieval: How chunks are found; `dense` and `hybrid` need `[system.embedder]`.
        top_k: Chunks that are returned for a question; `--top-k` wins over it.
        index: For dense and hybrid: exact search, or an approximate HNSW index.
        prefix: What is searched together with a chunk's text, and not returned: nothing, the
            document's title, or the title and the headings above.
        filters: Only documents with this metadata: a value or a list of values by field.
        filter_by: Fields of a sample's metadata that a document must share.
        path_fields: Names for the folders of a document's path, from the top: its metadata.
        filter_missing: Whether a document without a filtered field is out, or may be found
            (`include`).
        bm25: How words are counted.
        hybrid: How the rankings of words and of vectors become one.
        hnsw: The graph of the approximate index.
        parents: What is returned around a chunk that was found.
        embedder: `use`, by default `openai`, and the keys of [that embedder](#embedder-openai).
        rerank: Whether a model orders the best anew.
        answer: Who writes the answer.
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
