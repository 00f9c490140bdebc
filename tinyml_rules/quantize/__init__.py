"""A float model to a full-integer one."""
