"""``/ragate run``: answer the model requests that wait at a commit, without running its code."""

import asyncio
import re
from pathlib import Path

from ragate.contrib.recorder.fulfil_pending import Fulfilled, fulfil_pending
from ragate.contrib.recorder.pending_requests import PENDING_NAME
from ragate.contrib.recorder.run_resolver import REPLIES_NAME
from ragate.errors import RagateError, StorageError
from ragate.files.foreign_files import read_bytes
from ragate.github.gate.step_context import StepContext
from ragate.github.modes.obey import SENTENCE, CommentRequest, RefusedError, restart
from ragate.github.rest.artifacts import runs_with_results, unpack
from ragate.github.rest.repository import Json, Repository
from ragate.guards.escape import code
from ragate.resources.operations import Operations


def run_comment(request: CommentRequest) -> None:
    """Answer what is pending, hand the replies over, and start the collecting run again.

    The requests are the change's own words: `fulfil_pending` reads them strictly and asks only
    what the base's policy allows, under its caps.

    Raises:
        RefusedError: nothing is pending at this commit.
        ProviderError: there is no key.
    """
    context, repository, head = request.context, request.repository, request.head
    gate, folder, tip = request.gate, request.folder, request.tip
    runs = runs_with_results(repository, gate, head)
    pending = _pending(repository, runs, gate, folder)
    if pending is None:
        raise RefusedError(
            f"No model request waits at {head[:7]}. Only systems with record = true leave any."
        )
    config = context.policy_at(repository, tip, folder / "policy")
    if config is None:
        raise RefusedError(f"The base {tip[:7]} has no policy.")
    context.hide(config)
    earlier = get_replies(repository, gate, head)
    if earlier is not None:  # a chain of questions takes a round for each: all replies stay
        (folder / REPLIES_NAME).write_bytes(earlier)
    fulfilled = asyncio.run(
        fulfil_pending(config, context.operations(), pending, output=folder / REPLIES_NAME)
    )
    problem = ""
    if fulfilled.answered or fulfilled.known:
        if not request.same_head():
            raise RefusedError("The head has moved meanwhile: the run is not started again.")
        put_replies(repository, gate, head, read_bytes(fulfilled.path, error=StorageError))
        problem = restart(repository, runs[0])
    request.reply(_reply(fulfilled, head, problem))


def _pending(repository: Repository, runs: list[Json], gate: str, folder: Path) -> Path | None:
    """Return the newest file of pending requests that a run of this commit left."""
    name = re.compile(rf"ragate-outputs-{re.escape(gate)}-([0-9]{{1,6}})")
    for number, run in enumerate(runs):
        listed = [
            (int(match[1]), artifact)
            for artifact in repository.run_artifacts(int(run["id"]))
            if not artifact.get("expired")
            and (match := name.fullmatch(str(artifact.get("name", ""))))
        ]
        for attempt, artifact in sorted(listed, key=lambda pair: pair[0], reverse=True):
            unpacked = folder / f"outputs-{number}-{attempt}"
            try:
                unpack(repository.download_artifact(int(artifact["id"])), unpacked)
            except StorageError:
                continue
            if files := sorted(unpacked.rglob(PENDING_NAME)):
                return files[0]
    return None


def _reply(fulfilled: Fulfilled, sha: str, problem: str) -> list[str]:
    summary = (
        f"{fulfilled.answered:,} model requests of {code(sha[:7])} are answered, "
        f"{fulfilled.known:,} were known, for ${fulfilled.tally.cost_usd:,.2f}."
    )
    lines = [summary]
    if problem:
        lines.append(f"The answers are kept. {code(problem, SENTENCE)}")
    elif fulfilled.answered or fulfilled.known:
        lines.append("The run is started again with these answers; the verdict follows.")
    reasons = [*fulfilled.refused, *fulfilled.failed, *filter(None, [fulfilled.stopped])]
    if reasons:
        shown = "; ".join(code(reason, SENTENCE) for reason in reasons[:3])
        lines.append(f"{len(reasons):,} were not answered: {shown}")
    return lines


# Replies to recorded model requests, handed from the job with keys to the job with the code.
#
# They lie in the base repository, under a ref of their own for each gate and commit: only who
# may write there can put them, no workflow starts from it, and they are there before the other
# job begins.


def ref_of(gate: str, sha: str) -> str:
    """Return the ref, without the leading ``refs/``."""
    return f"ragate/replies/{gate}/{sha}"


def put_replies(repository: Repository, gate: str, sha: str, content: bytes) -> None:
    """Keep the replies for one gate at one commit, in place of earlier ones."""
    blob = repository.create_blob(content)
    tree = repository.create_tree("", {REPLIES_NAME: blob})
    commit = repository.create_commit(f"Replies for {gate} at {sha}", tree, [])
    repository.set_ref(ref_of(gate, sha), commit)


def get_replies(repository: Repository, gate: str, sha: str) -> bytes | None:
    """Return the replies for one gate at one commit, None where there are none."""
    commit = repository.ref_sha(ref_of(gate, sha))
    return repository.contents(REPLIES_NAME, commit) if commit else None


def restore_replies(context: StepContext, gate: str, head: str, operations: Operations) -> None:
    """Bring the replies that ``/ragate run`` fetched for this commit to the state folder."""
    repository = context.repository
    if repository is None:
        return
    try:
        content = get_replies(repository, gate, head)
    except RagateError as error:
        context.log.warning(f"fulfilled model requests could not be read: {error.message}")
        return
    if content is not None:
        operations.state.mkdir(parents=True, exist_ok=True)
        (operations.state / REPLIES_NAME).write_bytes(content)
