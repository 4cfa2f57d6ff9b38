from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config.model import MOST_SLICES
from ragate.config.read import parse_config
from ragate.errors import ConfigError
from ragate.models import Slice

RULES = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
[policy.metrics.refusal_f1]
minimum = 0.5
[policy.metrics.rouge_l]
level = "warn"
[policy.metrics.token_f1]
[policy.metrics.false_refusal]
[policy.metrics.cost_usd]
max_increase = 0.1
[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


def slices_of(*tables: str) -> tuple[Slice, ...]:
    text = RULES + "".join(f"[[policy.slices]]\n{table}\n" for table in tables)
    return parse_config(text, where="ragate.toml", root=Path("/project")).policy.slices


def test_a_slice_holds_the_first_metric_of_single_samples_that_gates() -> None:
    (billing,) = slices_of('name = "billing"\ntags = ["billing"]')

    assert billing.metrics == ("token_f1",)
    assert billing.level == "error"


def test_a_slice_may_hold_metrics_that_only_warn_over_the_whole_set() -> None:
    (forum,) = slices_of('name = "forum"\nwhere = ["source=forum"]\nmetrics = ["rouge_l"]')

    assert forum.metrics == ("rouge_l",)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('name = "a"', "[[policy.slices]] a: it has no tags and no where"),
        ('tags = ["x"]', "'name' is missing"),
        ('name = "a b"\ntags = ["x"]', "name = 'a b'"),
        ('name = "a"\ntag = ["x"]', "unknown key 'tag'; did you mean 'tags'?"),
        ('name = "a"\nwhere = ["x"]', "a: where 'x': must be FIELD=VALUE"),
        ('name = "a"\ntags = ["x"]\nmetrics = ["tokn_f1"]', "did you mean 'token_f1'?"),
        ('name = "a"\ntags = ["x"]\nmetrics = ["refusal_f1"]', "over the whole run"),
        ('name = "a"\ntags = ["x"]\nmetrics = ["cost_usd"]', "counts what answers take"),
        ('name = "a"\ntags = ["x"]\nmetrics = ["rouge_l", "rouge_l"]', "one is there twice"),
        ('name = "a"\ntags = ["x"]\nminimum = 1.5', "values go from 0 to 1"),
        ('name = "a"\ntags = ["x"]\nmaximum = 0.5', "higher is better in token_f1"),
        (
            'name = "a"\ntags = ["x"]\nmetrics = ["false_refusal"]\nminimum = 0.5',
            "lower is better in false_refusal",
        ),
        (
            'name = "a"\ntags = ["x"]\nmetrics = ["token_f1", "rouge_l"]\nminimum = 0.5',
            "this slice has 2",
        ),
        ('name = "a"\ntags = ["x"]\nlevel = "off"', "level = 'off'"),
    ],
)
def test_a_slice_that_makes_no_sense_is_an_error_that_names_it(table: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        slices_of(table)

    assert says in caught.value.message


def test_a_slice_may_hold_the_pass_rate_of_a_metric_with_a_mark() -> None:
    marked = RULES.replace("[policy.metrics.token_f1]", "[policy.metrics.token_f1]\npass_at = 0.5")
    table = '[[policy.slices]]\nname = "a"\ntags = ["x"]\nmetrics = ["token_f1.pass"]\n'

    policy = parse_config(marked + table, where="x", root=Path("/project")).policy

    assert policy.slices[0].metrics == ("token_f1.pass",)
    with pytest.raises(ConfigError, match=r"'token_f1.pass' has no table"):
        parse_config(RULES + table, where="x", root=Path("/project"))


def test_what_gates_is_told_with_shares_and_slices() -> None:
    text = RULES + '[[policy.slices]]\nname = "a"\ntags = ["x"]\nmetrics = ["rouge_l"]\n'

    policy = parse_config(text, where="x", root=Path("/project")).policy

    assert policy.gated == {"refusal_f1", "token_f1", "false_refusal", "cost_usd", "rouge_l"}
    assert policy.amended(slices=()).gated == policy.gated - {"rouge_l"}


def test_two_slices_have_two_names() -> None:
    with pytest.raises(ConfigError, match="a: 2 slices have this name"):
        slices_of('name = "a"\ntags = ["x"]', 'name = "a"\ntags = ["y"]')


def test_more_than_ten_slices_are_an_error() -> None:
    many = [f'name = "s{number}"\ntags = ["x"]' for number in range(MOST_SLICES + 1)]

    assert len(slices_of(*many[:MOST_SLICES])) == 10
    with pytest.raises(ConfigError, match="slices"):
        slices_of(*many)


def test_a_slice_of_a_policy_in_which_nothing_gates_needs_to_name_its_metric() -> None:
    text = RULES.replace("[policy.metrics.token_f1]", '[policy.metrics.token_f1]\nlevel = "off"')
    text = text.replace("[policy.metrics.false_refusal]", "")

    with pytest.raises(ConfigError, match="a: no metric gates"):
        parse_config(
            f'{text}[[policy.slices]]\nname = "a"\ntags = ["x"]\n', where="x", root=Path("/project")
        )


@pytest.mark.parametrize("table", ["slices", "waivers"])
def test_a_list_of_tables_with_one_pair_of_brackets_says_how_it_is_written(table: str) -> None:
    text = f'{RULES}[policy.{table}]\nname = "a"\n'

    with pytest.raises(ConfigError) as caught:
        parse_config(text, where="x", root=Path("/project"))

    assert f"write [[policy.{table}]], with two brackets" in caught.value.remedy
