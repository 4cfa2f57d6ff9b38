"""What the line under the verdict counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from ragate.config import Config
from ragate.core.comparison.compare import compare
from ragate.gate.compare_and_decide import Decided
from ragate.gate.gate_report import run_facts
from ragate.gate.gate_setup import GateSetup
from ragate.models import Sample
from tests.factories import decision_factory
from tests.unit.core.decision_factories import run_of


def test_a_question_without_an_answer_has_no_documents_to_be_judged() -> None:
    samples = [
        Sample(id="judged", query="What?", relevant={"a.md": 1}),
        Sample(id="unjudged", query="What else?"),
        Sample(id="unanswerable", query="Who knows?", answerable=False),
    ]
    run = run_of({"faithfulness": [[1.0]] * 3}, samples)
    policy = SimpleNamespace(of_scores=False)
    setup = GateSetup(cast("Config", SimpleNamespace(policy=policy)), samples, run)
    decided = Decided(setup, run, compare(run, run, samples), decision_factory(), ())

    assert run_facts(decided, duration_s=None).unjudged == 1
