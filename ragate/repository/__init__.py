"""The project's git repository, asked without obeying its configuration.

A folder comes in; commits, files and authors go out, empty where git knows nothing. Read `git.py`
for what is asked, and `git_process.py` for how git is run.
"""
