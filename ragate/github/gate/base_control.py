"""The base version's run of the day: what it shares with a red change is drift, not the change."""

import tempfile
from pathlib import Path

from ragate.errors import RagateError, StorageError
from ragate.github.gate.left_result import RUN, fetch_result
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.artifacts import find_results
from ragate.github.rest.repository import Repository
from ragate.models import Report, Run, Verdict
from ragate.stores.local import LocalStore


def control_for(
    context: StepContext, repository: Repository, report: Report, *, base: str, head: str, day: str
) -> Run | None:
    """Return the run of the base that a red verdict is held against, None where there is none.

    It is what the night's job or the last merge left on `day`, that of the verdict, as 2026-11-22:
    an older one says nothing about it.

    Args:
        report: The verdict without it.
    """
    decision = report.decision
    if decision.verdict is not Verdict.FAILED or not decision.family or base in ("", head):
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="ragate-control-") as folder:
            return _run_of(context, repository, report.gate, base, day, Path(folder).resolve())
    except RagateError as error:
        context.log.warning(f"the base's run of that day could not be read: {error.message}")
        return None


def _run_of(
    context: StepContext, repository: Repository, gate: str, base: str, day: str, folder: Path
) -> Run | None:
    for number, artifact in enumerate(find_results(repository, gate, base)):
        if not str(artifact.content.get("created_at", "")).startswith(day):
            continue
        unpacked = folder / str(number)
        try:
            result = fetch_result(repository, artifact, unpacked)
            if (result.gate, result.head) == (gate, base):
                return LocalStore(folder).load(unpacked / RUN)
        except StorageError as error:
            context.log.warning(f"a control was passed over: {error.message}")
    return None
