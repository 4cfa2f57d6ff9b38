"""What the seed documents describe, each with the command that does it, tried one by one."""
