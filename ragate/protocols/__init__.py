"""What a plugin is. One plugin, one module; `create` of that module makes it."""

from ragate.protocols.clients import ChatClient, ChatReply, ChatRequest, Embedder, Reranker
from ragate.protocols.judge import (
    ComparingJudge,
    GroundedCriteria,
    Judge,
    JudgeModule,
    KnownCriteria,
    OwnRules,
    PlantedGuidelines,
    SeparateCriteria,
    SparingJudge,
)
from ragate.protocols.metric import (
    NO_CLIENTS,
    Aggregate,
    AskingMetric,
    EmbeddingMetric,
    Judged,
    JudgedAggregate,
    JudgeMetric,
    Metric,
    MetricClients,
    MetricModule,
    MetricOfAPart,
    MetricRequest,
    Pair,
    Vector,
)
from ragate.protocols.rankings import NO_RANKINGS, EarlierRankings
from ragate.protocols.renderer import Renderer
from ragate.protocols.resources import Database, Resources, Steps
from ragate.protocols.system import (
    CorpusModule,
    DateReader,
    IdentifiedSystem,
    IdentifyingModule,
    LimitedSystem,
    PassageArranger,
    System,
    SystemModule,
    Traits,
)
