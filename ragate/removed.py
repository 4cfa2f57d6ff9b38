"""What earlier versions had and this one has not, each with what to do instead.

The only list of it. It is asked where a name is unknown, so a plugin's own key of the same name is
left alone, and a suggestion of the nearest name never stands in the way.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

_SHARDS = "`ragate collect --shard 2/4` writes one part"

# Words of a command line: the command (or none, for every command), then an option and its value.
COMMAND_LINE: dict[str, str] = {
    "baseline update --allow-worst": "write --accept, which takes the same names",
    "baseline update --repeats": "what repeated in sessions of its own counts by itself",
    "--skip-correctness": "write --skip correctness",
    "dataset validate --similar": "two questions are nearly the same from 0.8 on",
    "history --window": "the second drift is of the last 30 days",
    "runs push": "what the run store did not get is sent with the next run",
    "baseline rescore": "`ragate baseline rejudge` does it, and asks no model that it need not ask",
    "baseline merge": (
        "take either side of the file and run `ragate baseline update` on the merged tree; "
        "`git config --remove-section merge.ragate-baseline` makes git forget the driver"
    ),
    "db roles": "all who use the queue log in with one role; it makes its tables at the first run",
    "dataset evidence": (
        "`ragate dataset coverage --diff main` names the questions that changed documents touch"
    ),
    "init --take": "say what you have: --have code --at module:name",
    "plan": f"{_SHARDS}, and `ragate decide` takes the files of all",
    "collect --plan": f"{_SHARDS}, with the options that the plan held",
    "decide --plan": "give `decide` the files of all shards; each says of which run it is",
    "judge": "`ragate decide` asks the judge; what it said stays in the cache",
    "action --shards": f"{_SHARDS}, in a plain step",
    "action --shard": f"{_SHARDS}, in a plain step",
    "dataset import --query-var": "write --column query=NAME",
    "dataset vary": "add other wordings of a question as samples of their own",
    "--control": "drift is measured by the night run of main, or by `ragate baseline update`",
    "index recall": 'compare two runs, one with index = "exact": `ragate compare` shows both',
    "--format sarif": "annotations of the action, --format junit or --format json say the same",
}

_EXECUTION = 'write target = "my.module:function", a function that makes the request'
_NO_CLAIM = "tested is whether fresh questions would get worse: take the line out"
_ONE_DROP = "write max_drop, in the metric's own unit: a proven fall of more is red"
_TRUST = "how often a question fails by itself says how often it is tried: take the line out"
_NO_MARGIN = "max_drop alone says how far a metric may fall: take the line out"
# Keys and tables of ragate.toml; * stands for any name, as of a metric or a provider.
KEYS: dict[str, str] = {
    "policy.claim": _NO_CLAIM,
    "policy.care": "held is a metric of which a drop of 5 points is excluded: take the line out",
    "policy.min_drop": "write max_drop in the tables of single metrics, in the metric's own unit",
    "policy.metrics.*.min_drop": _ONE_DROP,
    "policy.metrics.*.margin": _NO_MARGIN,
    "policy.scorecard.*.min_drop": _ONE_DROP,
    "policy.scorecard.*.margin": _NO_MARGIN,
    "policy.slices*.min_drop": "a slice allows what its metric does, two samples at least",
    "policy.confirm": "a suspicious run is repeated twice: take the line out",
    "policy.repeats": "what repeats is read off the baseline's own sessions: take the line out",
    "policy.tries": _TRUST,
    "policy.fails": _TRUST,
    "policy.max_failed": "5 % of the outputs may have failed: take the line out",
    "policy.judge.max_answer_chars": "answers of 20,000 characters are judged: take the line out",
    "policy.judge.max_context_chars": "how much is judged belongs to the judge: take the line out",
    "system.stream.idle_timeout_s": "it is 30 seconds: take the line out",
    "system.prepare*.every_s": "it is one second: take the line out",
    "policy.execution.use": "a function is called, which target names: take the line out",
    "policy.execution.most_calls": "20 calls of a sample are carried out: take the line out",
    "policy.execution.url": _EXECUTION,
    "policy.execution.tools": _EXECUTION,
    "policy.execution.headers_env": _EXECUTION,
}

# Of these a person writes what stands in their place: the upgrade leaves them where they are.
BY_HAND = frozenset(
    {"policy.min_drop", *(f"policy.execution.{key}" for key in ("url", "tools", "headers_env"))}
)

_CHURN = "take its table out; recall@k and ndcg@k hold retrieval against expected documents"
_VARIANTS = "take its table out; other wordings of a question are held as samples of their own"
# Names of plugins: their kind, then the name, without a cut-off.
PLUGINS: dict[str, str] = {
    "metrics overlap": _CHURN,
    "metrics rbo": _CHURN,
    "metrics first_hit_displacement": _CHURN,
    "metrics answer_consistency": _VARIANTS,
    "metrics retrieval_consistency": _VARIANTS,
    "metrics variant_loss": _VARIANTS,
}

# Fields of a golden set.
FIELDS: dict[str, str] = {
    "evidence": "take it out of every sample, such as with jq -c 'del(.evidence)'",
    "arrange": "take the sample out; its passages cannot be put in another order any more",
}

# Inputs of the action.
INPUTS: dict[str, str] = {
    "shards": f"{_SHARDS} in the jobs of a matrix, as `ragate init --shards N` writes them",
    "shard": f"{_SHARDS} in the jobs of a matrix, as `ragate init --shards N` writes them",
}


def gone_from_command_line(arguments: Sequence[str]) -> str:
    """Return the line for the first thing of a command line that is gone, "" where none is."""
    for words, instead in COMMAND_LINE.items():
        command, option = _command_and_option(words)
        if _stand_in(command, option, arguments):
            shown = f"ragate {words}" if command else words
            return f"`{shown}` is gone: {instead}"
    return ""


def gone_key(table: str, key: str) -> str:
    """Return what to do instead of a key that is unknown, "" where it never was one.

    Args:
        table: As messages write it, such as ``[policy.execution]``; "" at the top.
    """
    path = f"{table.strip('[]')}.{key}" if table else key
    for pattern, instead in KEYS.items():
        if fnmatchcase(path, pattern):
            return f"{key} is gone: {instead}"
    return ""


def gone_field(name: str) -> str:
    """Return what to do instead of a sample's field that is unknown, "" where it never was one."""
    instead = FIELDS.get(name, "")
    return f"{name} is gone: {instead}" if instead else ""


def gone_plugin(kind: str, name: str) -> str:
    """Return what to do instead of a plugin that is unknown, "" where it never was one."""
    instead = PLUGINS.get(f"{kind} {name.partition('@')[0]}", "")
    return f"{name!r} is gone: {instead}" if instead else ""


def gone_input(values: Mapping[str, str]) -> str:
    """Return the line for the first input of the action that is set and gone, "" where none is.

    Args:
        values: What is set, by the names of the inputs.
    """
    for name, instead in INPUTS.items():
        if values.get(name):
            return f"input {name} is gone: {instead}"
    return ""


def _command_and_option(words: str) -> tuple[list[str], str]:
    command, dash, option = f" {words}".partition(" -")
    return command.split(), f"-{option}" if dash else ""


def _stand_in(command: list[str], option: str, arguments: Sequence[str]) -> bool:
    """Return True where a command line begins with the command and holds the option."""
    length = len(command)
    rest = " ".join(arguments[length:]).replace("=", " ")
    return list(arguments[:length]) == command and (not option or f" {option} " in f" {rest} ")
