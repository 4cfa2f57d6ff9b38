"""The report: everything that a renderer prints. Renderers compute nothing themselves."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SkipValidation,
    ValidatorFunctionWrapHandler,
    WrapSerializer,
    WrapValidator,
    model_validator,
)

from ragate.models.base import Frozen
from ragate.models.decision import Decision
from ragate.models.metric_row import PassGroup
from ragate.models.run import Filters, SystemInfo
from ragate.models.sample_row import (
    AnsweredQuestion,
    CauseKind,
    RunDetails,
    SampleOutcome,
    SampleRow,
)

REPORT_SCHEMA_VERSION = 2
Publish = Literal["full", "answers", "ids"]
_GONE = {"proposed", "stale_evidence", "unchecked"}  # of version 1


def _lazy_as_it_is(rows: Any, check: ValidatorFunctionWrapHandler) -> Sequence[AnsweredQuestion]:
    """Check rows that are there; those that are made when they are looked at are ours."""
    is_lazy = isinstance(rows, Sequence) and not isinstance(rows, list | tuple | str)
    return rows if is_lazy else tuple(check(rows))


_Questions = Annotated[
    Sequence[AnsweredQuestion],
    WrapValidator(_lazy_as_it_is),
    WrapSerializer(lambda rows, write: write(tuple(rows))),
]


class SuggestedFloor(Frozen):
    """A floor (or ceiling) that what was measured today would keep.

    Attributes:
        mean: What was measured.
        key: ``minimum`` or ``maximum``.
    """

    metric: str
    unit: str
    mean: float
    key: Literal["minimum", "maximum"]
    limit: float


class CheckoutRules(Frozen):
    """The rules of a verdict that went by those of a checkout, where a base may have others.

    Attributes:
        base_read: The base's could be read, so that `changed` is known.
        changed: What of the checkout's rules is not the base's.
    """

    base_read: bool
    changed: tuple[Literal["policy", "golden set", "baseline", "judge prompt"], ...] = ()


class Diagnosis(Frozen):
    """One row of the symptom table that fits this run.

    Attributes:
        certain: It is no guess from a pattern, and what it says explains all else.
    """

    symptom: str
    likely_cause: str
    action: str
    certain: bool = False


class RunFacts(Frozen):
    """Counts and costs of the run, for the line under the verdict.

    Attributes:
        unjudged: Answerable samples without an expected document; others have none to be judged.
        calls_reused, verdicts_reused: Answers, and verdicts of the judge, that were there already.
        saved_usd: What reused answers cost when they were made, as far as that is known.
    """

    samples: int = 0
    affected: int | None = None
    reused: int | None = None
    unjudged: int = 0
    errors: int = 0
    unscored: int = 0
    model_calls: int = 0
    calls_reused: int = 0
    verdicts_reused: int = 0
    cost_usd: float | None = None
    saved_usd: float = 0.0
    duration_s: float | None = None


class DrillProof(Frozen):
    """When the gate last proved that it can fail, and how many planted breaks it caught."""

    date: str
    caught: int
    planted: int


class RemovedSample(Frozen):
    """A sample that the baseline has and the golden set no longer has, with its baseline means."""

    sample_id: str
    means: dict[str, float]


class DataChanges(Frozen):
    """How the golden set differs from the baseline's; an edited sample is in both lists.

    Attributes:
        matched: Selected samples that the baseline holds with the same content.
        selected: Samples of this run.
        renamed: By old id the new one of samples with the same content; they are matched.
        failing: Added, edited and renamed samples that fail now: an error, a pass mark or a limit
            of a metric that gates, and of one without either its worst value.
        missing_documents: Expected documents that the corpus does not hold, by sample.
        unasked_documents: Documents that the change adds or edits and no question expects, as far
            as it was looked at.
    """

    matched: int = 0
    selected: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[RemovedSample, ...] = ()
    edited: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    failing: tuple[str, ...] = ()
    missing_documents: dict[str, tuple[str, ...]] = {}
    unasked_documents: tuple[str, ...] = ()

    @property
    def gone(self) -> tuple[RemovedSample, ...]:
        """Those that are there in no form any more."""
        edited = set(self.edited)
        return tuple(row for row in self.removed if row.sample_id not in edited)

    @property
    def new(self) -> tuple[str, ...]:
        """Those that were there in no form before."""
        edited = set(self.edited)
        return tuple(key for key in self.added if key not in edited)


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


class TagLoss(Frozen):
    """How many samples of one tag got worse, of all that have it."""

    tag: str
    worse: int
    of: int


class Story(Frozen):
    """What happened to the samples that got worse.

    Attributes:
        worse: How many got worse.
        told: Of how many of them, the worst, the other counts are: those with a row.
        lost: An expected document was retrieved before and is not now.
        fewer: Of the others, those that got the first of their documents alone.
        came: How many documents came before, and now: where most that got worse have the first of
            them alone now, or most that changed have others behind them.
        unnamed: Of the others, answers that changed where neither side names a document.
        other_text: Of the others, those whose documents kept their ids and have other texts.
        causes: How many of the rest were put down to each cause, the most frequent first.
        emptied: Documents came before, and none now.
        empty: They were answered before, and the answer is empty now.
        alike: How many get one and the same answer now, which none of them had before.
        alike_as: A sample that gets it, "" where no two do.
        refused: They were answered before, and now the answer says that it does not know.
        answered: The reverse.
        hardest: The tag that was hit hardest, None where none stands out from chance.
    """

    worse: int = 0
    told: int = 0
    lost: int = 0
    fewer: int = 0
    came: tuple[int, int] | None = None
    unnamed: int = 0
    other_text: int = 0
    causes: dict[CauseKind, int] = {}
    emptied: int = 0
    empty: int = 0
    alike: int = 0
    alike_as: str = ""
    refused: int = 0
    answered: int = 0
    hardest: TagLoss | None = None


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


class Report(Frozen):
    """Everything a renderer may show.

    Attributes:
        gate: Name of this gate (the baseline's stem unless named).
        head, base: Commits judged and compared with; "" where unknown.
        samples: Changed samples, failures first.
        judge: Who judged, with provider and model; "" where nobody did.
        settings: Of the system, by dotted key, as far as they are known.
        outcomes: Every sample of the candidate.
        questions: Every sample of every pass with its answer, for ``--format json``; neither in the
            stored report nor in that of the action.
        succeeded: Means over the outputs that did not fail, where they are not those over all.
        pass_groups: Of a scorecard, who passes: by stage, tag and field.
        unchanged: Number of samples with equal scores and outputs.
        drill: The last `ragate drill`; None where there was none.
        origin: What of the system is not as it was.
        story: What happened to the samples that got worse, in counts.
        links: Where samples and documents can be read.
        left_out: Changed samples that got no row, since there are too many.
        rules_differ: What of the change's own rules is not the base's, which decide.
        suggested_floors: For a gate that is new: what its rules could hold from now on.
        checkout_rules: None where the base's rules judged, or the checkout's are the same.
        pull: The pull request that takes comment commands, None where there is none.
        publish: Which texts may leave the machine: `ragate.core.publishable` takes out the others.
        details: What a page shows beyond the report; not part of the stored one.
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
    # asyncio.run writes its result into an error that it drops: no rows of 20,000 samples there.
    samples: tuple[SampleRow, ...] = Field(default=(), repr=False)
    judge: str = ""
    settings: dict[str, str] = {}
    outcomes: tuple[SampleOutcome, ...] = Field(default=(), repr=False)
    questions: _Questions = Field(default=(), repr=False)
    succeeded: dict[str, float] = {}
    pass_groups: tuple[PassGroup, ...] = ()
    unchanged: int = 0
    left_out: int = 0
    origin: ChangeOrigin = ChangeOrigin()
    story: Story = Story()
    links: SourceLinks = SourceLinks()
    diagnosis: tuple[Diagnosis, ...] = ()
    drill: DrillProof | None = None
    rules_differ: tuple[str, ...] = ()
    suggested_floors: tuple[SuggestedFloor, ...] = ()
    checkout_rules: CheckoutRules | None = None
    pull: int | None = None
    publish: Publish = "full"
    report_url: str = ""
    details: SkipValidation[RunDetails | None] = Field(default=None, exclude=True, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, fields: Any) -> Any:
        is_first = isinstance(fields, dict) and fields.get("schema_version") == 1
        return {**_as_now(fields), "schema_version": 2} if is_first else fields


def _as_now(stored: Any) -> Any:
    """Return what a report of version 1 holds by the names of today, without what is gone."""
    if isinstance(stored, list):
        return [_as_now(each) for each in stored]
    if not isinstance(stored, dict):
        return stored
    fields = {name: _as_now(value) for name, value in stored.items() if name not in _GONE}
    if "p_other" not in fields and "family" not in fields:
        return fields
    # Two claims were tested, and one of them decided.
    claim, other = fields.pop("claim", ""), fields.pop("p_other", None)
    if "p" in fields and "p_here" not in fields:
        here = claim == "this-set"
        fields |= {"p": other, "p_here": fields["p"]} if here else {"p_here": other}
    return fields
