"""The baseline file: one committed JSON that is the gate's memory.

Byte-stable: the same run gives the same bytes (sorted keys, six decimals, LF), and every sample
stands on one line of its own, so that a diff reads and two branches seldom conflict. A sample's
equal outputs are stored once; ``runs`` says which pass gave which output. In memory a baseline is
a `Run` whose records share these outputs.

Latency differs between machines: the figures of the recording stand at the head, to be shown and
not compared. Tokens and cost stand with a sample where a rule asks for them.
"""

from ragate.baseline.read import (
    baseline_digest,
    load_baseline,
    load_contexts,
    open_baseline,
    parse_baseline,
    with_texts,
)
from ragate.baseline.schema import SCHEMA_VERSION, BaselineFile, Recorded, Store, contexts_path
