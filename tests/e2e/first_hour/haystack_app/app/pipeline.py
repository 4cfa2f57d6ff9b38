from functools import lru_cache

from haystack import Pipeline

from app.components import FirstSentence, WordRetriever, load

TOP_K = 4


@lru_cache
def build_pipeline() -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("retriever", WordRetriever(load()))
    pipeline.add_component("llm", FirstSentence())
    pipeline.connect("retriever.documents", "llm.documents")
    return pipeline


def run_query(question: str, top_k: int = TOP_K):
    return build_pipeline().run(
        {"retriever": {"query": question, "top_k": top_k}, "llm": {"query": question}},
        include_outputs_from={"retriever"},
    )
