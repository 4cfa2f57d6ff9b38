"""What a recording is sure to need is looked at before anything of it is started or paid for."""

from collections.abc import Sequence

from ragate import plugins
from ragate.config import Config
from ragate.core.text.listed_names import listed
from ragate.errors import ConfigError, DatasetError, NotReadyError, ProviderError
from ragate.models import Run, Sample
from ragate.pipeline.score.open_judge import JudgeReadiness
from ragate.pipeline.score.policy_metrics import inapplicable_gates, judged_metrics, make_metrics
from ragate.protocols import Aggregate, Metric
from ragate.recorder.open_system import is_recorded_system
from ragate.recorder.run_resolver import provider_of
from ragate.runtime.operations import Operations
from ragate.runtime.resources import Opened
from ragate.support.installed import install_line
from ragate.version import MANUAL


async def look_before_recording(
    config: Config,
    operations: Operations,
    opened: Opened,
    samples: Sequence[Sample],
    old: Run | None,
    *,
    resumed: bool,
) -> None:
    """See that the judge, and the model that answers, can be asked.

    Args:
        old: The baseline that is there: it may hold every judgement.
        resumed: A recording that was interrupted goes on: it may hold every answer.

    Raises:
        ConfigError: a library is missing.
        DatasetError: no gated metric can be measured on any sample.
        NotReadyError: a key is not set or refused, or a server is out of reach.
    """
    metrics = make_metrics(config, samples, states={})
    _look_at_samples(config, operations, metrics, samples)
    judge = config.policy.judge
    if judge is not None and not _may_know_judgements(opened, old):
        names = [metric.info.name for metric in judged_metrics(metrics)]
        await _look_at_judge(config, JudgeReadiness(config, judge, opened, names, recording=True))
    _refuse_missing_library(config)
    provider = "" if resumed else answering_provider(config, operations)
    if not provider:
        return
    try:
        await opened.reach(provider)
    except ProviderError as error:
        raise NotReadyError(
            f"{error.message}; no answer can be recorded",
            remedy=f"{error.remedy}; the baseline is unchanged",
        ) from error


async def _look_at_judge(config: Config, readiness: JudgeReadiness) -> None:
    """Look at the judge; where the system is started first, its server may come up with it."""
    if not config.system.settings.get("start"):
        await readiness.look()
    elif readiness.needed and (lack := readiness.lack()) is not None:
        raise lack


def answering_provider(config: Config, operations: Operations) -> str:
    """Return the provider that fresh answers come from through ragate, "" where none does.

    A recorder that may or can ask nobody says so itself.
    """
    settings = config.system.settings
    if is_recorded_system(config):
        name = provider_of(config, str(settings.get("record_provider", "")))
        unset = config.policy.unset_key(name, operations.environment)
        return "" if unset or operations.offline else name
    if config.system.use == "mcp":
        sampling = settings.get("sampling")
        asked = str(sampling.get("provider", "")) if isinstance(sampling, dict) else ""
        return asked if asked in config.policy.providers else ""
    table = settings.get("answer")
    if not plugins.traits(config.system.use).counted or not isinstance(table, dict):
        return ""
    answering = str(table.get("provider", "")) if table.get("use") == "chat" else ""
    return answering if answering in config.policy.providers else ""


def _look_at_samples(
    config: Config,
    operations: Operations,
    metrics: Sequence[Metric | Aggregate],
    samples: Sequence[Sample],
) -> None:
    """Raise where no gated metric could be measured on any sample; say which one could not."""
    lost = inapplicable_gates(config, metrics, samples)
    if not lost:
        return
    gated = [rule.metric for rule in config.policy.metrics if rule.level == "error"]
    message = f"{config.policy.dataset}: no sample has what {listed(lost)} needs"
    remedy = "give samples `relevant` documents or `references`, or set another metric to error"
    if len(lost) == len(gated):
        raise DatasetError(
            message, remedy=f"{remedy}: {MANUAL}/metrics.md; the baseline is unchanged"
        )
    operations.say(f"warning: {message}, and `check` decides nothing without it; {remedy}")


def _refuse_missing_library(config: Config) -> None:
    """Raise where the reranker cannot run: it comes after embeddings that were paid for."""
    table = config.system.settings.get("rerank")
    local = isinstance(table, dict) and table.get("use") == "cross_encoder"
    if local and not plugins.is_installed("sentence_transformers"):
        raise ConfigError(
            '[system.rerank] use = "cross_encoder" needs a library: sentence_transformers is not '
            "installed",
            remedy=install_line("local"),
        )


def _may_know_judgements(opened: Opened, old: Run | None) -> bool:
    judged = old is not None and old.manifest.judge is not None
    return judged or opened.cache.info().rows["verdicts"] > 0
