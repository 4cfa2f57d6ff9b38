"""What a worker has to know of a plan; all else it reads from its own checkout, and compares."""

from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ragate.baseline import requests_path
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.errors import UsageError
from ragate.models import Frozen
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.shards.freeze_plan import freeze_plan, refuse_other_plan
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.runtime.operations import Operations
from ragate.support.git import changed_files, head_commit

_UNNAMED = "the plan of the queue"
_UNCHANGED = "start the worker in a checkout as the run has it: the same commit and changes"


class PlanHead(Frozen):
    """A plan without its samples, which a worker freezes from its own golden set.

    Attributes:
        plan_digest: Of the whole plan.
        plan: Its other fields.
        recording: Names the recording of a baseline; "" for a run that is judged.
    """

    plan_digest: str
    plan: dict[str, Any]
    recording: str = ""

    @property
    def selection(self) -> Selection:
        """Return what part of the golden set is run, and how."""
        return self._whole({}).selection

    def _whole(self, samples: dict[str, tuple[str, int]]) -> ShardPlan:
        return ShardPlan.model_validate({**self.plan, "samples": samples})

    def refuse_other(self, config: Config, operations: Operations) -> None:
        """Raise where what is checked out gives another plan.

        Raises:
            UsageError: names the first part that differs.
        """
        own = frozen(config, operations, self.selection)
        if own.digest == self.plan_digest:
            return
        try:
            refuse_other_plan(self._whole(own.samples), own, name=_UNNAMED)
        except UsageError as error:
            raise UsageError(error.message, remedy=_UNCHANGED) from error
        raise UsageError(
            f"{_UNNAMED}: made for another golden set than {config.dataset} here",
            remedy=_UNCHANGED,
        )


def frozen(config: Config, operations: Operations, selection: Selection) -> ShardPlan:
    """Return the plan of what is checked out, of one shard: blocks are made as they are needed.

    The baseline does not count: it may be recorded and not committed yet, and nobody asks by it.
    """
    commit = operations.commit or head_commit(config.root)
    own = (operations.state, *operations.own_files)
    own = (*own, config.baseline, requests_path(config.baseline))
    changed = changed_files(config.root, but=own, new=False) or {}
    return freeze_plan(config, selection, shards=1, commit=commit, changed=changed)


def head_of(plan: ShardPlan, recording: str) -> PlanHead:
    """Return what a worker is told of a plan."""
    return PlanHead(
        plan_digest=plan.digest,
        plan=plan.model_dump(mode="json", exclude={"samples"}),
        recording=recording,
    )


def read_head(text: str) -> PlanHead:
    """Return the head that the queue gave.

    Raises:
        UsageError: it is none of this ragate.
    """
    try:
        head = PlanHead.model_validate_json(text)
        _ = head.selection
    except ValidationError as error:
        raise UsageError(f"{_UNNAMED} cannot be read: {error.errors()[0]['msg']}") from error
    return head


def queue_name(plan: ShardPlan, role: str = "") -> str:
    """Return the queue of all plans that a checkout can serve: what it must have, as one name.

    A worker of another version, commit or corpus listens to another queue, and never gets a block.

    Args:
        role: Whose workers alone may serve them.
    """
    has = [plan.ragate_version, plan.gate, plan.commit, plan.policy, plan.system, plan.corpus]
    return f"ragate-{digest([*has, role] if role else has)[:20]}"


def dated_selection(selection: Selection) -> Selection:
    """Return the selection with its day named: every worker asks of the same one."""
    return replace(selection, eval_date=date_of(selection.eval_date))
