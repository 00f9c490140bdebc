"""Measurements that no test makes, because they depend on the machine."""
