"""Which spellings of a document are written into a golden set."""

import pytest

from ragate.contrib.golden.relink import respellings
from ragate.dataset import Entry
from ragate.models import Sample
from tests.unit.core.doc_ids.test_advice import between


@pytest.mark.parametrize("path", ["/srv/rag/kb/refunds.md", "C:/rag/kb/refunds.md"])
def test_no_path_of_a_machine_is(path: str):
    entry = Entry("golden:1", Sample(id="q1", query="Why?", relevant={"refunds.md": 1}))

    assert respellings([entry], between("refunds.md", path)) == {}
