"""What could never get worse is no baseline, on all samples, as a share that passes, on a slice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from ragate.baseline.recording.refuse_losses import (
    accepted_by_hand,
    refuse_faults,
    refuse_unknown,
)
from ragate.config import Config, load_config
from ragate.errors import RagateError, UsageError
from ragate.models import MetricInfo, Run, Sample
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.projects import ReplayProject

SHARE = "pass_at = 0.8\n[policy.metrics.token_f1.pass_rate]\n"
BILLING = '[[policy.slices]]\nname = "billing"\ntags = ["billing"]\nmetrics = ["token_f1"]\n'
INFOS = {name: MetricInfo(name=name) for name in ("hit_rate@5", "token_f1")}
SAMPLES = [
    sample_factory(f"q{number}", tags=("billing",) if number < 20 else ()) for number in range(30)
]


def config_of(root: Path, metrics: str) -> Config:
    ReplayProject(root, samples=1, metrics=metrics)
    return load_config(root / "ragate.toml")


def run_with(token_f1: Sequence[float]) -> Run:
    """One pass in which every document is found."""
    records = [
        record_factory(sample, output_factory(), scores={"hit_rate@5": 1.0, "token_f1": value})
        for sample, value in zip(SAMPLES, token_f1, strict=False)
    ]
    return run_factory(records, metrics=INFOS)


def refused(
    config: Config, run: Run, old: Run | None = None, *, allowed: Collection[str] = ()
) -> str:
    """Return what is said, "" where nothing is refused."""
    given = accepted_by_hand(allowed, "")
    try:
        refuse_faults(config, SAMPLES, run, old, given=given, advice=None)
    except RagateError as error:
        return f"{error.message} -> {error.remedy}"
    return ""


NOTHING = "nothing is recorded:\n  "
PART = [0.0] * 20 + [0.5] * 10  # the slice has lost all, the rest half


def test_a_share_that_passes_of_which_no_sample_passes_is_refused(tmp_path: Path) -> None:
    config = config_of(tmp_path, SHARE)

    said = refused(config, run_with([0.5] * 30))

    assert said.startswith(f"{NOTHING}token_f1.pass: at its worst value")
    assert "run `ragate baseline update --accept token_f1.pass` and commit the file" in said
    assert refused(config, run_with([0.5] * 29 + [0.9])) == ""


def test_a_share_that_gates_nothing_may_be_zero(tmp_path: Path) -> None:
    config = config_of(tmp_path, f'{SHARE}level = "warn"\n')

    assert refused(config, run_with([0.5] * 30)) == ""


def test_a_slice_at_its_worst_is_refused_by_its_name(tmp_path: Path) -> None:
    config = config_of(tmp_path, BILLING)

    assert refused(config, run_with(PART)).startswith(
        f"{NOTHING}billing:token_f1: at its worst value"
    )
    assert refused(config, run_with(PART), allowed={"billing:token_f1"}) == ""
    assert refused(config, run_with(PART), run_with(PART)) == ""


def test_a_slice_that_is_shown_only_may_be_at_its_worst(tmp_path: Path) -> None:
    warns = config_of(tmp_path, f'{BILLING}level = "warn"\n')
    small = run_with([0.0] * 19 + [0.5] * 11)

    assert refused(warns, run_with(PART)) == ""
    assert refused(warns, small) == ""


def test_a_slice_of_the_share_that_passes_has_the_mark_of_its_metric(tmp_path: Path) -> None:
    part = BILLING.replace('"token_f1"', '"token_f1.pass"')
    config = config_of(tmp_path, f"pass_at = 0.8\n{part}")

    said = refused(config, run_with([0.5] * 20 + [0.9] * 10))

    assert said.startswith(f"{NOTHING}billing:token_f1.pass: at its worst value")


def test_what_follows_from_the_metric_itself_is_not_named_beside_it(tmp_path: Path) -> None:
    config = config_of(tmp_path, f"{SHARE}{BILLING}")
    nothing = run_with([0.0] * 30)

    assert refused(config, nothing).startswith(f"{NOTHING}token_f1: at its worst value")
    assert refused(config, nothing, allowed={"token_f1"}) == ""


def test_a_slice_that_stayed_at_its_worst_while_the_rest_got_better_was_so_before(
    tmp_path: Path,
) -> None:
    config = config_of(tmp_path, BILLING)

    assert refused(config, run_with(PART), run_with([0.0] * 30)) == ""


@pytest.mark.parametrize(
    "name", ["token_f1", "token_f1.pass", "billing:token_f1", "polarity", "polarity.checked"]
)
def test_every_name_that_can_be_refused_can_be_allowed(tmp_path: Path, name: str) -> None:
    metrics = f"{SHARE}{BILLING}[policy.metrics.polarity]\n"

    refuse_unknown(config_of(tmp_path, metrics), SAMPLES, {name})


def test_a_name_that_is_none_is_an_error_with_the_nearest(tmp_path: Path) -> None:
    config = config_of(tmp_path, BILLING)
    samples: list[Sample] = []

    with pytest.raises(UsageError, match="did you mean 'billing:token_f1'"):
        refuse_unknown(config, samples, {"biling:token_f1"})
