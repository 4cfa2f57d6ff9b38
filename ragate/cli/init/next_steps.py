"""What is left to do after the files are written."""

from __future__ import annotations

from collections.abc import Iterator

from ragate.cli.finding import plural
from ragate.cli.init.action_workflows import RELEASES
from ragate.cli.init.config_text import DATASET, Choice
from ragate.cli.init.plan import WritePlan
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_files import WORKFLOWS
from ragate.cli.workflows import PLACEHOLDER
from ragate.version import MANUAL

_LOOK = "ragate doctor --ask         (one question: what is read of its reply)"
_COMMANDS = (
    "ragate baseline update      (records what later changes are compared with)",
    "ragate check                (a verdict; nothing changed yet)",
)


def commands(survey: Survey, plan: WritePlan) -> tuple[str, list[str]]:
    """Return what is to be typed next, and the words before it."""
    dataset = plan.choice.dataset
    there = plan.questions or (survey.root / dataset).exists()
    there = there or plan.choice.system == "scores"
    words = "Now type:" if there else f"Once {dataset} holds your questions, type:"
    return words, [*([_LOOK] if plan.choice.unasked else []), *_COMMANDS]


def next_steps(survey: Survey, plan: WritePlan) -> list[str]:
    """Return what is left to do beside `commands`, in order."""
    return [*_before_ci(plan), *_in_ci(survey, plan)]


def _before_ci(plan: WritePlan) -> Iterator[str]:
    if plan.choice.unfilled and plan.choice.unasked:
        yield f"Fill in {plan.choice.unfilled}."
    if plan.questions:
        pages = f"{plan.choice.source}/, and is of no use where your RAG answers from other pages"
        made_from = pages if plan.choice.unasked and plan.choice.source else "your files"
        yield (
            f"Replace {plural(plan.questions, 'question')} in {DATASET} by 20 or more of your "
            f"users; the tag starter marks what was made up from {made_from}."
        )
    if plan.drafts:
        noun = plural(plan.drafts, "further question")
        yield f"Look at {noun} there, which no run asks: `ragate dataset accept` lets drafts count."
    yield "`ragate doctor` says what is missing, with the remedy."
    yield "Commit all of it, the baseline too: without it, a check in CI ends with exit code 3."
    if plan.choice.system == "replay":
        yield (
            "Recordings are answers of one day. A change is seen only where its own code answers "
            f"the questions of {plan.choice.dataset} again and writes them to "
            f"{plan.choice.source}, in CI in a step before the check: "
            f"{MANUAL}/replay.md#write-the-file-from-python."
        )
    if plan.action == PLACEHOLDER:
        yield f"Put the commit of a release for the zeros in {WORKFLOWS}: {RELEASES}"


def _in_ci(survey: Survey, plan: WritePlan) -> Iterator[str]:
    if survey.elsewhere and plan.action in ("", PLACEHOLDER):
        yield f"Put `ragate check` into your CI: {MANUAL}/self-hosted.md has recipes."
        return
    required = f'require the status check "{plan.status}" for the main branch'
    yield f"On GitHub, {required} (Settings, Rules)."
    sent = plan.choice.settings.get("headers_env", {})
    if sent:
        yield f"Set {' and '.join(sent.values())} in the job as well: requests send what it holds."
    yield from keys_needed(plan.choice)


def keys_needed(choice: Choice) -> Iterator[str]:
    """Yield what is known of the keys that the jobs need: nothing where nobody saw it run."""
    sent = choice.settings.get("headers_env", {}).values()
    keys = [key for key in choice.keys if key not in sent]
    if choice.keyless or choice.system in {"scores", "replay"}:
        yield (
            "No secret is needed: it answered without any."
            if choice.keyless
            else ("No secret is needed: files are read, and nothing is asked.")
        )
    elif keys and choice.runs_code:
        yield (
            f"The code reads {', '.join(keys)}, and in CI the code of a change gets no key: "
            f"let its model calls be recorded, {MANUAL}/replay.md#recorded-model-calls. Jobs of "
            "main get them: add them to the secrets of the repository."
        )
    if choice.fills and choice.runs_code:
        yield (
            f"If its answers come from an index, a step has to fill it before: {choice.fills[0]} "
            "is in no workflow yet."
        )
