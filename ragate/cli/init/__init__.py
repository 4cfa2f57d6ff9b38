"""What `ragate init` writes, and how it comes to it. docs/init.md describes both."""
