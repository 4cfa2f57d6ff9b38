"""The baseline file: one committed JSON that is the gate's memory.

Byte-stable: the same run gives the same bytes (sorted keys, six decimals, LF), and every sample
stands on one line of its own, so that a diff reads and two branches seldom conflict. A sample's
equal outputs are stored once; ``runs`` says which pass gave which output. In memory a baseline is
a `Run` whose records share these outputs.

Latency differs between machines: the figures of the recording stand at the head, to be shown and
not compared. Tokens and cost stand with a sample where a rule asks for them.
"""

from ragate.baseline.bounded import baseline_digest, open_baseline
from ragate.baseline.merge import MergedBaseline, merge_baselines
from ragate.baseline.read import load_baseline, load_contexts, parse_baseline
from ragate.baseline.requests import Replies, load_replies, requests_path, save_replies
from ragate.baseline.schema import SCHEMA_VERSION, BaselineFile, Recorded, Store, contexts_path
from ragate.baseline.write import (
    MACHINE_UNITS,
    baseline_lines,
    dump_baseline,
    is_written,
    recorded_before,
    recorded_now,
    save_baseline,
)
