"""The types that flow down the line: frozen, closed, without NaN."""

from ragate.models.base import Frozen
from ragate.models.data_changes import DataChanges, RemovedSample
from ragate.models.decision import Decision, MustPassRow, WaiverRow
from ragate.models.earlier_passes import EarlierFigure, EarlierPasses
from ragate.models.metric_row import (
    FloorResult,
    MetricRow,
    PassGroup,
    PassShare,
    SliceRow,
    pass_name,
    rated_metric,
    slice_key,
)
from ragate.models.output import (
    CallResult,
    Executed,
    Failure,
    RetrievedChunk,
    SystemOutput,
    ToolCall,
    Usage,
)
from ragate.models.policy import (
    OVERALL,
    PASSES,
    Acceptance,
    DecisionSettings,
    Level,
    PassRule,
    Rule,
    Scorecard,
    ScorecardStage,
    Slice,
    Waiver,
)
from ragate.models.proposed import CheckoutRules, Proposed, SuggestedFloor
from ragate.models.report import (
    REPORT_SCHEMA_VERSION,
    ChangedPart,
    ChangeOrigin,
    Publish,
    Report,
    SourceLines,
    SourceLinks,
)
from ragate.models.review_label import ReviewLabel, ReviewVerdict
from ragate.models.run import (
    RUN_SCHEMA_VERSION,
    EarlierRun,
    Filters,
    Merged,
    Record,
    Recording,
    Run,
    RunManifest,
    SystemInfo,
)
from ragate.models.run_facts import Diagnosis, DrillProof, RunFacts
from ragate.models.sample import (
    Evidence,
    ExpectedCall,
    MetadataValue,
    Sample,
    SourcePolicy,
    Tool,
    Turn,
)
from ragate.models.sample_row import (
    Cause,
    CauseKind,
    RankChange,
    RunDetails,
    SampleEvidence,
    SampleOutcome,
    SampleRow,
    SampleScores,
    SampleSide,
    ScoreChange,
    SideEvidence,
)
from ragate.models.score import (
    ASKED,
    Direction,
    MetricInfo,
    Needs,
    Reads,
    Score,
    ScoreState,
    not_applicable,
    unscored,
)
from ragate.models.verdict import MetricVerdict, Verdict
