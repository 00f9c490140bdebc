"""File formats of programs for programmers and boot loaders."""
