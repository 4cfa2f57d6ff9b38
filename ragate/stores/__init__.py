"""Where runs are kept.

Outputs, scores and a report come in, and lie as the files of one folder a run. Read `local.py` for
that folder, and `run_outputs.py` for outputs as they arrive. Runs that several machines share are
kept by an extension, behind the same interface.
"""

# Files of a run's folder, and the most bytes of those that leave the machine.
BEGUN, LOCK = "begun.json", "begun.lock"
SCORES, MANIFEST, REPORT = "scores.jsonl", "manifest.json", "report.json"
OUTPUTS = "outputs.jsonl"  # with full passages
RUN_FILES = {
    MANIFEST: 256 * 1024 * 1024,
    SCORES: 256 * 1024 * 1024,
    OUTPUTS: 1024 * 1024 * 1024,
    REPORT: 256 * 1024 * 1024,
    "requests.jsonl.gz": 256 * 1024 * 1024,
}
