"""The firmware around a model: its main functions, the test port, and how large it all is."""
