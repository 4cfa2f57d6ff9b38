"""One step: read what is wanted, do it, publish it, and map the verdict to an exit code."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

from ragate.errors import RagateError
from ragate.extension import around_command, extensions, loaded
from ragate.github.event.event import Event, read_event
from ragate.github.event.inputs import FailOn, Inputs, read_inputs
from ragate.github.gate.pending_status import early_target
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.publish.publisher import INTERRUPTED, Publisher
from ragate.github.publish.workflow_commands import UNSAID, Log, write_outputs
from ragate.github.rest.api import Api
from ragate.github.rest.repository import Repository
from ragate.guards.seal import expect_modules
from ragate.machine_faults import machine_fault
from ragate.models import Report, Verdict
from ragate.renderers import console
from ragate.renderers._headline import ReportSign, status_of
from ragate.repository.git_process import one_folder
from ragate.run.late_parts import expect_renderers
from ragate.task_groups import first_error

ModeFunction = Callable[[StepContext], ModeOutcome]


def step(environ: Mapping[str, str]) -> int:
    """Return the step's exit code."""
    log = Log()
    try:
        inputs, event = read_inputs(environ), read_event(environ)
    except RagateError as error:
        return _unread(error, environ, log)
    log.hide(inputs.secrets)
    log.guard()
    with ExitStack() as stack:
        stack.enter_context(one_folder())
        try:
            repository = _repository(inputs, event, environ, log, stack)
        except RagateError as error:
            return _unread(error, environ, log)
        workspace = Path(environ.get("GITHUB_WORKSPACE") or ".").resolve()
        expect_renderers(("console", "markdown", "html", "json"))
        expect_modules("ragate.github.gate.finalise", "ragate.runs.run_details")
        publisher = Publisher(inputs, event, repository, environ, log)
        context = StepContext(
            inputs, event, environ, workspace, repository, log, announce=publisher.begin
        )
        stack.callback(context.close)
        return _guarded(context, publisher)


def exit_code_of(report: Report, fail_on: FailOn) -> int:
    """Return what the step ends with; "no decision" and "cannot be read" never become 0."""
    code = report.decision.exit_code
    if fail_on == "never" and report.decision.verdict is Verdict.FAILED:
        return 0
    if fail_on == "warn" and code == 0 and status_of(report) is ReportSign.LOOK:
        return 1
    return code


def _guarded(context: StepContext, publisher: Publisher) -> int:
    """Run the mode; whatever it raises is published as an error with its exit code."""
    try:
        with _extensions(context):
            outcome = _mode(context.inputs)(context)
    except RagateError as error:
        failure = error
    except KeyboardInterrupt:
        failure = RagateError("the run was interrupted", remedy="run the job again")
        publisher.fail(
            failure, exit_code=INTERRUPTED, target=publisher.begun or early_target(context)
        )
        return INTERRUPTED
    except SystemExit as error:
        failure = RagateError(f"something called exit({error.code}) in the middle")
    except BaseException as error:  # noqa: BLE001 - no accident may look like a verdict
        failure = _unexpected(error, context)
    else:
        code = _published(context, publisher, outcome)
        _let_follow(context, outcome.report, outcome.exit_code)
        return code
    target = publisher.begun or early_target(context)
    publisher.fail(failure, exit_code=failure.exit_code, target=target)
    _let_follow(context, None, failure.exit_code)
    return failure.exit_code


def _published(context: StepContext, publisher: Publisher, outcome: ModeOutcome) -> int:
    if outcome.report is None or outcome.target is None:
        code = outcome.exit_code
        _write(context.environ, outcome.ended_as, code, context.log)
        return code
    report = outcome.report
    code = exit_code_of(report, context.inputs.fail_on)
    context.log.plain(console.render(report))
    publisher.finish(
        outcome.target, report, exit_code=code, paths=outcome.paths, annotations=outcome.annotations
    )
    # A command that was obeyed is no failure, whatever the verdict that it led to.
    return 0 if context.inputs.mode == "command" else code


def _extensions(context: StepContext) -> AbstractContextManager[None]:
    """Return what stands around the step: nothing where strangers' code runs."""
    if context.runs_strangers_code:
        return nullcontext()
    following = (path for each in extensions() for path in each.after_step)
    expect_modules(*(path.partition(":")[0] for path in following))
    return around_command("action", context.environ, context.log.plain)


def _let_follow(context: StepContext, report: Report | None, exit_code: int) -> None:
    """Let extensions do what follows a verdict: nothing where strangers' code ran.

    The verdict stands, and nothing that goes wrong here changes it, nor what else follows.
    """
    if context.runs_strangers_code:
        return
    with _warned(context.log, "what follows the verdict"):
        following = [(each, path) for each in extensions() for path in each.after_step]
        for each, path in following:
            with _warned(context.log, f"what {each.name} lets follow the verdict"):
                loaded(each, path)(context, report, exit_code)


@contextmanager
def _warned(log: Log, what: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into a warning: it may not look like a verdict."""
    try:
        yield
    except (Exception, SystemExit) as error:  # noqa: BLE001
        reason = error.message if isinstance(error, RagateError) else type(error).__name__
        log.warning(f"{what} was not done: {reason}")


def _mode(inputs: Inputs) -> ModeFunction:
    if inputs.mode == "check":
        from ragate.github.modes.check import run_check

        return run_check
    if inputs.mode == "collect":
        from ragate.github.modes.collect import run_collect

        return run_collect
    if inputs.mode == "decide":
        from ragate.github.modes.decide import run_decide

        return run_decide
    if inputs.mode == "command":
        from ragate.github.modes.command import run_command

        return run_command
    from ragate.github.modes.main_branch import run_baseline

    return run_baseline


def _repository(
    inputs: Inputs, event: Event, environ: Mapping[str, str], log: Log, stack: ExitStack
) -> Repository | None:
    if not inputs.github_token.get_secret_value():
        return None
    url = environ.get("GITHUB_API_URL") or "https://api.github.com"
    api = Api(url, inputs.github_token, connection=inputs.connection, say=log.plain)
    return Repository(stack.enter_context(api), event.repository)


def _unexpected(error: BaseException, context: StepContext) -> RagateError:
    if context.environ.get("RAGATE_DEBUG"):
        import traceback

        context.log.plain("".join(traceback.format_exception(error)))
    error = first_error(error)
    if isinstance(error, RagateError):
        return error
    lack, remedy = machine_fault(error)
    if lack:
        return RagateError(lack, remedy=remedy)
    return RagateError(
        f"unexpected {type(error).__name__}: {error}",
        remedy="this is a bug in ragate: RAGATE_DEBUG=1 prints where",
    )


def _unread(error: RagateError, environ: Mapping[str, str], log: Log) -> int:
    log.error(str(error), title="ragate: no verdict")
    _write(environ, "error", error.exit_code, log)
    return error.exit_code


def _write(environ: Mapping[str, str], verdict: str, exit_code: int, log: Log) -> None:
    try:
        write_outputs(environ, {**UNSAID, "verdict": verdict, "exit-code": str(exit_code)})
    except (RagateError, ValueError) as error:
        log.warning(f"the outputs could not be written: {error}")
