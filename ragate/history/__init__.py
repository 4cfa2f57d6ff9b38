"""How the main branch moved, from the baselines that its commits hold.

A repository goes in, a `History` comes out. Read `read_history.py` for what it holds and what is
said of it, `show_history.py` for text, JSON and Markdown, and `history_page.py` for the page.
"""
