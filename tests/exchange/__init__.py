"""A firmware whose model is exchanged for another one."""
