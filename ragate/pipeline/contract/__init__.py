"""What a plugin has to keep to, checked on a file of somebody's."""
