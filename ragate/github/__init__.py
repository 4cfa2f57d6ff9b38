"""The GitHub Action: reads the event, decides, and publishes.

The runner's variables and the event's JSON file come in; a status, one comment, a job summary, the
step's outputs and an exit code go out. Read `modes/steps.py`, which picks the mode,
`modes/check.py`, and `gate/finalise.py`, where a report becomes what is published.
"""
