"""What is to be gated: a guess from what is there, or what an existing ragate.toml says."""

from pathlib import Path

from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.init.config_text import Choice, RecordedParts
from ragate.cli.init.survey import Survey
from ragate.config import CONFIG_NAME, load_config
from ragate.errors import ConfigError, RagateError, UsageError
from ragate.systems.pgvector.corpus.files import read_corpus

# A function of which less is known may be any: documents are likelier then.
LIKELY = 45


def guess(survey: Survey) -> Choice:
    """Return what is most likely to be gated here.

    Recorded outputs come first: they are there because someone's own pipeline wrote them. Then
    comes code that answers questions, and only then the built-in system over documents.

    Raises:
        UsageError: there is nothing that could be gated.
    """
    if survey.recorded:
        return Choice("replay", survey.recorded[0])
    if survey.systems and survey.systems[0].likelihood >= LIKELY:
        return choice_of(survey, survey.systems[0])
    if survey.beir:
        return Choice("pgvector", survey.beir[0])
    if survey.docs:
        return Choice("pgvector", survey.docs[0].path)
    if survey.systems:
        return choice_of(survey, survey.systems[0])
    using = f" (which uses {', '.join(survey.libraries)})" if survey.libraries else ""
    raise UsageError(
        f"{survey.root}: no engine, route or function that answers questions was found, no folder "
        "of Markdown, HTML or text files, and no recorded outputs in outputs/*.jsonl",
        remedy=f"put documents into docs/, or let your pipeline{using} write its outputs "
        "(docs/replay.md has the format), then run `ragate init` again; a program in any language "
        "or a service is named by hand: docs/system-command.md, docs/system-http.md",
    )


def choice_of(survey: Survey, candidate: FoundSystem) -> Choice:
    """Return a system that was found as what is to be gated."""
    documents = candidate.documents or (survey.docs[0].path if survey.docs else "")
    if candidate.use == "replay":
        documents = candidate.settings["paths"][0]
    parts = RecordedParts(candidate.answers, candidate.passages, candidate.ids)
    return Choice(
        candidate.use,
        documents,
        settings=candidate.settings,
        policy=candidate.policy,
        parts=parts,
        unsure=candidate.unsure,
        files=candidate.files,
    )


def documents_in(root: Path, folder: str) -> int:
    """Return the number of documents in a folder.

    Raises:
        UsageError: it cannot be a corpus; says why.
    """
    try:
        return len(read_corpus(root, folder).documents)
    except RagateError as error:
        raise UsageError(error.message, remedy=error.remedy) from error


def existing_choice(root: Path) -> Choice | None:
    """Return what an existing ragate.toml gates, None where there is none or it cannot be read."""
    try:
        config = load_config(root / CONFIG_NAME)
    except ConfigError:
        return None
    settings = config.system.settings
    answer, paths = settings.get("answer"), settings.get("paths")
    chat = isinstance(answer, dict) and answer.get("use") == "chat"
    source = settings.get("corpus") or (paths[0] if isinstance(paths, list) and paths else "")
    return Choice(
        config.system.use,
        source if isinstance(source, str) else "",
        "chat" if chat else "extractive",
        dataset=config.policy.dataset,
        baseline=config.policy.baseline,
        gate=config.policy.gate,
        settings=settings,
    )
