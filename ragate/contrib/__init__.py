"""What stands beside the core: a folder each, found by `ragate.extension`; none knows another."""
