"""The support agent: retrieve, then answer."""

import re
from typing import Annotated, TypedDict

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph, add_messages

from support.store import VectorStore, embed

TOP_K = 4
store = VectorStore()


class State(TypedDict):
    messages: Annotated[list, add_messages]
    context: list[Document]


def last_question(state: State) -> str:
    return next(m.content for m in reversed(state["messages"]) if isinstance(m, HumanMessage))


def retrieve(state: State) -> dict:
    return {"context": store.similarity_search(last_question(state), k=TOP_K)}


def generate(state: State) -> dict:
    asked = embed(last_question(state))
    sentences = re.split(r"(?<=\.)\s+", state["context"][0].page_content)
    best = max(sentences, key=lambda sentence: sum((embed(sentence) & asked).values()))
    return {"messages": [AIMessage(content=best, usage_metadata={"input_tokens": 12})]}


builder = StateGraph(State)
builder.add_node("retrieve", retrieve)
builder.add_node("generate", generate)
builder.add_edge(START, "retrieve")
builder.add_edge("retrieve", "generate")
builder.add_edge("generate", END)
graph = builder.compile()
