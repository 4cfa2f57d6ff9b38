"""Names of the files of a run's folder, with the most bytes of those that leave the machine."""

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
