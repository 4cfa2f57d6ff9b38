"""``/ragate accept`` and ``/ragate rerun``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config
from ragate.escape import code, name
from ragate.github.accept import Scope, acceptances, is_recorded, outputs_digest, record_line
from ragate.github.artifacts import runs_with_results
from ragate.github.conversation import SENTENCE, Conversation, RefusedError
from ragate.models import Report, Run
from ragate.pipeline.stored import decide_again
from ragate.settings import nearest

Publish = Callable[[Report], None]


@dataclass(frozen=True)
class Stored:
    """What a gate measured at one commit, and the policy that it is judged by.

    Attributes:
        config: The policy of the base that it was judged against, in a folder of its own.
        run: The scored run, with all its passes.
        outputs: The file with the full outputs of the run; it may be absent.
    """

    gate: str
    head: str
    base: str
    config: Config
    run: Run
    outputs: Path

    @property
    def scope(self) -> Scope:
        """Return what an accept of this result is bound to."""
        return Scope(self.gate, self.head, outputs_digest(self.run))


def decided(talk: Conversation, stored: Stored) -> Report:
    """Decide again on a stored result with what is accepted for it now; nothing is measured."""
    taken = acceptances(talk.repository, talk.number, stored.scope, talk.bot)
    report = decide_again(stored.config, stored.run, accepted=taken)
    return report.model_copy(update={"gate": stored.gate, "head": stored.head, "base": stored.base})


def accept(talk: Conversation, stored: Stored, publish: Publish) -> None:
    """Take the drop of some metrics at this commit: the reply is the record, then the verdict.

    Raises:
        RefusedError: there is nothing to accept, or the head has moved.
        ApiError: nothing, or only the record, was written; the same comment can be run again.
    """
    _refuse_idle(talk, decided(talk, stored), stored.config)
    comments = talk.repository.comments(talk.number)
    if not is_recorded(comments, talk.comment.id, talk.bot):
        if not talk.same_head():
            raise RefusedError("The head has moved meanwhile: nothing is accepted.")
        metrics = ", ".join(name(metric) for metric in talk.command.metrics)
        told = f"<b>Accepted at {code(stored.head[:7])} only:</b> {metrics}, since"
        lines = [
            f"{told} {code(talk.command.reason, SENTENCE)}.",
            "It lapses with the next commit, and when the outputs of this one change.",
        ]
        talk.reply(lines, first_line=record_line(stored.scope, talk.comment.id))
    publish(decided(talk, stored))


def _refuse_idle(talk: Conversation, report: Report, config: Config) -> None:
    rows = {row.metric: row for row in report.decision.metrics}
    known = [rule.metric for rule in config.policy.metrics if rule.level == "error"]
    for metric in talk.command.metrics:
        row = rows.get(metric)
        if row is None or metric not in known:
            hint = nearest(metric, known)
            raise RefusedError(f"{metric!r} is no metric that this gate can fail on{hint}")
        if not row.blocks and not row.accepted:
            raise RefusedError(
                f"{metric} does not fail at {report.head[:7]}: there is nothing to accept. What "
                "was not measured or compared cannot be accepted either."
            )


def rerun(talk: Conversation, gate: str) -> None:
    """Run the workflow of this commit once more: its outputs are added to those that are there.

    Raises:
        RefusedError: no run of this commit left anything, or it is still running.
    """
    runs = runs_with_results(talk.repository, gate, talk.head)
    if not runs:
        raise RefusedError(f"No run of {talk.head[:7]} left outputs of the gate {gate}.")
    if runs[0].get("status") != "completed":
        raise RefusedError("The run of this commit is still under way.")
    talk.repository.rerun(int(runs[0]["id"]))
    attempt = int(runs[0].get("run_attempt") or 1) + 1
    told = (
        f"Attempt {attempt} of {code(talk.head[:7])} is started. Its outputs are added to the "
        "earlier ones and all are judged together: a re-run is more evidence, not a new draw."
    )
    talk.reply([told])
