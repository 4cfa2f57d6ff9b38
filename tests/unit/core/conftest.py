"""The slow second implementation that the tests compare with, where it is at hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).parents[3] / "../shared/reference/decision_reference.py"


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    if not REFERENCE.exists():
        pytest.skip("the slow reference implementation is not beside this repository")
    spec = importlib.util.spec_from_file_location("decision_reference", REFERENCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["decision_reference"] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module
