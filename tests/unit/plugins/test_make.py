"""What a plugin makes has every member of its protocol, or is refused by name."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import pytest

from ragate import plugins
from ragate.errors import ConfigError, PluginError
from ragate.models import MetricInfo, Needs, SystemInfo
from ragate.plugins import Kind

OWN = "somebodys.plugin"


async def nothing(*_arguments: Any, **_named: Any) -> None:
    return None


METRIC = {"info": MetricInfo(name="m"), "state": {}, "score_samples": lambda _pairs: []}
JUDGED = {
    "info": MetricInfo(name="m", needs=Needs.JUDGE),
    "state": {},
    "criterion": "faithfulness",
}
AGGREGATE = {"info": MetricInfo(name="m", aggregate=True), "aggregate": nothing}
WHOLE: list[tuple[Kind, Mapping[str, Any]]] = [
    ("metrics", METRIC),
    ("metrics", AGGREGATE),
    (
        "metrics",
        {
            "info": MetricInfo(name="m", aggregate=True, needs=Needs.JUDGE),
            "criterion": "pairwise",
            "combine": nothing,
        },
    ),
    (
        "systems",
        {
            "info": SystemInfo(use="own"),
            "max_runs": None,
            "prepare": nothing,
            "documents": nothing,
            "answer": nothing,
        },
    ),
    ("judges", {"fingerprint": "f", "criteria": frozenset({"faithfulness"}), "__call__": nothing}),
    ("embedders", {"fingerprint": "f", "deterministic": True, "portion": 1, "__call__": nothing}),
    ("rerankers", {"fingerprint": "f", "__call__": nothing}),
]


def make(kind: Kind, create: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what the pipeline gets of a module of somebody's own with this `create`."""
    module = ModuleType(OWN)
    module.create = create  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "somebodys", ModuleType("somebodys"))
    monkeypatch.setitem(sys.modules, OWN, module)
    if kind == "metrics":
        return plugins.metric(OWN)
    if kind in ("embedders", "rerankers"):
        ask = plugins.embedder if kind == "embedders" else plugins.reranker
        return ask(OWN, {}, str)

    async def opened() -> Any:
        opens: Any = plugins.system if kind == "systems" else plugins.judge
        async with opens(OWN, {}, None) as made:
            return made

    return asyncio.run(opened())


def creates(kind: Kind, members: Mapping[str, Any]) -> Callable[..., Any]:
    made = type("Own", (), dict(members))()
    if kind not in ("systems", "judges"):
        return lambda *_arguments: made

    @asynccontextmanager
    async def create(_settings: Any, _resources: Any) -> Any:
        yield made

    return create


@pytest.mark.parametrize(("kind", "members"), [*WHOLE, ("metrics", JUDGED)])
def test_a_plugin_with_all_members_of_its_protocol_is_taken(kind, members, monkeypatch):
    assert type(make(kind, creates(kind, members), monkeypatch)).__name__ == "Own"


@pytest.mark.parametrize(
    ("kind", "members", "missing"),
    [
        (kind, members, name)
        for kind, members in [*WHOLE, ("metrics", JUDGED)]
        for name in members
        if name != "criterion"
    ],
)
def test_one_that_lacks_a_member_is_refused_by_name(kind, members, missing, monkeypatch):
    rest = {name: value for name, value in members.items() if name != missing}

    with pytest.raises(PluginError) as caught:
        make(kind, creates(kind, rest), monkeypatch)

    assert caught.value.message == f"{kind[:-1]} {OWN!r} has no {missing!r}"
    assert "docs/plugins.md" in caught.value.remedy


def test_everything_that_is_missing_is_named_at_once(monkeypatch):
    with pytest.raises(PluginError, match="has no 'score_samples', no 'state'"):
        make("metrics", creates("metrics", {"info": METRIC["info"]}), monkeypatch)


def test_a_member_that_has_no_value_before_it_is_prepared_is_there(monkeypatch):
    def info(_self: Any) -> SystemInfo:
        raise RuntimeError("not prepared yet")

    members = {**dict(WHOLE)["systems"], "info": property(info)}

    assert make("systems", creates("systems", members), monkeypatch)


@pytest.mark.parametrize("criterion", [{}, {"criterion": ""}])
def test_a_metric_that_needs_a_judge_names_its_criterion(criterion, monkeypatch):
    members = {"info": JUDGED["info"], "state": {}, **criterion}

    with pytest.raises(ConfigError, match="names no criterion"):
        make("metrics", creates("metrics", members), monkeypatch)


def test_a_built_in_metric_that_needs_a_judge_has_its_criterion():
    metric: Any = plugins.metric("faithfulness")
    assert (metric.info.needs, metric.criterion) == (Needs.JUDGE, "faithfulness")


def test_a_metric_that_asks_and_has_nothing_to_ask_by_is_refused(monkeypatch):
    members = {**METRIC, "info": MetricInfo(name="m", needs=Needs.EMBEDDINGS)}

    with pytest.raises(ConfigError, match="has no 'ask'"):
        make("metrics", creates("metrics", members), monkeypatch)


def test_an_info_of_another_type_is_refused(monkeypatch):
    with pytest.raises(PluginError, match="its info is a dict and no MetricInfo"):
        make("metrics", creates("metrics", {**METRIC, "info": {}}), monkeypatch)


@pytest.mark.parametrize("kind", ["systems", "judges"])
def test_a_create_that_opens_nothing_is_refused(kind, monkeypatch):
    async def generator(_settings: Any, _resources: Any) -> Any:
        yield None

    for create in (generator, nothing, lambda *_: None):
        with pytest.raises(PluginError, match="no asynchronous context manager") as caught:
            make(kind, create, monkeypatch)
        assert "@asynccontextmanager" in caught.value.remedy


@pytest.mark.parametrize(
    "name", ["ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1.5", "ndcg@ten", "@10", "a@1@2"]
)
def test_a_cut_off_is_a_whole_number_from_one(name: str) -> None:
    with pytest.raises(PluginError):
        plugins.metric(name)
