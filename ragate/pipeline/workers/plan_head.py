"""What a worker has to know of a plan; all else it reads from its own checkout, and compares."""

from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ragate import errors
from ragate.baseline.requests import requests_path
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.errors import RagateError, SystemMismatchError, UsageError
from ragate.models import Frozen, SystemInfo
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.shards.shard_plan import ShardPlan, plan_here, refuse_other_plan
from ragate.protocols import System, SystemAbilities, system_abilities
from ragate.runtime.operations import Operations
from ragate.support.escape import one_line
from ragate.support.settings import first_fault

_MOST = 1500  # characters
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
    recorded = (config.baseline, requests_path(config.baseline))
    return plan_here(config, operations, selection, but=recorded)


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


# Why a block was not done, on its way from a worker to whoever submitted it.


class _Told(Frozen):
    kind: str
    message: str
    remedy: str


def error_text(error: BaseException) -> str:
    """Return an error as a worker tells it."""
    message, remedy = f"{type(error).__name__}: {error}", ""
    if isinstance(error, RagateError):
        message, remedy = error.message, error.remedy
    told = _Told(kind=type(error).__name__, message=message[:_MOST], remedy=remedy[:_MOST])
    return told.model_dump_json()


def read_error(block: int, text: str) -> RagateError:
    """Return what a worker told as an error of the same kind, whatever anybody wrote there."""
    try:
        told = _Told.model_validate_json(text)
    except ValidationError:
        told = _Told(kind="", message=text, remedy="")
    kind = getattr(errors, told.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, RagateError)):
        kind = RagateError
    message = f"block {block}, on a worker: {one_line(told.message, _MOST)}"
    return kind(message, remedy=one_line(told.remedy, _MOST))


# What a worker says of its system: whoever submits runs nothing of it, and believes the first.


class Greeting(Frozen):
    """What a run has to know of its system.

    Attributes:
        documents: Ids of all documents that can be retrieved, sorted; None where unknown.
    """

    system: SystemInfo
    max_runs: int | None = None
    abilities: SystemAbilities = SystemAbilities()
    documents: tuple[str, ...] | None = None

    def refuse_other(self, first: "Greeting") -> None:
        """Raise where another worker of the plan has another system.

        Args:
            first: What the first worker said.

        Raises:
            SystemMismatchError: names what differs.
        """
        if first.system == self.system:
            return
        ours, theirs = self.system.parts, first.system.parts
        parts = sorted(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
        named = f" ({', '.join(parts)})" if parts else ""
        raise SystemMismatchError(
            f"the system of this worker is another than the first worker's{named}",
            remedy="give all workers the same documents, models and settings: outputs of two "
            "systems are not one run",
        )


async def greeting_of(system: System) -> Greeting:
    """Return what is said of a system that is prepared."""
    documents = await system.documents()
    return Greeting(
        system=system.info,
        max_runs=system.max_runs,
        abilities=system_abilities(system),
        documents=None if documents is None else tuple(sorted(documents)),
    )


def read_greeting(text: str) -> Greeting:
    """Return what the first worker said.

    Raises:
        SystemMismatchError: it is nothing that this ragate says.
    """
    try:
        return Greeting.model_validate_json(text)
    except ValidationError as error:
        field, reason, _ = first_fault(error)
        raise SystemMismatchError(f"what a worker said of its system: {field}: {reason}") from error
