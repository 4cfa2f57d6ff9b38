"""From what was found and answered to files, and the files onto the disk."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from ragate.cli.init.config_text import DATASET, Choice, RecordedParts, config_text
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.questions import drafts_from, from_corpus, from_recordings, to_jsonl
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_files import named, plain_status, plain_workflow
from ragate.cli.workflows import PLACEHOLDER
from ragate.config import CONFIG_NAME, parse_config
from ragate.core.text.words import markers
from ragate.dataset import read_dataset
from ragate.errors import UsageError
from ragate.models import Sample
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recorded_output import RecordedOutput
from ragate.outputs.recordings import read_recorded
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
    files: tuple[NewFile, ...]
    questions: int = 0
    drafts: int = 0
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
    choice = named(survey, choice)
    if choice.system == "replay":
        return _for_recordings(survey, choice)
    if choice.system != "pgvector":
        return _for_own_system(survey, choice)
    corpus = read_corpus(survey.root, choice.source)
    documents = frozenset(document.doc_id for document in corpus.documents)
    existing, notes = _existing(survey, choice, documents)
    if existing is not None:
        return _plan(survey, *existing, starters=[], notes=notes)
    starters = from_corpus(corpus)
    if not starters:
        notes += (f"no golden set is made: the documents hold no text; write {DATASET}",)
    drafts = drafts_from(corpus, starters)
    return _plan(survey, choice, starters, starters=starters, drafts=drafts, notes=notes)


def _for_own_system(survey: Survey, choice: Choice) -> WritePlan:
    """Return the files for a system of the project's own.

    Questions are made from its documents, as its reply calls them; where it was not asked, ids
    are paths below the folder.
    """
    existing, notes = _existing(survey, choice, None)
    if existing is not None:
        return _plan(survey, *existing, starters=[], notes=notes)
    corpus = Corpus(choice.documents)
    if choice.unasked and choice.source:
        corpus = read_corpus(survey.root, choice.source)
    starters = from_corpus(corpus)
    drafts = drafts_from(corpus, starters)
    if not starters:
        notes += (f"no golden set is made: no documents were found; write {DATASET}",)
    elif not choice.judged or (choice.parts is not None and not choice.parts.ids):
        starters, drafts = (
            [one.amended(relevant={}) for one in rows] for rows in (starters, drafts)
        )
        notes += (_NO_DOCUMENT,)
    return _plan(survey, choice, starters, starters=starters, drafts=drafts, notes=notes)


def _for_recordings(survey: Survey, choice: Choice) -> WritePlan:
    outputs = list(islice(_read(survey.root, choice), LOOKED_AT))
    recorded = _held(outputs)
    choice = replace(choice, runs=_passes(outputs))
    existing, notes = _existing(survey, choice, None)
    if existing is not None:
        return _plan(survey, *existing, starters=[], notes=notes, recorded=recorded)
    starters = from_recordings(outputs)
    if not starters:
        notes += (f"no golden set is made: no question is recorded; write {DATASET}",)
    return _plan(survey, choice, starters, starters=starters, notes=notes, recorded=recorded)


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
    pattern = choice.source
    if PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
        raise UsageError(f"{pattern}: recordings are named below {root}, such as outputs/*.jsonl")
    keys = {key: choice.settings[key] for key in ("preset", "pointers") if key in choice.settings}
    mapping = RecordMapping.model_validate(keys)
    for file in sorted(root.glob(pattern)):
        yield from (output for _, _, output in read_recorded(file, mapping))


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
            chosen = replace(choice, dataset=path)
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
    drafts: Sequence[Sample] = (),
    recorded: RecordedParts | None = None,
) -> WritePlan:
    text = config_text(choice, samples, recorded)
    parse_config(text, where=CONFIG_NAME, root=survey.root)
    files = [NewFile(survey.root / CONFIG_NAME, text)]
    adapters = choice.candidate.files if choice.candidate is not None else {}
    files += [NewFile(survey.root / name, content) for name, content in adapters.items()]
    if starters and (survey.root / DATASET).exists():
        starters, drafts = [], []
        notes += (f"{DATASET}: not used as it is; `ragate dataset validate` says why",)
    if starters:
        files.append(NewFile(survey.root / DATASET, to_jsonl(starters, drafts)))
    status = "gate"
    if not survey.elsewhere:
        files.append(plain_workflow(survey, choice))
        status = plain_status(survey, choice)
    count, further = len(starters), len(drafts)
    return WritePlan(
        choice, tuple(files), questions=count, drafts=further, notes=notes, status=status
    )
