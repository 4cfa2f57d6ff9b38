"""Ten public workflows that call an evaluator, each with our step behind it: what the step says.

    python -m benchmarks.evaluator_workflows

Nothing of the workflows is kept but where they stand. What their evaluator writes is stood in for
by a file of the same tool (tests/fixtures/scores), 120 samples long; our step runs in a process
against the stand-in for GitHub, with a baseline that the base branch committed: on a change that
changes nothing, on one that breaks a third of the answers, on one whose evaluator lost its judge,
and on one whose evaluator wrote nothing.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from ragate.cli.main import run as ragate
from tests.e2e.action.forge import Forge
from tests.servers.github_stub import github_stub
from tests.unit.scores.ways_not_to_run import broken, failed, harmless, scored
from tests.unit.scores.written_by_tools import WRITERS, evaluated

OURS = "ragate/ragate@0000000000000000000000000000000000000000"


class Workflow(NamedTuple):
    """A workflow, and its evaluator's step as it is before ours.

    Attributes:
        tool: A writer of the tests. command: What its step runs. changed: What is new in it.
    """

    repository: str
    path: str
    commit: str
    tool: str
    command: str
    changed: str


WORKFLOWS = (
    Workflow(
        "niti007/enterprise-knowledge-assistant", "promptfoo.yml",
        "bb10c63cc0d28e1ef6d16874d9576b72a6331657", "promptfoo json",
        "npx -y promptfoo@latest eval -c eval/promptfooconfig.yaml -o out/results.json --no-cache"
        " || test $? = 100",
        "100 (a failed assertion) no longer ends the job",
    ),
    Workflow(
        "ofelipepeixoto/avaliacao-rag-juridico", "promptfoo.yml",
        "7d46947708ca4e95447db1045e223b5645e2e551", "promptfoo json",
        "npm run eval:offline && cp promptfoo-results.json out/results.json",
        "keeps the result",
    ),
    Workflow(
        "gonzaloMorenoc/ai-testing-lab", "promptfoo.yml",
        "2a2ee60644beb29a3de269da11680b80162adbe5", "promptfoo jsonl",
        "promptfoo eval -c modules/05-prompt-regression/promptfooconfig.yaml -o out/results.jsonl"
        " || test $? = 100",
        "100 no longer ends the job; prompts and models are slices by tag",
    ),
    Workflow(
        "abchahal/llm-evaluation-promptfoo-suite", "promptfoo.yml",
        "1b1a6328f0b04bb685fd4322f5c60bebde6792ec", "promptfoo csv",
        "promptfoo eval -c promptfoo-llm-tests/security-tests.yaml -o out/results.csv"
        " || test $? = 100",
        "100 no longer ends the job",
    ),
    Workflow(
        "GoogleCloudPlatform/gke-mcp", "deepeval.yml",
        "04928803bf7f4b81a003829c40fe67c0c7a4122b", "junit",
        "pytest evals/test_manifest_gen.py --junitxml out/results.xml || test $? = 1",
        "writes JUnit; 1 (a failed test) no longer ends the job",
    ),
    Workflow(
        "jigargor/nash-ai", "deepeval.yml",
        "17671b194a4738deb330a04848a4032d6022ac9c", "deepeval 4",
        "cd apps/api && DEEPEVAL_RESULTS_FOLDER=$PWD/../../out uv run deepeval test run"
        " tests/deep_eval || test $? = 1",
        "keeps deepeval's own file; 1 no longer ends the job",
    ),
    Workflow(
        "kazikimaguro13/axis-knowledge-rag", "ragas.yml",
        "06922338d2f899f2b56ae7a05b4d016a7000d3a4", "ragas jsonl",
        "python -m evaluation.run_ragas --dataset evaluation/datasets/qa_v1.json --output"
        " out/results.jsonl",
        "writes result.to_pandas() where it wrote four means; its own gate and comment go",
    ),
    Workflow(
        "sassyYoda/tide", "ragas.yml",
        "f6b7ff993b9cd8d062ac617ec6e23d10fd5f656b", "ragas json",
        "backend/.venv/bin/python -m eval.ragas_eval --strict --out out/results.json",
        "writes result.to_pandas() where it wrote four means; its own gate goes",
    ),
    Workflow(
        "ishidahra01/azure-genaiops", "azure-ai-evaluation.yml",
        "5407a7622100badd49f85ad5576469cc7e4e9c2e", "azure",
        "cd apps && OUTPUT_PATH=../out/results.json python 01_azure_ai_evaluation_batch.py",
        "its own comment goes",
    ),
    Workflow(
        "anud18/dgx-spark-automation", "lm_eval.yml",
        "14e684acad26b375ac81077581c40b05ed9cdd36", "lm-eval",
        "lm_eval --model local-completions --model_args \"$MODEL\" --tasks mmlu_redux_generative"
        " --log_samples --output_path out",
        "--log_samples",
    ),
    Workflow(
        "METR/inspect-action", "run-inspect.yaml",
        "03fff173bd6eef161550e2a2003e5a7637852613", "inspect json",
        "inspect eval-set $TASK --log-format json --log-dir out",
        "logs as JSON in a folder",
    ),
)  # fmt: skip


def step(workflow: Workflow) -> str:
    """Return the evaluator's step and ours."""
    return f"- run: {workflow.command}\n- uses: {OURS}\n  with: {{gate: scores}}\n"


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def project(folder: Path, name: str, content: bytes, metrics: list[str]) -> dict[str, bytes]:
    """Return what the base branch has: the configuration and the baseline of its scores."""
    (folder / "out").mkdir(parents=True)
    (folder / "out" / name).write_bytes(content)
    tables = "".join(f'[policy.metrics."{metric}"]\ndirection = "higher"\n' for metric in metrics)
    (folder / "ragate.toml").write_text(
        '[policy]\nbaseline = "baselines/scores.json"\nsystems = ["scores"]\n'
        f'scores_paths = ["out/*"]\n{tables}[system]\nuse = "scores"\npaths = ["out/{name}"]\n'
    )
    with inside(folder):
        assert ragate(["baseline", "update"]) == 0
    kept = ("ragate.toml", "baselines/scores.json")
    return {one: (folder / one).read_bytes() for one in kept}


def codes(workflow: Workflow, folder: Path) -> list[int]:
    """Return what our step ends with on each change."""
    name, write = WRITERS[workflow.tool]
    before = evaluated()
    named = {"lm-eval": ["exact_match", "f1"], "deepeval 4": ["Faithfulness", "Answer Relevancy"]}
    metrics = named.get(workflow.tool, ["faithfulness", "answer_relevancy"])
    lost = scored(None) if workflow.tool == "lm-eval" else failed(1)
    files = project(folder / "main", name, write(before), metrics)
    changes = [write(harmless(before)), write(broken(before)), write(lost(before)), None]
    ended = []
    with github_stub(folder / "github") as github:
        forge = Forge(github, folder)
        forge.start({**files, "rag.py": b"one"})
        for number, content in enumerate(changes, start=1):
            change = forge.change({"rag.py": b"two %d" % number}, number=number)
            workspace = forge.checkout(change.merge)
            (workspace / "out").mkdir()
            if content is not None:
                (workspace / "out" / name).write_bytes(content)
            result = forge.check(change, workspace=workspace, inputs={"gate": "scores"})
            ended.append(result.exit_code)
    return ended


def main() -> None:
    print(
        "| workflow | commit | what is new in its step | as before | broken | judge out | no file |"
    )
    print("| --- | --- | --- | --: | --: | --: | --: |")
    for workflow in WORKFLOWS:
        steps = yaml.safe_load(step(workflow))
        assert [sorted(one) for one in steps] == [["run"], ["uses", "with"]]
        with tempfile.TemporaryDirectory() as folder:
            ended = " | ".join(map(str, codes(workflow, Path(folder))))
        where = f"{workflow.repository}/.github/workflows/{workflow.path}"
        print(f"| {where} | {workflow.commit[:8]} | {workflow.changed} | {ended} |", flush=True)


if __name__ == "__main__":
    main()
