"""What a run works with: resources, the environment, time, and room on the disk."""
