"""Small helpers that know nothing of the gate: files, text, git, settings.

Files, texts and tables come in; what is checked goes out, or an error that names the place. Read
`foreign_files.py`, the one reader of a project's files, `settings.py`, which turns a table of
ragate.toml into a model, and `strict_json.py`.
"""
