"""What a judge may be asked, what needs no asking, and how well it agrees."""
