"""One run in several jobs: a plan, its shards, and their outputs merged as if one had made them."""
