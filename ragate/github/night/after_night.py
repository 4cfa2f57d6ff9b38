"""After the night's run: the history into the job summary, the badge, and an alert.

The verdict stands before any of this begins, and nothing that goes wrong here changes it.
"""

from ragate.config import Config, load_config
from ragate.errors import RagateError
from ragate.github.gate.step_context import StepContext
from ragate.github.night.alert import alert_body, as_text, send_alert
from ragate.github.publish.workflow_commands import write_summary
from ragate.models import Report
from ragate.pipeline.history.last_verdict import badge
from ragate.pipeline.history.read_history import read_history
from ragate.pipeline.history.summary import as_summary
from ragate.stores.local import LocalStore
from ragate.support.atomic_files import write_atomic
from ragate.support.git import head_commit

MOST_COMMITS = 300
WINDOW = 30  # days
BADGE = "badge.svg"


def is_night(context: StepContext) -> bool:
    """Return True for the scheduled run of the default branch that measures.

    Only there is the checked-out policy main's own, and so may name where an alert goes.
    """
    event, inputs = context.event, context.inputs
    on_main = event.ref == f"refs/heads/{event.default_branch}"
    measures = inputs.mode in ("baseline", "record") and not inputs.outputs_path
    return event.name == "schedule" and on_main and measures


def after_night(context: StepContext, report: Report | None, *, exit_code: int) -> None:
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
    text = context.log.redact(as_summary(history, window=WINDOW))
    if not write_summary(context.environ, text):
        context.log.plain("the history is not in the job summary: it has no room, or is not there")
    if report is not None and history.verdict is not None:
        context.result_folder.mkdir(parents=True, exist_ok=True)
        image = badge(config.gate, history.verdict)
        write_atomic(context.result_folder / BADGE, f"{image}\n".encode())
