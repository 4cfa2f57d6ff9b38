"""What this project uses of Haystack, in its shapes: dataclasses, and outputs by component."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass
class Document:
    id: str = ""
    content: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None
    embedding: list[float] | None = None

    def __post_init__(self) -> None:
        self.id = self.id or hashlib.sha256(f"{self.content}{self.meta}".encode()).hexdigest()


def component(cls: type) -> type:
    return cls


class Pipeline:
    def __init__(self) -> None:
        self._components: dict[str, Any] = {}
        self._edges: list[tuple[str, str]] = []

    def add_component(self, name: str, instance: Any) -> None:
        self._components[name] = instance

    def connect(self, sender: str, receiver: str) -> None:
        self._edges.append((sender, receiver))

    def run(
        self, data: dict[str, dict[str, Any]], include_outputs_from: set[str] | None = None
    ) -> dict[str, Any]:
        outputs: dict[str, dict[str, Any]] = {}
        for name, instance in self._components.items():
            inputs = dict(data.get(name, {}))
            for sender, receiver in self._edges:
                target, _, socket = receiver.partition(".")
                source, _, out = sender.partition(".")
                if target == name:
                    inputs[socket] = outputs[source][out]
            outputs[name] = instance.run(**inputs)
        senders = {sender.partition(".")[0] for sender, _ in self._edges}
        wanted = (set(outputs) - senders) | (include_outputs_from or set())
        return {name: outputs[name] for name in outputs if name in wanted}


__all__ = ["Document", "Pipeline", "component", "replace"]
