"""Scoring a file that holds questions and answers, with no gate and no ragate.toml of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from ragate.config.model import Config
from ragate.config.read import config_of, read_tables
from ragate.core.decision.scorecard import staged
from ragate.errors import ConfigError
from ragate.files.find_files import CONFIG_NAME
from ragate.files.foreign_files import read_text
from ragate.models import OVERALL, PASSES, Run, Sample, ScoreState
from ragate.resources.operations import read_operations
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan, Stop
from ragate.run.sources import SystemSource

_MAX_BYTES = 1024 * 1024
_HASHING = "hashing"
_OF_POLICY = ("providers", "judge", "embedder")


@dataclass(frozen=True)
class ScoredQuestion:
    """One question with its scores by stage; None where a stage has no score."""

    id: str
    query: str
    scores: tuple[float | None, ...]


@dataclass(frozen=True)
class ScoredAnswers:
    """What the answers of a file scored.

    Attributes:
        stages: Names of the preset's stages; the last two are the overall score and the pass rate.
        lacks: Stages that some question should have had a score of, with the reason.
    """

    stages: tuple[str, ...]
    questions: tuple[ScoredQuestion, ...]
    lacks: Mapping[str, str]

    @property
    def averages(self) -> tuple[float | None, ...]:
        """Return the mean of each stage over the questions that have a score."""
        columns = zip(*(each.scores for each in self.questions), strict=True)
        known = [[value for value in column if value is not None] for column in columns]
        return tuple(fmean(values) if values else None for values in known)

    def as_json(self) -> str:
        questions = [
            {
                "id": each.id,
                "question": each.query,
                "scores": dict(zip(self.stages, each.scores, strict=True)),
            }
            for each in self.questions
        ]
        averages = dict(zip(self.stages, self.averages, strict=True))
        shown = {"schema_version": 1, "questions": questions, "averages": averages}
        return json.dumps(shown, indent=2, ensure_ascii=False)


async def score_answers(
    path: Path,
    *,
    preset: str,
    model: str,
    config: Path | None,
    environment: Mapping[str, str],
) -> ScoredAnswers:
    """Score each answer of a file by the stages of a preset.

    Args:
        model: The embedding model; "" for that of `config`, else the default one.
        config: A ragate.toml, for its providers, judge and embedder.
        environment: Variables, with the keys among them.

    Raises:
        RagateError: the file cannot be read, or something that the stages need is missing.
    """
    read = _config(path, preset, _policy_of(config), model)
    with TemporaryDirectory(prefix="ragate-score-") as state:
        operations = read_operations(read.root, {**environment, "RAGATE_STATE_DIR": state})
        plan = RunPlan(read, operations, SystemSource(), command="score", stop=Stop.SCORED)
        result = await run_gate(plan)
    return _scored(read, result.run, {each.id: each for each in result.setup.samples})


def _policy_of(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    text = read_text(path, error=ConfigError, max_bytes=_MAX_BYTES)
    policy = read_tables(text, str(path), told=True).get("policy", {})
    return {key: policy[key] for key in _OF_POLICY if key in policy}


def _config(path: Path, preset: str, policy: Mapping[str, Any], model: str) -> Config:
    """Return the configuration of a gate on the outputs of a file, which is its golden set too."""
    name = path.name
    embedder = {"use": "sentence_transformers", "model": model} if model else {}
    if model == _HASHING:
        embedder = {"use": _HASHING}
    tables = {
        "policy": {
            "embedder": {"use": "sentence_transformers"},
            **policy,
            **({"embedder": embedder} if embedder else {}),
            "dataset": name,
            "baseline": f"{path.stem}.baseline.json",
            "systems": ["replay"],
            "replay_paths": [name],
            "scorecard": {"preset": preset},
        },
        "system": {"use": "replay", "paths": [name]},
    }
    root = path.parent.resolve()
    return config_of(tables, root=root, path=root / CONFIG_NAME)


def _scored(config: Config, run: Run, samples: Mapping[str, Sample]) -> ScoredAnswers:
    card = config.policy.scorecard
    assert card is not None
    metrics = {stage.name: stage.metric for stage in card.stages}
    metrics |= {OVERALL: OVERALL, PASSES: PASSES}
    questions: list[ScoredQuestion] = []
    lacks: dict[str, str] = {}
    for record in staged(run, card).records:
        scores = {name: record.scores[metric] for name, metric in metrics.items()}
        values = tuple(score.value for score in scores.values())
        questions.append(ScoredQuestion(record.sample_id, samples[record.sample_id].query, values))
        for stage in card.stages:
            if scores[stage.name].state is ScoreState.UNSCORED:
                lacks.setdefault(stage.name, scores[stage.name].reason)
    return ScoredAnswers(tuple(metrics), tuple(questions), lacks)
