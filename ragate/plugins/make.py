"""From a plugin's module to what it makes, which has every member that its protocol demands."""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

from ragate.errors import PluginError
from ragate.models import ASKED, MetricInfo, Needs, Sample
from ragate.plugins.find import Kind, is_builtin, load, noun
from ragate.protocols import (
    NO_CLIENTS,
    Aggregate,
    AskingMetric,
    Embedder,
    EmbeddingMetric,
    Judge,
    Judged,
    JudgedAggregate,
    JudgeMetric,
    Metric,
    MetricClients,
    MetricRequest,
    Reranker,
    Resources,
    System,
)
from ragate.version import MANUAL

_METRIC = re.compile(r"(?P<base>[^@]+)(@(?P<k>[1-9][0-9]{0,5}))?")


def metric(
    name: str,
    *,
    settings: Mapping[str, Any] | None = None,
    samples: Sequence[Sample] = (),
    state: Mapping[str, float] | None = None,
    clients: MetricClients = NO_CLIENTS,
    eval_date: str = "",
) -> Metric | Aggregate:
    """Return the metric of a name such as ``ndcg@10``.

    Args:
        settings, samples, state, clients, eval_date: As in `MetricRequest`.

    Raises:
        PluginError: the name leads to no metric, or to one that this version cannot compute.
        ConfigError: the settings are wrong.
    """
    base, k = split_metric(name)
    request = MetricRequest(name, k, settings or {}, samples, state, clients, eval_date)
    return made_metric(load("metrics", base), request)


def made_metric(module: Any, request: MetricRequest) -> Metric | Aggregate:
    """Return the metric that a module makes; errors are those of `metric`."""
    name = request.name
    plugin = module.create(request)
    refuse_without("metrics", name, plugin, ["info"])
    info = plugin.info
    if not isinstance(info, MetricInfo):
        raise PluginError(
            f"metric {name!r}: its info is a {type(info).__name__} and no MetricInfo",
            remedy=f"{MANUAL}/plugins.md shows a metric with its info",
        )
    if info.needs in ASKED and info.aggregate:
        raise PluginError(
            f"metric {name!r} asks a model, and is a value over the whole run",
            remedy="give each sample a score; their mean is the run's",
        )
    if info.needs is Needs.JUDGE and not (isinstance(plugin, Judged) and plugin.criterion):
        raise PluginError(
            f"metric {name!r} needs a judge and names no criterion for it",
            remedy=f"{MANUAL}/plugins.md shows what a judged metric defines",
        )
    refuse_without("metrics", name, plugin, _demanded(info, plugin))
    return cast("Metric | Aggregate", plugin)


def is_builtin_metric(name: str) -> bool:
    """Return whether a metric, such as ``ndcg@10``, is one of ragate's own."""
    return is_builtin("metrics", split_metric(name)[0])


def split_metric(name: str) -> tuple[str, int | None]:
    """Return the plugin's name and the cut-off of ``ndcg@10``; None where there is no cut-off.

    Raises:
        PluginError: what follows ``@`` is not a whole number from 1 to 999999.
    """
    match = _METRIC.fullmatch(name)
    if match is None:
        raise PluginError(
            f"metric {name!r}: the cut-off after @ is not a whole number of 1 or more",
            remedy='write it as in [policy.metrics."ndcg@10"]',
        )
    return match["base"], int(match["k"]) if match["k"] else None


@asynccontextmanager
async def system(
    name: str, settings: Mapping[str, Any], resources: Resources
) -> AsyncIterator[System]:
    """Yield the system of a name, which ends with the context.

    Raises:
        PluginError: the name leads to no system, or to one that lacks a member.
        RagateError: what its `create` raises.
    """
    async with _context("systems", name, settings, resources) as plugin:
        refuse_without("systems", name, plugin, members_of(System))
        yield plugin


@asynccontextmanager
async def judge(
    name: str, settings: Mapping[str, Any], resources: Resources
) -> AsyncIterator[Judge]:
    """Yield the judge of a name; it ends, and errors are raised, as in `system`."""
    async with _context("judges", name, settings, resources) as plugin:
        refuse_without("judges", name, plugin, members_of(Judge))
        yield plugin


def embedder(name: str, settings: Mapping[str, Any], client: Callable[[str], Any]) -> Embedder:
    """Return the embedder of a name.

    Args:
        client: From a provider's name to what embeds texts there.

    Raises:
        PluginError: as in `system`.
        ConfigError: the settings are wrong.
    """
    plugin: Embedder = load("embedders", name).create(settings, client)
    refuse_without("embedders", name, plugin, members_of(Embedder))
    return plugin


def reranker(name: str, settings: Mapping[str, Any], client: Callable[[str], Any]) -> Reranker:
    """Return the reranker of a name; arguments and errors are as in `embedder`."""
    plugin: Reranker = load("rerankers", name).create(settings, client)
    refuse_without("rerankers", name, plugin, members_of(Reranker))
    return plugin


def members_of(protocol: type) -> list[str]:
    """Return the names that a protocol demands, those of the protocols below it included."""
    written = dict.fromkeys(name for base in protocol.__mro__[:-1] for name in vars(base))
    return [name for name in written if not name.startswith("_") or name == "__call__"]


def _demanded(info: MetricInfo, plugin: object) -> list[str]:
    if info.needs in ASKED:
        of_vectors = _has(plugin, "texts")
        return members_of(EmbeddingMetric if of_vectors else AskingMetric)
    if info.needs is not Needs.JUDGE:
        return members_of(Aggregate if info.aggregate else Metric)
    # The judge's scores take the place of its own.
    judged = members_of(JudgedAggregate if info.aggregate else JudgeMetric)
    return [name for name in judged if name not in ("aggregate", "score_samples")]


def _context(
    kind: Kind, name: str, settings: Mapping[str, Any], resources: Resources
) -> AbstractAsyncContextManager[Any]:
    context = load(kind, name).create(settings, resources)
    if isinstance(context, AbstractAsyncContextManager):
        return context
    if hasattr(context, "close"):  # of a coroutine, which would complain that nobody awaits it
        context.close()
    raise PluginError(
        f"{noun(kind)} {name!r}: its create returns a {type(context).__name__} and no asynchronous "
        "context manager",
        remedy=f"write @asynccontextmanager above it, as {MANUAL}/plugins.md shows",
    )


def refuse_without(kind: Kind, name: str, plugin: object, members: Iterable[str]) -> None:
    """Refuse a plugin that lacks a member of its protocol, naming which.

    Raises:
        PluginError: it lacks one.
    """
    missing = [member for member in members if not _has(plugin, member)]
    if missing:
        raise PluginError(
            f"{noun(kind)} {name!r} has no {', no '.join(map(repr, missing))}",
            remedy=f"{MANUAL}/plugins.md says what a plugin of {kind} has",
        )


def _has(plugin: object, member: str) -> bool:
    try:
        return hasattr(plugin, member)
    except Exception:  # noqa: BLE001 - a property of foreign code that has no value yet
        return True
