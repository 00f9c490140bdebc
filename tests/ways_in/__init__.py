"""Every option of a compilation through every way in: the outcome is the command line's."""
