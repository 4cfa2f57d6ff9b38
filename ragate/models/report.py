"""What is shown: everything a renderer may print. Renderers compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, SkipValidation

from ragate.models.base import Frozen
from ragate.models.data_changes import DataChanges
from ragate.models.decision import Decision
from ragate.models.metric_row import PassGroup
from ragate.models.proposed import CheckoutRules, Proposed, SuggestedFloor
from ragate.models.run import Filters, SystemInfo
from ragate.models.run_facts import Diagnosis, DrillProof, RunFacts
from ragate.models.sample_row import RunDetails, SampleOutcome, SampleRow

REPORT_SCHEMA_VERSION = 1
Publish = Literal["full", "answers", "ids"]


class ChangedPart(Frozen):
    """One thing that the system reads and that is not as it was.

    Attributes:
        words: What differs: ``top_k = 1 (was 10)``; "" where the file says it.
        path: The file, from the repository's top; "" where only the system tells of the change.
        line: The first line that differs; None where that is not known.
        url: Of that line, "" where there is no page of it.
    """

    words: str = ""
    path: str = ""
    line: int | None = None
    url: str = ""


class ChangeOrigin(Frozen):
    """What did it, as far as that is known.

    Attributes:
        parts: What is known to differ; what is most likely to matter first.
        more: How many are not listed.
        alone: True where nothing else differs and chance is ruled out, so that it alone does it.
    """

    parts: tuple[ChangedPart, ...] = ()
    more: int = 0
    alone: bool = False


class SourceLinks(Frozen):
    """Pages of a report's sources.

    Attributes:
        samples: By sample, its line in the golden set.
        documents: By document, its file.
        config: The configuration's path from the repository's top, "" where that is not known.
        collected_by: The fork (``owner/name``) whose workflow asked the system, "" for our own.
        collected_url: Page of that run.
    """

    samples: dict[str, str] = {}
    documents: dict[str, str] = {}
    config: str = ""
    collected_by: str = ""
    collected_url: str = ""


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Where in the project's files a finding belongs; paths are from the repository's top.

    Attributes:
        config: The configuration's path.
        metrics, slices: The line of each one's table there.
        samples: By sample, file and line of the golden set; None where no line is known.
        changed: The settings of the system that differ from the base, with their lines.
    """

    config: str
    metrics: Mapping[str, int] = field(default_factory=dict)
    slices: Mapping[str, int] = field(default_factory=dict)
    samples: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)
    changed: tuple[ChangedPart, ...] = ()


class Report(Frozen):
    """Everything a renderer may show.

    Attributes:
        gate: Name of this gate (the baseline's stem unless named).
        head, base: Commits judged and compared with; "" where unknown.
        samples: Changed samples, failures first.
        judge: Who judged, with provider and model; "" where nobody did.
        settings: Of the system, by dotted key, as far as they are known.
        outcomes: Every sample of the candidate.
        pass_groups: Of a scorecard, who passes: by stage, tag and field.
        unchanged: Number of samples with equal scores and outputs.
        drill: The last `ragate drill`; None where there was none.
        origin: What of the system is not as it was.
        links: Where samples and documents can be read.
        left_out: Changed samples that got no row, since there are too many.
        proposed: The verdict by the change's own rules, where they differ from the base's.
        suggested_floors: For a gate that is new: what its rules could hold from now on.
        checkout_rules: None where the base's rules judged, or the checkout's are the same.
        pull: The pull request that takes comment commands, None where there is none.
        publish: Which texts may leave the machine: `ragate.core.publishable` takes out the others.
        details: What a page shows beyond the report; not part of the stored one.
        lines: Where findings belong in files; not part of the stored one.
        report_url: Where the whole report can be read (https only), "" where nowhere.
    """

    schema_version: int = REPORT_SCHEMA_VERSION
    gate: str
    run_id: str = ""
    created: str = ""
    head: str = ""
    base: str = ""
    ragate_version: str = ""
    dataset: str = ""
    baseline_path: str = ""
    baseline_recorded: str = ""
    system: SystemInfo
    baseline_system: SystemInfo | None = None
    filters: Filters = Filters()
    partial: bool = False
    retrieval_only: bool = False
    decision: Decision
    facts: RunFacts = RunFacts()
    data: DataChanges = DataChanges()
    samples: tuple[SampleRow, ...] = ()
    judge: str = ""
    settings: dict[str, str] = {}
    outcomes: tuple[SampleOutcome, ...] = ()
    pass_groups: tuple[PassGroup, ...] = ()
    unchanged: int = 0
    left_out: int = 0
    origin: ChangeOrigin = ChangeOrigin()
    links: SourceLinks = SourceLinks()
    diagnosis: tuple[Diagnosis, ...] = ()
    drill: DrillProof | None = None
    proposed: Proposed | None = None
    suggested_floors: tuple[SuggestedFloor, ...] = ()
    checkout_rules: CheckoutRules | None = None
    pull: int | None = None
    publish: Publish = "full"
    report_url: str = ""
    details: SkipValidation[RunDetails | None] = Field(default=None, exclude=True, repr=False)
    lines: SkipValidation[SourceLines | None] = Field(default=None, exclude=True, repr=False)
