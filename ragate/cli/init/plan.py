"""From what was found and answered to files, and the files onto the disk."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ragate.cli.init.action_workflows import action_workflows, plain_text
from ragate.cli.init.config_text import DATASET, Choice, RecordedParts, config_text
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.questions import drafts_from, from_corpus, from_recordings, to_jsonl
from ragate.cli.init.recordings import recorded_files
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_files import (
    bear_the_name,
    folder_of,
    gate_name,
    named,
    with_packages,
)
from ragate.cli.workflows import FOLDER, PLACEHOLDER, named_commit
from ragate.config import CONFIG_NAME, parse_config
from ragate.core.text.words import markers
from ragate.dataset import read_dataset
from ragate.errors import RagateError, UsageError
from ragate.models import Sample
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recorded_output import RecordedOutput
from ragate.outputs.recordings import read_recorded
from ragate.repository import git
from ragate.systems.pgvector.corpus import Corpus, read_corpus

LOOKED_AT = 1000
MOST_PASSES = 3
_NO_DOCUMENT = (
    "the questions expect no document: none that the reply names was found here; write the ids of "
    "the reply under `relevant`, and retrieval is gated"
)


@dataclass(frozen=True)
class WritePlan:
    """What will be written, and remarks on how it came about.

    Attributes:
        drafts: Further questions that nobody asks before they are accepted.
        status: What a branch protection rule is to require.
        action: The commit of the action that the workflows name; "" without the action.
    """

    choice: Choice
    files: tuple[NewFile, ...] = ()
    questions: int = 0
    drafts: int = 0
    notes: tuple[str, ...] = ()
    status: str = ""
    action: str = ""


@dataclass(frozen=True)
class _Made:
    """Questions that are made up, for where no golden set is there.

    Attributes:
        lack: Why there are none, where there are none.
        documents: The ids that a golden set's have to be among; None where nobody knows them.
        notes: What is said in any case. remark: What is said where the questions are used.
    """

    starters: Sequence[Sample]
    lack: str
    drafts: Sequence[Sample] = ()
    documents: frozenset[str] | None = None
    notes: tuple[str, ...] = ()
    remark: tuple[str, ...] = ()


def make_plan(survey: Survey, choice: Choice) -> WritePlan:
    """Return the files for `choice`; the configuration is read once, so that it is right.

    Raises:
        RagateError: the documents or recordings cannot be read.
    """
    choice = named(survey, choice)
    if choice.system == "scores":  # which say themselves what samples there are
        metrics, notes = _reported(sorted(survey.root.glob(choice.source)))
        return _plan(survey, replace(choice, metrics=metrics, runs=1), [], notes=notes)
    choice, made = _made_up(survey, choice)

    there, passed_over = _existing(survey, choice, made.documents)
    notes = (*made.notes, *passed_over)
    if there:
        samples = read_dataset(survey.root / there)
        return _plan(survey, replace(choice, dataset=there), samples, notes=notes)
    if not made.starters:
        notes += (f"no golden set is made: {made.lack}; write {DATASET}",)
        return _plan(survey, choice, [], notes=notes)
    notes += made.remark
    if (survey.root / DATASET).exists():
        notes += (f"{DATASET}: not used as it is; `ragate dataset validate` says why",)
        return _plan(survey, choice, made.starters, notes=notes)
    plan = _plan(survey, choice, made.starters, notes=notes)
    golden = NewFile(survey.root / DATASET, to_jsonl(made.starters, made.drafts))
    return replace(
        plan,
        files=(*plan.files, golden),
        questions=len(made.starters),
        drafts=len(made.drafts),
    )


def _made_up(survey: Survey, choice: Choice) -> tuple[Choice, _Made]:
    """Return the choice with what its recordings say, and the questions that are made up."""
    if choice.system != "replay":
        return choice, _from_pages(survey, choice)
    outputs = list(islice(_read(survey.root, choice), LOOKED_AT))
    choice = replace(choice, runs=_passes(outputs), parts=_held(outputs))
    return choice, _Made(from_recordings(outputs), "no question is recorded")


def _from_pages(survey: Survey, choice: Choice) -> _Made:
    """Return questions made from pages, without documents where no reply named a known one."""
    corpus, notes = _documents(survey, choice)
    starters = from_corpus(corpus)
    drafts = drafts_from(corpus, starters)
    # Of a system of the project's own nobody knows yet how it calls its documents.
    is_built_in = choice.system == "pgvector"
    known = frozenset(page.doc_id for page in corpus.documents) if is_built_in else None
    made = _Made(starters, "no documents with text were found", drafts, known, notes)
    if choice.judged and (choice.parts is None or choice.parts.ids):
        return made
    return replace(
        made,
        starters=[sample.amended(relevant={}) for sample in starters],
        drafts=[sample.amended(relevant={}) for sample in drafts],
        remark=(_NO_DOCUMENT,),
    )


def _plan(
    survey: Survey, choice: Choice, samples: Sequence[Sample], *, notes: tuple[str, ...]
) -> WritePlan:
    """Return the plan for a configuration that fits the samples."""
    text = config_text(choice, samples)
    parse_config(text, where=CONFIG_NAME, root=survey.root)
    texts = {CONFIG_NAME: text, **choice.files}
    files = tuple(NewFile(survey.root / name, content) for name, content in texts.items())
    return WritePlan(choice, files, notes=notes)


def _documents(survey: Survey, choice: Choice) -> tuple[Corpus, tuple[str, ...]]:
    """Return what questions are made from, as a reply calls it where one was seen."""
    if choice.system != "pgvector" and (
        choice.documents or not choice.unasked or not choice.source
    ):
        return Corpus(choice.documents), ()
    try:
        corpus = read_corpus(survey.root, choice.source)
    except RagateError as error:
        if choice.system == "pgvector":
            raise
        return Corpus(()), (f"no question is made of {choice.source}/: {error.message}",)
    if not corpus.left_out:
        return corpus, ()
    return corpus, (f"{choice.source}: left out are {corpus.left_out_words}",)


def _reported(files: Sequence[Path]) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the keys of each metric that the files hold, and what has to be looked at.

    Raises:
        UsageError: there are no files, or they hold no score.
    """
    from ragate.models import Direction
    from ragate.scores.known_metrics import known
    from ragate.scores.measured import Said, infos_of
    from ragate.scores.score_table import read_runs

    if not files:
        raise UsageError("--have results: no such file", remedy="let the evaluator run first")
    table = read_runs(files)
    names = sorted(table.columns)
    guessed = [name for name in names if known(name) is None]
    said = Said(directions=dict.fromkeys(guessed, Direction.HIGHER))
    metrics: dict[str, dict[str, Any]] = {}
    for name, info in infos_of([table], names, said).items():
        keys: dict[str, Any] = {"direction": "higher"} if name in guessed else {}
        if info.high is None:
            keys["range"] = [info.low, float(np.nanmax(table.columns[name]))]
        elif (info.low, info.high) != (0.0, 1.0):
            keys["range"] = [info.low, info.high]
        metrics[name] = keys
    looked_at = [name for name, keys in metrics.items() if keys]
    note = f"look at direction and range of {', '.join(looked_at)}: nothing says them for sure"
    return metrics, ((note,) if looked_at else ())


def _passes(outputs: Sequence[RecordedOutput]) -> int:
    """Return how often every question is recorded at least, up to three times."""
    counts = Counter(" ".join(output.question.split()) or output.id for output in outputs)
    return max(1, min([MOST_PASSES, *counts.values()]))


def _held(outputs: Sequence[RecordedOutput]) -> RecordedParts:
    """Return what the recordings hold; where there are none yet, all that is possible."""
    chunks = [chunk for output in outputs for chunk in output.chunks]
    return RecordedParts(
        answers=not outputs or any(output.answer for output in outputs),
        texts=not outputs or any(chunk.text for chunk in chunks),
        ids=not outputs or any(chunk.doc_id for chunk in chunks),
        cites=any(output.citations or markers(output.answer or "") for output in outputs),
    )


def _read(root: Path, choice: Choice) -> Iterator[RecordedOutput]:
    keys = {key: choice.settings[key] for key in ("preset", "pointers") if key in choice.settings}
    mapping = RecordMapping.model_validate(keys)
    for file in recorded_files(root, choice.source):
        yield from (output for _, _, output in read_recorded(file, mapping))


def _existing(
    survey: Survey, choice: Choice, documents: frozenset[str] | None
) -> tuple[str, tuple[str, ...]]:
    """Return the first golden set that fits the documents, and why others were passed over."""
    notes: list[str] = []
    beir = [choice.source] if choice.source in survey.beir else []
    for path in [*beir, *survey.golden]:
        samples = read_dataset(survey.root / path)
        expected = [sample.expected for sample in samples]
        lost = sum(not one <= documents for one in expected) if documents is not None else 0
        if not lost:
            return path, (*notes, f"{path}: taken as the golden set")
        notes.append(
            f"{path}: not used; {lost} of its questions expect documents not in the folder"
        )
    notes += [
        f"{path}: it has questions, under names of its own; `ragate dataset import "
        f"{shlex.quote(path)} --output {DATASET} --force` makes a golden set of them"
        for path in survey.importable[:1]
    ]
    return "", tuple(notes)


def with_workflows(
    survey: Survey, plan: WritePlan, *, plain: bool, commit: str, shards: int | None
) -> WritePlan:
    """Return the plan with the workflows of its gate; none where the repository is elsewhere.

    Args:
        plain: The one without the action.
        commit: Of the action's release; "" for the one that workflows of this gate name already,
            else zeros, which GitHub refuses to run.
        shards: Into how many jobs the first half is split; None for one.

    Raises:
        UsageError: the commit is none.
    """
    if survey.elsewhere and not (commit or shards):
        return plan
    folder = folder_of(survey)
    gate = plan.choice.gate or gate_name(survey)
    several = bear_the_name(survey, gate)
    choice = with_packages(survey, plan.choice)
    if plain:
        suffix = f"-{gate}" if several else ""
        text = plain_text(choice, folder=folder, gate=gate if several else "")
        texts, status = {f"ragate{suffix}.yml": text}, f"gate{suffix}"
    else:
        commit = commit or named_commit(survey.top, folder or ".", gate) or PLACEHOLDER
        status = f"ragate/{gate}"
        texts = action_workflows(
            choice,
            gate=gate,
            commit=commit,
            folder=folder,
            main=git.main_branch(survey.top),
            several=several,
            shards=shards,
        )
    workflows = (NewFile(survey.top / FOLDER / name, text) for name, text in texts.items())
    return replace(plan, files=(*plan.files, *workflows), status=status, action=commit)
