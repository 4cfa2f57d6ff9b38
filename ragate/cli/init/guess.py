"""What is to be gated: a guess from what is there, or what an existing ragate.toml says."""

from pathlib import Path

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.init.config_text import Choice, RecordedParts
from ragate.cli.init.survey import Survey
from ragate.config import CONFIG_NAME, load_config
from ragate.errors import ConfigError, RagateError, UsageError
from ragate.systems.pgvector.corpus.files import SUFFIXES, read_corpus
from ragate.version import MANUAL

# A function of which less is known may be any: documents are likelier then.
LIKELY = 45


def guess(survey: Survey, *, asked: bool = False) -> Choice:
    """Return what is most likely to be gated here.

    Recorded outputs come first: they are there because someone's own pipeline wrote them. Then
    comes code that answers questions, and only then the built-in system over documents.

    Args:
        asked: It will be asked, and so tells by itself whether it answers questions.

    Raises:
        UsageError: there is nothing that could be gated.
    """
    if survey.recorded:
        return Choice("replay", survey.recorded[0])
    if survey.systems and (asked or survey.systems[0].likelihood >= LIKELY):
        return choice_of(survey, survey.systems[0])
    if survey.beir:
        return Choice("pgvector", survey.beir[0])
    if survey.docs:
        return Choice("pgvector", survey.docs[0].path)
    if survey.systems:
        return choice_of(survey, survey.systems[0])
    raise UsageError(
        f"{survey.root}: no engine, route or function that answers questions was found, no folder "
        f"of documents ({', '.join(SUFFIXES)}), and no recorded outputs in outputs/*.jsonl",
        remedy="put documents into docs/, or let your pipeline write its outputs "
        f"({MANUAL}/replay.md has the format), then run `ragate init` again; a program in any "
        f"language or a service is named by hand: {MANUAL}/system-command.md, "
        f"{MANUAL}/system-http.md",
    )


def choice_of(survey: Survey, candidate: RagCandidate) -> Choice:
    """Return a system that was found as what is to be gated; its replies are not known yet."""
    if candidate.use == "replay":
        return Choice(
            "replay",
            candidate.settings["paths"][0],
            settings=candidate.settings,
            policy=candidate.policy,
            parts=RecordedParts(),
            candidate=candidate,
        )
    return Choice(
        candidate.use,
        survey.docs[0].path if survey.docs else "",
        settings=candidate.first,
        policy=candidate.policy,
        candidate=candidate,
        seeds=(*_node_packages(candidate), *survey.seeds),
    )


def _node_packages(candidate: RagCandidate) -> tuple[str, ...]:
    command = candidate.first.get("start") or candidate.first.get("command") or [""]
    return ("npm ci",) if command[0] in {"npm", "node"} else ()


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
        parts=RecordedParts(),
    )
