"""The result that a gate left of one commit, brought back from the run that made it."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ragate.config import Config
from ragate.errors import StorageError
from ragate.files.foreign_files import read_bytes
from ragate.github.commits.change import Base, is_merge_onto
from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.gate.acceptances import AcceptScope, outputs_digest, takes_system
from ragate.github.gate.finalise import Circumstances, final_report
from ragate.github.gate.left_result import LeftResult, fetched_results
from ragate.github.gate.output_provenance import OTHER
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.repository import Json, Repository, gate_statuses
from ragate.models import Acceptance, Report, Run
from ragate.runs.compare_stored import decide_again
from ragate.stores import REPORT, RUN_FILES
from ragate.stores.local import LocalStore


@dataclass(frozen=True)
class StoredResult:
    """What a gate measured at one commit, and the policy that it is judged by.

    Attributes:
        config: The policy of the base that it was judged against, in a folder of its own.
        run: The scored run, with all its passes.
        folder: The run's folder: its full outputs may be there.
    """

    result: LeftResult
    config: Config
    run: Run
    folder: Path

    @property
    def gate(self) -> str:
        return self.result.gate

    @property
    def head(self) -> str:
        return self.result.head

    @property
    def scope(self) -> AcceptScope:
        """Return what an accept of this result is bound to."""
        return AcceptScope(self.gate, self.head, outputs_digest(self.run))

    def decided(self, taken: tuple[Acceptance, ...]) -> Report:
        """Decide again with what is accepted; nothing is measured and no model is asked."""
        circumstances = Circumstances(
            head=self.head,
            base=self.result.base,
            pull=self.result.pull,
            problems=() if takes_system(taken) else self.result.problems,
            remedies=(OTHER,),
            bootstrap=self.result.bootstrap,
        )
        report = decide_again(self.config, self.run, accepted=taken)
        told = _report_in(self.folder.parent)
        if told is not None:
            data = report.data.amended(unasked_documents=told.data.unasked_documents)
            report = report.amended(
                origin=told.origin, links=told.links, data=data, rules_differ=told.rules_differ
            )
        return final_report(report, circumstances)


def _report_in(folder: Path) -> Report | None:
    """Return the report as it was published: it knows the diff; None where it cannot be read."""
    path = folder / REPORT
    try:
        content = read_bytes(path, error=StorageError, max_bytes=RUN_FILES[REPORT])
        return Report.model_validate_json(content)
    except (StorageError, ValidationError, RecursionError):
        return None


def gate_name(context: StepContext, repository: Repository, base_sha: str) -> str:
    """Return the gate's name: the input's, else that of the policy at `base_sha`."""
    if context.inputs.gate:
        return context.inputs.gate
    with context.scratch() as folder:
        config = context.policy_at(repository, base_sha, folder)
    if config is None:
        name = context.location(None).name
        raise BaseUnreadableError(
            f"the base {base_sha[:7]} has no {name}, so the gate has no name",
            remedy="set the input `gate`",
        )
    return config.gate


def newest_status(
    context: StepContext, repository: Repository, base: Base
) -> tuple[str, Json | None]:
    """Return the gate's name, and the last status that it set on the commit."""
    gate = gate_name(context, repository, base.sha)
    return gate, next(iter(gate_statuses(repository, gate, base.head)), None)


def open_stored(
    context: StepContext, repository: Repository, gate: str, sha: str, folder: Path, *, tip: str
) -> StoredResult | None:
    """Return the newest result of one gate at one commit; None where there is none to be had.

    Args:
        folder: Where it is unpacked; it must outlive the result.
        tip: The newest commit of the base's branch: what was judged against another branch, or
            before this one had a gate, is passed over.
    """
    for fetched in fetched_results(context, repository, gate, sha, folder / "results"):
        result = fetched.result
        if not _is_merge(repository, result) or not (fetched.run / "manifest.json").is_file():
            continue
        if not is_of_branch(repository, result, tip):
            context.log.warning(f"a result of {sha[:7]} was passed over: it has another base")
            continue
        config = _policy(context, repository, result, folder / "policy")
        return StoredResult(result, config, LocalStore(folder).load(fetched.run), fetched.run)
    return None


def _is_merge(repository: Repository, result: LeftResult) -> bool:
    """Whether the base is what git says it is: the head's merge is with it, or an ancestor."""
    if result.merged in ("", result.head):
        return True
    return is_merge_onto(repository, result.merged, result.base, result.head)


def is_of_branch(repository: Repository, result: LeftResult, tip: str) -> bool:
    """Return whether a result was judged by the rules of the branch whose newest commit is `tip`.

    One without a base's rules counts only while the branch has not moved.
    """
    if result.bootstrap:
        return result.base == tip
    return not result.base or repository.is_ancestor(result.base, tip)


def _policy(
    context: StepContext, repository: Repository, result: LeftResult, folder: Path
) -> Config:
    at = result.head if result.bootstrap or not result.base else result.base
    config = context.policy_at(repository, at, folder)
    if config is None:
        raise BaseUnreadableError(f"{at[:7]} has no {context.location(None).name}")
    policy = config.policy.amended(gate=result.gate)
    return config.amended(policy=policy)
