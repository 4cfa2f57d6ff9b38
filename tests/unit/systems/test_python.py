"""The python system: any function of the project, sync or async."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.models import RetrievedChunk
from tests.unit.systems.functions import PLAIN, one
from tests.unit.systems.using import ask, module


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_gets_the_question_and_its_dict_is_the_output(tmp_path: Path, kind: str):
    output = one(tmp_path, PLAIN.replace("def", kind))

    assert output.answer == "WHAT DOES PAGE Q001 SAY?"
    assert output.chunks == (RetrievedChunk(doc_id="a.md", text="A", score=0.5),)
    assert output.latency_s is not None


@pytest.mark.parametrize("parameter", ["sample", "s: 'Sample'", "s: Sample"])
def test_a_parameter_for_the_sample_gets_the_whole_sample(tmp_path: Path, parameter: str):
    code = f"from ragate.models import Sample\ndef answer({parameter}): return PICK.id"
    name = parameter.partition(":")[0]

    assert one(tmp_path, code.replace("PICK", name)).answer == "q001"


def test_top_k_and_retrieval_only_are_kept_to(tmp_path: Path):
    code = "def answer(query): return {'answer': 'x', 'contexts': ['a', 'b'], 'citations': [1]}"
    target = f"{module(tmp_path, code)}:answer"

    output = ask("python", {"target": target}, tmp_path, top_k=1, retrieval_only=True)[0]

    assert (len(output.chunks), output.answer, output.citations) == (1, None, None)
