"""The line: config -> samples -> outputs -> records -> comparison -> decision -> report."""
