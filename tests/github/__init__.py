"""The action against a stand-in for GitHub."""
