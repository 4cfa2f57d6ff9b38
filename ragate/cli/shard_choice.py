"""Which shard a process collects, and where the files of a plan are."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.cli.options import RunOptions
    from ragate.config import Config
    from ragate.pipeline.shards.merge import ShardMerge
    from ragate.pipeline.shards.shard import Shard
    from ragate.pipeline.shards.shard_plan import ShardPlan
    from ragate.runtime.operations import Operations

PLAN_NAME = "plan.json"
SHARDS_FOLDER = "shards"
JOB_INDEX = "JOB_COMPLETION_INDEX"  # Kubernetes sets it in the pods of an Indexed Job, from 0


def refuse_misfits(options: "RunOptions", plan: Path | None, shard: str, runs: int | None) -> None:
    """Refuse options that the plan holds, and a shard of no plan.

    Raises:
        UsageError: names them.
    """
    if plan is None:
        if shard:
            raise UsageError("--shard without --plan", remedy="`ragate plan` writes one")
        return
    given = [name for name, value in vars(options.request).items() if value]
    if runs is not None:
        given.append("runs")
    if given:
        said = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise UsageError(
            f"{said} beside --plan: the plan says what is run",
            remedy="give them to `ragate plan`, and use its plan in every shard",
        )


def chosen_shard(config: "Config", operations: "Operations", path: Path, text: str) -> "Shard":
    """Return the shard that is to be collected, of a plan that fits what is checked out.

    Args:
        path: The plan.
        text: ``--shard``, such as ``3/8``; "" takes it from the environment.

    Raises:
        UsageError: neither says which, there is no such shard, or the plan is another's.
    """
    from ragate.pipeline.shards.shard import Shard
    from ragate.pipeline.shards.shard_plan import plan_here, read_plan, refuse_other_plan

    plan = read_plan(path)
    number = _number(plan, text, operations.environment)
    own = plan_here(config, operations, plan.selection, plan.shards)
    refuse_other_plan(plan, own, name=str(path))
    return Shard(plan, number, config.policy.cluster)


def shard_path(state: Path, shard: "Shard") -> Path:
    """Return where a shard's outputs go by default."""
    return state / SHARDS_FOLDER / f"shard-{shard.number}-of-{shard.plan.shards}.jsonl"


def given_shards(
    config: "Config", plan: Path, files: Sequence[Path], operations: "Operations"
) -> "ShardMerge":
    """Return the shards that are to be judged, checked against their plan.

    Where the plan was made under another policy, that is told: the configuration's own counts.

    Args:
        files: None: those that `collect` left in the state folder.

    Raises:
        UsageError, DatasetError: there are none, or one is refused.
    """
    from ragate.pipeline.shards.merge import ShardMerge
    from ragate.pipeline.shards.shard import wanted_by
    from ragate.pipeline.shards.shard_plan import policy_hash, read_plan

    folder = operations.state / SHARDS_FOLDER
    paths = list(files) or sorted(folder.glob("*.jsonl"))
    if not paths:
        raise UsageError(
            f"{folder}: there are no shards to decide on",
            remedy="`ragate collect --plan` writes them, or name their files",
        )
    claimed = read_plan(plan)
    if claimed.policy != policy_hash(config):
        operations.say(f"{plan}: made under another [policy]; the one that is checked out counts")
    return ShardMerge(paths, wanted_by(claimed, plan))


def _number(plan: "ShardPlan", text: str, environment: Mapping[str, str]) -> int:
    if text:
        number, shards = _parsed(text)
        if shards != plan.shards:
            raise UsageError(
                f"--shard {text}: the plan has {plan.shards} shards",
                remedy=f"write it as K/{plan.shards}",
            )
        return _within(number, plan, f"--shard {text}")
    index = environment.get(JOB_INDEX, "").strip()
    if not index:
        raise UsageError(
            f"--plan without --shard, and {JOB_INDEX} is not set",
            remedy=f"say which part this is: --shard 1/{plan.shards}",
        )
    if not re.fullmatch(r"[0-9]{1,6}", index):
        raise UsageError(f"{JOB_INDEX} = {index!r}: it must be a whole number from 0")
    return _within(int(index) + 1, plan, f"{JOB_INDEX} = {index}")


def _parsed(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    if found is None:
        raise UsageError(f"--shard {text!r}: it must be like 3/8", remedy="the third of eight")
    return int(found[1]), int(found[2])


def _within(number: int, plan: "ShardPlan", where: str) -> int:
    if not 1 <= number <= plan.shards:
        raise UsageError(
            f"{where}: there is no such shard in a plan of {plan.shards}",
            remedy=f"--shard counts from 1 to {plan.shards}, {JOB_INDEX} from 0",
        )
    return number
