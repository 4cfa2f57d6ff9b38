"""From what was found and answered to files, and the files onto the disk."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from ragate.cli.init.action_workflows import PLACEHOLDER, action_workflows
from ragate.cli.init.config_text import DATASET, Choice, RecordedParts, config_text
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.questions import from_corpus, from_recordings, to_jsonl
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_text import workflow_text
from ragate.config import CONFIG_NAME, parse_config
from ragate.dataset import read_dataset
from ragate.errors import UsageError
from ragate.models import Sample
from ragate.outputs.outputs_file import read_outputs
from ragate.outputs.recorded_output import RecordedOutput
from ragate.support import git
from ragate.systems.pgvector.corpus.files import read_corpus

WORKFLOW = ".github/workflows/ragate.yml"
WORKFLOWS = ".github/workflows/ragate*.yml"
LOOKED_AT = 1000


@dataclass(frozen=True)
class WritePlan:
    """What will be written, and remarks on how it came about.

    Attributes:
        status: What a branch protection rule is to require.
        action: The commit of the action that the workflows name; "" without the action.
    """

    choice: Choice
    files: tuple[NewFile, ...]
    questions: int = 0
    notes: tuple[str, ...] = ()
    status: str = "gate"
    action: str = ""

    @property
    def unpinned(self) -> bool:
        """True where the workflows wait for the commit of a release."""
        return self.action == PLACEHOLDER

    @property
    def pinned(self) -> bool:
        """True where the workflows name a commit."""
        return bool(self.action) and not self.unpinned


def make_plan(survey: Survey, choice: Choice) -> WritePlan:
    """Return the files for `choice`; the configuration is read once, so that it is right.

    Raises:
        RagateError: the documents or recordings cannot be read.
    """
    if choice.system == "replay":
        return _for_recordings(survey, choice)
    corpus = read_corpus(survey.root, choice.source)
    documents = frozenset(document.doc_id for document in corpus.documents)
    existing, notes = _existing(survey, choice, documents)
    if existing is not None:
        return _plan(survey, *existing, starters=[], notes=notes)
    starters = from_corpus(corpus)
    if not starters:
        notes += (f"no golden set is made: the documents hold no text; write {DATASET}",)
    return _plan(survey, choice, starters, starters=starters, notes=notes)


def _for_recordings(survey: Survey, choice: Choice) -> WritePlan:
    outputs = list(islice(_read(survey.root, choice.source), LOOKED_AT))
    recorded = _held(outputs)
    existing, notes = _existing(survey, choice, None)
    if existing is not None:
        return _plan(survey, *existing, starters=[], notes=notes, recorded=recorded)
    starters = from_recordings(outputs)
    if not starters:
        notes += (f"no golden set is made: no question is recorded; write {DATASET}",)
    return _plan(survey, choice, starters, starters=starters, notes=notes, recorded=recorded)


def _held(outputs: Sequence[RecordedOutput]) -> RecordedParts:
    """Return what the recordings hold; where there are none yet, all that is possible."""
    chunks = [chunk for output in outputs for chunk in output.chunks]
    return RecordedParts(
        answers=not outputs or any(output.answer for output in outputs),
        texts=not outputs or any(chunk.text for chunk in chunks),
        ids=not outputs or any(chunk.doc_id for chunk in chunks),
    )


def _read(root: Path, pattern: str) -> Iterator[RecordedOutput]:
    if PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
        raise UsageError(f"{pattern}: recordings are named below {root}, such as outputs/*.jsonl")
    for file in sorted(root.glob(pattern)):
        yield from (output for _, output in read_outputs(file)[1])


def _existing(
    survey: Survey, choice: Choice, documents: frozenset[str] | None
) -> tuple[tuple[Choice, Sequence[Sample]] | None, tuple[str, ...]]:
    """Return the first golden set that fits the documents, and why others were passed over."""
    notes: list[str] = []
    beir = [choice.source] if choice.source in survey.beir else []
    for path in [*beir, *survey.golden]:
        samples = read_dataset(survey.root / path)
        lost = (
            sum(not sample.expected <= documents for sample in samples)
            if documents is not None
            else 0
        )
        if not lost:
            chosen = Choice(choice.system, choice.source, choice.answers, dataset=path)
            return (chosen, samples), (*notes, f"{path}: taken as the golden set")
        notes.append(
            f"{path}: not used; {lost} of its questions expect documents not in the folder"
        )
    return None, tuple(notes)


def _plan(
    survey: Survey,
    choice: Choice,
    samples: Sequence[Sample],
    *,
    starters: Sequence[Sample],
    notes: tuple[str, ...],
    recorded: RecordedParts | None = None,
) -> WritePlan:
    text = config_text(choice, samples, recorded)
    parse_config(text, where=CONFIG_NAME, root=survey.root)
    files = [NewFile(survey.root / CONFIG_NAME, text)]
    if starters:
        files.append(NewFile(survey.root / DATASET, to_jsonl(starters)))
    if not survey.elsewhere:
        folder = survey.root.relative_to(survey.top).as_posix()
        workflow = workflow_text(choice, folder="" if folder == "." else folder)
        files.append(NewFile(survey.top / WORKFLOW, workflow))
    return WritePlan(choice, tuple(files), questions=len(starters), notes=notes)


def with_action(survey: Survey, plan: WritePlan, commit: str) -> WritePlan:
    """Return the plan with the action's workflows in place of the plain one.

    Args:
        commit: Of the action's release; "" for zeros, which GitHub refuses to run.

    Raises:
        UsageError: the commit is none.
    """
    commit = commit or PLACEHOLDER
    plain = survey.top / WORKFLOW
    folder = survey.root.relative_to(survey.top).as_posix()
    gate = survey.root.name if _names_a_gate(survey.root.name) else "rag"
    texts = action_workflows(
        plan.choice,
        gate=gate,
        commit=commit,
        folder="" if folder == "." else folder,
        main=git.main_branch(survey.top),
    )
    workflows = tuple(NewFile(plain.with_name(name), text) for name, text in texts.items())
    unchanged = tuple(file for file in plan.files if file.path != plain)
    return replace(plan, files=(*unchanged, *workflows), status=f"ragate/{gate}", action=commit)


def _names_a_gate(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", name))
