"""``/ragate run``: answer the model requests that wait at a commit, without running its code."""

import asyncio
import re
from pathlib import Path

from ragate.errors import StorageError
from ragate.github.commits.commit_tree import ApiTree
from ragate.github.commits.policy_files import policy_files
from ragate.github.gate.step_context import StepContext
from ragate.github.modes.accept_command import restart
from ragate.github.modes.conversation import SENTENCE, Conversation, RefusedError
from ragate.github.rest.artifacts import runs_with_results, unpack
from ragate.github.rest.git_database import Json
from ragate.github.rest.reply_ref import NAME, get_replies, put_replies
from ragate.github.rest.repository import Repository
from ragate.recorder.fulfil_pending import Fulfilled, fulfil_pending
from ragate.support.escape import code

PENDING = "pending.jsonl"


def fulfil(
    context: StepContext,
    repository: Repository,
    talk: Conversation,
    gate: str,
    folder: Path,
    *,
    tip: str,
) -> None:
    """Answer what is pending, hand the replies over, and start the collecting run again.

    The requests are the change's own words: `fulfil_pending` reads them strictly and asks only
    what the base's policy allows, under its caps.

    Args:
        tip: The newest commit of the base's branch, whose policy allows.

    Raises:
        RefusedError: nothing is pending at this commit.
        ProviderError: there is no key.
    """
    runs = runs_with_results(repository, gate, talk.head)
    pending = _pending(repository, runs, gate, folder)
    if pending is None:
        raise RefusedError(
            f"No model request waits at {talk.head[:7]}. Only systems with record = true leave any."
        )
    config = policy_files(ApiTree(repository, tip), context.location(None), folder / "policy")
    if config is None:
        raise RefusedError(f"The base {tip[:7]} has no policy.")
    context.hide(config)
    earlier = get_replies(repository, gate, talk.head)
    if earlier is not None:  # a chain of questions takes a round for each: all replies stay
        (folder / NAME).write_bytes(earlier)
    fulfilled = asyncio.run(
        fulfil_pending(config, context.operations(), pending, output=folder / NAME)
    )
    problem = ""
    if fulfilled.answered or fulfilled.known:
        if not talk.same_head():
            raise RefusedError("The head has moved meanwhile: the run is not started again.")
        put_replies(repository, gate, talk.head, fulfilled.path.read_bytes())
        problem = restart(repository, runs[0])
    talk.reply(_reply(fulfilled, talk.head, problem))


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
            if files := sorted(unpacked.rglob(PENDING)):
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
