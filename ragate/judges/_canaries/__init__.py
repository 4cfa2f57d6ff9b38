"""Canaries: answers whose judgement is known, asked of a judge before it is believed.

Plain ones show whether it tells right from wrong, and others whether a text in an answer, a
context or a question can talk it into another verdict. They belong to ragate, not to the change
under test. What their failure voids says `voided` in `ragate.core.judging.canary_rule`.
"""
