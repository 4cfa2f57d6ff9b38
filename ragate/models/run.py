"""What a run leaves behind: its manifest and one record for each sample and pass."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import Field, SkipValidation

from ragate.models.base import Frozen
from ragate.models.output import SystemOutput
from ragate.models.policy import Acceptance
from ragate.models.score import Direction, MetricInfo, Reads, Score

RUN_SCHEMA_VERSION = 1


# What a baseline tells of the recordings that it came from.


class Recording(Frozen):
    """One recording of a baseline."""

    commit: str = ""
    date: str = ""


class Merged(Frozen):
    """That two recordings of a baseline were merged, and none was made since.

    Attributes:
        neither: Questions of the merged golden set that the baseline does not hold as they are
            there, since only the other side recorded them.
        recordings: What was merged, by date.
        unmeasured: Metrics that the baseline holds no score of. Merges name none any more; a file
            that an earlier version merged may.
    """

    neither: tuple[str, ...] = ()
    recordings: tuple[Recording, ...] = ()
    unmeasured: tuple[str, ...] = ()

    def written(self) -> dict[str, Any]:
        """Return it as a baseline file holds it; what is absent in most files is left out."""
        facts = self.model_dump(mode="json")
        return facts if self.unmeasured else {key: facts[key] for key in ("neither", "recordings")}


class Moved(Frozen):
    """What a baseline lost and won in all its recordings since the oldest one.

    Attributes:
        commit, date: Of the oldest recording, which somebody accepted by committing it.
        changes: By gated metric, the sum of the changes of its mean, each on the questions that
            both recordings share; negative where it fell.
    """

    commit: str = ""
    date: str = ""
    changes: dict[str, float] = {}

    def lost(self, metrics: Mapping[str, MetricInfo]) -> dict[str, float]:
        """Return the changes that are losses, by metric; those that three decimals show."""
        higher = {name: info.direction is Direction.HIGHER for name, info in metrics.items()}
        return {
            name: change
            for name, change in self.changes.items()
            if round(change, 3) and (change < 0) == higher.get(name, True)
        }


class Filters(Frozen):
    """Which part of the gate was run; a filtered run never writes a baseline.

    Attributes:
        where: Conditions on metadata, such as ``source=forum``, all of which a sample meets.
        skip: Metrics that were left out on demand.
        top_k: So many of the retrieved passages counted; None for all that the system gives.
        profile: The profile that chose this, "" for none.
        settings: Keys that ``--set`` gave another value, without what looks secret.
    """

    ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    where: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    top_k: int | None = Field(default=None, ge=1)
    profile: str = ""
    settings: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        return self.narrows or bool(self.skip or self.settings) or self.top_k is not None

    @property
    def narrows(self) -> bool:
        """True where samples were left out."""
        return bool(self.ids or self.tags or self.where) or self.limit is not None


MEASUREMENT = "measurement"  # the part of a system of scores that names its files and their run


class SystemInfo(Frozen):
    """The system under test, as far as it can be told apart from another.

    Attributes:
        use: The plugin's name.
        fingerprint: Hash over everything that can change its outputs (settings, prompts, corpus),
            "" where unknown (recorded outputs, a foreign service).
        deterministic: What repeats exactly on unchanged inputs: declared by the plugin.
        parts: What went into the fingerprint, by name: shown where two runs differ.
        settings: Values of the configuration by dotted key, as JSON; those under ``answer.`` write
            the answer, all others choose the contexts. Empty where they are not known.
    """

    use: str
    fingerprint: str = ""
    deterministic: frozenset[Reads] = frozenset()
    parts: dict[str, str] = {}
    settings: dict[str, str] = {}

    def is_same_measurement(self, other: Self) -> bool:
        """Whether both read the same bytes, and these name the evaluation that wrote them."""
        run = self.parts.get(MEASUREMENT)
        return bool(run) and run == other.parts.get(MEASUREMENT)


class EarlierRun(Frozen):
    """Passes that an earlier run of the same state made.

    Attributes:
        created: When it ran: ISO 8601, UTC.
        failed: Its verdict was red.
    """

    created: str = ""
    passes: int = Field(ge=1)
    failed: bool = False


class RunManifest(Frozen):
    """Where a run comes from.

    Attributes:
        judge, judge_name: The judge's fingerprint, and who that is: judge, provider and model; None
            and "" where nobody judged, or where that is not known.
        runs: Number of passes over the samples.
        clean: All files were as in `commit`, those of ragate aside.
        recorded: Passes that a system of recordings could give; 0 for any other.
        identical: Number of passes that equal an earlier one byte for byte on every sample.
        own_sessions: Each pass had a session of its own: processes, connections and index.
        created: ISO 8601, UTC.
        states: Data that a metric fixed when the baseline was recorded (idf tables), by metric.
        evidence: Names the state that was judged; runs of one state add up. "" where unknown.
        confirm: Further passes that a suspicious first look was to get; 0 where it is the only one.
        earlier: Earlier runs whose passes stand before this run's own, oldest first.
        same_state: Everything that the system reads is proven the same in those runs.
        left_out: Metrics of the policy that this run was told not to measure.
        lacking: Those of them that no option left out: their judge had no key.
        missing_documents: Expected documents that the corpus does not hold, by sample.
        eval_date: The date as of which questions were asked, "" where it does not count.
        accepted: Drops that were accepted on the way to this baseline.
        moved: Of a baseline: the sum of its changes; None where it is the first, or none moved it.
        seconds: Of a baseline: times over the whole run as they were recorded, by metric.
        merged: Of a baseline: the recordings that it was merged of, None where it is one.
        branch: What was checked out, "" where that has no name.
        meta, description: What a person noted with the run; they decide nothing.
    """

    schema_version: int = RUN_SCHEMA_VERSION
    run_id: str = ""
    gate: str = ""
    created: str = ""
    commit: str = ""
    clean: bool = False
    ragate_version: str = ""
    dataset: str = ""
    system: SystemInfo
    judge: str | None = None
    judge_name: str = ""
    metrics: dict[str, MetricInfo] = {}
    states: dict[str, dict[str, float]] = {}
    filters: Filters = Filters()
    runs: int = Field(default=1, ge=1)
    identical: int = Field(default=0, ge=0)
    own_sessions: bool = False
    recorded: int = Field(default=0, ge=0)
    retrieval_only: bool = False
    missing_documents: dict[str, tuple[str, ...]] = {}
    eval_date: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    left_out: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    evidence: str = ""
    confirm: int = Field(default=0, ge=0)
    earlier: tuple[EarlierRun, ...] = ()
    same_state: bool = False
    accepted: tuple[Acceptance, ...] = ()
    moved: Moved | None = None
    seconds: dict[str, float] = {}
    merged: Merged | None = None
    branch: str = ""
    meta: dict[str, str] = {}
    description: str = ""


class Record(Frozen):
    """One sample in one pass: what came back and how it scored.

    Attributes:
        run: 0-based number of the pass.
        content_hash: Hash of the sample; scores of two samples compare only where it is equal.
        retrieval_hash: Hash of the ranked chunks with their texts.
        output_hash: Hash of everything a metric can read.
        text_hashes: Eight hex digits for the text of each chunk, in rank order; "" where the texts
            were not recorded.
    """

    sample_id: str
    run: int = Field(default=0, ge=0)
    content_hash: str
    retrieval_hash: str
    output_hash: str
    output: SystemOutput
    scores: dict[str, Score] = {}
    text_hashes: str = ""


class Run(Frozen):
    """A whole run: K passes over the samples. A baseline in memory is a Run too.

    Attributes:
        records: Every sample of every pass.
        aggregates: One score a pass for each metric over the whole run (percentiles, rates).
    """

    manifest: RunManifest
    records: SkipValidation[Sequence[Record]] = ()
    aggregates: tuple[dict[str, Score], ...] = ()
