"""After the night's run: the history into the job summary, the badge, and an alert.

The verdict stands before any of this begins, and nothing that goes wrong here changes it.
"""

import json
from typing import Any
from urllib.parse import urlsplit

from ragate.config import Config, load_config
from ragate.contrib.history.read_history import read_history
from ragate.contrib.history.show_history import as_summary, badge
from ragate.errors import RagateError
from ragate.files.atomic_files import write_atomic
from ragate.github.gate.step_context import StepContext
from ragate.github.publish.workflow_commands import write_summary
from ragate.github.rest.connection import Connection, send
from ragate.guards.secret_address import why_no_secret_at
from ragate.models import Report, Verdict
from ragate.repository.git import head_commit
from ragate.stores.local import LocalStore

SECONDS = 10.0
_MOST_BYTES = 64 * 1024
_WORSE = frozenset({"worse", "mixed"})
MOST_COMMITS = 300
BADGE = "badge.svg"


def is_night(context: StepContext) -> bool:
    """Return True for the scheduled run of the default branch that measures.

    Only there is the checked-out policy main's own, and so may name where an alert goes.
    """
    event, inputs = context.event, context.inputs
    on_main = event.ref == f"refs/heads/{event.default_branch}"
    measures = inputs.mode in ("baseline", "record") and not inputs.outputs_path
    return event.name == "schedule" and on_main and measures


def after_night(context: StepContext, report: Report | None, exit_code: int) -> None:
    """Write the history, and tell whoever wants to know that the night did not pass.

    Args:
        report: None where nothing was judged.
        exit_code: By the verdict, or of the error that the night ended in.
    """
    if not is_night(context):
        return
    try:
        config = load_config(context.config_path)
        context.hide(config)
        _alert(context, config, report, exit_code)
        _history(context, config, report)
    except Exception as error:  # noqa: BLE001 - no accident here may look like a verdict
        reason = error.message if isinstance(error, RagateError) else type(error).__name__
        context.log.warning(f"the history of this night is not told: {reason}")


def _alert(context: StepContext, config: Config, report: Report | None, exit_code: int) -> None:
    name = config.policy.alert_env
    if not name or exit_code == 0:
        return
    url = context.environ.get(name, "").strip()
    if not url:
        context.log.warning(f"no alert is sent: the variable {name} of [policy] alert_env is empty")
        return
    head = head_commit(context.project) if report is None else report.head
    body = alert_body(
        config.gate,
        head=head,
        exit_code=exit_code,
        run_url=context.event.run_url,
        report=report,
    )
    problem = send_alert(url, context.log.redact(as_text(body)))
    if problem:
        context.log.warning(f"the alert was not taken: {problem}")
    else:
        context.log.plain("the alert was sent")


def _history(context: StepContext, config: Config, report: Report | None) -> None:
    state = context.operations().state
    history = read_history(config, most=MOST_COMMITS, store=LocalStore(state), most_runs=1)
    text = context.log.redact(as_summary(history))
    if not write_summary(context.environ, text):
        context.log.plain("the history is not in the job summary: it has no room, or is not there")
    if report is not None and history.verdict is not None:
        context.result_folder.mkdir(parents=True, exist_ok=True)
        image = badge(config.gate, history.verdict)
        write_atomic(context.result_folder / BADGE, f"{image}\n".encode())


# One message to a webhook when the night's run did not pass: counts, and no text of anybody's.


def alert_body(
    gate: str, *, head: str, exit_code: int, run_url: str, report: Report | None
) -> dict[str, Any]:
    """Return what is sent: verdict, commit, address of the run, and counts.

    No name of a metric, no id and no text of a sample is in it. The key ``text`` is what a chat
    shows.

    Args:
        report: None where the night ended in an error.
    """
    verdict = str(report.decision.verdict if report is not None else Verdict.NO_DECISION)
    counts = _counts(report) if report is not None else {}
    words = "; ".join(f"{name.replace('_', ' ')}: {count:,}" for name, count in counts.items())
    sentence = f"{gate} at {head[:7]}: {verdict.replace('_', ' ')} (exit {exit_code})"
    return {
        "text": ". ".join(filter(None, [f"ragate, night of {sentence}", words, run_url])),
        "gate": gate,
        "commit": head,
        "verdict": verdict,
        "exit_code": exit_code,
        "run_url": run_url,
        "counts": counts,
    }


def _counts(report: Report) -> dict[str, int]:
    changes = [row.change for row in report.samples]
    return {
        "metrics": len(report.decision.metrics),
        "metrics_that_fail": sum(row.blocks for row in report.decision.metrics),
        "samples": report.facts.samples,
        "samples_worse": sum(change in _WORSE for change in changes),
        "samples_failed": changes.count("failed"),
        "samples_better": changes.count("better"),
    }


def send_alert(url: str, text: str) -> str:
    """Post JSON to a webhook; return why it was not taken, "" where it was.

    The address is a secret: it is in no answer of this function. Nothing is sent twice, no redirect
    is followed, and no variable of the environment leads elsewhere.
    """
    import httpx2

    try:
        is_safe = bool(urlsplit(url).hostname) and not why_no_secret_at(url)
    except (ValueError, OSError):
        is_safe = False
    if not is_safe:
        return "its variable holds no https address"
    headers = {"content-type": "application/json", "user-agent": "ragate"}
    with Connection().client(httpx2.Timeout(SECONDS)) as client:
        answer = send(
            client, "POST", url, max_bytes=_MOST_BYTES, content=text.encode(), headers=headers
        )
    if answer.status // 100 == 2 or answer.status == -1:
        return ""
    return f"HTTP {answer.status}" if answer.status else "no connection, or no answer in time"


def as_text(body: dict[str, Any]) -> str:
    """Return the body as JSON."""
    return json.dumps(body, ensure_ascii=True, allow_nan=False)
