"""The pair of workflows with the first half in several jobs, one for each shard."""

import re

_JOB = re.compile(r"^    name: collect\n", re.MULTILINE)
_OUTPUTS = re.compile(r"(ragate-outputs-)\$(?=GITHUB|\{\{ github)")
_OPTION = " --runs 3 --allow-code"  # of the job that runs the system without the container
_COLLECT = re.compile(r"^          mode: collect\n", re.MULTILINE)
_DECIDE = re.compile(r"^          mode: decide\n", re.MULTILINE)
_ARTIFACT = re.compile(r"^(          name: ragate-outputs-\S+?)(-\$\{\{ github)", re.MULTILINE)
_SHARD = "${{ matrix.shard }}"


def in_shards(text: str, shards: int) -> str:
    """Return a workflow whose collecting job runs once for each shard; others stay as they are."""
    on_runner = " --mode collect " in text
    if not on_runner and not _COLLECT.search(text):
        return _DECIDE.sub(lambda found: f'{found[0]}          shards: "{shards}"\n', text)
    numbers = ", ".join(str(number) for number in range(1, shards + 1))
    matrix = (
        f"    name: collect {_SHARD}\n    strategy:\n"
        "      fail-fast: false # a shard that fails is missing, and the verdict names it\n"
        f"      matrix:\n        shard: [{numbers}]\n"
    )
    if on_runner:
        matrix += f'    env: {{ SHARD: "{_SHARD}" }}\n'
        text = text.replace(_OPTION, f' --runs 3 --shards {shards} --shard "$SHARD" --allow-code')
    text = _JOB.sub(lambda _: matrix, text)
    text = _ARTIFACT.sub(lambda found: f"{found[1]}-{_SHARD}{found[2]}", text)
    number = "$SHARD" if on_runner else _SHARD
    text = _OUTPUTS.sub(lambda found: f"{found[1]}{number}-$", text)
    inputs = f'shards: "{shards}"\n          shard: {_SHARD}\n'
    return _COLLECT.sub(lambda found: f"{found[0]}          {inputs}", text)
