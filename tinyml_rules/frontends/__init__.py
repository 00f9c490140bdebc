"""One thin layer for each build system; all of them use the same compiler."""
