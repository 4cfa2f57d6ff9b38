"""Files and JSON of a project, read with bounds and written whole.

A path comes in; bytes, text or what JSON holds go out, or an error that names the place. Read
`foreign_files.py`, the one reader of a project's files, and `strict_json.py`.
"""
