"""What the first worker says of its system, and whether another's is the same."""

import pytest

from ragate.errors import SystemMismatchError
from ragate.models import SystemInfo
from ragate.pipeline.workers.plan_head import Greeting, read_greeting

FIRST = Greeting(system=SystemInfo(use="python", fingerprint="a", parts={"corpus": "1"}))


def test_the_same_system_is_welcome():
    FIRST.refuse_other(read_greeting(FIRST.model_dump_json()))


def test_another_system_is_refused_and_what_differs_is_named():
    other = Greeting(system=SystemInfo(use="python", fingerprint="b", parts={"corpus": "2"}))

    with pytest.raises(SystemMismatchError, match=r"another than the first worker's \(corpus\)"):
        other.refuse_other(FIRST)


@pytest.mark.parametrize("text", ["", "{}", '{"system": 3}', '{"system": {"use": "x"}, "a": 1}'])
def test_a_greeting_that_is_none_is_refused(text: str):
    with pytest.raises(SystemMismatchError, match="what a worker said of its system"):
        read_greeting(text)
