"""One run in several jobs: a plan, its shards, and their outputs merged as if one had made them.

Read `shard_plan.py` for what is frozen and which sample is in which shard, `shard.py` for the file
that one job leaves, and `merge.py` for how they become one run and what a missing part holds back.
"""
