"""What set the action off, and with which inputs."""
