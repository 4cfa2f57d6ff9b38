"""What must hold before a tag becomes a release."""
