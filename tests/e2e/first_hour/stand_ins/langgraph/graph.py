"""What this project uses of LangGraph, in its shapes: a state that nodes add to."""

from __future__ import annotations

from typing import Any, get_type_hints

from langchain_core.messages import HumanMessage

START, END = "__start__", "__end__"


class InvalidUpdateError(Exception):
    pass


def add_messages(left: list[Any], right: list[Any]) -> list[Any]:
    return [*left, *right]


class StateGraph:
    def __init__(self, state: type) -> None:
        self._keys = set(get_type_hints(state))
        self._nodes: dict[str, Any] = {}
        self._edges: dict[str, str] = {}

    def add_node(self, name: str, action: Any) -> StateGraph:
        self._nodes[name] = action
        return self

    def add_edge(self, start: str, end: str) -> StateGraph:
        self._edges[start] = end
        return self

    def compile(self) -> CompiledStateGraph:
        return CompiledStateGraph(self._keys, self._nodes, self._edges)


class CompiledStateGraph:
    def __init__(self, keys: set[str], nodes: dict[str, Any], edges: dict[str, str]) -> None:
        self._keys, self._nodes, self._edges = keys, nodes, edges

    def invoke(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict) or not given.keys() & self._keys:
            raise InvalidUpdateError(f"Must write to at least one of {sorted(self._keys)}")
        state = {key: value for key, value in given.items() if key in self._keys}
        state["messages"] = [
            HumanMessage(content=one["content"]) if isinstance(one, dict) else one
            for one in state.get("messages", [])
        ]
        name = self._edges[START]
        while name != END:
            update = self._nodes[name](state)
            update["messages"] = add_messages(state["messages"], update.get("messages", []))
            state = {**state, **update}
            name = self._edges[name]
        return state

    async def ainvoke(self, given: Any) -> dict[str, Any]:
        return self.invoke(given)
