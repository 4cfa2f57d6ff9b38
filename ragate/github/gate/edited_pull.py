"""A pull request whose title or text was edited keeps its verdict: nothing is measured again.

The trigger ``edited`` is there for another base. GitHub sends it for a new title as well, and a run
for that would be paid for nothing, or draw anew.
"""

import tempfile
from pathlib import Path

from ragate.errors import RagateError, StorageError
from ragate.github.commits.base_commit import Base
from ragate.github.gate.left_result import fetch_result
from ragate.github.gate.result_artifact import gate_name
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.artifacts import find_results
from ragate.github.rest.repository import Repository, gate_statuses

KEPT = "kept"
# What the step ended with; `fail-on` has made the status what it is.
_CODES = {"success": 0, "failure": 1}


def standing_verdict(context: StepContext, base: Base) -> int | None:
    """Return the exit code of the verdict that stands, None where the change is to be judged.

    It stands where the commit's newest status of this gate is one of a run that is kept and that
    judged the very merge that is checked out, against the same base.
    """
    event, repository = context.event, context.repository
    if event.action != "edited" or event.base_changed or event.pull is None or repository is None:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="ragate-standing-") as folder:
            return _standing(context, repository, base, Path(folder).resolve())
    except RagateError as error:
        context.log.warning(f"the verdict before the edit could not be read: {error.message}")
        return None


def _standing(context: StepContext, repository: Repository, base: Base, folder: Path) -> int | None:
    gate = gate_name(context, repository, base.sha, folder / "gate")
    newest = next(iter(gate_statuses(repository, gate, base.head)), None)
    code = _CODES.get(str(newest.get("state"))) if newest is not None else None
    if newest is None or code is None:  # pending, or an error that may have passed
        return None
    page = str(newest.get("target_url") or "")
    for number, artifact in enumerate(find_results(repository, gate, base.head)):
        try:
            result = fetch_result(repository, artifact, folder / str(number))
        except StorageError:
            continue
        if page.endswith(f"/actions/runs/{artifact.run['id']}/attempts/{result.attempt}"):
            judged = (result.gate, result.head, result.base, result.merged)
            return code if judged == (gate, base.head, base.sha, base.merged) else None
    return None
