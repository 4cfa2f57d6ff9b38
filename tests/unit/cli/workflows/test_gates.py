"""Which gates a workflow runs is read from its steps."""

from __future__ import annotations

import pytest

from ragate.cli.workflows import WorkflowGate, gates_of

LAYERS = "".join(f"  x{n}: &x{n} [{','.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 30))
BOMB = f"gate:\n  x0: &x0 [a]\n{LAYERS}jobs:\n  a:\n    steps:\n      - run: *x29\n"
JOB = "jobs:\n  a:\n    steps:\n"


@pytest.mark.parametrize(
    ("step", "gate"),
    [
        ("with: {gate: docs}", WorkflowGate("docs")),
        ("with: {gate: docs, working-directory: a b}", WorkflowGate("docs", "a b")),
        (
            "with: {gate: d, config: x.toml, mode: decide}",
            WorkflowGate("d", ".", "x.toml", "decide"),
        ),
        (
            "run: ragate action --mode baseline --gate d --working-directory 'a b'",
            WorkflowGate("d", "a b", "ragate.toml", "baseline"),
        ),
        ("run: ragate action --gate=d --config=x.toml", WorkflowGate("d", ".", "x.toml")),
        ("run: ragate check --format json", WorkflowGate("")),
    ],
)
def test_a_step_that_runs_a_gate_is_found(step: str, gate: WorkflowGate) -> None:
    assert list(gates_of(f"{JOB}      - {step}\n")) == [gate]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{{{",
        "[]",
        "jobs: 3",
        "jobs: {a: {steps: {b: c}}}",
        "jobs: {a: {steps: text}}",
        f"{JOB}      - run: ragate action --gate 'open",
        f"{JOB}      - run: ragate action --gate\n",
        f"{JOB}      - with: {{gate: 3}}",
        "a: &a [*a]",
        BOMB,
        "[" * 5000,
    ],
)
def test_what_runs_none_yields_none(text: str) -> None:
    assert [gate for gate in gates_of(text) if gate.name] == []
