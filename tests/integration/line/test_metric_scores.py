"""Metrics whose code is at fault."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


def test_a_metric_that_raises_measures_nothing_and_never_passes(gated, tmp_path, monkeypatch):
    (tmp_path / "broken_metric.py").write_text(
        """
from ragate.models import MetricInfo

class Broken:
    state = {}
    def __init__(self, name):
        self.info = MetricInfo(name=name)
    def score_samples(self, pairs):
        raise RuntimeError("no")

def create(request):
    return Broken(request.name)
"""
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    gated.configure(metrics='[policy.metrics."broken_metric:create"]\nlevel = "error"\n')

    assert run(["check"]) == 3
    assert "RuntimeError: no" in json.dumps(gated.report())


def test_a_metric_that_goes_by_another_name_is_refused(gated, tmp_path, monkeypatch, capsys):
    (tmp_path / "other_metric.py").write_text(
        """
from ragate.models import MetricInfo

class Other:
    info = MetricInfo(name="hit_rate@5")
    state = {}
    def score_samples(self, pairs):
        return []

def create(request):
    return Other()
"""
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    gated.configure(metrics='[policy.metrics."other_metric:create"]\nlevel = "warn"\n')

    assert run(["check"]) == 2
    assert "calls itself" in capsys.readouterr().err
