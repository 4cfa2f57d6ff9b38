"""The types of a run and its report: immutable, without unknown fields, without NaN.

Nothing is computed here. Read `sample.py` and `output.py` for what is asked and what comes back,
`run.py` for what a run leaves behind, and `report.py` for all that is shown of it.
"""

from ragate.models.base import Frozen
from ragate.models.decision import Decision, EarlierFigure, EarlierPasses, MustPassRow, WaiverRow
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
    ReportedScore,
    RetrievedChunk,
    SystemOutput,
    ToolCall,
    Usage,
    failed_output,
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
from ragate.models.report import (
    REPORT_SCHEMA_VERSION,
    ChangedPart,
    ChangeOrigin,
    CheckoutRules,
    DataChanges,
    Diagnosis,
    DrillProof,
    Publish,
    RemovedSample,
    Report,
    RunFacts,
    SourceLinks,
    Story,
    SuggestedFloor,
    TagLoss,
)
from ragate.models.run import (
    RUN_SCHEMA_VERSION,
    EarlierRun,
    Filters,
    Merged,
    Moved,
    Record,
    Recording,
    Run,
    RunManifest,
    SystemInfo,
)
from ragate.models.sample import (
    ExpectedCall,
    MetadataValue,
    Sample,
    SourcePolicy,
    Tool,
    Turn,
)
from ragate.models.sample_row import (
    AnsweredQuestion,
    Cause,
    CauseKind,
    CitedPassage,
    EarlierOutcome,
    RankChange,
    RankedDocument,
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
