"""A commit that was red is not made green by a luckier draw: what was measured must be here.

The verdicts of earlier runs are read off the commit's statuses, of which GitHub keeps all; what
they measured, off the results that the workflow uploaded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ragate.core.comparison.run_passes import is_measured
from ragate.core.hashing import output_hash
from ragate.errors import RagateError, StorageError
from ragate.github.commits.change import Base
from ragate.github.gate.left_result import FetchedResult, fetched_results
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.repository import Repository, gate_statuses
from ragate.models import Run, Verdict
from ragate.outputs.outputs_file import read_outputs
from ragate.stores import OUTPUTS
from ragate.stores.local import LocalStore

_KEEP = (
    "keep what each run leaves: upload .ragate/result as an artifact with `if: always()`, and give "
    "the job `actions: read`"
)
_REMEDIES = (_KEEP, "a new commit is judged on its own")
_WAS_RED = "an earlier run of this commit was red"
_NOT_PUBLISHED = "[policy] publish keeps its outputs at home"
Outputs = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class EarlierAttempts:
    """What speaks against a pass.

    Attributes:
        reasons: Why it is no decision.
        warnings: What is not known of earlier attempts.
    """

    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def remedies(self) -> tuple[str, ...]:
        """Return what to do about the reasons, one sentence each."""
        is_withheld = any(_NOT_PUBLISHED in reason for reason in self.reasons)
        return _REMEDIES[1:] if is_withheld else _REMEDIES


def outputs_in(files: Iterable[Path]) -> Outputs:
    """Return which outputs some files hold: sample and hash, whatever the pass.

    Raises:
        DatasetError: a file cannot be read.
    """
    return frozenset(
        (line.id, output_hash(line.output())) for file in files for _, line in read_outputs(file)[1]
    )


def earlier_red(
    context: StepContext, gate: str, base: Base, outputs: Outputs | None
) -> EarlierAttempts:
    """Return why this commit's pass is none, where an earlier run of it was red.

    A red run against an older base says nothing about this one. Where it was against the same, its
    outputs must be among those that are judged now.

    Args:
        outputs: Those that files hold, None where the line itself weighs the passes of results
            that can be read.
    """
    repository, again = context.repository, context.event.is_rerun
    if base.trusted:
        return EarlierAttempts()
    if repository is None:
        unread = "what earlier attempts of this commit came to cannot be read without a token"
        return EarlierAttempts(warnings=(unread,) if again else ())
    try:
        states = dict(_states(context, repository, gate, base.head))
        red = {page for page, state in states.items() if state == "failure"}
        if not red:
            return EarlierAttempts(warnings=_without_verdict(states, again=again))
        with context.scratch() as folder:
            results = _runs(context, repository, gate, base.head, folder)
            return EarlierAttempts(reasons=_reasons(results, red, base, outputs))
    except RagateError as error:
        unread = f"what earlier attempts of this commit came to could not be read: {error.message}"
        return EarlierAttempts(reasons=(unread,)) if again else EarlierAttempts(warnings=(unread,))


def _reasons(
    results: Iterator[tuple[FetchedResult, Run]], red: set[str], base: Base, outputs: Outputs | None
) -> tuple[str, ...]:
    lost, is_kept = set(red), False
    for fetched, run in results:
        lost = {address for address in lost if not address.endswith(fetched.page)}
        if fetched.result.verdict != Verdict.FAILED.value:
            continue  # such as a look that `fail-on: warn` made a failure
        is_kept = True
        if fetched.result.base == base.sha:
            if outputs is None and not (fetched.run / OUTPUTS).is_file():
                return (f"{_WAS_RED}, and {_NOT_PUBLISHED} ({_oldest(red)})",)
            if outputs is None or outputs_of(run) <= outputs:
                return ()
            return (f"{_WAS_RED} ({_oldest(red)}); its outputs are not among these",)
    if is_kept or not lost:
        return ()
    return (f"{_WAS_RED} ({_oldest(lost)}), and what it measured is not kept",)


def _oldest(pages: set[str]) -> str:
    return min(pages) or "no page is named"


def _states(
    context: StepContext, repository: Repository, gate: str, head: str
) -> Iterator[tuple[str, str]]:
    """Yield page and last state of each other run that set this gate's status, oldest first."""
    for status in reversed(gate_statuses(repository, gate, head)):
        page = str(status.get("target_url") or "")
        if page != context.event.run_url:
            yield page, str(status.get("state"))


def _without_verdict(states: dict[str, str], *, again: bool) -> tuple[str, ...]:
    """Return a warning where an earlier attempt left no verdict on the commit."""
    final = {"success", "failure", "error"}
    if not again or final.intersection(states.values()):
        return ()
    return ("an earlier attempt of this commit left no status: whether it was red is not known",)


def _runs(
    context: StepContext, repository: Repository, gate: str, head: str, folder: Path
) -> Iterator[tuple[FetchedResult, Run]]:
    """Yield what earlier runs of this commit left, with what they measured."""
    for fetched in fetched_results(context, repository, gate, head, folder):
        if not fetched.run.is_dir():
            continue
        try:
            yield fetched, LocalStore(folder).load(fetched.run)
        except StorageError as error:
            context.log.warning(f"a result of {head[:7]} was passed over: {error.message}")


def outputs_of(run: Run) -> Outputs:
    """Return the outputs that were measured; a provider's failure is none."""
    measured = (record for record in run.records if is_measured(record.output))
    return frozenset((record.sample_id, record.output_hash) for record in measured)
