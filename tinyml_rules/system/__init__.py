"""Files, processes and the words of front ends: what is not about models."""
