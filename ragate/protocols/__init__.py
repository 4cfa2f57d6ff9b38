"""What a plugin is. One plugin, one module; `create` of that module makes it."""

from ragate.protocols.clients import ChatClient, ChatReply, ChatRequest, Embedder, Reranker
from ragate.protocols.judge import Judge, JudgeModule
from ragate.protocols.metric import (
    Aggregate,
    JudgedAggregate,
    JudgeMetric,
    Metric,
    MetricModule,
    MetricRequest,
    Pair,
)
from ragate.protocols.renderer import Renderer
from ragate.protocols.resources import Database, Resources, Steps
from ragate.protocols.system import System, SystemModule

__all__ = [
    "Aggregate",
    "ChatClient",
    "ChatReply",
    "ChatRequest",
    "Database",
    "Embedder",
    "Judge",
    "JudgeMetric",
    "JudgeModule",
    "JudgedAggregate",
    "Metric",
    "MetricModule",
    "MetricRequest",
    "Pair",
    "Renderer",
    "Reranker",
    "Resources",
    "Steps",
    "System",
    "SystemModule",
]
