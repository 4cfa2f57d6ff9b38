"""What is shown: everything a renderer may print. Renderers compute nothing."""

from typing import Literal

from ragate.models.base import Frozen
from ragate.models.data_changes import DataChanges
from ragate.models.decision import Decision
from ragate.models.proposed import CheckoutRules, Proposed, SuggestedFloor
from ragate.models.run import Filters, SystemInfo
from ragate.models.run_facts import Diagnosis, DrillProof, RunFacts
from ragate.models.sample_row import SampleRow

REPORT_SCHEMA_VERSION = 1
Publish = Literal["full", "answers", "ids"]


class Report(Frozen):
    """Everything a renderer may show.

    Attributes:
        gate: Name of this gate (the baseline's stem unless named).
        head, base: Commits judged and compared with; "" where unknown.
        samples: Changed samples, failures first.
        unchanged: Number of samples with equal scores and outputs.
        drill: The last `ragate drill`; None where there was none.
        left_out: Changed samples that got no row, since there are too many.
        proposed: The verdict by the change's own rules, where they differ from the base's.
        suggested_floors: For a gate that is new: what its rules could hold from now on.
        checkout_rules: None where the base's rules judged, or the checkout's are the same.
        pull: The pull request that takes comment commands, None where there is none.
        publish: Which texts may leave the machine: `ragate.core.publishable` takes out the others.
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
    unchanged: int = 0
    left_out: int = 0
    diagnosis: tuple[Diagnosis, ...] = ()
    drill: DrillProof | None = None
    proposed: Proposed | None = None
    suggested_floors: tuple[SuggestedFloor, ...] = ()
    checkout_rules: CheckoutRules | None = None
    pull: int | None = None
    publish: Publish = "full"
    report_url: str = ""
