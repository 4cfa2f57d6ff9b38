"""What a run needs once its system was asked: imported before that is started, where it is code."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pkgutil import iter_modules
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragate import plugins
from ragate.errors import RagateError
from ragate.extension import extensions, store_at
from ragate.guards.seal import expect, expect_modules, load_modules

if TYPE_CHECKING:
    from ragate.config import Policy

_DECIDING = (
    "ragate.gate.compare_and_decide",
    "ragate.gate.gate_report",
    "ragate.gate.id_advice",
    "ragate.stores.stored_record",
    *("concurrent.futures.thread", "numpy.ma", "numpy.polynomial", "encodings.unicode_escape"),
)
_RECORDING = (
    "ragate.sight",
    "ragate.renderers._numbers",
)
_JUDGING = (
    *("ragate.scoring.open_judge", "ragate.scoring.judging"),
    *("ragate.clients.openai", "ragate.clients.http.aiohttp_transport", "ragate.judges._canaries"),
    *("openai.resources.chat.completions", "openai.resources.embeddings", "aiohttp.resolver"),
    *("jinja2.sandbox", "encodings.idna", "anyio.to_thread"),
)


def expect_late_parts(policy: Policy, *, recording: bool, runs_url: str = "") -> None:
    """Have what scores and decides by a policy loaded before foreign code is started.

    Args:
        recording: A baseline is written.
        runs_url: Of the run store that the run is sent to.
    """
    expect_modules(*_DECIDING, *(_RECORDING if recording else ()))
    if recording:
        after = (path for each in extensions() for path in each.after_recording)
        expect_modules(*(path.partition(":")[0] for path in after))
    if store := store_at(runs_url):
        expect_modules(store[1].partition(":")[0])
    if policy.judge is not None:
        expect_modules(*_JUDGING)
    expect(lambda: _load_plugins(policy))


def expect_renderers(names: Iterable[str]) -> None:
    """Have renderers loaded, with the files that they fill, before foreign code is started."""
    for name in names:
        expect(partial(_load_renderer, name))


def _load_renderer(name: str) -> None:
    read_files = getattr(plugins.load("renderers", name), "read_files", None)
    if read_files is not None:
        read_files()


def _load_plugins(policy: Policy) -> None:
    for rule in policy.metrics:
        with suppress(RagateError):  # said where it is made
            plugins.load("metrics", rule.metric)
    if policy.judge is not None:
        with suppress(RagateError):
            judge = plugins.load("judges", policy.judge.use)
            parts = iter_modules(getattr(judge, "__path__", ()))
            load_modules(*(f"{judge.__name__}.{part.name}" for part in parts))
            load_modules(*getattr(judge, "LATE_MODULES", ()))
    addresses = [policy.address(name) for name in policy.providers]
    if any(urlsplit(address).scheme == "https" for address in addresses):
        from ragate.guards.authorities import authorities

        authorities()
