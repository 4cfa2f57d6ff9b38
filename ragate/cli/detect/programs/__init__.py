"""RAGs in other languages: read as text, reached as a program or a service."""
