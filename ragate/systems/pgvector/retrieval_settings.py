"""The tables of ``[system]`` that say how passages are found."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ragate.models import Frozen


class Bm25Settings(Frozen):
    """``[system.bm25]``: how words are counted.

    Attributes:
        stemmer: A Snowball language, or "none".
        stop_words: "english" or "none".
        k1: How soon a repeated word stops to count.
        b: How much a long chunk is marked down; 0 not at all, 1 in full proportion.
    """

    stemmer: str = "english"
    stop_words: Literal["english", "none"] = "english"
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
    """``[system.hybrid]``: how the two rankings become one.

    Attributes:
        fusion: By ranks (weighted reciprocal rank fusion), or by scores scaled to 0..1.
        weight: Of the dense ranking; BM25 has the rest of 1.
        rrf_k: The constant of reciprocal rank fusion.
        depth: Chunks of each ranking that take part, at least.
    """

    fusion: Literal["rrf", "scores"] = "rrf"
    weight: float = Field(default=0.5, ge=0, le=1)
    rrf_k: int = Field(default=60, ge=1)
    depth: int = Field(default=100, ge=1, le=1000)


class HnswSettings(Frozen):
    """``[system.hnsw]``: the graph of the approximate index; see pgvector's manual.

    Attributes:
        m: Links of a node.
        ef_construction: Nodes that are looked at for each one that is put in.
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
    """``[system.parents]``: small chunks are searched and larger passages returned.

    Attributes:
        use: "window" returns passages of up to `size` tokens, "section" whole sections.
    """

    use: Literal["none", "window", "section"] = "none"
    size: int = Field(default=2000, ge=16, le=8000)


class RerankSettings(Frozen):
    """``[system.rerank]``: a model orders the best candidates anew.

    Attributes:
        candidates: Passages of the first ranking that the model sees.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    use: Literal["none", "cross_encoder", "endpoint"] = "none"
    candidates: int = Field(default=50, ge=1, le=1000)

    @property
    def own(self) -> dict[str, Any]:
        """Return what the reranker's plugin gets."""
        return {"use": self.use, **(self.model_extra or {})}
