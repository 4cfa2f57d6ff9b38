"""Phrases of sentences after which, behind a colon, the words of others stand.

A message of a provider, a judge or a metric: what may not be published is cut off there, so a
sentence that quotes one uses a phrase of these.
"""

NONE_MEASURED = "no affected sample could be measured"
JUDGE_STOPPED = "the judge stopped"
SCORES_MISSING = "scores are missing"
UNMEASURED_SYMPTOM = "much was not measured"
OVER_THE_RUN = "over the whole run: held against its limit only"  # a metric's own words may follow
