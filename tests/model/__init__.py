"""A real language model behind a real server: what is asserted is protocol, never quality."""
